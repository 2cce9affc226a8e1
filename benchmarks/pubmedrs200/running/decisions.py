"""Yes, no or maybe: what the answers of a run say, against what experts said."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from benchmarks.classes import by_class
from benchmarks.own.scores import label
from benchmarks.pubmedrs200.running.folder import read_record
from benchmarks.pubmedrs200.running.planning import Plan
from benchmarks.pubmedrs200.running.questions import LABELS
from benchmarks.pubmedrs200.running.records import Record
from benchmarks.pubmedrs200.scoring.statistics import FEW, TOO_FEW, wilson
from clinfo.records.request import EXTRACTIVE

FILE: Final = "decisions.json"
MISSED: Final = "missed"
"""The decision of a question without an answer: no label, so always wrong."""
NONE: Final = "none"
"""The decision of an answer without a language model: it quotes, and nobody says yes or no."""
UNSAID: Final = "nothing was answered, or without a language model, which says yes, no or maybe"
_OPENING: Final = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


def decision(record: Record) -> str:
    """The decision of an answer: the ``decision`` that a command gives beside its texts, else what
    its TL;DR, or without one its synthesis, opens with; maybe where that is neither yes nor no,
    missed where there is no answer. Where no language model was asked, there is none.
    """
    models = ((record.answer or {}).get("settings") or {}).get("models") or {"": ""}
    given = str((record.answer or {}).get("decision", "")).strip().lower()
    if given in LABELS:
        return given
    text = record.tldr or record.synthesis
    if record.status != "answered" or not text.strip():
        return MISSED
    if set(models.values()) == {EXTRACTIVE}:
        return NONE
    opening = _OPENING.match(text)
    return opening[1].lower() if opening else "maybe"


def decided(
    root: Path, plan: Plan, labels: Mapping[str, str]
) -> dict[str, dict[str, tuple[str, str]]]:
    """By system, regime and repeat, of every question with a label: (label, what was answered).
    Quarantined answers count as missed.
    """
    found: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for cell in plan.cells():
        record = read_record(root, cell)
        if cell.id in labels and record is not None:
            name = label(cell.system, cell.regime, None, cell.repeat)
            guess = decision(record)
            found[name][cell.id] = (labels[cell.id], guess)
    return found


def measured(found: Mapping[str, Mapping[str, tuple[str, str]]]) -> list[dict[str, Any]]:
    """The figures of each system: n, accuracy, macro F1 over the labels that the questions have,
    and the answers by question.
    """
    rows = []
    for name, pairs in found.items():
        labels, guesses = zip(*pairs.values(), strict=True)
        silent = not set(guesses) & set(LABELS)
        rows.append(
            {
                "system": name,
                "n": len(labels),
                "accuracy": None if silent else accuracy(labels, guesses),
                "macro_f1": None if silent else macro_f1(labels, guesses, classes(labels)),
                "decisions": {id: guess for id, (_, guess) in pairs.items()},
            }
        )
    return rows


def classes(labels: tuple[str, ...]) -> tuple[str, ...]:
    """The labels that occur, in the order of `LABELS`: BioASQ's questions have no maybe."""
    return tuple(one for one in LABELS if one in labels)


def accuracy(labels: Sequence[str], guesses: Sequence[str]) -> float:
    """Share of guesses that are right."""
    return sum(label == guess for label, guess in zip(labels, guesses, strict=True)) / len(labels)


def macro_f1(
    labels: Sequence[str], guesses: Sequence[str], classes: Sequence[str] = LABELS
) -> float:
    """The mean F1 of ``classes``; one neither given nor guessed counts 0."""
    return fmean(by_class(list(zip(labels, guesses, strict=True)), classes)[2])


def lines(title: str, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Of (label, guess) pairs accuracy, macro F1, majority baseline and the table of confusions,
    line by line.
    """
    labels, guesses = zip(*pairs, strict=True)
    of = classes(labels)
    if not set(guesses) & set(LABELS):
        yield f"{title}: n = {len(labels)}, none decided: {UNSAID}"
        return
    most, count = Counter(labels).most_common(1)[0]
    right, n = accuracy(labels, guesses), len(labels)
    if n < FEW:
        yield f"{title}: n = {n}, {round(right * n)} right: {TOO_FEW}, {FEW} are needed"
        return
    low, high = wilson(right, n)
    yield (
        f"{title}: n = {n}, accuracy {right:.3f} (95 % interval {low:.3f} to {high:.3f}), macro F1 "
        f"{macro_f1(labels, guesses, of):.3f}"
    )
    always = [most] * len(labels)
    yield (
        f'  always "{most}": accuracy {count / len(labels):.3f}, macro F1 '
        f"{macro_f1(labels, always, of):.3f}"
    )
    columns = [*LABELS, *(one for one in (MISSED, NONE) if one in guesses)]
    yield "  label \\ guess " + "".join(f"{name:>8}" for name in columns)
    pairs = Counter(zip(labels, guesses, strict=True))
    for given in of:
        yield f"  {given:<14} " + "".join(f"{pairs[given, guess]:>8}" for guess in columns)
