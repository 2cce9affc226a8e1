"""The effects of studies as rows for a narrow screen, where the columns of the forest plot do not
fit: names and numbers as text, and beside them the intervals on one axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from clinfo.evidence import POOL, PooledOutcome, limits
from clinfo.evidence import plot_of_pool as pooled_plot


@dataclass(frozen=True)
class Row:
    """A study or the pool: its effect in words, and where it lies on the axis, from 0 to 100; an
    interval that goes on beyond the axis ends with it.
    """

    name: str
    words: str
    low: float
    at: float
    high: float
    pooled: bool = False


@dataclass(frozen=True)
class NarrowPlot:
    """The rows, what they show, and where on the axis no effect is."""

    title: str
    none: float
    rows: tuple[Row, ...]


def narrow_plot(outcome: PooledOutcome) -> NarrowPlot:
    """The plot of an analysis that has effects."""
    plot = pooled_plot(outcome)
    drawn = [row for row in plot.rows if row.mark]
    names = [one.comparison.study for one in outcome.analysis.effects[: len(drawn)]]
    scaled = math.log if plot.ratio else float
    studies = [row.at for row in drawn if row.at and row.mark == "study"]
    low, high = map(scaled, limits(studies, plot.ratio))

    def place(value: float) -> float:
        return round(min(max(100 * (scaled(value) - low) / (high - low), 0.0), 100.0), 1)

    rows = []
    for name, row in zip([*names, POOL], drawn, strict=False):
        start, at, end = map(place, row.at or (0.0, 0.0, 0.0))
        rows.append(Row(name, row.words, start, at, end, row.mark == "pool"))
    return NarrowPlot(plot.title, place(1.0 if plot.ratio else 0.0), tuple(rows))
