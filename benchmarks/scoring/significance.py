"""Whether two systems differ: paired tests over the questions that both were scored on, and Holm's correction.

Both tests are those of Riezler and Maxwell, On Some Pitfalls in Automatic Evaluation and Significance Testing for MT, 2005:
the bootstrap draws questions and shifts the difference to the null hypothesis, approximate randomisation swaps the two systems'
values of each question by the toss of a coin. p = (count + 1) / (rounds + 1), two-sided (Davison and Hinkley, Bootstrap Methods
and their Application, 1997, section 4.2). Where there are no more ways of tossing the coins than rounds, each is looked at once and
p of approximate randomisation is the exact share of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from benchmarks.scoring.intervals import SEED, mean, percentiles, times_drawn

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

ROUNDS: Final = 10_000
_TIE: Final = 1e-9
"""Differences this near to each other, against the largest of the values, count as equal: they differ by rounding alone."""


@dataclass(frozen=True)
class Comparison:
    """A system against a baseline under one metric; ``n`` questions that both were scored on.

    ``difference`` is the mean of system − baseline, ``low`` and ``high`` its 95 % bootstrap interval. ``p_holm`` is
    ``p_randomisation`` corrected within the family that `family` was given.
    """

    metric: str
    system: str
    baseline: str
    n: int
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float
    p_holm: float


def compare(
    metric: str,
    system: str,
    baseline: str,
    of_system: Mapping[str, float],
    of_baseline: Mapping[str, float],
    rounds: int = ROUNDS,
    seed: int = SEED,
) -> Comparison | None:
    """The comparison of values by question, uncorrected (``p_holm`` is ``p_randomisation``); None where no question is in both."""
    import numpy

    common = sorted(of_system.keys() & of_baseline.keys())
    if not common:
        return None
    listed = [of_system[id] - of_baseline[id] for id in common]
    differences = numpy.array(listed)
    difference = mean(listed)
    drawn = _draws(len(common), rounds, seed) @ differences / len(common)
    exact = 2 ** len(common) <= rounds
    signed = (_all_signs(len(common)) if exact else _signs(len(common), rounds, seed)) @ differences / len(common)
    slack = _TIE * float(numpy.abs(differences).max())
    by_randomisation = _p(numpy.abs(signed), abs(difference), slack, exact)
    interval = percentiles(drawn)
    return Comparison(
        metric, system, baseline, len(common), difference, interval.low, interval.high,
        _p(numpy.abs(drawn - difference), abs(difference), slack), by_randomisation, by_randomisation,
    )  # fmt: skip


def family(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons with ``p_holm`` corrected for there being so many."""
    corrected = holm([comparison.p_randomisation for comparison in comparisons])
    return [replace(comparison, p_holm=p) for comparison, p in zip(comparisons, corrected, strict=True)]


def holm(values: Sequence[float]) -> list[float]:
    """p values adjusted so that the chance of any false finding among them stays below the level, in the order given.

    Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979.
    """
    order = sorted(range(len(values)), key=lambda place: values[place])
    adjusted, least = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = least
    return adjusted


def _p(resampled: NDArray[numpy.float64], observed: float, slack: float, exact: bool = False) -> float:
    """The share of resampled values that are at least as large; what was observed is itself among the ``exact`` ones."""
    more = 0 if exact else 1
    return (int((resampled >= observed - slack).sum()) + more) / (len(resampled) + more)


@lru_cache(maxsize=2)
def _draws(questions: int, rounds: int, seed: int) -> NDArray[numpy.float64]:
    return times_drawn(questions, rounds, seed)


@lru_cache(maxsize=2)
def _all_signs(questions: int) -> NDArray[numpy.float64]:
    """Every choice of +1 or −1 for each question; shape (2 ** questions, questions)."""
    import numpy

    bits: Any = numpy.arange(2**questions)[:, None] >> numpy.arange(questions) & 1
    signs: NDArray[numpy.float64] = 2.0 * bits - 1.0
    return signs


@lru_cache(maxsize=2)
def _signs(questions: int, rounds: int, seed: int) -> NDArray[numpy.float64]:
    """+1 or −1 for each question of each round; shape (rounds, questions)."""
    import numpy

    tossed: Any = numpy.random.default_rng(seed).integers(0, 2, size=(rounds, questions), dtype=numpy.int8)
    signs: NDArray[numpy.float64] = 2.0 * tossed - 1.0
    return signs
