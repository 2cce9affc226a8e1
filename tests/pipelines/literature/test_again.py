"""A recorded run is judged again by today's checks: its own texts, nothing searched, no model
asked.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from clinfo.claims.edition import CHECKS, OLDER
from clinfo.errors import UsageError
from clinfo.pipelines.literature.again import can_check_again, checked_again
from clinfo.pipelines.literature.answer_building import build_answer
from clinfo.pipelines.literature.events import (
    ArticleSummarised,
    RunStarted,
    SentenceChecked,
    SummaryChecked,
    loads,
)
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import Sentence
from clinfo.runs.clock import SystemClock
from clinfo.runs.events import Answered, CostIncurred, Event

KEPT = Path(__file__).parents[2] / "kept" / "0.1.0" / "finished.jsonl.gz"


@pytest.fixture
def recorded() -> list[Event]:
    return list(loads(gzip.decompress(KEPT.read_bytes()).decode().splitlines()))


def test_the_search_the_texts_and_the_studies_stay_and_the_verdicts_are_todays(
    recorded: list[Event],
) -> None:
    before, events = build_answer(recorded), checked_again(recorded, SystemClock())
    after = build_answer(events)
    assert OLDER in before.notices
    assert OLDER not in after.notices
    assert after.settings["checks"] == CHECKS
    assert after.queries == before.queries
    assert [one.id for one in after.references] == [one.id for one in before.references]
    assert after.appraisal == before.appraisal
    assert [one.text for one in after.sentences if one.part == "synthesis"] == [
        one.text for one in before.sentences if one.part == "synthesis"
    ]
    assert [event.seq for event in events] == list(range(len(events)))
    assert len({event.key for event in events}) == len(events)
    assert isinstance(events[-1], Answered)
    assert after.usage == before.usage


def test_what_was_marked_as_supported_and_is_not_loses_its_mark(recorded: list[Event]) -> None:
    """A sentence that the record calls supported, with a figure that its source does not have."""

    def forged(sentence: Sentence) -> Sentence:
        return replace(sentence, text=sentence.text.replace("182", "1,820"))

    lying = [
        replace(event, sentence=forged(event.sentence))
        if isinstance(event, SentenceChecked)
        else event
        for event in recorded
    ]
    assert all(one.verdict == "supported" for one in build_answer(lying).sentences)
    shown = [one.text for one in build_answer(checked_again(lying, SystemClock())).sentences]
    assert not any("1,820" in text for text in shown)  # condemned, and a strict run removes it


def test_the_text_that_was_shown_is_judged_not_the_one_first_written(recorded: list[Event]) -> None:
    other = "Yoga cures hypertension in 99% of patients [1]."
    changed = [
        replace(event, reply=other)
        if isinstance(event, CostIncurred) and event.call == "synthesis"
        else event
        for event in recorded
    ]
    assert build_answer(checked_again(changed, SystemClock())).synthesis.startswith(
        "Of the 5 relevant studies retrieved, 3"
    )


def test_summaries_are_judged_again_and_none_is_asked_for(recorded: list[Event]) -> None:
    def about(events: list[Event]) -> list[str]:
        return [event.id for event in events if isinstance(event, SummaryChecked)]

    again = checked_again(recorded, SystemClock())
    assert about(again) == about(recorded)
    assert sum(isinstance(event, ArticleSummarised) for event in again) == 5


def test_a_run_without_an_answer_cannot_be_checked_again(recorded: list[Event]) -> None:
    started = [event for event in recorded if isinstance(event, RunStarted)]
    for events in (
        recorded[:-1],
        started,
        [],
        [event for event in recorded if not isinstance(event, SentenceChecked)],
    ):
        assert not can_check_again(LiteratureLog(events))
        with pytest.raises(UsageError, match="no answer with sentences"):
            checked_again(events, SystemClock())


def test_the_edition_that_first_judged_a_run_stays_known(recorded: list[Event]) -> None:
    again = checked_again(recorded, SystemClock())
    assert build_answer(again).settings["checked_first"] < CHECKS
    assert build_answer(checked_again(again, SystemClock())).settings["checked_first"] < CHECKS
