"""Every metric of every system with the 95 % interval of its mean."""

from __future__ import annotations

from benchmarks.pubmedrs200.reporting.cells import NO_VALUE, places, row_title, unvalidated
from benchmarks.pubmedrs200.reporting.notes import notes
from benchmarks.pubmedrs200.reporting.numbers import fixed
from benchmarks.pubmedrs200.reporting.report_data import TIMES, ReportData
from benchmarks.pubmedrs200.reporting.tables import NOT_VALIDATED, Cell, Column, Row, Table, grouped


def interval_table(material: ReportData) -> Table:
    """A row a system and metric."""
    rows = []
    for system in material.systems:
        for metric, known in material.summary.metrics.items():
            found = material.statistics(system.label, metric)
            if metric == TIMES or found is None:
                continue
            shown = places(metric, known)

            def cell(value: float | None, mark: str = "", shown: int = shown) -> Cell:
                return (
                    Cell(NO_VALUE) if value is None else Cell(fixed(value, shown), value, mark=mark)
                )

            cells = (
                Cell(known.title),
                cell(found.mean, NOT_VALIDATED if unvalidated(known) else ""),
                cell(found.sd),
                cell(found.low),
                cell(found.high),
                cell(found.answered_mean),
                cell(found.answered_sd),
                Cell(str(found.n), found.n),
                Cell(str(found.answered), found.answered),
            )
            rows.append((system.group, Row(row_title(system, metric), cells, system.label)))
    titles = (
        "Metric",
        "Mean",
        "sd",
        "95 % from",
        "to",
        "Mean, answered",
        "sd, answered",
        "n",
        "Answered",
    )
    keys = ("metric", "mean", "sd", "low", "high", "answered_mean", "answered_sd", "n", "answered")
    return Table(
        "every-metric",
        "Every metric",
        (
            "Every metric of every system, with 95 % bootstrap intervals of the mean and the "
            "answered questions alone."
        ),
        "System",
        tuple(Column(key, title) for key, title in zip(keys, titles, strict=True)),
        grouped(rows),
        notes(material, [metric for metric in material.summary.metrics if metric != TIMES]),
    )
