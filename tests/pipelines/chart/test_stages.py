"""The stages of the retrieval: what each keeps, and that the default loses nothing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.patients.lexicon import standard
from clinfo.patients.records import Note
from clinfo.pipelines.chart.answering import found_notes
from clinfo.pipelines.chart.asked import understood
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.stages import (
    Retrieved,
    entities_of,
    most_kept,
    note_order,
    retrieved,
)
from clinfo.pipelines.chart.telling import tell
from clinfo.pipelines.chart.timing import asked_window, disagreements
from clinfo.records.chart import STAGES
from clinfo.retrieval.embedders import embedder_named
from tests.pipelines.chart.records import lexicon, notes


@pytest.fixture(scope="module")
def index() -> ChartIndex:
    return prepared(notes(), lexicon())


def asked(question: str, index: ChartIndex, **how: object) -> Retrieved:
    return retrieved(understood(question, lexicon()), index, **how)  # type: ignore[arg-type]


@given(st.integers(0, 20_000))
def test_k_is_a_third_between_one_and_thirty(count: int) -> None:
    """The paper's formula; of nothing, nothing."""
    kept = most_kept(count)
    assert kept == (min(30, max(1, int(count * 3) // 10)) if count else 0)


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
    told = tell(understood(question, lexicon()), index, lexicon())
    assert f"note-{visit}" in {place.note.id for place in told.places}


def test_the_default_orders_every_chunk_and_published_drops(index: ChartIndex) -> None:
    question = "When was hypertension diagnosed?"
    free, strict = asked(question, index), asked(question, index, published=True)
    assert sorted(free.order) == list(range(len(index.chunks)))
    assert len(strict.order) < len(index.chunks)
    assert "note-v1" not in note_order(index, strict.order)
    assert free.trace == strict.trace


def test_a_union_keeps_what_an_intersection_keeps(index: ChartIndex) -> None:
    question = "When was hypertension diagnosed?"
    kept = {
        how: set(asked(question, index, published=True, combined=how, upto="entities").order)
        for how in ("union", "intersection")
    }
    assert kept["intersection"] < kept["union"]


@pytest.mark.parametrize("stage", STAGES)
def test_every_chunk_has_a_reason_at_every_stage(stage: str, index: ChartIndex) -> None:
    trace = asked("When was asthma diagnosed?", index, upto=stage).trace
    assert [one.name for one in trace] == list(STAGES[: STAGES.index(stage) + 1])
    for one in trace:
        assert set(one.reasons) == set(one.given)
        assert all(one.reasons.values())


def test_an_entity_of_a_hypothetical_note_counts_from_the_threshold_on(index: ChartIndex) -> None:
    question = understood("What is known of the lungs?", lexicon())
    once = entities_of(question, index, ["Asthma", "Albuterol", "Stroke"], threshold=2)
    assert once.validated == {"Asthma", "Albuterol"}
    assert entities_of(question, index, ["Albuterol"], threshold=3).validated == frozenset()


@pytest.mark.parametrize(
    "question",
    [
        "When was pancreatitis diagnosed?",
        "When did the patient have a stroke?",
        "When was chest pain diagnosed?",
        "At which visit was warfarin prescribed?",
    ],
)
def test_what_no_note_says_of_the_patient_is_not_documented(
    question: str, index: ChartIndex
) -> None:
    """A relative's stroke and a denied chest pain are not the patient's."""
    told = tell(understood(question, lexicon()), index, lexicon())
    assert told.status in ("absent", "negated", "family")


def test_notes_without_anything_in_them_are_no_fault() -> None:
    for texts in ([], [""], ["\n\n# Plan\n"]):
        own = [Note(f"n{place}", "p", text) for place, text in enumerate(texts)]
        index = prepared(own, lexicon())
        found = asked("When was asthma diagnosed?", index)
        assert tell(understood("Asthma?", lexicon()), index, lexicon()).status == "absent"
        assert len(note_order(index, found.order)) == len(own)


def test_the_same_bytes_whatever_the_order_of_the_notes(index: ChartIndex) -> None:
    mixed = notes()
    random.Random(0).shuffle(mixed)
    other = prepared(mixed, lexicon())
    for question in ("When was asthma diagnosed?", "Which visit included a chest x-ray?"):
        known = understood(question, lexicon())
        first, second = (retrieved(known, one) for one in (index, other))
        assert first == second
        assert found_notes(index, first, 5) == found_notes(other, second, 5)


def test_what_is_quoted_stands_there(index: ChartIndex) -> None:
    question = understood("When was asthma diagnosed?", lexicon())
    told = tell(question, index, lexicon())
    best = found_notes(index, retrieved(question, index), 4, told.places)[0]
    texts = {note.id: note.text for note in notes()}
    assert [span.text for span in best.spans] == ["Patient is presenting with asthma."]
    assert all(texts[best.id][one.start : one.end] == one.text for one in best.spans)


@pytest.mark.parametrize(
    ("question", "visit"),
    [
        ("What was prescribed or done before 2020?", "v1"),
        ("What was noted in January 2021?", "v3"),
        ("Which care plan was started since 2022?", "v4"),
    ],
)
def test_notes_of_the_days_asked_for_come_first(
    question: str, visit: str, index: ChartIndex
) -> None:
    window = asked_window(question, index, lexicon())
    found = asked(question, index, window=window)
    assert note_order(index, found.order)[0] == f"note-{visit}"
    assert sorted(found.order) == list(range(len(index.chunks)))
    assert found.trace[-1].name == "time"


def test_what_one_note_says_and_another_denies_is_told() -> None:
    own = [
        Note("a", "p", "Diagnosed with asthma.", "2019-01-01"),
        Note("b", "p", "No history of asthma.", "2020-01-01"),
    ]
    (told,) = disagreements(understood("Does he have asthma?", lexicon()), prepared(own, lexicon()))
    assert "2019-01-01 “Diagnosed with asthma.” [a]" in told
    assert "2020-01-01 “No history of asthma.” [b]" in told


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("When was warfarin started?", "2"),
        ("Does the patient have atrial fibrillation?", "2"),
        ("When was apixaban started?", "3"),
        ("When was metformin started?", ""),
        ("Does the patient have asthma?", ""),
    ],
)
def test_notes_without_headings_document_what_they_say(question: str, note: str) -> None:
    pytest.importorskip("wordllama")
    flat = [
        Note("1", "p", "Slept well. No pain.", "2019-01-05", "Nursing"),
        Note("2", "p", "Atrial fibrillation was found. Warfarin 5 mg was started.", "2019-03-02"),
        Note("3", "p", "Warfarin was stopped; apixaban 5 mg was started.", "2020-06-01"),
    ]
    asking = understood(question, standard())
    index = prepared(flat, standard(), embedder_named())
    told = tell(asking, index, standard())
    assert (told.status in ("documented", "history")) is bool(note)
    notes_found = found_notes(index, retrieved(asking, index), 3, told.places)
    assert not note or note in [one.id for one in notes_found if one.spans]
