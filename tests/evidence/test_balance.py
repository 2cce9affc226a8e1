"""The balance counts results as a model read them, a study once."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.evidence.design import LEVELS, plural
from clinfo.evidence.table import balance, led
from clinfo.records.appraisal import EvidenceRow, Notice, NoticeKind
from clinfo.records.articles import RESULTS, Result

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


def test_without_a_result_there_is_no_balance() -> None:
    assert balance(()) is None
    assert balance((row(1, None), row(2, None))) is None
    assert balance((row(1, notices=notice("retracted")), row(2, unread=True))) is None


@pytest.mark.parametrize(
    ("results", "text"),
    [
        (["found benefit"], "The study that measured this found benefit."),
        (["found benefit"] * 3, "All 3 studies that measured this found benefit."),
        (
            ["found benefit", "found benefit", "no clear difference", "not measured"],
            "Of 3 studies that measured this, 2 found benefit and 1 found no clear difference; "
            "1 has no result on it.",
        ),
        (
            ["harm", "found benefit", "mixed"],
            "Of 3 studies that measured this, 1 found benefit, 1 found harm and 1 found mixed "
            "results.",
        ),
        (["not measured"] * 2, "No study retrieved has a result on this."),
    ],
)
def test_the_text_counts_what_was_measured(results: list[Result], text: str) -> None:
    found = balance([row(n, result) for n, result in enumerate(results, 1)])
    assert found is not None
    assert found.text == text
    assert found.sides == "result"


def test_what_its_reader_found_of_little_use_counts_on_no_side() -> None:
    found = balance((row(1, "harm", usefulness=2), row(2, usefulness=5)))
    assert found is not None
    assert (found.lead, found.text) == (2, "The study that measured this found benefit.")
    assert balance((row(1, usefulness=4),)) is None


def test_a_study_of_several_reports_is_counted_once() -> None:
    rows = (row(1), row(2, "harm", group=1), row(3, "no clear difference"))
    found = balance(rows)
    assert found is not None
    assert found.text.startswith("Of 2 studies")
    assert [(one.n, also) for one, also in led(rows)] == [(1, (2,)), (3, ())]


def test_a_report_under_concern_does_not_speak_for_its_study() -> None:
    rows = (row(1, notices=notice("expression of concern")), row(2, "harm", group=1))
    assert [(one.n, also) for one, also in led(rows)] == [(2, (1,))]


def test_the_strongest_that_measured_it_leads() -> None:
    first = row(1, "not measured")
    second = row(2, sample_size=1_204, notices=notice("preprint"))
    found = balance((first, second))
    assert found is not None
    assert found.lead == 2


@given(st.lists(st.sampled_from([*RESULTS, None]), max_size=30))
def test_there_is_a_balance_where_a_result_was_read(results: list[Result | None]) -> None:
    rows = [row(n, result) for n, result in enumerate(results, 1)]
    told = [one.n for one in rows if one.result is not None]
    assert (balance(rows) is None) == (not told)


@pytest.mark.parametrize("design", LEVELS)
def test_every_design_has_a_plural(design: str) -> None:
    assert plural(design) != design or "series" in design
    assert plural("systematic review of other studies") == "systematic reviews of other studies"
