"""The workload of the speed and fault benchmarks: 45 made-up articles of which 22 are relevant, and
a model that knows them.

Token counts are those of the issue: 20 for a judgement, 150 for a summary, 300 for a synthesis, 40
for a TL;DR (a token is a word, see `benchmarks.servers.model`); a query has 15. Every reply is a
function of the request alone.
"""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

from clinfo.records.articles import Article, Author, DateInterval, Section
from clinfo.retrieval.fusion import fused

QUESTION = "Does vitamin D prevent falls in older people?"
ARTICLE_COUNT = 45
RELEVANT_COUNT = 22
COUNTS = (ARTICLE_COUNT, 126, 200)
"""Articles of the runs of different size."""
PER_QUERY = 16
CITED = 12
"""Studies that the synthesis cites, two a sentence: it has at most seven sentences."""
QUERY_TOKENS, JUDGEMENT_TOKENS, SUMMARY_TOKENS, SYNTHESIS_TOKENS, TLDR_TOKENS = 15, 20, 150, 300, 40


def articles(count: int = ARTICLE_COUNT, round: int | None = None) -> list[Article]:
    """The articles, relevant and irrelevant ones in turn; those of a ``round`` are new, and as long
    as articles of PubMed are.
    """
    return [_article(number, round) for number in range(1, count + 1)]


