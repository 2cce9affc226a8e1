"""The literature chain on PubMedQA's expert-labelled questions, with a model.

    python -m benchmarks clinical [--data FOLDER] [--model NAME [--runs DIR] [--limit N]] [--json]

Each question is asked of its own article, whose conclusion is left out (PubMedQA's setting that
needs reasoning), and of four articles of other questions. With --model each question is a run, kept
in --runs: the same command goes on with what is missing. Without one the questions are counted.

The measures: ``answer_accuracy`` and ``answer_macro_f1`` of yes, no and maybe, by the typed reading
of the question's article (unclear is maybe, an article that was not taken as relevant is wrong);
``own_relevant`` and ``other_relevant``, the shares of own and other articles taken as relevant; of
the sentences shown ``supported``, ``partial`` and ``not_verified``; ``withheld``, the share of
questions without an answer; ``emptied``, figures and quotations a reading that stand nowhere in the
abstract; ``input_tokens`` and ``output_tokens`` a question.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import flags
from benchmarks.pubmedrs200.running.decisions import accuracy, macro_f1
from clinfo import Answer, aask
from clinfo.records.articles import Article, Section
from clinfo.sources.memory import Memory

OTHERS = 4
CLASSES = ("yes", "no", "maybe")


@dataclass(frozen=True)
class Question:
    """A question with the experts' answer, its article and the articles of others."""

    pmid: str
    text: str
    gold: str
    articles: tuple[Article, ...]

    @property
    def own(self) -> str:
        return f"pmid:{self.pmid}"


def questions(folder: Path) -> list[Question]:
    """Those of the files in ``folder``/pubmedqa or ``folder``, in the order of the SHA-256 of their
    PMIDs; one without a label is left out.
    """
    inner = folder / "pubmedqa"
    rows: dict[str, dict[str, object]] = {}
    for path in sorted((inner if inner.is_dir() else folder).glob("*.json*")):
        rows |= json.loads((gzip.open if path.suffix == ".gz" else open)(path, "rb").read())
    order = sorted(rows, key=lambda pmid: hashlib.sha256(pmid.encode()).hexdigest())
    articles = [_article(pmid, rows[pmid]) for pmid in order]
    return [
        Question(
            pmid,
            str(rows[pmid]["QUESTION"]),
            str(rows[pmid]["final_decision"]),
            tuple(
                articles[(at + step) % len(order)] for step in range(min(OTHERS + 1, len(order)))
            ),
        )
        for at, pmid in enumerate(order)
        if rows[pmid].get("final_decision") in CLASSES
    ]


def _article(pmid: str, row: Mapping[str, object]) -> Article:
    labels, texts = row.get("LABELS"), row.get("CONTEXTS")
    assert isinstance(labels, list)
    assert isinstance(texts, list)
    sections = tuple(
        Section(str(text), str(label)) for label, text in zip(labels, texts, strict=False)
    )
    return Article(f"pmid:{pmid}", str(row["QUESTION"]), pmid=pmid, sections=sections)


async def _asked(found: Sequence[Question], model: str, runs: Path) -> list[Answer]:
    """The answers, one question after another: a run's own articles go side by side."""
    runs.mkdir(parents=True, exist_ok=True)
    return [
        await aask(
            one.text,
            model=model,
            source=Memory(one.articles, "pubmedqa"),
            query=[" OR ".join(f"{each.pmid}[pmid]" for each in one.articles)],
            save=runs / f"{one.pmid}.jsonl",
        )
        for one in found
    ]


def measures(found: Sequence[Question], answers: Sequence[Answer]) -> dict[str, float]:
    """The measures of the head of this module."""
    pairs: list[tuple[str, str]] = []
    counts: Counter[str] = Counter()
    for one, answer in zip(found, answers, strict=True):
        rows = {row.id: row for row in answer.evidence}
        own = rows.get(one.own)
        pairs.append((one.gold, _said(own.answer if own else None)))
        counts["own"] += own is not None
        counts["other"] += len(rows) - (own is not None)
        counts["others"] += len(one.articles) - 1
        counts["withheld"] += not answer.synthesis
        counts.update(sentence.verdict for sentence in answer.sentences if answer.synthesis)
        counts["sentences"] += len(answer.sentences) if answer.synthesis else 0
        read = [each.summary for each in answer.record.articles if each.summary is not None]
        counts["read"] += len(read)
        counts["emptied"] += sum(summary.ungrounded for summary in read)
        counts["in"] += answer.record.usage.prompt_tokens
        counts["out"] += answer.record.usage.completion_tokens
    n = len(found)
    shown = max(1, counts["sentences"])
    return {
        "answer_accuracy": accuracy(*zip(*pairs, strict=True)),
        "answer_macro_f1": macro_f1(*zip(*pairs, strict=True)),
        "own_relevant": counts["own"] / n,
        "other_relevant": counts["other"] / max(1, counts["others"]),
        "sentences": counts["sentences"],
        **{name: counts[name] / shown for name in ("supported", "partial", "not_verified")},
        "withheld": counts["withheld"] / n,
        "emptied": counts["emptied"] / max(1, counts["read"]),
        "input_tokens": counts["in"] / n,
        "output_tokens": counts["out"] / n,
    }


def _said(answer: str | None) -> str:
    """A reading's answer as a class; "" where the article was not taken as relevant."""
    word = (answer or "").strip().lower().rstrip(".")
    return word if word in ("", "yes", "no") else "maybe"


FLAGS: flags.Flags = {
    "--model": {"help": "ask this model"},
    "--runs": {"type": Path, "default": Path("clinical"), "help": "where runs are kept"},
    "--limit": {"type": int, "default": 50, "help": "ask the first N (50)"},
}


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    about = "The literature chain on PubMedQA's expert-labelled questions."
    parser, options = flags.read("clinical", about, "**/*.json*", arguments, FLAGS)
    if not (found := questions(options.data)):
        parser.error(f"{options.data} holds no questions of PubMedQA")
    counted: dict[str, float] = {"n": len(found), **Counter(one.gold for one in found)}
    if options.model:
        found = found[: options.limit]
        answers = asyncio.run(_asked(found, options.model, options.runs))
        counted |= {"asked": len(found), **measures(found, answers)}
    flags.tell(counted, options.json)
