"""Unanswered and failed questions, by the label of a text or of a whole answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.scoring.inputs import Inputs, whole_answer


def unanswered(inputs: Inputs, rows: Sequence[ScoreRow]) -> dict[str, list[str]]:
    """By label, the sorted questions that were left unanswered; not those that failed."""
    broken = {
        (label, row.id)
        for row in inputs.rows
        if row.failed
        for label in (row.system, whole_answer(row.system))
    }
    empty = ((row.system, row.id) for row in inputs.rows if not row.answered)
    floors = ((row.system, row.id) for row in rows if row.unanswered)
    return _by_label(pair for pair in chain(empty, floors) if pair not in broken)


def failed(inputs: Inputs, measured: Collection[str]) -> dict[str, list[str]]:
    """By label, the sorted questions that a system broke down on; whole answers where their label
    was ``measured``.
    """
    broken = [row for row in inputs.rows if row.failed]
    whole = ((label, row.id) for row in broken if (label := whole_answer(row.system)) in measured)
    return _by_label(chain(((row.system, row.id) for row in broken), whole))


def _by_label(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    by_label: dict[str, set[str]] = {}
    for label, id in pairs:
        by_label.setdefault(label, set()).add(id)
    return {label: sorted(ids) for label, ids in by_label.items()}
