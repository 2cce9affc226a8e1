"""Means with bootstrap intervals over questions, and tests of the difference between two systems.

The bootstrap draws questions and shifts the difference to the null hypothesis, approximate
randomisation swaps the two systems' values of each question by the toss of a coin (Riezler and
Maxwell, On Some Pitfalls in Automatic Evaluation and Significance Testing for MT, 2005). p = (count
+ 1) / (rounds + 1), two-sided (Davison and Hinkley, Bootstrap Methods and their Application, 1997,
section 4.2). Where there are no more ways of tossing the coins than rounds, each is looked at once
and p of approximate randomisation is the exact share of them.

Of few questions the bootstrap knows too little of how far they spread: of normal differences
without any effect it finds p < 0.05 in about 30 cases of 100 at 3 questions, 16 at 5, 10 at 10 and
6 at 30. Approximate randomisation keeps what it promises whatever the number, but of n questions
its p is never less than 2 / 2**n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, sqrt
from typing import Any, Final

ROUNDS: Final = 2_000
TESTS: Final = 10_000
"""Rounds of intervals, and of tests."""
SEED: Final = 0
DIGITS: Final = 12
"""Decimals to which resampled figures are rounded: sums of floats may differ beyond them with the
order of adding."""
FEW: Final = 10
"""Of fewer questions than this nothing is said: p of the bootstrap is not shown, and even where all
of 9 are right `wilson` leaves 0.70 to 1."""
TOO_FEW: Final = "too few questions to say"
SURE: Final = 30
"""From this many questions on p and interval of the bootstrap are near enough to what they
promise."""
_BLOCK: Final = 4_000_000
_STEP: Final = 16
"""A block of rounds has at most so many numbers, and a multiple of so many rounds: generators hand
out tosses by four, and products of a block and a column have the last digits of the product with
all rounds only where no block ends within a step of the linear algebra's loops."""
_TIE: Final = 1e-9
"""Differences this near to each other, against the largest of the values, count as equal."""