def per_query(count: int) -> int:
    """Articles that each of the three queries must bring so that ``count`` are found in all."""
    return -(-(count + 2) // 3)


def searches(count: int = ARTICLE_COUNT) -> dict[str, dict[str, Any]]:
    """Return what each of the three queries finds: as many articles (16 of 45 in all), the last of
    one being the first of the next.
    """
    found, each = {}, per_query(count)
    for seed in range(3):
        start = seed * (each - 1)
        pmids = [str(1000 + number) for number in range(start + 1, min(start + each, count) + 1)]
        found[_query(seed)] = {"idlist": pmids, "count": str(len(pmids)), "retmax": str(len(pmids))}
    return found


def ranked_relevance(count: int = ARTICLE_COUNT) -> list[bool]:
    """Return whether each of the articles is relevant, in the order in which the chain judges
    them.
    """
    ranked = list(fused([found["idlist"] for found in searches(count).values()]))
    return [int(pmid) % 2 == 0 for pmid in ranked]


def reply(body: dict[str, Any]) -> str:
    """Return what the scripted model says to a request in OpenAI's form."""
    text = "\n".join(message["content"] for message in body["messages"])
    text += json.dumps(body.get("response_format"))
    if '"verdicts"' in text:
        return _verdicts(text)
    if '"readings"' in text:
        articles = re.findall(r"^\[(\d+)\] (<article (\w+)>.*?</article \3>)", text, re.M | re.S)
        read = [{"n": int(n)} | _reading(one) for n, one, _ in articles]
        kinds = {"readings": "yes", "not_relevant": "no"}
        return json.dumps(
            {kind: [one for one in read if one["relevant"] == it] for kind, it in kinds.items()}
        )
    if '"relevant"' in text:
        return json.dumps(_reading(text, with_summary='"finding"' in text))
    if '"finding"' in text:
        return _summary(text)
    if "Synthesis:" in text:
        return _tldr()
    if '"doubts"' in text:
        return json.dumps({"doubts": ["Most of these trials were small [1][2]."]})
    if "Studies, each beginning" in text:
        numbers = re.findall(r"^\[(\d+)\]", text, re.MULTILINE)[:CITED]
        sentences = [
            f"In two of these trials falls were fewer than without it [{one}]{other}."
            for one, other in _pairs(numbers)
        ]
        end = f" [{numbers[0]}]."
        synthesis = _padded(" ".join(sentences), SYNTHESIS_TOKENS, end, " so they say")
        return f"TL;DR: {_tldr()}\n\n{synthesis}" if "TL;DR:" in text else synthesis
    return _query(body.get("seed") or 0)


def _pairs(numbers: list[str]) -> list[tuple[str, str]]:
    """The numbers two by two, the second in brackets or nothing."""
    return [
        (one, "".join(f"[{other}]" for other in numbers[at + 1 : at + 2]))
        for at, one in enumerate(numbers)
        if at % 2 == 0
    ]


def _reading(text: str, with_summary: bool = True) -> dict[str, Any]:
    """The reading of the first article in a text: whether it is relevant, and its summary."""
    fits = re.search(r"Title: (?:<title \w+>)?Vitamin D", text) is not None
    judged = _padded_json({"relevant": "yes" if fits else "no"}, "reason", JUDGEMENT_TOKENS)
    found: dict[str, Any] = json.loads(judged)
    return found | (json.loads(_summary(text)) if fits and with_summary else {})


def _summary(text: str) -> str:
    number = re.search(r"Title: .*\((\d+)\)", text)
    size = 100 + int(number[1]) if number else None
    results = re.search(r"We gave .*?\d\)\.", text, re.S)
    methods = re.search(r"At centre .*? weeks\.", text)
    quotes = [" ".join(found[0].split()) for found in (results, methods) if found]
    fields = {
        "design": "RCT",
        "n_randomised": size,
        "answer": "yes",
        "result": "found benefit",
        "outcome": "falls",
        "population": "people over 70",
        "intervention": "vitamin D",
        "comparator": "placebo",
        "usefulness": 8,
        "quotes": quotes,
    }
    return _padded_json(fields, "finding", SUMMARY_TOKENS)


def _tldr() -> str:
    return _padded("In these studies falls were fewer", TLDR_TOKENS, " [1].")


def _verdicts(text: str) -> str:
    """Every sentence shown to the judge is supported, with words of each article that it cites."""
    shown = re.findall(r"^(S\d+): (.*)$", text, re.MULTILINE)
    words = "fewer people fell with vitamin d than with placebo"
    return json.dumps(
        {
            "verdicts": [
                {
                    "label": label,
                    "quotes": [
                        {"article": int(n), "words": words}
                        for n in re.findall(r"\[(\d+)\]", sentence)
                    ],
                    "reason": "",
                    "verdict": "supported",
                }
                for label, sentence in shown
            ]
        }
    )


def _query(seed: int) -> str:
    outcome = ("mortality", "adherence", "disability")[seed % 3]
    return _padded(f"vitamin AND falls AND {outcome}", QUERY_TOKENS, "", " AND older")


def _article(number: int, round: int | None) -> Article:
    relevant = number % 2 == 0
    subject = "Vitamin D" if relevant else "Aspirin"
    text = (
        f"We gave {subject.lower()} or placebo to {100 + number} people over 70 for {number} "
        "months. Falls were counted by diary, "
        f"and {number}.4% fewer people fell with {subject.lower()} than with placebo (95% CI "
        f"{number}.1 to {number}.8)."
    )
    sections = (
        Section("Falls are common in later life.", "BACKGROUND"),
        *(() if round is None else (Section(_methods(number, round), "METHODS"),)),
        Section(text, "RESULTS"),
    )
    return Article(
        id=f"pmid:{1000 + number}",
        pmid=str(1000 + number),
        title=f"{subject} and falls in older people: a randomised trial ({number})",
        sections=sections,
        authors=(Author("Example", "Ann", "A"),),
        journal="Journal of Made-up Trials",
        journal_abbreviation="J Made-up Trials",
        volume="1",
        pages=str(number),
        published=DateInterval(date(2020, 1, 1), date(2020, 12, 31), "2020"),
    )


def _methods(number: int, round: int) -> str:
    """Methods that make an abstract some 340 tokens long, as those of PubMed records are: 381, 280
    and 342 in the mean of 400 trials, drug reviews and articles of PubMedQA.
    """
    site, year = 100 * round + number, 1980 + number % 40
    return " ".join(
        f"At centre {site}-{visit} we enrolled people from homes and clinics in {year + visit}, "
        f"measured gait, grip and diet at visit {visit}, and followed them by telephone for "
        f"{number + visit} weeks."
        for visit in range(1, 8)
    )


def _padded(text: str, tokens: int, end: str, filler: str = " so") -> str:
    missing = tokens - len(text.split()) - len(end.split())
    return text + (filler * (missing // len(filler.split())) if missing > 0 else "") + end


def _padded_json(fields: dict[str, Any], key: str, tokens: int) -> str:
    """A JSON object of exactly ``tokens`` words, of which ``fields[key]`` makes up the rest."""
    words = tokens - len(json.dumps({**fields, key: ""}).split()) + 1
    return json.dumps({**fields, key: _words(words)})


_FILLER = "Fewer people fell with the vitamin than without it in this trial of older people"


def _words(count: int) -> str:
    words = _FILLER.split()
    return " ".join(words[place % len(words)] for place in range(count))
