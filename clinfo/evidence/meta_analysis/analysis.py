"""The comparisons of several studies made one analysis: effects, what is left out and why, the
pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clinfo.evidence.meta_analysis.measures import effect_of
from clinfo.evidence.meta_analysis.pooling import pool
from clinfo.evidence.meta_analysis.values import (
    Comparison,
    LeftOut,
    Measure,
    Pooled,
    Scores,
    StudyEffect,
)
from clinfo.records.trials import Better


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
