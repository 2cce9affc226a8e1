"""A study counts once, by the report that leads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clinfo.evidence.balance import counting, led
from clinfo.evidence.design import LEVELS, plural
from clinfo.records.appraisal import EvidenceRow, Notice, NoticeKind
from clinfo.records.articles import Result

TRIAL = "randomised controlled trial"


def row(n: int, result: Result | None = "found benefit", **cells: object) -> EvidenceRow:
    made = EvidenceRow(
        id=f"pmid:{n}",
        n=n,
        title=f"Title {n}",
        year=2020,
        design=TRIAL,
        level=2,
        level_reason="",
        sample_size=None,
        population=None,
        intervention=None,
        comparator=None,
        outcome=None,
        effect=None,
        effect_direction=None,
        stance=None,
        follow_up=None,
        group=n,
        result=result,
    )
    return replace(made, **cells)  # type: ignore[arg-type]


def notice(kind: NoticeKind) -> tuple[Notice, ...]:
    return (Notice("pmid:1", kind, "A sentence.", "PubMed's record"),)


def test_what_is_retracted_unread_or_of_little_use_does_not_count() -> None:
    rows = (row(1, notices=notice("retracted")), row(2, unread=True), row(3, usefulness=4))
    assert [one.n for one in counting((*rows, row(4, usefulness=5)))] == [4]


def test_a_study_of_several_reports_is_counted_once() -> None:
    rows = (row(1), row(2, "harm", group=1), row(3, "no clear difference"))
    assert [(one.n, also) for one, also in led(rows)] == [(1, (2,)), (3, ())]


def test_a_report_under_concern_does_not_speak_for_its_study() -> None:
    rows = (row(1, notices=notice("expression of concern")), row(2, "harm", group=1))
    assert [(one.n, also) for one, also in led(rows)] == [(2, (1,))]


@pytest.mark.parametrize("design", LEVELS)
def test_every_design_has_a_plural(design: str) -> None:
    assert plural(design) != design or "series" in design


def test_the_plural_is_of_the_head() -> None:
    assert plural("systematic review of other studies") == "systematic reviews of other studies"
