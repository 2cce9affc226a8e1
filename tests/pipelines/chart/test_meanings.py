"""Questions in other words than the record's, met by what both mean."""

import numpy as np
import pytest

from clinfo.patients.records import Note
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.parsed_question import naming_words, parsed
from clinfo.pipelines.chart.retrieval import FEW, Matched, with_rest_of_note
from tests.pipelines.chart.records import lexicon

TEXTS = {
    "a": "# Assessment and Plan\nPatient is presenting with appendicitis (disorder).",
    "b": "# Assessment and Plan\nPatient is presenting with otitis media (disorder).",
    "c": "# Assessment and Plan\nPrescribed:\n- alendronic acid 10 mg oral tablet",
    "d": "# Assessment and Plan\nProcedures:\n- colonoscopy (procedure)",
    "e": "# History of Present Illness\nNo pneumonia. His brother has osteoporosis.",
    "f": "# Assessment and Plan\nPatient is presenting with pneumonia (disorder).",
}


@pytest.fixture(scope="module")
def index() -> ChartIndex:
    notes = [
        Note(id=name, patient="p", text=text, time=f"20{10 + place}-01-01", visit=name)
        for place, (name, text) in enumerate(TEXTS.items())
    ]
    return prepared(notes, lexicon())


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("When was the inflamed appendix seen?", "a"),
        ("AOM: when, and how was it managed?", "b"),
        ("When did they get a bisphosphonate?", "c"),
        ("When was the camera put into the large bowel?", "d"),
        ("When was the infection of the lung tissue diagnosed?", "f"),
    ],
)
def test_what_means_the_same_is_met(question: str, note: str, index: ChartIndex) -> None:
    told = Matched(parsed(question, lexicon()), index).told
    best = index.occurrences[int(np.argmax(told))]
    assert best.note == note
    assert 0 < told.max() < 1


@pytest.mark.parametrize(
    ("question", "text", "named"),
    [
        ("MS?", "QRS 96 ms.", False), ("MS?", "MS since 2009.", True), ("ms?", "MS.", True),
        ("AIDS?", "Wears hearing aids.", False), ("KIT mutation?", "A suture kit.", False),
        ("MG?", "SINCE 2004 (MG). NO FEVER.", True), ("COPD?", "copd stable", True),
        ("DOES SHE HAVE GOUT?", "No gout.", True), ("EGFR?", "eGFR 45", False),
        ("PPM?", "Exhaled carbon monoxide 6 ppm.", False),
    ],
)  # fmt: skip
def test_a_name_in_capitals_that_is_another_word_counts_as_written(
    question: str, text: str, named: bool
) -> None:
    parts = [part for part in parsed(question, lexicon()).parts if not part.faint]
    assert any(part.names[0] <= naming_words(text) for part in parts) is named


def test_the_rest_of_a_short_note_comes_with_its_first_chunk() -> None:
    line = "The patient walked, slept and ate well on this day of the stay.\n\n"
    long, endless = "Gout was seen.\n\n" + line * 40, "Gout was seen.\n\n" + line * 200
    notes = [
        Note(id=name, patient="p", text=text, time=f"20{place}-01-01", visit=name)
        for place, (name, text) in enumerate([("x", long), ("y", "Gout."), ("z", endless)], 10)
    ]
    made = prepared(notes, lexicon())
    of = [chunk.parts[0].note for chunk in made.chunks]
    assert 1 < of.count("x") <= FEW < of.count("z")
    first = [of.index(name) for name in ("z", "x", "y")]
    backwards = [*first, *(place for place in reversed(range(len(of))) if place not in first)]
    order = with_rest_of_note(backwards, made)
    rest = [place for place in range(len(of)) if of[place] == "x"]
    assert order[: len(rest) + 2] == [first[0], *rest, first[2]]
    assert sorted(order) == list(range(len(of)))
