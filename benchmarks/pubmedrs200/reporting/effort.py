"""The cost of answers: the pool that was searched together, tokens and dollars, and the schooling
that reading them needs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from benchmarks.pubmedrs200.reporting.cells import mean_cell
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import Cell, Table
from benchmarks.pubmedrs200.reporting.whole_answers import answer_table

EFFORT: Final = {
    "pool_recall": "Pool recall",
    "tokens": "Tokens",
    "cost_usd": "US dollars",
    "reading_grade": "Reading grade",
}


def effort_table(material: ReportData) -> Table:
    """Recall of the pool, use of models and readability, by whole answer."""
    return answer_table(
        material,
        "effort",
        "Recall of the pool, cost and readability",
        (
            "Recall of all candidates before judging, tokens and dollars a question, and "
            "Flesch-Kincaid grade"
        ),
        EFFORT,
        _cell,
        (
            "Unknown means that the price or the use of a model is not known; it is never counted "
            "as 0.",
        ),
    )


def _cell(material: ReportData, label: str, metric: str) -> Cell:
    cell = mean_cell(material, label, metric)
    if metric not in ("cost_usd", "tokens"):
        return cell
    statistics, asked = material.statistics(label, metric), len(material.asked(label))
    if statistics is None or statistics.mean is None:
        return Cell("unknown")
    return replace(
        cell, mark=f"known for {statistics.n} of {asked}" if statistics.n < asked else ""
    )
