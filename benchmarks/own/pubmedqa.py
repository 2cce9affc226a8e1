"""The extractive model on PubMedQA: does it read an article's own conclusion as its experts did?

    python -m benchmarks.own.pubmedqa [--level model|chain] [--half even|odd] [--data FOLDER] [--json]

``model`` asks the summary stage about each question's own article. ``chain`` asks every question of
the whole chain, with all citation files of the folder held in one in-memory source, and looks at
the own article's summary in the answer; an article that was not retrieved or was judged irrelevant
counts as wrong. A relation of supports is yes, contradicts is no, mixed or does not answer is
maybe. At both levels follows what `clinfo.evidence.settle` says of each question with its own
article alone:
how often a flat word is said and is right, how often a "probably", and the calibration error of the
probability of yes. Weights were fitted on even PMIDs, so that of the even half the figures flatter;
those of odd ones count.
"""  # noqa: E501

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.own.calibration import calibration_error, interval
from clinfo.errors import ClinfoError
from clinfo.evidence.settle import settle
from clinfo.extractive.model import ExtractiveModel
from clinfo.extractive.summary import summarise
from clinfo.pipelines.literature.declared import LITERATURE, MODEL_STAGES
from clinfo.records.articles import Article, Study

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
QUESTIONS = "pubmedqa/ori_pqal.first700.json.gz"
RECORDS = "citations/pubmedqa_citations.xml.gz"
LABELS = ("yes", "no", "maybe")
HALVES = {"even": 0, "odd": 1}
MISSED = "missed"
"""The guess for an article that never reached the answer: no label, so always wrong."""
_LABEL_OF_STANCE = {
    "supports": "yes",
    "contradicts": "no",
    "mixed": "maybe",
    "other outcomes": "maybe",
}


@dataclass(frozen=True)
class Row:
    """A question with its own article and the experts' answer to it (one of `LABELS`)."""

    pmid: str
    question: str
    label: str
    article: Article


def labelled(half: int, data: Path = DATA) -> list[Row]:
    """The questions whose PMID leaves ``half`` (0 or 1) when divided by two; nothing is kept of the
    others.
    """
    from clinfo.pubmed.xml import read_file

    with gzip.open(data / QUESTIONS, "rt", encoding="utf-8") as file:
        answers = {
            pmid: row["final_decision"]
            for pmid, row in json.load(file).items()
            if int(pmid) % 2 == half
        }
    articles = {
        item.pmid: item
        for item in read_file(data / RECORDS)
        if isinstance(item, Article) and item.pmid in answers
    }
    return [
        Row(pmid, articles[pmid].title, label, articles[pmid]) for pmid, label in answers.items()
    ]


def model_guesses(rows: Sequence[Row]) -> list[str]:
    """Return what the summary of each question's own article says."""
    return [
        _LABEL_OF_STANCE[summarise(row.question, row.article).stance or "other outcomes"]
        for row in rows
    ]


async def chain_guesses(rows: Sequence[Row], data: Path) -> list[str]:
    """Return what the own article's summary in the chain's answer says, in the order of
    ``rows``.
    """
    from clinfo.pipelines.literature.answer_building import build_answer
    from clinfo.pipelines.literature.chain import Chain
    from clinfo.pipelines.literature.declared import PROMPTS
    from clinfo.pipelines.literature.request import checked
    from clinfo.runs.clock import SystemClock
    from clinfo.runs.spending import MemoryBudget
    from clinfo.sources.memory import Memory

    source = Memory.from_files(sorted((data / "citations").glob("*.xml.gz")))
    prompts = {name: PROMPTS.parse(name, text) for name, text in PROMPTS.defaults().items()}
    models = dict.fromkeys(MODEL_STAGES, ExtractiveModel(LITERATURE.stages))
    stances: list[str] = []
    for number, row in enumerate(rows, 1):
        chain = Chain(models, source, prompts, MemoryBudget(None), SystemClock())
        request = checked(question=row.question, model=ExtractiveModel.name, source="demo")
        answer = build_answer([event async for event in chain.run(request)])
        own = next((article for article in answer.articles if article.pmid == row.pmid), None)
        found = own.summary.stance if own is not None and own.summary is not None else None
        stances.append(_LABEL_OF_STANCE[found] if found else MISSED)
        if sys.stderr.isatty() or number % 50 == 0:
            print(
                f"\r{number} of {len(rows)}",
                end="" if sys.stderr.isatty() else "\n",
                file=sys.stderr,
            )
    return stances


