"""The comparisons of several studies made one analysis: the effect in each from its arms' numbers,
what is left out and why, and the pool by random effects (REML), as metafor (3.8) does.

Zero cells: 0.5 is added to every cell of a table that has one, and studies without an event in
either arm, or without anything else, tell nothing of a ratio and are left out of it (Cochrane
Handbook 10.4.4). The standardised mean difference is corrected exactly (Hedges 1981), with the
variance of Hedges and Olkin (1985), as metafor does.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import NamedTuple

from clinfo.evidence.meta_analysis.values import (
    Arm,
    Better,
    Comparison,
    Counts,
    LeftOut,
    Means,
    Measure,
    Pooled,
    Quantiles,
    Scores,
    StudyEffect,
    Z,
    chi2_p,
    normal_p,
    shown,
    student_quantile,
)


@dataclass(frozen=True)
class Analysis:
    """Effects in the order of the studies, studies left out, and the pool, None of fewer effects
    than two.
    """

    measure: str
    effects: tuple[StudyEffect, ...]
    left_out: tuple[LeftOut, ...]
    pooled: Pooled | None


@dataclass(frozen=True)
class PooledOutcome:
    """An analysis with the words that it is shown with.

    ``unit`` is that of a mean difference. Which side an effect favours is told where it is known
    which values of the outcome are ``better``.
    """

    analysis: Analysis
    outcome: str = ""
    intervention: str = "intervention"
    comparator: str = "control"
    better: Better | None = None
    unit: str = ""


def analyse(comparisons: Iterable[Comparison], measure: Measure) -> Analysis:
    """Pool the comparisons, one a study, that can be pooled; nothing is left out without a word.

    Standardised differences of change scores are not pooled with those of final values (Cochrane
    Handbook 10.5.2): those of fewer studies are left out.
    """
    found = [effect_of(each, measure) for each in comparisons]
    if measure == "SMD":
        found = _of_one_kind(found)
    effects = tuple(each for each in found if isinstance(each, StudyEffect))
    left_out = tuple(each for each in found if isinstance(each, LeftOut))
    return Analysis(measure, effects, left_out, pool(effects) if len(effects) > 1 else None)


def _of_one_kind(found: Sequence[StudyEffect | LeftOut]) -> list[StudyEffect | LeftOut]:
    """Those of final values or those of change scores; ones that do not say are taken for final."""
    kinds = Counter(_kind(each) for each in found if isinstance(each, StudyEffect))
    kept = "change" if kinds["change"] > kinds["final"] else "final"
    reason = f"standardised differences of change scores and final values are not pooled; {kept}"
    return [
        LeftOut(each.comparison, f"{reason} is what most studies give")
        if isinstance(each, StudyEffect) and _kind(each) != kept
        else each
        for each in found
    ]


def _kind(effect: StudyEffect) -> Scores:
    return effect.comparison.scores or "final"


class _Centre(NamedTuple):
    """The pooled value, its standard error, and the weights that it was made with."""

    y: float
    se: float
    weights: list[float]


def pool(effects: Sequence[StudyEffect]) -> Pooled:
    """The effects, at least one, of one measure pooled; one alone stays as it is."""
    measure, k = effects[0].measure, len(effects)
    ys, vs = [each.y for each in effects], [each.v for each in effects]
    fixed = _by_weight(ys, [1 / v for v in vs])
    q = math.fsum((y - fixed.y) ** 2 / v for y, v in zip(ys, vs, strict=True))
    tau2 = i2 = 0.0
    if k > 1:
        tau2, whole = _reml(ys, vs), math.fsum(fixed.weights)
        spread = math.fsum(w * (whole - w) / whole for w in fixed.weights)
        i2 = 100 * tau2 / (tau2 + (k - 1) / spread)
    y, se, weights = _by_weight(ys, [1 / (v + tau2) for v in vs])
    prediction = None
    if k > 2:  # Higgins, Thompson and Spiegelhalter (2009)
        wide = student_quantile(k - 2) * math.sqrt(se**2 + tau2)
        prediction = shown(measure, y - wide), shown(measure, y + wide)
    total = math.fsum(weights)
    return Pooled(
        measure,
        shown(measure, y),
        shown(measure, y - Z * se),
        shown(measure, y + Z * se),
        y,
        se,
        normal_p(y / se),
        tuple(100 * weight / total for weight in weights),
        tau2,
        i2,
        q,
        k - 1,
        chi2_p(q, k - 1),
        prediction,
    )


def _by_weight(ys: Sequence[float], weights: list[float]) -> _Centre:
    total = math.fsum(weights)
    mean = math.fsum(w * y for w, y in zip(weights, ys, strict=True)) / total
    return _Centre(mean, math.sqrt(1 / total), weights)


def _reml(ys: Sequence[float], vs: Sequence[float]) -> float:
    """The variance between studies of most restricted likelihood, by Fisher's scoring with halved
    steps, from the moment estimate of Hedges (1983).
    """
    k = len(ys)
    mean = math.fsum(ys) / k
    tau2 = max(0.0, math.fsum((y - mean) ** 2 for y in ys) / (k - 1) - math.fsum(vs) / k)
    best = _likelihood(tau2, ys, vs)
    for _ in range(1000):
        centre = _by_weight(ys, [1 / (v + tau2) for v in vs])
        w = centre.weights
        total, squares = math.fsum(w), math.fsum(each**2 for each in w)
        cubes = math.fsum(each**3 for each in w)
        score = math.fsum(each**2 * (y - centre.y) ** 2 for each, y in zip(w, ys, strict=True)) - (
            total - squares / total
        )
        information = squares - 2 * cubes / total + (squares / total) ** 2
        step = score / information
        while (there := max(0.0, tau2 + step)) != tau2 and (
            found := _likelihood(there, ys, vs)
        ) < best:
            step /= 2
        if abs(there - tau2) <= 1e-14 * (tau2 + min(vs)):
            break
        tau2, best = there, found
    return tau2 if best >= _likelihood(0.0, ys, vs) else 0.0  # of several maxima, as metafor does


def _likelihood(tau2: float, ys: Sequence[float], vs: Sequence[float]) -> float:
    centre = _by_weight(ys, [1 / (v + tau2) for v in vs])
    total = math.fsum(centre.weights)
    return -0.5 * (
        math.fsum(math.log(v + tau2) for v in vs)
        + math.log(total)
        + math.fsum(w * (y - centre.y) ** 2 for w, y in zip(centre.weights, ys, strict=True))
    )


ZERO_CELLS = "0.5 was added to each cell, one being zero"
CLUSTER = "a cluster-randomised trial: its arms' numbers do not tell how alike clusters are"
_MOST, _LEAST_V, _MOST_V = 1e12, 1e-30, 1e30
"""Numbers at or beyond the first, and variances beyond the others, are faults, not findings."""


def effect_of(comparison: Comparison, measure: Measure) -> StudyEffect | LeftOut:
    """The effect in one study, or why there is none; medians are made means."""
    if comparison.cluster:
        return LeftOut(comparison, CLUSTER)
    kind = Counts if measure in ("RR", "RD") else Means
    arms = [_with_mean(arm) for arm in (comparison.intervention, comparison.control)]
    if not all(isinstance(arm, kind) for arm in arms):
        needed = "events and totals" if kind is Counts else "mean, SD and total"
        median = kind is Means and any(isinstance(arm, Quantiles) for arm in arms)
        reason = f"{needed} are not known of both arms"
        return LeftOut(comparison, "medians are not pooled with means" if median else reason)
    notes = [*comparison.notes]
    for arm, name in zip(arms, ("intervention", "control"), strict=True):
        if fault := _fault(arm):
            return LeftOut(comparison, f"{fault} in the {name} arm")
        if isinstance(arm, Means) and arm.estimated:
            notes.append(f"mean or SD of the {name} arm estimated from {arm.estimated}")
    one, other = arms
    if isinstance(one, Counts) and isinstance(other, Counts):
        a, b, c, d = one.events, one.total - one.events, other.events, other.total - other.events
        if measure == "RR" and (a == c == 0 or b == d == 0):
            found = "no events in either arm" if a == c == 0 else "events in everyone of both arms"
            return LeftOut(comparison, f"{found} tell nothing of a ratio")
        if 0 in (a, b, c, d):
            a, b, c, d = a + 0.5, b + 0.5, c + 0.5, d + 0.5
            notes.append(ZERO_CELLS)
        m, n = a + b, c + d
        y, v = a / m - c / n, a * b / m**3 + c * d / n**3
        if measure == "RR":
            y, v = math.log(a / m / (c / n)), 1 / a - 1 / m + 1 / c - 1 / n
    else:
        assert isinstance(one, Means)
        assert isinstance(other, Means)
        comparison = replace(comparison, intervention=one, control=other)
        y, v = one.mean - other.mean, one.sd**2 / one.total + other.sd**2 / other.total
        if measure == "SMD":
            y, v = _standardised(one, other)
    if not _LEAST_V < v < _MOST_V:
        return LeftOut(comparison, "its numbers give no effect with a standard error")
    reach = Z * math.sqrt(v)
    bounds = (shown(measure, y), shown(measure, y - reach), shown(measure, y + reach))
    return StudyEffect(comparison, measure, *bounds, y, v, tuple(notes))


def _with_mean(arm: Arm | None) -> Arm | None:
    """Mean and SD in the place of a median with its quartiles, where the arm is large enough.

    The formulae of Wan, Wang, Liu and Tong (2014, doi:10.1186/1471-2288-14-135), which take the
    values for normally distributed.
    """
    if not isinstance(arm, Quantiles) or arm.total < 2:
        return arm
    reach = NormalDist().inv_cdf((0.75 * arm.total - 0.125) / (arm.total + 0.25))
    mean, sd = (arm.q1 + arm.median + arm.q3) / 3, (arm.q3 - arm.q1) / (2 * reach)
    return Means(mean, sd, arm.total, "median and quartiles")


def _fault(arm: Arm | None) -> str:
    """Return what is wrong with an arm's numbers, or ""."""
    if isinstance(arm, Counts):
        if not _sane(arm.events, arm.total):
            return _NO_NUMBER
        if arm.total <= 0:
            return "no participants"
        return "" if 0 <= arm.events <= arm.total else "events outside 0 to the total"
    assert isinstance(arm, Means)
    if not _sane(arm.mean, arm.sd, arm.total):
        return _NO_NUMBER
    if arm.total < 2:
        return "fewer than two participants"
    return "" if arm.sd >= 0 else "an SD below 0"


_NO_NUMBER = "a number that is not finite, or beyond 10¹²,"


def _sane(*values: float) -> bool:
    return all(abs(value) < _MOST for value in values)


def _standardised(one: Means, other: Means) -> tuple[float, float]:
    """Hedges' g and its variance."""
    n1, n2 = one.total, other.total
    free = n1 + n2 - 2
    pooled = math.sqrt(((n1 - 1) * one.sd**2 + (n2 - 1) * other.sd**2) / free)
    if not pooled:
        return 0.0, 0.0
    exact = math.exp(math.lgamma(free / 2) - math.lgamma((free - 1) / 2)) / math.sqrt(free / 2)
    g = (one.mean - other.mean) / pooled * exact
    return g, 1 / n1 + 1 / n2 + g**2 / (2 * (n1 + n2))
