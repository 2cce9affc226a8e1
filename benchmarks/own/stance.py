"""Direction of effect on the prompts of real trials: intervention, comparator, outcome, read from
the abstract by rules.

    python -m benchmarks stance [--half even|odd] [--show] [--data FOLDER]

The prompts' labels are the majority of doctors who read the full text (evidence inference; see
README.md of the shared data), so that an abstract cannot answer all of them. Three classes are
scored; an answer of "mixed" or "unclear" counts as "no difference" and how many there were is
printed. Rules and weights were tuned on even PMIDs, on which ten-fold cross-validation (`python -m
benchmarks.own.fit_stance`) is the figure to believe; the figures of odd PMIDs count.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clinfo.errors import ClinfoError
from clinfo.evidence.effect_direction import CLASSES, effect_direction
from clinfo.records.articles import Article, Direction
from clinfo.text.comparison import Comparison, read
from clinfo.text.direction import direction

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PROMPTS = "evidence_inference/trial_prompts.csv.gz"
RECORDS = "citations/pmc_trial_citations.xml.gz"
HALVES = {"even": 0, "odd": 1}
_LABELS: dict[str, Direction] = {
    "significantly increased": "increased",
    "significantly decreased": "decreased",
    "no significant difference": "no difference",
}
COUNTED_AS: dict[Direction, Direction] = {"mixed": "no difference", "unclear": "no difference"}


@dataclass(frozen=True)
class Prompt:
    """A question about a trial, and the doctors' answer (one of `CLASSES`)."""

    id: str
    intervention: str
    comparator: str
    outcome: str
    label: Direction
    article: Article


