"""Means, standard deviations and percentile bootstrap intervals over questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING, Final

from benchmarks.pubmedrs200.scoring.draws import times_drawn

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

ROUNDS: Final = 2_000
SEED: Final = 0
COVERAGE: Final = 0.95
DIGITS: Final = 12
"""Decimals to which resampled figures are rounded: sums of floats may differ beyond them with the
order of adding.
"""


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value, the same in whatever order they come."""
    return fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """The standard deviation with ddof 0, as the paper's tables have it."""
    middle = mean(values)
    return sqrt(fsum((value - middle) ** 2 for value in values) / len(values))


@dataclass(frozen=True)
class Interval:
    """Bounds of a 95 % interval."""

    low: float
    high: float


def intervals(
    cells: Iterable[Mapping[str, float]], rounds: int = ROUNDS, seed: int = SEED
) -> list[Interval]:
    """The interval of the mean of each of some values by question, in their order.

    The questions that any of them is on are drawn with replacement, as many as there are,
    ``rounds`` times: the same draws for all. Of values that lack some of the questions, a draw
    holds those of their own that were drawn. Efron and Tibshirani, An Introduction to the
    Bootstrap, 1993, section 13.3 (the percentile interval).
    """
    import numpy

    columns: list[NDArray[numpy.float64]] = []
    alike: dict[tuple[str, ...], list[int]] = {}  # places of columns on the same questions
    for values in cells:
        ids = tuple(sorted(values))
        alike.setdefault(ids, []).append(len(columns))
        columns.append(numpy.array([values[id] for id in ids]))
    place = {id: number for number, id in enumerate(sorted({id for ids in alike for id in ids}))}
    chosen = [([place[id] for id in ids], numbers) for ids, numbers in alike.items()]
    means: list[list[NDArray[numpy.float64]]] = [[] for _ in columns]
    for block in times_drawn(len(place), rounds, seed) if place else ():
        for places, numbers in chosen:
            times = block[:, places]
            drawn = times.sum(axis=1)
            for number in numbers:
                sums = times @ columns[number]
                means[number].append(sums[drawn > 0] / drawn[drawn > 0])
    return [percentiles(numpy.concatenate(parts)) for parts in means]


def percentiles(means: NDArray[numpy.float64]) -> Interval:
    """The interval that leaves out equal shares of some resampled means at either end."""
    import numpy

    tail = 100 * (1 - COVERAGE) / 2
    low, high = numpy.percentile(means, [tail, 100 - tail])
    return Interval(round(float(low), DIGITS), round(float(high), DIGITS))
