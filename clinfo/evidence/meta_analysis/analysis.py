"""The comparisons of several studies made one analysis: effects, what is left out and why, the
pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from clinfo.evidence.meta_analysis.arms import combined, divided, means_of
from clinfo.evidence.meta_analysis.measures import checked, effect_of
from clinfo.evidence.meta_analysis.pooling import pool
from clinfo.evidence.meta_analysis.values import (
    Arm,
    Comparison,
    Counts,
    LeftOut,
    Means,
    Model,
    Pooled,
    Quantiles,
    Rules,
    Scores,
    StudyEffect,
)
from clinfo.records.trials import Better


@dataclass(frozen=True)
class Analysis:
    """Effects in the order of the studies, studies left out, and the pool, None without effects."""

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


def analyse(
    comparisons: Iterable[Comparison],
    measure: str,
    model: Model = "REML",
    *,
    hksj: bool = False,
    rules: Rules = "metafor",
    estimate_medians: bool = False,
    shared: Literal["combined", "divided"] = "combined",
) -> Analysis:
    """Pool the comparisons that can be pooled; nothing is left out without a word.

    ``shared``: what is done where several comparisons of a study have one control arm, so that
    nobody counts twice: their intervention arms are combined (Cochrane Handbook 6.5.2.10), or the
    control arm is divided among them (23.3.4). Standardised differences of change scores are not
    pooled with those of final values (10.5.2): those of fewer studies are left out. Raises
    UsageError as `effect_of` and `pool` do.
    """
    checked(measure)
    found = [
        each
        if isinstance(each, LeftOut)
        else effect_of(each, measure, rules=rules, estimate_medians=estimate_medians)
        for each in _counted_once(comparisons, shared, estimate_medians)
    ]
    if measure == "SMD":
        found = _of_one_kind(found)
    if model == "MH":
        found = [
            LeftOut(each.comparison, "without events and totals, which this method needs")
            if isinstance(each, StudyEffect) and each.cells is None
            else each
            for each in found
        ]
    effects = tuple(each for each in found if isinstance(each, StudyEffect))
    left_out = tuple(each for each in found if isinstance(each, LeftOut))
    pooled = pool(effects, model, hksj=hksj, rules=rules) if effects else None
    return Analysis(measure, effects, left_out, pooled)


def _counted_once(
    comparisons: Iterable[Comparison], shared: str, estimate_medians: bool
) -> Iterator[Comparison | LeftOut]:
    """The comparisons, of which no two of a study have the same control arm; those that are the
    same stand once.
    """
    groups: dict[tuple[str, Arm | None], list[Comparison]] = {}
    for each in dict.fromkeys(comparisons):
        groups.setdefault((each.study, each.control), []).append(each)
    for (_, control), group in groups.items():
        arms = [each.intervention for each in group]
        if estimate_medians:
            *arms, control = (
                (means_of(arm) or arm) if isinstance(arm, Quantiles) else arm
                for arm in (*arms, control)
            )
        first, *others = group
        if not others:
            yield first
        elif isinstance(control, Counts | Means) and all(type(a) is type(control) for a in arms):
            if shared == "combined":
                whole = combined(*(arm for arm in arms if arm is not None))
                note = f"{len(arms)} intervention arms combined, their control arm being the same"
                yield replace(
                    first,
                    intervention=whole,
                    control=control,
                    reported=None,
                    label="",
                    notes=(*first.notes, note),
                )
                continue
            part = divided(control, len(group))
            note = f"control arm divided among {len(group)} comparisons"
            for each, arm in zip(group, arms, strict=True):
                yield replace(
                    each, intervention=arm, control=part, reported=None, notes=(*each.notes, note)
                )
        else:
            yield first
            for each in others:
                yield LeftOut(each, "its control arm counts in another comparison of the study")


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
