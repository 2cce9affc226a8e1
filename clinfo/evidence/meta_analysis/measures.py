"""The effect in one study, from its arms' numbers.

Zero cells: 0.5 is added to every cell of a table that has one, and studies without an event in
either arm, or without anything else, tell nothing of a ratio and are left out of it (Cochrane
Handbook 10.4.4). The standardised mean difference is corrected exactly (Hedges 1981), with the
variance of Hedges and Olkin (1985), as metafor does.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

from clinfo.evidence.meta_analysis.values import (
    Arm,
    Comparison,
    Counts,
    LeftOut,
    Means,
    Measure,
    Quantiles,
    StudyEffect,
    Z,
    shown,
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
