"""Verdicts of a judge as they stand in the end: sentences of real abstracts, a scripted judge who
is right, and one who makes quotations up.

    python -m benchmarks claims [--data FOLDER] [--json]

Each of 200 articles gives a true sentence, as people retype it (dashes, spaces), and a false one,
in which one digit is another. The right judge quotes the article; its verdicts must stand. The
other calls the false sentence supported and quotes it: nothing of that may stand.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Sequence

from benchmarks import flags
from benchmarks.own.scores import DATA
from clinfo.claims.cited import cited_sentence
from clinfo.claims.judging import Judges
from clinfo.pipelines.literature.stages import JUDGE_STAGE, PROMPTS
from clinfo.pubmed.xml import read_file
from clinfo.records.articles import Article, Sentence, Study
from clinfo.runs.protocols import Ask, ModelReply, ModelRequest
from clinfo.text.abstracts import abstract_sentences

RECORDS = "citations/pmc_trial_citations.xml.gz"
COUNT = 200
_DECIMAL = re.compile(r"\d\.\d")


def sentences(articles: Sequence[Article]) -> list[tuple[Study, str]]:
    """A result sentence with a decimal of each article that has one, in an order of no meaning."""
    found = []
    for article in sorted(articles, key=lambda one: hashlib.sha256(one.id.encode()).digest()):
        told = (one.text for one in abstract_sentences(article) if one.role == "results")
        if text := next((one for one in told if _DECIMAL.search(one) and "[" not in one), ""):
            found.append((Study(1, article, None), text))
    return found[:COUNT]


def retyped(text: str) -> str:
    """The sentence with other dashes and spaces."""
    return re.sub(r"\s*([=<>])\s*", r" \1 ", text.replace("–", "-").replace("−", "-")).strip()


def falsified(text: str) -> str:
    """The sentence with the digit before its first decimal point changed."""
    at = _DECIMAL.search(text)
    assert at is not None
    return f"{text[: at.start()]}{(int(text[at.start()]) + 4) % 10}{text[at.start() + 1 :]}"


def judge(verdict: str, words: str) -> Ask:
    """A judge that gives every sentence this verdict and this quotation of article 1."""

    async def ask(call: str, request: ModelRequest) -> ModelReply:
        quotes = [{"article": 1, "words": words}]
        said = {"label": "S1", "quotes": quotes, "reason": "It says so.", "verdict": verdict}
        return ModelReply(json.dumps({"verdicts": [said]}), "scripted")

    return ask


def heard(text: str, study: Study, verdict: str, words: str) -> Sentence:
    """The sentence under the verdict that stands when the judge says this."""
    judges = Judges("model", PROMPTS.checked()[JUDGE_STAGE], judge(verdict, words))
    one = cited_sentence(text, (1,), [study])
    return asyncio.run(judges.verdicts([one], [study], "verify")).sentences[0]


def measured(articles: Sequence[Article]) -> dict[str, float]:
    """The shares, and how many sentences they are of."""
    rows = sentences(articles)
    n = len(rows)
    stands = sum(
        heard(retyped(text), study, "supported", retyped(text)).verdict == "supported"
        for study, text in rows
    )
    condemned = sum(
        heard(falsified(text), study, "contradicted", text).verdict == "contradicted"
        for study, text in rows
    )
    let_through = sum(
        heard(falsified(text), study, "supported", falsified(text)).verdict == "supported"
        for study, text in rows
    )
    return {
        "n": n,
        "true_supported": stands / n,
        "false_condemned": condemned / n,
        "made_up_supported": let_through / n,
    }


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    about = "What becomes of a judge's verdicts."
    _, options = flags.read("claims", about, RECORDS, arguments, {}, DATA)
    read = read_file(options.data / RECORDS)
    flags.tell(measured([one for one in read if isinstance(one, Article)]), options.json, None)
