"""What people change of a study after it was read: which edits hold, and the numbers they make."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clinfo.errors import UsageError
from clinfo.pipelines.trials.numbers import BY_HAND, CHANGES
from clinfo.records.trials import ArmNumbers, Edit, GivenArm, GivenNumbers, Number, StudyNumbers

_MOST: Final = 1e9
_NAMES: Final = ("events", "total", "mean", "sd")


@dataclass(frozen=True)
class InForce:
    """What holds of a study: its numbers, whether a person keeps it out of the pool, and what is to
    be said of either.
    """

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
        _arm(given.intervention, same.intervention if same else ArmNumbers()),
        _arm(given.comparator, same.comparator if same else ArmNumbers()),
        given.timepoint or "",
        tuple(flag for flag in (same.flags if same else ()) if flag == CHANGES),
    )


def _arm(given: GivenArm, read: ArmNumbers) -> ArmNumbers:
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
