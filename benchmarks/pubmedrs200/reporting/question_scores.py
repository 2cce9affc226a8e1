"""The scores of one question, a line a system, as values for the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.pubmedrs200.reporting.cells import places
from benchmarks.pubmedrs200.reporting.numbers import fixed
from benchmarks.pubmedrs200.reporting.paper_tables import SOURCE_AUGMENTED, SOURCE_FREE
from benchmarks.pubmedrs200.reporting.printable import one_line
from benchmarks.pubmedrs200.reporting.report_data import TIMES, ReportData

NONE: Final = "–"
_TEXT_METRICS: Final = {*SOURCE_AUGMENTED, *SOURCE_FREE, "exact_match"}
_WHOLE: Final = "Measures of whole answers"


@dataclass(frozen=True)
class Scores:
    """A table of one question's scores: metric titles, then a line a system."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def scores_of(material: ReportData, id: str) -> Iterator[Scores]:
    """A table of the metrics of texts and one of the measures of whole answers, where the question
    has any.
    """
    metrics = [metric for metric in material.summary.metrics if metric != TIMES]
    parts = (
        (
            f"Scores of texts, orientation {material.summary.orientation}",
            [metric for metric in metrics if metric in _TEXT_METRICS],
        ),
        (_WHOLE, [metric for metric in metrics if metric not in _TEXT_METRICS]),
    )
    for title, chosen in parts:
        used = [
            m
            for m in chosen
            if any(id in material.scores[label].get(m, {}) for label in material.scores)
        ]
        rows = []
        for system in material.systems:
            found = [
                material.scores.get(system.label, {}).get(metric, {}).get(id) for metric in used
            ]
            if not any(found):
                continue
            cells = tuple(
                NONE
                if row is None
                else fixed(row.value, places(row.metric, material.summary.metrics.get(row.metric)))
                for row in found
            )
            floor = any(row is not None and row.unanswered for row in found)
            named_so = system.answer_title if title == _WHOLE else system.title
            rows.append((one_line(named_so) + (" (unanswered)" if floor else ""), cells))
        if rows:
            yield Scores(
                title,
                tuple(one_line(material.summary.metrics[metric].title) for metric in used),
                tuple(rows),
            )
