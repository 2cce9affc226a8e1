"""The effect in one study, from its arms' numbers or as it is reported.

Zero cells: 0.5 is added to every cell of a table that has one, and studies without an event in
either arm, or without anything else, tell nothing of a ratio and are left out of it (Cochrane
Handbook 10.4.4). The rules of metafor and those of RevMan 5 (Deeks and Higgins 2010) differ in the
risk difference of such a table, which RevMan corrects in the variance only, and in the
standardised mean difference: metafor's correction is exact (Hedges 1981) with the variance of
Hedges and Olkin (1985), RevMan's are approximations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from clinfo.errors import UsageError
from clinfo.evidence.meta_analysis.arms import means_of
from clinfo.evidence.meta_analysis.distributions import Z, z_of
from clinfo.evidence.meta_analysis.values import (
    RATIOS,
    Arm,
    Cells,
    Comparison,
    Counts,
    LeftOut,
    Means,
    Quantiles,
    Reported,
    Rules,
    StudyEffect,
    shown,
)

OF_COUNTS = frozenset({"RR", "OR", "RD"})
OF_MEANS = frozenset({"MD", "SMD"})
MEASURES = ("RR", "OR", "RD", "MD", "SMD", "HR", "IRR")
"""What can be pooled; HR and IRR only as reported."""
ZERO_CELLS = "0.5 was added to each cell, one being zero"
_UNPOOLED = {
    "cross-over": "a cross-over trial: the difference within people is needed, not that of periods",
    "cluster": "a cluster-randomised trial: its arms' numbers do not tell how alike clusters are",
    "matched": "a matched or within-person trial: the differences of its pairs are needed",
    "single arm": "a study of a single arm compares nothing",
}
_SKEWED = 0.25
"""The lower and the upper part of an interval may differ by this share, on the scale on which they
are equal, before it is said; rounding alone does less."""

_MOST, _LEAST_V, _MOST_V = 1e12, 1e-30, 1e30
"""Numbers at or beyond the first, and variances beyond the others, are faults, not findings."""
Effect = tuple[float, float]
"""What is pooled, and its variance."""


def checked(measure: str) -> str:
    """The measure. Raises UsageError for one that is not pooled here."""
    if measure in MEASURES:
        return measure
    raise UsageError(
        f"cannot pool {measure or 'without a measure'}: choose one of {', '.join(MEASURES)}; "
        "Peto's method, correlations, single proportions and diagnostic accuracy are not done here"
    )


def effect_of(
    comparison: Comparison,
    measure: str,
    *,
    rules: Rules = "metafor",
    estimate_medians: bool = False,
) -> StudyEffect | LeftOut:
    """The effect in one study, or why there is none. Raises UsageError for a measure not known.

    Arms' numbers go before an effect as reported. Medians are made means only where
    ``estimate_medians``.
    """
    checked(measure)
    if comparison.design != "parallel":
        reason = f"its design ({comparison.design}) needs an analysis of its own"
        return LeftOut(comparison, _UNPOOLED.get(comparison.design, reason))
    arms = [comparison.intervention, comparison.control]
    notes: list[str] = []
    if measure in OF_MEANS and estimate_medians:
        arms = [(means_of(arm) or arm) if isinstance(arm, Quantiles) else arm for arm in arms]
    kind = Counts if measure in OF_COUNTS else Means
    one, other = arms
    if measure in OF_COUNTS | OF_MEANS and isinstance(one, kind) and isinstance(other, kind):
        for arm, name in ((one, "intervention"), (other, "control")):
            if fault := _fault(arm):
                return LeftOut(comparison, f"{fault} in the {name} arm")
            if isinstance(arm, Means) and arm.estimated:
                notes.append(f"mean or SD of the {name} arm estimated from {arm.estimated}")
        if isinstance(one, Counts) and isinstance(other, Counts):
            return _of_counts(comparison, measure, (*one.cells(), *other.cells()), rules)
        assert isinstance(one, Means)
        assert isinstance(other, Means)
        found = _MEANS[measure](one, other, rules)
        comparison = replace(comparison, intervention=one, control=other)
        return _effect(comparison, measure, found, notes=notes)
    if comparison.reported is not None and comparison.reported.measure == measure:
        return _as_reported(comparison, comparison.reported)
    return LeftOut(comparison, _missing(arms, comparison.reported, measure))


def _missing(arms: list[Arm | None], reported: Reported | None, measure: str) -> str:
    if measure in OF_MEANS and any(isinstance(arm, Quantiles) for arm in arms):
        return "medians are not pooled with means"
    if reported is not None:
        said = f"{reported.measure} {reported.estimate:g} ({reported.low:g} to {reported.high:g})"
        return f"its effect is reported as {said}, not as {measure}"
    if measure not in OF_COUNTS | OF_MEANS:
        return f"no {measure} with its interval"
    needed = "events and totals" if measure in OF_COUNTS else "mean, SD and total"
    return f"{needed} are not known of both arms"


def _fault(arm: Counts | Means) -> str:
    """What is wrong with an arm's numbers, or ""."""
    first = (arm.events,) if isinstance(arm, Counts) else (arm.mean, arm.sd)
    if not _sane(*first, arm.total):
        return "a number that is not finite, or beyond 10¹²,"
    if isinstance(arm, Counts):
        if arm.total <= 0:
            return "no participants"
        return "" if 0 <= arm.events <= arm.total else "events outside 0 to the total"
    if arm.total < 2:
        return "fewer than two participants"
    return "" if arm.sd >= 0 else "an SD below 0"