def settled(rows: Sequence[Row]) -> dict[str, float]:
    """Return what `clinfo.evidence.settle` says of each question with its own article: shares said
    and right, calibration error and interval."""
    found = [
        (
            settle(row.question, [Study(1, row.article, summarise(row.question, row.article))]),
            row.label,
        )
        for row in rows
    ]
    figures: dict[str, float] = {"n": len(rows)}
    for name, words in (("flat", ("yes", "no")), ("probably", ("probably yes", "probably no"))):
        said = [(each.word.split()[-1], label) for each, label in found if each.word in words]
        figures[f"{name}_said"] = len(said) / len(rows)
        figures[f"{name}_right"] = (
            sum(word == label for word, label in said) / len(said) if said else 0.0
        )
    chances = [each.yes for each, _ in found if each.yes is not None]
    came = [label == "yes" for each, label in found if each.yes is not None]
    low, high = interval(chances, came)
    return figures | {
        "calibration_error": calibration_error(chances, came),
        "calibration_low": low,
        "calibration_high": high,
    }


def settled_lines(title: str, figures: Mapping[str, float]) -> Iterator[str]:
    """The figures of `settled`, line by line."""
    for name in ("flat", "probably"):
        yield (
            f"{title}: {name} yes or no said in {figures[f'{name}_said']:.3f}, right "
            f"{figures[f'{name}_right']:.3f}"
        )
    yield (
        f"{title}: calibration error of the probability of yes {figures['calibration_error']:.3f} "
        f"(95 % interval {figures['calibration_low']:.3f} to {figures['calibration_high']:.3f}; 10 "
        "bins of equal mass)"
    )


def accuracy(labels: Sequence[str], guesses: Sequence[str]) -> float:
    """Share of guesses that are right."""
    return sum(label == guess for label, guess in zip(labels, guesses, strict=True)) / len(labels)


def macro_f1(
    labels: Sequence[str], guesses: Sequence[str], classes: Sequence[str] = LABELS
) -> float:
    """Mean over ``classes`` of F1 = 2·hits / (labelled + guessed); one neither given nor guessed
    counts 0.
    """
    scores = []
    for wanted in classes:
        hits = sum(label == guess == wanted for label, guess in zip(labels, guesses, strict=True))
        either = sum(label == wanted for label in labels) + sum(
            guess == wanted for guess in guesses
        )
        scores.append(2 * hits / either if either else 0.0)
    return sum(scores) / len(scores)


def report(
    title: str,
    labels: Sequence[str],
    guesses: Sequence[str],
    classes: Sequence[str] = LABELS,
) -> Iterator[str]:
    """Accuracy, macro F1, majority baseline and the table of confusions, line by line."""
    most, count = Counter(labels).most_common(1)[0]
    yield (
        f"{title}: n = {len(labels)}, accuracy {accuracy(labels, guesses):.3f}, macro F1 "
        f"{macro_f1(labels, guesses, classes):.3f}"
    )
    always = [most] * len(labels)
    yield (
        f'  always "{most}": accuracy {count / len(labels):.3f}, macro F1 '
        f"{macro_f1(labels, always, classes):.3f}"
    )
    columns = [*LABELS, *([MISSED] if MISSED in guesses else [])]
    yield "  label \\ guess " + "".join(f"{name:>8}" for name in columns)
    pairs = Counter(zip(labels, guesses, strict=True))
    for label in classes:
        yield f"  {label:<14} " + "".join(f"{pairs[label, guess]:>8}" for guess in columns)


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own.pubmedqa", description="The extractive model on PubMedQA."
    )
    parser.add_argument(
        "--level",
        choices=("model", "chain"),
        default="model",
        help="the summary alone, or the whole chain",
    )
    parser.add_argument(
        "--half", choices=tuple(HALVES), help="only even or only odd PMIDs (default: both in turn)"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared real data")
    parser.add_argument("--json", action="store_true", help="one JSON object a half")
    options = parser.parse_args(arguments)
    try:
        for half in [options.half] if options.half else HALVES:
            rows = labelled(HALVES[half], options.data)
            labels = [row.label for row in rows]
            guesses = (
                model_guesses(rows)
                if options.level == "model"
                else asyncio.run(chain_guesses(rows, options.data))
            )
            title = f"{half} PMIDs, {options.level} level"
            figures = settled(rows)
            if options.json:
                measured = {
                    "accuracy": accuracy(labels, guesses),
                    "macro_f1": macro_f1(labels, guesses),
                }
                print(
                    json.dumps({"half": half, "level": options.level, **measured, **figures}),
                    flush=True,
                )
                continue
            print(
                "\n".join(
                    [
                        *report(f"{title}, own article's relation", labels, guesses),
                        *settled_lines(title, figures),
                    ]
                ),
                flush=True,
            )
    except (ClinfoError, OSError) as error:
        sys.exit(f"pubmedqa: {error}")


if __name__ == "__main__":
    main()
