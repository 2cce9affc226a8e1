"""Edits of what was read: which hold, what they make of the numbers, and what no arm can have."""

from dataclasses import replace

import pytest

from clinfo.errors import UsageError
from clinfo.pipelines.trials.effects import CHANGES, checked, comparison, effect, in_force, pooled
from clinfo.pipelines.trials.records import (
    ArmNumbers,
    Edit,
    GivenArm,
    GivenNumbers,
    Number,
    StudyNumbers,
)


def number(value: float, derived: str = "") -> Number:
    return Number(value, f"{value:g}", "sha256:1", 10, 12, derived)


READ = StudyNumbers(
    "continuous",
    ArmNumbers(mean=number(5), sd=number(2, "from the standard error"), total=number(30)),
    ArmNumbers(mean=number(7), sd=number(2), total=number(31)),
    "week 8",
    (CHANGES, "a median"),
)


def edit(seq: int, **fields: object) -> Edit:
    return replace(Edit(seq, f"reason {seq}", "browser 1", "2026-01-01T00:00:00+00:00"), **fields)


def given(sd: float) -> GivenNumbers:
    one = GivenArm(mean=5, sd=sd, total=30)
    return GivenNumbers("continuous", one, GivenArm(mean=7, sd=2, total=31), "week 8")


def test_the_last_edit_that_is_not_undone_holds() -> None:
    first, second = edit(9, numbers=given(3)), edit(10, numbers=given(4))
    assert in_force(READ, ()).numbers == READ
    for edits, sd in (
        ([first, second], 4),
        ([first, replace(second, undone=True)], 3),
        ([replace(first, undone=True), replace(second, undone=True)], 2),
    ):
        numbers = in_force(READ, edits).numbers
        assert numbers is not None
        assert numbers.intervention.sd is not None
        assert numbers.intervention.sd.value == sd
        assert numbers.comparator == READ.comparator
    out = [edit(11, excluded=True)]
    assert in_force(READ, out).excluded == "left out by hand: reason 11"
    assert in_force(READ, [*out, edit(12, excluded=False)]).excluded == ""


def test_a_number_given_by_hand_is_no_estimate_and_others_keep_their_place() -> None:
    held = in_force(READ, [edit(9, numbers=given(3))])
    assert held.numbers is not None
    sd = held.numbers.intervention.sd
    assert sd is not None
    assert (sd.text, sd.document) == ("", "")
    assert held.numbers.intervention.mean == READ.intervention.mean
    assert held.numbers.flags == (CHANGES,)
    before, after = (
        effect(comparison("S", numbers, None, notes))
        for numbers, notes in ((READ, ()), (held.numbers, held.notes))
    )
    assert before is not None
    assert after is not None
    assert any("estimated" in note for note in before.notes)
    assert after.notes == ("numbers corrected by hand: reason 9",)


def test_what_is_left_out_stands_in_the_analysis_with_the_reason() -> None:
    studies = [comparison(name, READ, None) for name in "ABC"]
    found = pooled(studies, {"B": "left out by hand: twice"})
    assert found is not None
    assert [one.comparison.study for one in found.effects] == ["A", "C"]
    assert [(one.comparison.study, one.reason) for one in found.left_out] == [
        ("B", "left out by hand: twice")
    ]
    assert pooled(studies, dict.fromkeys("ABC", "no")) is None


@pytest.mark.parametrize(
    "numbers",
    [
        GivenNumbers("binary", GivenArm(events=21, total=20), GivenArm(events=1, total=20)),
        GivenNumbers("binary", GivenArm(events=-1, total=20), GivenArm()),
        GivenNumbers("binary", GivenArm(events=1, mean=2), GivenArm()),
        GivenNumbers("continuous", GivenArm(events=1), GivenArm()),
        GivenNumbers("continuous", GivenArm(mean=1, sd=-1), GivenArm()),
        GivenNumbers("continuous", GivenArm(), GivenArm(mean=float("nan"))),
        GivenNumbers("binary", GivenArm(events=1e-300, total=1e-200), GivenArm()),
        GivenNumbers("binary", GivenArm(events=3.5, total=10), GivenArm()),
        GivenNumbers("binary", GivenArm(events=0, total=0), GivenArm()),
        GivenNumbers("binary", GivenArm(events=1, total=1e11), GivenArm()),
        GivenNumbers("continuous", GivenArm(mean=1, sd=0, total=10), GivenArm()),
        GivenNumbers("continuous", GivenArm(mean=1e300), GivenArm()),
    ],
)
def test_numbers_that_no_arms_can_have_are_refused(numbers: GivenNumbers) -> None:
    with pytest.raises(UsageError):
        checked(numbers)
