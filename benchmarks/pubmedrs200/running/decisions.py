"""Yes, no or maybe: what the answers of a run say, against what experts said."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.own.pubmedqa import MISSED, accuracy, macro_f1, report
from benchmarks.own.scores import label
from benchmarks.pubmedrs200.running.folder import read_record
from benchmarks.pubmedrs200.running.plan import Plan
from benchmarks.pubmedrs200.running.questions import LABELS
from benchmarks.pubmedrs200.running.records import Record
from clinfo.pipelines.literature.gate import says
from clinfo.text.citations import citation_marks
from pubmedrs.records import Review

FILE: Final = "decisions.json"
LIKELY: Final = 0.5
"""Probability from which a text that opens with neither is taken for a yes or a no."""
_PROBABLY: Final = re.compile(r"\bprobably (yes|no)\b", re.IGNORECASE)
"""The program's own word, which it puts behind the sentence that it quotes."""


def decision(question: str, record: Record) -> str:
    """The decision of an answer: the ``decision`` that a command gives beside its texts, else what
    its TL;DR, or without one its synthesis, reads like; maybe where it says neither yes nor no,
    missed where there is no answer.
    """
    given = str((record.answer or {}).get("decision", "")).strip().lower()
    if given in LABELS:
        return given
    text = record.tldr or record.synthesis
    if record.status != "answered" or not text.strip():
        return MISSED
    for mark in reversed(citation_marks(text)):
        text = text[: mark.start].rstrip() + text[mark.end :]
    if probably := _PROBABLY.search(text):
        return probably[1].lower()
    return says(question, text, LIKELY) or "maybe"


def decided(
    root: Path, plan: Plan, reviews: Mapping[str, Review], labels: Mapping[str, str]
) -> dict[str, dict[str, tuple[str, str]]]:
    """By system, regime and repeat, of every question with a label: (label, what was answered).
    Quarantined answers count as missed.
    """
    found: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for cell in plan.cells():
        record = read_record(root, cell)
        if cell.id in labels and record is not None:
            name = label(cell.system, cell.regime, None, cell.repeat)
            guess = decision(reviews[cell.id].question, record)
            found[name][cell.id] = (labels[cell.id], guess)
    return found


def measured(found: Mapping[str, Mapping[str, tuple[str, str]]]) -> list[dict[str, Any]]:
    """The figures of each system: n, accuracy, macro F1 over the labels that the questions have,
    and the answers by question.
    """
    rows = []
    for name, pairs in found.items():
        labels, guesses = zip(*pairs.values(), strict=True)
        rows.append(
            {
                "system": name,
                "n": len(labels),
                "accuracy": accuracy(labels, guesses),
                "macro_f1": macro_f1(labels, guesses, classes(labels)),
                "decisions": {id: guess for id, (_, guess) in pairs.items()},
            }
        )
    return rows


def lines(found: Mapping[str, Mapping[str, tuple[str, str]]]) -> Iterator[str]:
    """The figures as `benchmarks.own.pubmedqa.report` shows them."""
    for name, pairs in found.items():
        labels, guesses = zip(*pairs.values(), strict=True)
        yield from report(name, labels, guesses, classes(labels))


def classes(labels: tuple[str, ...]) -> tuple[str, ...]:
    """The labels that occur, in the order of `LABELS`: BioASQ's questions have no maybe."""
    return tuple(one for one in LABELS if one in labels)
