"""Questions that a mean alone would hide: left unanswered, failed, quarantined, in doubt or
missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from benchmarks.pubmedrs200.reporting.labels import Named, ordered
from benchmarks.pubmedrs200.reporting.notes import base_note
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import Cell, Column, Row, Table, grouped
from benchmarks.pubmedrs200.reporting.texts import Answer

_FEW: Final = 10
"""Lists no longer than this are written out each time."""


def left_open_table(material: ReportData) -> Table:
    """Unanswered, failed, quarantined, doubtful and missing questions by system."""
    doubtful = _held_by(material, lambda answer: bool(answer.unchecked))
    later = _held_by(material, lambda answer: bool(answer.later))
    kinds = (
        ("Unanswered", material.summary.unanswered),
        (
            (
                "Failed, no answer that could be used (the question's section says why): counts "
                "the floors"
            ),
            material.summary.failed,
        ),
        ("Quarantined for a leak, not scored", material.summary.quarantined),
        (
            "Uses articles that cannot be checked: a leak cannot be ruled out, scored all the same",
            doubtful,
        ),
        (
            (
                "Uses articles with a higher PMID than the review, of no known day of entry: "
                "perhaps a leak, scored all the same"
            ),
            later,
        ),
        ("Asked of the subset, not in the input", material.summary.missing),
    )
    rows = [(kind, row) for kind, listed in kinds for row in _rows(material, listed)]
    return Table(
        "left-open",
        "Unanswered, quarantined and missing questions",
        (
            "Questions left unanswered or failed, quarantined for a forbidden article, in doubt, "
            "or missing, by PMID of the review."
        ),
        "System",
        (Column("count", "Count"), Column("ids", "Questions")),
        grouped(rows),
        (base_note(material, means=False), *(() if rows else ("None.",))),
    )


def _rows(material: ReportData, listed: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    """A row a system; a list that stands above already is not written out again, but for other
    programs.
    """
    told: dict[tuple[str, ...], str] = {}
    for title, label, ids in _by_answer(material, listed):
        whole = ", ".join(ids)
        above = told.setdefault(ids, title)
        text = f"the same as those of {above}" if title != above and len(ids) > _FEW else whole
        yield Row(title, (Cell(str(len(ids)), len(ids)), Cell(text, full=whole)), label)


def _by_answer(
    material: ReportData, listed: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Title, label and questions of each row; an answer whose texts all have the same questions is
    one row with them.
    """
    held: dict[str, list[Named]] = {}
    for system in ordered(label for label, ids in listed.items() if ids):
        held.setdefault(system.answer, []).append(system)
    for answer, systems in held.items():
        texts = {
            tuple(listed.get(each.label, ()))
            for each in material.systems
            if each.answer == answer and each.output
        }
        ids = next(iter(texts), ())
        if (
            len(systems) > 1
            and len(texts) == 1
            and all(set(listed[system.label]) <= set(ids) for system in systems)
        ):
            yield systems[0].answer_title, answer, ids
            continue
        for system in systems:
            yield system.title, system.label, tuple(listed[system.label])


def _held_by(material: ReportData, chosen: Callable[[Answer], bool]) -> dict[str, tuple[str, ...]]:
    """By label, the scored questions whose answers are chosen; what is quarantined is listed as
    that.
    """
    return {
        label: tuple(
            id for id, answer in answers.items() if answer.status != "leaked" and chosen(answer)
        )
        for label, answers in material.scored_answers.items()
    }
