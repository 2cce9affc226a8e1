"""Significance of differences between two systems: paired tests over the questions that both were
scored on, and Holm's correction.

Both tests are those of Riezler and Maxwell, On Some Pitfalls in Automatic Evaluation and
Significance Testing for MT, 2005: the bootstrap draws questions and shifts the difference to the
null hypothesis, approximate randomisation swaps the two systems' values of each question by the
toss of a coin. p = (count + 1) / (rounds + 1), two-sided (Davison and Hinkley, Bootstrap Methods
and their Application, 1997, section 4.2). Where there are no more ways of tossing the coins than
rounds, each is looked at once and p of approximate randomisation is the exact share of them.

Of few questions the bootstrap knows too little of how far they spread: of normal differences
without any effect it finds p < 0.05 in about 30 cases of 100 at 3 questions, 16 at 5, 10 at 10 and
6 at 30. Approximate randomisation keeps what it promises whatever the number, but of n questions
its p is never less than 2 / 2**n.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from benchmarks.pubmedrs200.scoring.draws import all_signs, signs, times_drawn
from benchmarks.pubmedrs200.scoring.intervals import SEED, mean, percentiles

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

ROUNDS: Final = 10_000
FEW: Final = 10
"""Of fewer questions than this p of the bootstrap is not to be shown."""
SURE: Final = 30
"""From this many questions on p and interval of the bootstrap are near enough to what they
promise.
"""
_TIE: Final = 1e-9
"""Differences this near to each other, against the largest of the values, count as equal: they
differ by rounding alone.
"""


@dataclass(frozen=True)
class Pairing:
    """A system beside a baseline under one metric; ``differences`` are system − baseline, one of
    each question that both were scored on, in the order of ids, at least one."""

    metric: str
    system: str
    baseline: str
    differences: tuple[float, ...]


@dataclass(frozen=True)
class Comparison:
    """A system against a baseline under one metric; ``n`` questions that both were scored on.

    ``difference`` is the mean of system − baseline, ``low`` and ``high`` its 95 % bootstrap
    interval. ``p_holm`` is ``p_randomisation`` corrected within the family that `family` was given.
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


def pairing(
    metric: str,
    system: str,
    baseline: str,
    of_system: Mapping[str, float],
    of_baseline: Mapping[str, float],
) -> Pairing | None:
    """The pairing of values by question; None where no question is in both."""
    common = sorted(of_system.keys() & of_baseline.keys())
    return (
        Pairing(metric, system, baseline, tuple(of_system[id] - of_baseline[id] for id in common))
        if common
        else None
    )


def compare(
    pairings: Sequence[Pairing], rounds: int = ROUNDS, seed: int = SEED
) -> list[Comparison]:
    """The comparisons of some pairings in their order, uncorrected (``p_holm`` is
    ``p_randomisation``).

    The same draws are used for all pairings of as many questions.
    """
    import numpy

    by_size: dict[int, list[int]] = {}
    for number, one in enumerate(pairings):
        by_size.setdefault(len(one.differences), []).append(number)
    found: dict[int, Comparison] = {}
    for questions, numbers in by_size.items():
        columns = [numpy.array(pairings[number].differences) for number in numbers]
        exact = 2**questions <= rounds
        tossed = all_signs(questions) if exact else signs(questions, rounds, seed)
        drawn = _means(times_drawn(questions, rounds, seed), columns)
        signed = _means(tossed, columns)
        for place, number in enumerate(numbers):
            found[number] = _comparison(pairings[number], drawn[place], signed[place], exact)
    return [found[number] for number in range(len(pairings))]


def _means(
    blocks: Iterable[NDArray[numpy.float64]], columns: Sequence[NDArray[numpy.float64]]
) -> list[NDArray[numpy.float64]]:
    """By column, the mean of its values in each round of all blocks."""
    import numpy

    means: list[list[NDArray[numpy.float64]]] = [[] for _ in columns]
    for block in blocks:
        for parts, column in zip(means, columns, strict=True):
            parts.append(block @ column / len(column))
    return [numpy.concatenate(parts) for parts in means]


def _comparison(
    of: Pairing, drawn: NDArray[numpy.float64], signed: NDArray[numpy.float64], exact: bool
) -> Comparison:
    """Return what follows from the means of differences that were drawn, and of those whose signs
    were tossed.
    """
    import numpy

    difference = mean(of.differences)
    slack = _TIE * max(map(abs, of.differences))
    interval = percentiles(drawn)
    by_bootstrap = _p(numpy.abs(drawn - difference), abs(difference), slack)
    by_randomisation = _p(numpy.abs(signed), abs(difference), slack, exact)
    return Comparison(
        of.metric,
        of.system,
        of.baseline,
        len(of.differences),
        difference,
        interval.low,
        interval.high,
        by_bootstrap,
        by_randomisation,
        by_randomisation,
    )


def family(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons with ``p_holm`` corrected for there being so many."""
    corrected = holm([comparison.p_randomisation for comparison in comparisons])
    return [
        replace(comparison, p_holm=p) for comparison, p in zip(comparisons, corrected, strict=True)
    ]


def holm(values: Sequence[float]) -> list[float]:
    """p values adjusted so that the chance of any false finding among them stays below the level,
    in the order given.

    Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of
    Statistics 6, 1979.
    """
    order = sorted(range(len(values)), key=lambda place: values[place])
    adjusted, least = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = least
    return adjusted


def _p(
    resampled: NDArray[numpy.float64], observed: float, slack: float, exact: bool = False
) -> float:
    """The share of resampled values that are at least as large; what was observed is itself among
    the ``exact`` ones.
    """
    more = 0 if exact else 1
    return (int((resampled >= observed - slack).sum()) + more) / (len(resampled) + more)
