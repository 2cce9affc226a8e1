"""The effects of studies as rows for a narrow screen, where the columns of the forest plot do not
fit: names and numbers as text, and beside them the intervals on one axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from clinfo.evidence.drawing import limits
from clinfo.evidence.meta_analysis.analysis import PooledOutcome
from clinfo.evidence.meta_analysis.values import RATIOS, Pooled, StudyEffect, none_of
from clinfo.evidence.pooled_plot import MOST_ROWS, described, effect_words, pool_name


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


def narrow_plot(plot: PooledOutcome) -> NarrowPlot:
    """The plot of an analysis that has effects."""
    analysis = plot.analysis
    effects = analysis.effects[:MOST_ROWS]
    ratio = analysis.measure in RATIOS
    scaled = math.log if ratio else float
    low, high = map(scaled, limits([(e.low, e.estimate, e.high) for e in effects], ratio))

    def place(value: float) -> float:
        return round(min(max(100 * (scaled(value) - low) / (high - low), 0.0), 100.0), 1)

    def row(effect: StudyEffect | Pooled, name: str, pooled: bool = False) -> Row:
        start, at, end = map(place, (effect.low, effect.estimate, effect.high))
        return Row(name, effect_words(effect), start, at, end, pooled)

    rows = [row(effect, effect.study) for effect in effects]
    if analysis.pooled is not None and len(analysis.effects) > 1:
        rows.append(row(analysis.pooled, pool_name(analysis.pooled), pooled=True))
    return NarrowPlot(described(plot)[0], place(none_of(analysis.measure)), tuple(rows))
