"""The stages of the retrieval: what each keeps, and that the default loses nothing."""

import random

import pytest

from clinfo.patients.records import Note
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.parsed_question import parsed
from clinfo.pipelines.chart.quoting import found_notes, looked_for
from clinfo.pipelines.chart.records import STAGES, Window
from clinfo.pipelines.chart.retrieval import (
    Matched,
    Retrieved,
    note_order,
    retrieved,
)
from tests.pipelines.chart.records import lexicon, notes


@pytest.fixture(scope="module")
def index() -> ChartIndex:
    return prepared(notes(), lexicon())


def asked(question: str, index: ChartIndex, **how: object) -> Retrieved:
    return retrieved(put(question, index), **how)  # type: ignore[arg-type]


def put(question: str, index: ChartIndex) -> Matched:
    return Matched(parsed(question, lexicon()), index)


@pytest.mark.parametrize(
    ("question", "visit"),
    [
        ("When was asthma diagnosed?", "v1"),
        ("When was high blood pressure diagnosed?", "v2"),
        ("Which visit included a plain chest x-ray?", "v3"),
        ("Which care plan was started: asthma self management?", "v4"),
        ("At which visit was albuterol prescribed?", "v1"),
    ],
)
def test_the_note_that_says_so_comes_first(question: str, visit: str, index: ChartIndex) -> None:
    found = asked(question, index)
    assert note_order(index, found.order)[0] == f"note-{visit}"
    best = found_notes(put(question, index), found, 1)[0]
    assert best.spans


def test_the_default_orders_every_chunk_and_published_drops(index: ChartIndex) -> None:
    question = "When was hypertension diagnosed?"
    free, strict = asked(question, index), asked(question, index, published=True)
    assert sorted(free.order) == list(range(len(index.chunks)))
    assert len(strict.order) < len(index.chunks)
    assert "note-v1" not in note_order(index, strict.order)
    assert free.trace == strict.trace


@pytest.mark.parametrize("stage", STAGES)
def test_every_chunk_has_a_reason_at_every_stage(stage: str, index: ChartIndex) -> None:
    trace = asked("When was asthma diagnosed?", index, upto=stage).trace
    assert [one.name for one in trace] == list(STAGES[: STAGES.index(stage) + 1])
    for one in trace:
        assert set(one.reasons) == set(one.given)
        assert all(one.reasons.values())


def test_names_are_looked_for_in_every_note_and_told(index: ChartIndex) -> None:
    told, found = looked_for(put("When was pancreatitis diagnosed?", index))
    assert (found, told.startswith("None of 4 notes names “pancreatitis”")) == (frozenset(), True)
    told, found = looked_for(put("Any high blood pressure?", index))
    assert found is not None
    assert found >= {"note-v2", "note-v3", "note-v4"}
    assert told.startswith("3 of 4 notes name “high blood pressure”")
    assert "2020-06-11 to 2022-05-05" in told
    assert looked_for(put("What medicines is she taking?", index))[0] == ""


def test_notes_without_anything_in_them_are_no_fault() -> None:
    for texts in ([], [""], ["\n\n# Plan\n"]):
        own = [Note(f"n{place}", "p", text) for place, text in enumerate(texts)]
        index = prepared(own, lexicon())
        found = asked("When was asthma diagnosed?", index)
        asthma = put("Asthma?", index)
        assert not looked_for(asthma)[1]
        assert not any(one.spans for one in found_notes(asthma, found, 5))
        assert len(note_order(index, found.order)) == len(own)


def test_the_same_bytes_whatever_the_order_of_the_notes(index: ChartIndex) -> None:
    mixed = notes()
    random.Random(0).shuffle(mixed)
    other = prepared(mixed, lexicon())
    for question in ("When was asthma diagnosed?", "Which visit included a chest x-ray?"):
        known, again = put(question, index), put(question, other)
        first, second = retrieved(known), retrieved(again)
        assert first == second
        assert found_notes(known, first, 5) == found_notes(again, second, 5)


def test_what_is_quoted_stands_there(index: ChartIndex) -> None:
    question = put("When was asthma diagnosed?", index)
    notes_found = found_notes(question, retrieved(question), 4)
    texts = {note.id: note.text for note in notes()}
    assert [span.text for span in notes_found[0].spans] == ["Patient is presenting with asthma."]
    spans = [(note.id, span) for note in notes_found for span in note.spans]
    assert all(texts[id][span.start : span.end] == span.text for id, span in spans)
    assert len({id for id, _ in spans}) == 4


def test_a_note_is_quoted_for_every_part_of_the_question_and_by_whole_short_lines() -> None:
    """A sentence alone may leave out its day, or the one after it that settles it."""
    lines = (
        "2031-01-02 ER. ?PE, scan to follow. Addendum: scan neg for PE.",
        "2031-01-09 Warfarin started.",
        "2031-01-10 " + "The garden was visited. " * 15 + "Asthma is stable.",
    )
    own = prepared(notes([("2031-01-11", "v1", "\n".join(lines))]), lexicon())
    question = put("Is there a pulmonary embolism? Is there warfarin? Is there asthma?", own)
    (note,) = found_notes(question, retrieved(question), 5)
    assert {one.text for one in note.spans} == {*lines[:2], "Asthma is stable."}


@pytest.mark.parametrize(
    ("window", "visit"),
    [
        (Window(until="2019"), "v1"),
        (Window("2021-01", "2021-01"), "v3"),
        (Window("2022"), "v4"),
        (Window(order="first"), "v1"),
    ],
)
def test_notes_of_the_days_asked_for_come_first_and_none_is_lost(
    window: Window, visit: str, index: ChartIndex
) -> None:
    found = asked("What was noted of asthma?", index, window=window)
    assert note_order(index, found.order)[0] == f"note-{visit}"
    assert sorted(found.order) == list(range(len(index.chunks)))
    assert found.trace[-1].name == "time"
