"""What the arms' numbers say of each study, and of all together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from clinfo.evidence.meta_analysis.analysis import Analysis, analyse
from clinfo.evidence.meta_analysis.measures import effect_of
from clinfo.evidence.meta_analysis.values import (
    Arm,
    Comparison,
    Counts,
    LeftOut,
    Means,
    Measure,
    Quantiles,
    StudyEffect,
    direction,
)
from clinfo.records.trials import (
    ArmNumbers,
    Better,
    Conclusion,
    Direction,
    Side,
    StudyNumbers,
)

WORDS: Final[Mapping[Direction, str]] = {
    "increase": "more with the intervention",
    "decrease": "less with the intervention",
    "no_difference": "no significant difference",
    "not_stated": "not stated",
}
CHANGES: Final = "The numbers are changes."
"""The flag of numbers that are changes from baseline."""
BY_HAND: Final = "given by hand"
"""How a number was made that a person gave."""


def favoured(direction: Direction | None, better: Better | None) -> Side | None:
    """The side that a direction speaks for; None where nothing is stated, or where an effect was
    found and nobody says whether more or less of the outcome is better.
    """
    if direction == "no_difference":
        return "neither"
    if direction in (None, "not_stated") or better is None:
        return None
    return "intervention" if (direction == "decrease") == (better == "lower") else "comparator"


def comparison(
    study: str,
    numbers: StudyNumbers | None,
    conclusion: Conclusion | None,
    notes: tuple[str, ...] = (),
    cluster: bool = False,
) -> Comparison:
    """A study as it goes into an analysis; ``cluster`` says that groups of people were
    randomised.
    """
    said = WORDS[conclusion.direction] if conclusion and conclusion.direction else ""
    if numbers is None:
        return Comparison(study, conclusion=said, notes=notes)
    return Comparison(
        study,
        _arm(numbers, numbers.intervention),
        _arm(numbers, numbers.comparator),
        scores="change" if CHANGES in numbers.flags else None,
        cluster=cluster,
        conclusion=said,
        notes=notes,
    )


def effect(one: Comparison) -> StudyEffect | None:
    """The effect in a study: risk ratio of counts (risk difference where nobody had the event), or
    mean difference; None where numbers are missing.
    """
    measures: tuple[Measure, ...] = (
        ("RR", "RD") if isinstance(one.intervention, Counts) else ("MD",)
    )
    for measure in measures:
        found = effect_of(one, measure)
        if isinstance(found, StudyEffect):
            return found
    return None


def direction_of(found: StudyEffect) -> Direction:
    """Return where the whole 95 % interval of an effect lies."""
    return direction(found.measure, found.low, found.high)


def pooled(
    comparisons: Sequence[Comparison],
    excluded: Mapping[str, str] | None = None,
    units: Collection[str] = (),
) -> Analysis | None:
    """The studies' effects pooled (REML): risk ratios, or standardised mean differences, since
    papers may measure an outcome on different scales; mean differences of one study, and where all
    give the same ``units``.

    Where some report counts and some means, those of the kind that more report. ``excluded`` maps
    studies that must not be pooled to the reason. One effect alone is no pool. None where no study
    that may be pooled has an effect.
    """
    excluded = excluded or {}
    left = [LeftOut(one, excluded[one.study]) for one in comparisons if one.study in excluded]
    comparisons = [one for one in comparisons if one.study not in excluded]
    counts = sum(isinstance(one.intervention, Counts) for one in comparisons)
    means = sum(isinstance(one.intervention, Means | Quantiles) for one in comparisons)
    if not counts and not means:
        return None
    alike = means == 1 or (len(set(units)) == 1 and "" not in units)
    found = analyse(comparisons, "RR" if counts >= means else "MD" if alike else "SMD")
    found = replace(found, left_out=(*found.left_out, *left))
    return found if found.effects else None


def _arm(numbers: StudyNumbers, arm: ArmNumbers) -> Arm | None:
    total = arm.total
    if numbers.kind == "binary":
        return Counts(arm.events.value, total.value) if arm.events and total else None
    if arm.mean and arm.sd and total:
        estimated = "" if arm.sd.derived == BY_HAND else arm.sd.derived
        return Means(arm.mean.value, arm.sd.value, total.value, estimated)
    if arm.median and arm.q1 and arm.q3 and total:
        return Quantiles(arm.median.value, total.value, arm.q1.value, arm.q3.value)
    return None
