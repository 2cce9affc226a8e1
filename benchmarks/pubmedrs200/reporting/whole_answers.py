"""The common part of tables of whole answers: the three outputs of an answer are one row, since
they rest on the same articles.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from benchmarks.pubmedrs200.reporting.cells import (
    COUNTS,
    column,
    comparable,
    counted_row,
    with_best,
)
from benchmarks.pubmedrs200.reporting.labels import Named
from benchmarks.pubmedrs200.reporting.notes import bold_note, notes
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import Cell, Column, Row, Table, grouped

Filled = Callable[[ReportData, str, str], Cell]
"""The cell of a label and a metric."""

Alike = Callable[[ReportData, Mapping[str, Named]], Callable[[Row, Column], Hashable | None]]
"""The rows of these systems that may be compared in a column, as `comparable` has it."""


def answer_systems(material: ReportData, metrics: Sequence[str]) -> list[Named]:
    """Labels of whole answers, and others that one of these metrics was computed for."""
    return [
        system
        for system in material.systems
        if any(material.statistics(system.label, metric) for metric in metrics)
        or (not system.output and not system.published)
    ]


def answer_table(
    material: ReportData,
    key: str,
    title: str,
    caption: str,
    metrics: Mapping[str, str],
    cell: Filled,
    remarks: Sequence[str],
    alike: Alike = comparable,
) -> Table:
    """A row a whole answer, a column each of the metrics (by name, with the column's title); a
    table without rows says why.
    """
    columns = tuple(column(material, metric, short) for metric, short in metrics.items())
    systems = {system.label: system for system in answer_systems(material, list(metrics))}
    rows = [
        (
            system.group,
            counted_row(
                material,
                label,
                system.short_answer_title,
                (cell(material, label, name) for name in metrics),
            ),
        )
        for label, system in systems.items()
    ]
    empty = (
        ()
        if rows
        else (
            "No measures of whole answers are among these scores; score measures a run folder's "
            "answers.",
        )
    )
    groups = with_best(grouped(rows), (*columns, *COUNTS), alike(material, systems))
    return Table(
        key,
        title,
        f"{title}. {caption}, mean (sd).",
        "System",
        (*columns, *COUNTS),
        groups,
        (*notes(material, list(metrics), orientation=False), *bold_note(groups), *remarks, *empty),
    )