@dataclass(frozen=True)
class Comparison:
    """A system against a baseline under one metric; ``n`` questions that both were scored on.

    ``difference`` is the mean of system − baseline, ``low`` and ``high`` its 95 % bootstrap
    interval. ``p_holm`` is ``p_randomisation`` corrected for all comparisons made together.
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


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value, the same in whatever order they come."""
    return fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """The standard deviation with ddof 0, as the paper's tables have it."""
    middle = mean(values)
    return sqrt(fsum((value - middle) ** 2 for value in values) / len(values))


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % score interval of a share of ``n`` (Wilson, J. Am. Stat. Assoc. 1927;22:209–12),
    which holds where all or none are right as well. Of a mean of ``n`` values from 0 to 1 it is
    too wide rather than too narrow.
    """
    z = 1.959963984540054
    middle, scale = share + z * z / (2 * n), 1 + z * z / n
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def intervals(cells: Iterable[Mapping[str, float]]) -> list[tuple[float, float]]:
    """The 95 % percentile interval (Efron and Tibshirani, An Introduction to the Bootstrap, 1993,
    section 13.3) of the mean of each of some values by question, in their order.

    The questions that any of them is on are drawn with replacement: the same draws for all. Of
    values that lack some of the questions, a draw holds those of their own that were drawn.
    """
    import numpy

    columns: list[Any] = []
    alike: dict[tuple[str, ...], list[int]] = {}  # places of columns on the same questions
    for values in cells:
        ids = tuple(sorted(values))
        alike.setdefault(ids, []).append(len(columns))
        columns.append(numpy.array([values[id] for id in ids]))
    place = {id: number for number, id in enumerate(sorted({id for ids in alike for id in ids}))}
    chosen = [([place[id] for id in ids], numbers) for ids, numbers in alike.items()]
    means: list[list[Any]] = [[] for _ in columns]
    for block in _drawn(len(place), ROUNDS) if place else ():
        for places, numbers in chosen:
            times = block[:, places]
            drawn = times.sum(axis=1)
            for number in numbers:
                sums = times @ columns[number]
                means[number].append(sums[drawn > 0] / drawn[drawn > 0])
    return [_percentiles(numpy.concatenate(parts)) for parts in means]


def comparisons(
    values: Mapping[str, Mapping[str, Mapping[str, float]]], baseline: Callable[[str], str]
) -> list[Comparison]:
    """Every system against the baseline of its metric, as one family of tests; ``values`` are by
    metric, system and question, ``baseline`` names that of a metric.
    """
    import numpy

    pairs: list[tuple[str, str, str, list[float]]] = []
    for metric, by_system in values.items():
        against = baseline(metric)
        for system, own in by_system.items() if against in by_system else ():
            common = sorted(own.keys() & by_system[against].keys())
            if system != against and common:
                less = [own[id] - by_system[against][id] for id in common]
                pairs.append((metric, system, against, less))
    found: dict[int, Comparison] = {}
    for n in dict.fromkeys(len(pair[3]) for pair in pairs):
        places = [place for place, pair in enumerate(pairs) if len(pair[3]) == n]
        columns = [numpy.array(pairs[place][3]) for place in places]
        exact = 2**n <= TESTS
        drawn = _means(_drawn(n, TESTS), columns)
        signed = _means(_every_sign(n) if exact else _tossed(n, TESTS), columns)
        for place, draws, signs in zip(places, drawn, signed, strict=True):
            metric, system, against, differences = pairs[place]
            middle, slack = mean(differences), _TIE * max(map(abs, differences))
            p_bootstrap = _p(abs(draws - middle), abs(middle) - slack, 1)
            p = _p(abs(signs), abs(middle) - slack, 0 if exact else 1)
            names = (metric, system, against)
            found[place] = Comparison(*names, n, middle, *_percentiles(draws), p_bootstrap, p, p)
    every = [found[place] for place in range(len(pairs))]
    corrected = holm([one.p_randomisation for one in every])
    return [replace(one, p_holm=p) for one, p in zip(every, corrected, strict=True)]


def holm(values: Sequence[float]) -> list[float]:
    """p values adjusted so that the chance of any false finding among them stays below the level,
    in the order given (Holm, Scandinavian Journal of Statistics 6, 1979).
    """
    order = sorted(range(len(values)), key=lambda place: values[place])
    adjusted, least = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = least
    return adjusted


def _percentiles(means: Any) -> tuple[float, float]:
    import numpy

    low, high = numpy.percentile(means, [2.5, 97.5])
    return round(float(low), DIGITS), round(float(high), DIGITS)


def _p(resampled: Any, observed: float, more: int) -> float:
    """The share of resampled values that are at least as large, with ``more`` that was observed."""
    return (int((resampled >= observed).sum()) + more) / (len(resampled) + more)


def _means(blocks: Iterable[Any], columns: Sequence[Any]) -> list[Any]:
    import numpy

    means: list[list[Any]] = [[] for _ in columns]
    for block in blocks:
        for parts, column in zip(means, columns, strict=True):
            parts.append(block @ column / len(column))
    return [numpy.concatenate(parts) for parts in means]


def _sizes(questions: int, rounds: int) -> Iterator[int]:
    size = max(_STEP, _BLOCK // questions // _STEP * _STEP)
    return (min(size, rounds - start) for start in range(0, rounds, size))


def _drawn(questions: int, rounds: int) -> Iterator[Any]:
    """Yield how often each question is among as many drawn with replacement, a row a round."""
    import numpy

    generator = numpy.random.default_rng(SEED)
    chances = numpy.full(questions, 1 / questions)
    for size in _sizes(questions, rounds):
        yield generator.multinomial(questions, chances, size=size).astype(numpy.float64)


def _tossed(questions: int, rounds: int) -> Iterator[Any]:
    """+1 or −1 for each question of each round."""
    import numpy

    generator = numpy.random.default_rng(SEED)
    for size in _sizes(questions, rounds):
        yield 2.0 * generator.integers(0, 2, size=(size, questions), dtype=numpy.int8) - 1.0


def _every_sign(questions: int) -> Iterator[Any]:
    import numpy

    bits = numpy.arange(2**questions)[:, None] >> numpy.arange(questions) & 1
    yield 2.0 * bits - 1.0
