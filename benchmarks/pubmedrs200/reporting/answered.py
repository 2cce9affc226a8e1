"""The metrics of texts over answered questions alone, beside the tables where what was left open
counts the floor.
"""

from __future__ import annotations

from typing import Final

from benchmarks.pubmedrs200.reporting.cells import COUNTS, column, counted_row, mean_cell
from benchmarks.pubmedrs200.reporting.notes import (
    base_note,
    orientation_note,
    signature_note,
    source_note,
)
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import Cell, Table, grouped

ANSWERED_ONLY: Final = (
    "rouge_l",
    "meteor",
    "chrf",
    "google_bleu",
    "character",
    "bertscore",
    "ctc_sf",
    "unieval_overall",
    "comet",
    "ctc_consistency",
    "word_length",
)


def answered_table(material: ReportData) -> Table:
    """Metrics of texts over each system's answered questions."""
    metrics = [metric for metric in ANSWERED_ONLY if metric in material.summary.metrics]
    systems = {
        system.label: system
        for system in material.systems
        if any(material.statistics(system.label, m) for m in metrics)
    }
    columns = tuple(column(material, metric) for metric in metrics)
    rows = [
        (
            system.group,
            counted_row(
                material,
                label,
                system.short_title,
                (_cell(material, label, metric) for metric in metrics),
            ),
        )
        for label, system in systems.items()
    ]
    return Table(
        "answered-only",
        "Answered questions alone",
        (
            "Answered questions alone, mean (sd): what the tables above would show had each system "
            "been asked only what it answered."
        ),
        "System",
        (*columns, *COUNTS),
        grouped(rows),
        (
            orientation_note(material),
            base_note(material),
            *signature_note(material, metrics),
            *source_note(material),
            (
                "Unanswered questions are left out here, so that systems may stand on different "
                "questions; no best is marked."
            ),
        ),
    )


def _cell(material: ReportData, label: str, metric: str) -> Cell:
    return mean_cell(material, label, metric, answered_only=True)
