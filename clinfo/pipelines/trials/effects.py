"""The effects that the arms' numbers give, of each study and of all together: as they were read and
as people corrected them, and what a reader has to know where sources do not agree.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clinfo.errors import UsageError
from clinfo.evidence.meta_analysis.analysis import Analysis, analyse, effect_of
from clinfo.evidence.meta_analysis.values import (
    RATIOS,
    Arm,
    Better,
    Comparison,
    Counts,
    Direction,
    LeftOut,
    Means,
    Measure,
    Quantiles,
    StudyEffect,
    direction,
)
from clinfo.pipelines.trials.records import (
    ArmNumbers,
    Conclusion,
    Edit,
    GivenArm,
    GivenNumbers,
    Number,
    Side,
    StatedEffect,
    StudyNumbers,
    StudyPapers,
    StudyReading,
)

WORDS: Final[Mapping[Direction, str]] = {
    "increase": "more with the intervention",
    "decrease": "less with the intervention",
    "no_difference": "no clear difference",
    "not_stated": "not reported",
}
CHANGES: Final = "The numbers are changes."
"""The flag of numbers that are changes from baseline."""
BY_HAND: Final = "given by hand"
"""The origin of a number that a person gave."""


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


_MOST: Final = 1e9
_NAMES: Final = ("events", "total", "mean", "sd")


@dataclass(frozen=True)
class InForce:
    """The numbers of a study as they hold, and what is to be said of them."""

    numbers: StudyNumbers | None
    notes: tuple[str, ...] = ()
    excluded: str = ""
    """Why it is not pooled; "" where it may be."""


def in_force(read: StudyNumbers | None, edits: Iterable[Edit]) -> InForce:
    """Return what the edits that are not undone make of the numbers read; later ones win."""
    numbers, excluded = read, ""
    notes: tuple[str, ...] = ()
    for edit in edits:
        if edit.undone:
            continue
        if edit.numbers is not None:
            numbers, notes = _given(edit.numbers, read), (f"numbers corrected by hand: {edit.why}",)
        if edit.excluded is not None:
            excluded = f"left out by hand: {edit.why}" if edit.excluded else ""
    return InForce(numbers, notes, excluded)


def _given(given: GivenNumbers, read: StudyNumbers | None) -> StudyNumbers:
    """Numbers given by a person; one that is as it was read keeps its place in the paper."""
    same = read if read is not None and read.kind == given.kind else None
    return StudyNumbers(
        given.kind,
        _arm_given(given.intervention, same.intervention if same else ArmNumbers()),
        _arm_given(given.comparator, same.comparator if same else ArmNumbers()),
        given.timepoint or "",
        tuple(flag for flag in (same.flags if same else ()) if flag == CHANGES),
    )


def _arm_given(given: GivenArm, read: ArmNumbers) -> ArmNumbers:
    def number(name: str) -> Number | None:
        value: float | None = getattr(given, name)
        before: Number | None = getattr(read, name)
        if value is None or (before is not None and before.value == value):
            return None if value is None else before
        return Number(value, "", "", 0, 0, BY_HAND)

    events, total, mean, sd = map(number, _NAMES)
    return ArmNumbers(events, total, mean, sd, name=read.name)


def given_of(numbers: StudyNumbers) -> GivenNumbers:
    """The numbers of a study without their places, as a person would give them."""
    one, other = (
        GivenArm(*(read.value if (read := getattr(arm, name)) else None for name in _NAMES))
        for arm in (numbers.intervention, numbers.comparator)
    )
    return GivenNumbers(numbers.kind, one, other, numbers.timepoint)


def checked(given: GivenNumbers) -> None:
    """Raise UsageError for numbers that no two arms can have: people and events are counted."""
    for side, arm in (("intervention", given.intervention), ("comparator", given.comparator)):
        values = {name: getattr(arm, name) for name in _NAMES}
        other = ("mean", "sd") if given.kind == "binary" else ("events",)
        for name, value in values.items():
            if value is None:
                continue
            if name in other:
                raise UsageError(f"{side}: give events, or mean and SD, not both")
            counted = name in ("events", "total")
            least = {"events": 0, "total": 1, "mean": -_MOST, "sd": math.ulp(0)}[name]
            if not least <= value < _MOST or (counted and value != int(value)):
                raise UsageError(f"{side}: {name} cannot be {value:g}")
        if (values["events"] or 0) > (math.inf if arm.total is None else arm.total):
            raise UsageError(f"{side}: more events than people")


CLUSTER = "Cluster-randomised, the model says: its numbers are shown, not pooled."
ANIMALS = "Not about people, the model says."
PARTED = (
    "The model does not take these papers for reports on the same people in the same groups; "
    "--study parts them."
)
_DIFFERENCES = frozenset({"RD", "MD", "SMD", "WMD"})


def flags(
    study: StudyPapers,
    said: Direction | None,
    reading: StudyReading | None,
    found: StudyEffect | None,
) -> Iterator[str]:
    """The flags of a study, of which a model ``said`` where the outcome went and ``found`` is what
    its numbers come to.
    """
    if len(study.papers) > 1 and study.why != "as told":
        yield f"Read as one trial since {study.why}; --study parts them."
    by_numbers = direction_of(found) if found else None
    if said is not None and by_numbers not in (None, said):
        yield (
            f"The numbers and the text disagree: {WORDS[by_numbers]} by the interval of the "
            f"numbers, {WORDS[said]} by the text."
        )
    if reading is None:
        return
    if reading.cluster_randomised:
        yield CLUSTER
    if reading.about_people is False:
        yield ANIMALS
    if reading.one_trial is False:
        yield PARTED
    if reading.stated is not None:
        yield from _against_stated(reading.stated, said, found)
    if reading.lost:
        yield (
            f"Given by the model, but not in what it quotes, and left out: "
            f"{'; '.join(reading.lost)}."
        )


def stated_direction(stated: StatedEffect) -> Direction | None:
    """The side on which the whole interval that a paper states lies; None of another level than
    95 %, or a measure of which nobody knows where no effect is.
    """
    known = stated.measure in RATIOS or stated.measure in _DIFFERENCES
    if not known or stated.low is None or stated.high is None or stated.level not in (None, 95.0):
        return None
    return direction(stated.measure, stated.low, stated.high)


def _against_stated(
    stated: StatedEffect, said: Direction | None, found: StudyEffect | None
) -> Iterator[str]:
    by_paper = stated_direction(stated)
    shown = f"{stated.measure} {stated.estimate:g}" if stated.estimate is not None else "effect"
    if said not in (None, "not_stated") and by_paper not in (None, said):
        yield (
            f"The paper's own interval ({shown}, {stated.low:g} to {stated.high:g}) says "
            f"{WORDS[by_paper]}, the model {WORDS[said]}."
        )
    if found is None or stated.measure != found.measure or stated.low is None:
        return
    if stated.high is not None and (stated.high < found.low or found.high < stated.low):
        yield (
            f"The paper states {shown} ({stated.low:g} to {stated.high:g}), the numbers come to "
            f"{found.estimate:.3g} ({found.low:.3g} to {found.high:.3g})."
        )
