"""Effects of several studies pooled.

Where rules differ, metafor's (3.8) are the default and those of RevMan 5 an option: RevMan takes
cells with 0.5 added also for Mantel and Haenszel's method, measures the heterogeneity of counts
about that method's estimate also for DerSimonian and Laird's, has Greenland and Robins' variance
of the risk difference (metafor: Sato, Greenland and Robins 1989), and I² always from Q (metafor:
from τ² in random-effects models, the same for DerSimonian and Laird's).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, get_args

from clinfo.errors import UsageError
from clinfo.evidence.meta_analysis.distributions import (
    Z,
    chi2_p,
    normal_p,
    student_p,
    student_quantile,
)
from clinfo.evidence.meta_analysis.values import (
    Cells,
    Model,
    Pooled,
    Rules,
    StudyEffect,
    shown,
)

RANDOM: tuple[Model, ...] = ("DL", "REML")
_NARROWED = "by Hartung and Knapp's method the interval is narrower than without it"
_SAME_ZERO = "0.5 was added to the tables with a zero cell, the same cell being zero in all studies"


class _Centre(NamedTuple):
    """The pooled value, its standard error, and the weights that it was made with."""

    y: float
    se: float
    weights: list[float]


def pool(
    effects: Sequence[StudyEffect],
    model: Model = "REML",
    *,
    hksj: bool = False,
    rules: Rules = "metafor",
) -> Pooled:
    """The effects of one measure pooled; one alone stays as it is.

    ``hksj``: the interval of random effects by Hartung, Knapp, Sidik and Jonkman, with Student's t.
    Raises UsageError without effects, of several measures, of a model that does not fit them.
    """
    if model not in get_args(Model):
        raise UsageError(
            f"cannot pool by {model}: choose one of {', '.join(get_args(Model))}; Peto's method, "
            "generalised linear models and networks of treatments are not done here"
        )
    measures = {each.measure for each in effects}
    if len(measures) != 1:
        raise UsageError("pool effects of one measure, at least one of them")
    if hksj and model not in RANDOM:
        raise UsageError("Hartung and Knapp's interval is one of random effects; choose DL or REML")
    (measure,) = measures
    ys, vs = [each.y for each in effects], [each.v for each in effects]
    k, notes = len(effects), []
    fixed = _by_weight(ys, [1 / v for v in vs])
    centre = fixed
    if model == "MH" or (model == "DL" and rules == "revman" and all(e.cells for e in effects)):
        centre, said = _mantel_haenszel(effects, measure, rules)
        notes += said
    q = math.fsum((y - centre.y) ** 2 / v for y, v in zip(ys, vs, strict=True))
    i2 = max(0.0, 100 * (q - (k - 1)) / q) if q > 0 and k > 1 else 0.0
    tau2 = 0.0
    if model in RANDOM and k > 1:
        whole = math.fsum(fixed.weights)
        spread = math.fsum(w * (whole - w) / whole for w in fixed.weights)
        moments = max(0.0, (q - (k - 1)) / spread)
        tau2 = moments if model == "DL" else _reml(ys, vs)
        if rules == "metafor":
            i2 = 100 * tau2 / (tau2 + (k - 1) / spread)
    if model in RANDOM:
        centre = _by_weight(ys, [1 / (v + tau2) for v in vs])
    y, se, reach, p = centre.y, centre.se, Z, normal_p(centre.y / centre.se)
    if hksj and k > 1:
        squares = math.fsum(w * (each - y) ** 2 for w, each in zip(centre.weights, ys, strict=True))
        scaled, reach = se * math.sqrt(squares / (k - 1)), student_quantile(k - 1)
        notes += [_NARROWED] if scaled * reach < se * Z else []
        se, p = scaled, student_p(y / scaled, k - 1) if scaled else float(y == 0)
    prediction = None
    if model in RANDOM and k > 2:  # Higgins, Thompson and Spiegelhalter (2009)
        wide = student_quantile(k - 2) * math.sqrt(se**2 + tau2)
        prediction = shown(measure, y - wide), shown(measure, y + wide)
    total = math.fsum(centre.weights)
    return Pooled(
        measure,
        model,
        hksj and k > 1,
        shown(measure, y),
        shown(measure, y - reach * se),
        shown(measure, y + reach * se),
        y,
        se,
        p,
        tuple(100 * weight / total for weight in centre.weights),
        tau2,
        i2,
        q,
        k - 1,
        chi2_p(q, k - 1),
        prediction,
        tuple(notes),
    )


def _by_weight(ys: Sequence[float], weights: list[float]) -> _Centre:
    total = math.fsum(weights)
    mean = math.fsum(w * y for w, y in zip(weights, ys, strict=True)) / total
    return _Centre(mean, math.sqrt(1 / total), weights)


def _mantel_haenszel(
    effects: Sequence[StudyEffect], measure: str, rules: Rules
) -> tuple[_Centre, list[str]]:
    tables = [each.cells for each in effects if each.cells is not None]
    if len(tables) != len(effects):
        raise UsageError("Mantel and Haenszel's method needs events and totals of every study")
    centre = _of_tables(effects, tables, measure, rules)
    if centre is not None:
        return centre, []
    halved = [each if all(each) else _with_half(each) for each in tables]
    centre = _of_tables(effects, halved, measure, rules)
    assert centre is not None
    return centre, [_SAME_ZERO]


def _of_tables(
    effects: Sequence[StudyEffect], tables: Sequence[Cells], measure: str, rules: Rules
) -> _Centre | None:
    """None where no standard error comes of the tables, as where one cell is zero in all."""
    if measure == "RD":
        return _risk_difference(tables, rules, [each.y for each in effects])
    return (_odds_ratio if measure == "OR" else _risk_ratio)(tables)


def _with_half(cells: Cells) -> Cells:
    a, b, c, d = cells
    return a + 0.5, b + 0.5, c + 0.5, d + 0.5


def _odds_ratio(tables: Sequence[Cells]) -> _Centre | None:
    """With the variance of Robins, Breslow and Greenland (1986)"""
    r = [a * d / (a + b + c + d) for a, b, c, d in tables]
    s = [b * c / (a + b + c + d) for a, b, c, d in tables]
    p = [(a + d) / (a + b + c + d) for a, b, c, d in tables]
    rs, ss = math.fsum(r), math.fsum(s)
    if not rs or not ss:
        return None
    v = math.fsum(
        pi * ri / (2 * rs**2)
        + (pi * si + (1 - pi) * ri) / (2 * rs * ss)
        + (1 - pi) * si / (2 * ss**2)
        for pi, ri, si in zip(p, r, s, strict=True)
    )
    return _Centre(math.log(rs / ss), math.sqrt(v), s)


def _risk_ratio(tables: Sequence[Cells]) -> _Centre | None:
    """With the variance of Greenland and Robins (1985)"""
    r = [a * (c + d) / (a + b + c + d) for a, b, c, d in tables]
    s = [c * (a + b) / (a + b + c + d) for a, b, c, d in tables]
    rs, ss = math.fsum(r), math.fsum(s)
    if not rs or not ss:
        return None
    v = math.fsum(
        ((a + b) * (c + d) * (a + c) - a * c * (a + b + c + d)) / (a + b + c + d) ** 2
        for a, b, c, d in tables
    )
    return _Centre(math.log(rs / ss), math.sqrt(v / (rs * ss)), s)


def _risk_difference(tables: Sequence[Cells], rules: Rules, ys: Sequence[float]) -> _Centre | None:
    arms = [(a, a + b, c, c + d, a + b + c + d) for a, b, c, d in tables]
    weights = [m * n / total for _, m, _, n, total in arms]
    whole = math.fsum(weights)
    y = math.fsum((a * n - c * m) / total for a, m, c, n, total in arms) / whole
    if rules == "revman":
        y = math.fsum(w * each for w, each in zip(weights, ys, strict=True)) / whole
        v = math.fsum(
            (a * (m - a) * n**3 + c * (n - c) * m**3) / (m * n * total**2)
            for a, m, c, n, total in arms
        )
    else:
        between = math.fsum(
            c * (m / total) ** 2 - a * (n / total) ** 2 + m / total * n / total * (n - m) / 2
            for a, m, c, n, total in arms
        )
        within = math.fsum((a * (n - c) + c * (m - a)) / total for a, m, c, n, total in arms)
        v = y * between + within / 2
    return _Centre(y, math.sqrt(v) / whole, weights) if v > 0 else None


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