def _sane(*values: float) -> bool:
    return all(abs(value) < _MOST for value in values)


def _of_counts(
    comparison: Comparison, measure: str, cells: Cells, rules: Rules
) -> StudyEffect | LeftOut:
    a, b, c, d = cells
    if measure in RATIOS and (a == c == 0 or b == d == 0):
        found = "no events in either arm" if a == c == 0 else "events in everyone of both arms"
        return LeftOut(comparison, f"{found} tell nothing of a ratio")
    corrected: Cells = (a + 0.5, b + 0.5, c + 0.5, d + 0.5) if 0 in cells else cells
    y, v = _COUNTS[measure](*corrected)
    if measure == "RD" and rules == "revman":
        y = _risk_difference(*cells)[0]
    pooled = corrected if rules == "revman" else cells
    notes = (ZERO_CELLS,) if corrected is not cells else ()
    return _effect(comparison, measure, (y, v), cells=pooled, notes=notes)


def _odds_ratio(a: float, b: float, c: float, d: float) -> Effect:
    return math.log(a * d / (b * c)), 1 / a + 1 / b + 1 / c + 1 / d


def _risk_ratio(a: float, b: float, c: float, d: float) -> Effect:
    return math.log(a / (a + b) / (c / (c + d))), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)


def _risk_difference(a: float, b: float, c: float, d: float) -> Effect:
    one, other = a + b, c + d
    return a / one - c / other, a * b / one**3 + c * d / other**3


def _mean_difference(one: Means, other: Means, rules: Rules) -> Effect:
    return one.mean - other.mean, one.sd**2 / one.total + other.sd**2 / other.total


def _standardised(one: Means, other: Means, rules: Rules) -> Effect:
    """Hedges' g."""
    n1, n2 = one.total, other.total
    free = n1 + n2 - 2
    pooled = math.sqrt(((n1 - 1) * one.sd**2 + (n2 - 1) * other.sd**2) / free)
    if not pooled:
        return 0.0, 0.0
    if rules == "revman":
        g = (one.mean - other.mean) / pooled * (1 - 3 / (4 * (n1 + n2) - 9))
        return g, (n1 + n2) / (n1 * n2) + g**2 / (2 * (n1 + n2 - 3.94))
    exact = math.exp(math.lgamma(free / 2) - math.lgamma((free - 1) / 2)) / math.sqrt(free / 2)
    g = (one.mean - other.mean) / pooled * exact
    return g, 1 / n1 + 1 / n2 + g**2 / (2 * (n1 + n2))


_COUNTS: dict[str, Callable[[float, float, float, float], Effect]] = {
    "RR": _risk_ratio,
    "OR": _odds_ratio,
    "RD": _risk_difference,
}
_MEANS: dict[str, Callable[[Means, Means, Rules], Effect]] = {
    "MD": _mean_difference,
    "SMD": _standardised,
}


def _effect(
    comparison: Comparison,
    measure: str,
    found: Effect,
    *,
    cells: Cells | None = None,
    notes: list[str] | tuple[str, ...] = (),
) -> StudyEffect | LeftOut:
    y, v = found
    if not _LEAST_V < v < _MOST_V:
        return LeftOut(comparison, "its numbers give no effect with a standard error")
    reach = Z * math.sqrt(v)
    bounds = (shown(measure, y), shown(measure, y - reach), shown(measure, y + reach))
    return StudyEffect(comparison, measure, *bounds, y, v, cells, (*comparison.notes, *notes))


def _as_reported(comparison: Comparison, said: Reported) -> StudyEffect | LeftOut:
    """The effect whose standard error is half its interval's width in units of z, on the scale of
    pooling (Cochrane Handbook 6.3). An interval of 95 % stays as it was reported.
    """
    values = (said.low, said.estimate, said.high)
    if not _sane(*values) or not 50 <= said.level < 100:
        return LeftOut(
            comparison, "a number of the reported effect is not finite, or beyond what can be"
        )
    if not said.low <= said.estimate <= said.high or said.low == said.high:
        return LeftOut(comparison, "the reported interval does not hold its estimate")
    if said.measure in RATIOS and said.low <= 0:
        return LeftOut(comparison, "the reported interval of a ratio does not lie above 0")
    low, y, high = map(math.log, values) if said.measure in RATIOS else values
    v = ((high - low) / 2 / z_of(said.level)) ** 2
    notes = ["as reported"]
    if abs((high - y) - (y - low)) > _SKEWED * (high - low):
        notes.append("the reported interval lies unevenly about its estimate")
    found = _effect(comparison, said.measure, (y, v), notes=notes)
    if said.level != 95 or isinstance(found, LeftOut):
        return found
    return replace(found, estimate=said.estimate, low=said.low, high=said.high)
