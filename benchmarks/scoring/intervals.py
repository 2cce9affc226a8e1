"""Means, standard deviations and percentile bootstrap intervals over questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

ROUNDS: Final = 2_000
SEED: Final = 0
COVERAGE: Final = 0.95
DIGITS: Final = 12
"""Decimals to which resampled figures are rounded: sums of floats may differ beyond them with the order of adding."""


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


class Resamples:
    """Questions drawn with replacement, as many as there are, `ROUNDS` times: the same draws for every system and metric.

    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3 (the percentile interval). Of a system that lacks
    some of the questions, a draw holds those of its own that were drawn.
    """

    def __init__(self, ids: Sequence[str], rounds: int = ROUNDS, seed: int = SEED) -> None:
        """``ids`` are all questions that any system was scored on; their order does not matter."""
        self._place = {id: place for place, id in enumerate(sorted(set(ids)))}
        self._times = times_drawn(len(self._place), rounds, seed)

    def interval(self, values: Mapping[str, float]) -> Interval:
        """The interval of the mean of some values by question."""
        import numpy

        ids = sorted(values)
        times = self._times[:, [self._place[id] for id in ids]]
        drawn = times.sum(axis=1)
        sums = times @ numpy.array([values[id] for id in ids])
        return percentiles(sums[drawn > 0] / drawn[drawn > 0])


def times_drawn(questions: int, rounds: int, seed: int) -> NDArray[numpy.float64]:
    """How often each question is in each resample; shape (rounds, questions)."""
    import numpy

    generator = numpy.random.default_rng(seed)
    drawn: Any = generator.multinomial(questions, numpy.full(questions, 1 / questions), size=rounds)
    times: NDArray[numpy.float64] = drawn.astype(numpy.float64)
    return times


def percentiles(means: NDArray[numpy.float64]) -> Interval:
    """The interval that leaves out equal shares of some resampled means at either end."""
    import numpy

    tail = 100 * (1 - COVERAGE) / 2
    low, high = numpy.percentile(means, [tail, 100 - tail])
    return Interval(round(float(low), DIGITS), round(float(high), DIGITS))
