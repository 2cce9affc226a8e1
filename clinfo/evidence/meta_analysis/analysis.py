"""The comparisons of several studies made one analysis: effects, what is left out and why, and the
pool by random effects (REML), as metafor (3.8) does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from clinfo.evidence.meta_analysis.measures import effect_of
from clinfo.evidence.meta_analysis.values import (
    Better,
    Comparison,
    LeftOut,
    Measure,
    Pooled,
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
