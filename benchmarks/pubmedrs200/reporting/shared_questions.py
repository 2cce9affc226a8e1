"""Metrics of texts over the questions that every system was scored on, where the systems stand on
different ones.
"""

from __future__ import annotations

from collections.abc import Hashable

from benchmarks.pubmedrs200.reporting.answered import ANSWERED_ONLY
from benchmarks.pubmedrs200.reporting.cells import column, places, unvalidated, with_best
from benchmarks.pubmedrs200.reporting.labels import Named
from benchmarks.pubmedrs200.reporting.notes import (
    base_note,
    bold_note,
    orientation_note,
    signature_note,
    source_note,
    unanswered_note,
)
from benchmarks.pubmedrs200.reporting.numbers import counted, deviation, mean, with_sd
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import (
    NOT_COMPUTED,
    NOT_VALIDATED,
    Cell,
    Column,
    Row,
    Table,
    grouped,
)


def texts_of(material: ReportData) -> list[Named]:
    """The systems whose texts were scored."""
    return [system for system in material.systems if system.output or system.published]


def shared_questions(material: ReportData) -> frozenset[str]:
    """The questions that every text was scored on."""
    asked = [material.asked(system.label) for system in texts_of(material)]
    return frozenset.intersection(*asked) if asked else frozenset()


def shared_table(material: ReportData) -> list[Table]:
    """One table, or none where all texts stand on the same questions or on none in common."""
    systems, ids = texts_of(material), shared_questions(material)
    if not ids or all(material.asked(system.label) == ids for system in systems):
        return []
    metrics = [metric for metric in ANSWERED_ONLY if metric in material.summary.metrics]
    columns = tuple(column(material, metric) for metric in metrics)
    rows = [
        (
            system.group,
            Row(
                system.short_title,
                (
                    *(_cell(material, system.label, metric, ids) for metric in metrics),
                    _answered(material, system.label, ids),
                ),
                system.label,
            ),
        )
        for system in systems
    ]
    regimes = {system.label: system.colour for system in systems}

    def alike(row: Row, column: Column) -> Hashable | None:
        values = material.scores[row.label].get(column.key, {}).keys() & ids
        return (regimes[row.label], frozenset(values)) if values else None

    every = (*columns, Column("answered", "Answered"))
    groups = with_best(grouped(rows), every, alike)
    return [
        Table(
            "shared-questions",
            "The same questions",
            (
                f"The same questions, mean (sd): the {counted(len(ids), 'question')} that every "
                "text was scored on, and no other. "
                "Compare systems here, not across the tables in which they stand on different "
                "questions."
            ),
            "System",
            every,
            groups,
            (
                orientation_note(material),
                base_note(material) + f" Here n = {len(ids)} of them.",
                unanswered_note(material, metrics),
                *signature_note(material, metrics),
                *source_note(material),
                *bold_note(groups),
            ),
        )
    ]


def _cell(material: ReportData, label: str, metric: str, ids: frozenset[str]) -> Cell:
    known, values = material.summary.metrics[metric], material.values(label, metric, ids)
    if not values:
        return Cell(NOT_COMPUTED)
    marks = [
        *([NOT_VALIDATED] if unvalidated(known) else []),
        *([f"n = {len(values)}"] if len(values) < len(ids) else []),
    ]
    centre, spread = mean(values), deviation(values)
    return Cell(with_sd(centre, spread, places(metric, known)), centre, spread, "; ".join(marks))


def _answered(material: ReportData, label: str, ids: frozenset[str]) -> Cell:
    answered = len(ids - material.left_open(label))
    return Cell(str(answered), answered)