def labelled(half: int, data: Path = DATA) -> list[Prompt]:
    """The prompts whose PMID leaves ``half`` (0 or 1) when divided by two; nothing is kept of the
    others.
    """
    from clinfo.pubmed.xml import read_file

    with gzip.open(data / PROMPTS, "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if int(row["pmid"]) % 2 == half]
    wanted = {row["pmid"] for row in rows}
    articles = {
        item.pmid: item
        for item in read_file(data / RECORDS)
        if isinstance(item, Article) and item.pmid in wanted
    }
    return [
        Prompt(
            row["prompt_id"],
            row["intervention"],
            row["comparator"],
            row["outcome"],
            _LABELS[row["label"]],
            articles[row["pmid"]],
        )
        for row in rows
    ]


def answers(prompts: Sequence[Prompt]) -> list[Direction]:
    """Return what `clinfo.evidence.effect_direction.effect_direction` says of each prompt."""
    return [
        effect_direction(
            prompt.intervention,
            prompt.comparator,
            prompt.outcome,
            prompt.article.title,
            prompt.article.abstract,
        ).direction
        for prompt in prompts
    ]


def compared(prompt: Prompt) -> Comparison:
    """A prompt against its article."""
    return read(
        prompt.intervention,
        prompt.comparator,
        prompt.outcome,
        prompt.article.title,
        prompt.article.abstract,
    )


def plain_answers(prompts: Sequence[Prompt]) -> list[Direction]:
    """Return what `clinfo.text.direction.direction` says of the statement that counts most: it
    knows of no arms and no outcome.
    """
    found: list[Direction] = []
    for prompt in prompts:
        best = max(compared(prompt).statements, key=lambda item: item.share, default=None)
        found.append(direction(best.text) if best is not None else "unclear")
    return found


def scores(labels: Sequence[Direction], guesses: Sequence[Direction]) -> dict[Direction, float]:
    """F1 of each class: 2·hits / (labelled + guessed); 0 for a class neither labelled nor
    guessed.
    """
    found: dict[Direction, float] = {}
    for wanted in CLASSES:
        hits = sum(label == guess == wanted for label, guess in zip(labels, guesses, strict=True))
        either = sum(label == wanted for label in labels) + sum(
            guess == wanted for guess in guesses
        )
        found[wanted] = 2 * hits / either if either else 0.0
    return found


def macro_f1(labels: Sequence[Direction], guesses: Sequence[Direction]) -> float:
    """Mean of the classes' F1."""
    return sum(scores(labels, guesses).values()) / len(CLASSES)


def counted(guesses: Sequence[Direction]) -> list[Direction]:
    """``guesses`` in the three classes (`COUNTED_AS`)."""
    return [COUNTED_AS.get(guess, guess) for guess in guesses]


def report(
    title: str,
    labels: Sequence[Direction],
    guesses: Sequence[Direction],
    prior: Sequence[Direction],
) -> Iterator[str]:
    """Figures and confusion matrix, line by line; ``prior`` are the plain answers set beside."""
    told = counted(guesses)
    hits = sum(label == guess for label, guess in zip(labels, told, strict=True))
    yield (
        f"{title}: n = {len(labels)}, macro F1 {macro_f1(labels, told):.3f}, accuracy "
        f"{hits / len(labels):.3f}"
    )
    yield "  F1: " + ", ".join(
        f"{name} {value:.3f}" for name, value in scores(labels, told).items()
    )
    asides = Counter(guess for guess in guesses if guess in COUNTED_AS)
    yield f'  counted as "no difference": {asides["unclear"]} unclear, {asides["mixed"]} mixed'
    yield (
        " "
        f' always "no difference": macro F1 {macro_f1(labels, ["no difference"] * len(labels)):.3f}'
    )
    yield (
        "  direction of the best sentence, arms and outcome unread: macro F1 "
        f"{macro_f1(labels, counted(prior)):.3f}"
    )
    columns: tuple[Direction, ...] = (*CLASSES, "mixed", "unclear")
    yield "  label \\ answer  " + "".join(f"{name:>15}" for name in columns)
    pairs = Counter(zip(labels, guesses, strict=True))
    for label in CLASSES:
        yield f"  {label:<16}" + "".join(f"{pairs[label, guess]:>15}" for guess in columns)


def wrong(prompts: Sequence[Prompt]) -> Iterator[str]:
    """The even prompts that are answered wrong, with the passage and why: for tuning, so never
    those of odd PMIDs.
    """
    for prompt in prompts:
        article = prompt.article
        found = effect_direction(
            prompt.intervention, prompt.comparator, prompt.outcome, article.title, article.abstract
        )
        if COUNTED_AS.get(found.direction, found.direction) == prompt.label:
            continue
        text = article.title if found.field == "title" else article.abstract
        yield (
            f"{article.pmid} {prompt.outcome!r}: {prompt.intervention!r} against "
            f"{prompt.comparator!r}"
        )
        yield f"  is {prompt.label}, read as {found.direction}: {found.reason}"
        yield f"  {text[found.start : found.end]!r}"


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks stance", description=(__doc__ or "").partition("\n\n")[0]
    )
    parser.add_argument(
        "--half", choices=tuple(HALVES), help="only even or only odd PMIDs (default: both in turn)"
    )
    parser.add_argument(
        "--show", action="store_true", help="with --half even: print what is answered wrong"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared real data")
    options = parser.parse_args(arguments)
    if options.show and options.half != "even":
        parser.error("--show goes with --half even: odd PMIDs are kept for figures")
    try:
        for half in [options.half] if options.half else HALVES:
            prompts = labelled(HALVES[half], options.data)
            begun = time.perf_counter()
            guesses = answers(prompts)
            taken = 1000 * (time.perf_counter() - begun) / len(prompts)
            labels = [prompt.label for prompt in prompts]
            note = "fitted on these" if half == "even" else "held out"
            print(
                "\n".join(report(f"{half} PMIDs ({note})", labels, guesses, plain_answers(prompts)))
            )
            print(f"  {taken:.1f} ms a prompt", flush=True)
            if options.show:
                print("\n".join(wrong(prompts)))
    except (ClinfoError, OSError) as error:
        sys.exit(f"stance: {error}")


if __name__ == "__main__":
    main()
