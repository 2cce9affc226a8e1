"""Questions that a mean alone would hide: left unanswered, failed, quarantined, in doubt or missing."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.reporting.labels import named
from benchmarks.reporting.material import Material
from benchmarks.reporting.notes import base_note
from benchmarks.reporting.tables import Column, Row, Table, grouped, words
from benchmarks.reporting.texts import Answer


def left_open_table(material: Material) -> Table:
    """Unanswered, failed, quarantined, doubtful and missing questions by system."""
    doubtful = _held_by(material, lambda answer: bool(answer.unchecked))
    later = _held_by(material, lambda answer: bool(answer.later))
    kinds = (
        ("Unanswered", material.summary.unanswered),
        ("Failed (a crash, an outage): counts the floors, but tells nothing of the system", material.summary.failed),
        ("Quarantined for a leak, not scored", material.summary.quarantined),
        ("Uses articles that cannot be checked: a leak cannot be ruled out, scored all the same", doubtful),
        ("Uses articles with a higher PMID than the review, of no known day of entry: perhaps a leak, scored all the same", later),
        ("Asked of the subset, not in the input", material.summary.missing),
    )
    rows = [
        (kind, Row(named(label).title, words(str(len(ids)), ", ".join(ids)), label))
        for kind, listed in kinds
        for label, ids in sorted(listed.items())
        if ids
    ]
    return Table(
        "left-open",
        "Unanswered, quarantined and missing questions",
        "Questions left unanswered or failed, quarantined for a forbidden article, in doubt, or missing, by PMID of the review.",
        "System",
        (Column("count", "Count"), Column("ids", "Questions")),
        grouped(rows),
        (base_note(material, means=False), *(() if rows else ("None.",))),
    )


def _held_by(material: Material, chosen: Callable[[Answer], bool]) -> dict[str, tuple[str, ...]]:
    """By label, the questions whose answers are chosen; what is quarantined is listed as that."""
    return {
        label: tuple(id for id, answer in answers.items() if answer.status != "leaked" and chosen(answer))
        for label, answers in material.answers.items()
    }
