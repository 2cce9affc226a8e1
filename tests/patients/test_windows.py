"""Windows of days in a record, by day and by event."""

from __future__ import annotations

from datetime import date

import pytest

from clinfo.patients.asked_time import asked_time
from clinfo.patients.recognisers import reader
from clinfo.patients.records import CodedEntry, Note, Record
from clinfo.patients.windows import Window, window

NOTES = (
    Note("a", "p", "Mother had a stroke. Cough.", "2018-02-01", visit="v1"),
    Note("b", "p", "No stroke on imaging.", "2018-02-03", visit="v1"),
    Note("c", "p", "Acute stroke, admitted.", "2019-05-05T10:00:00+02:00", visit="v2"),
    Note("d", "p", "History of stroke.", "2020-01-01", "Discharge summary", visit="v3"),
    Note("e", "p", "Undated cough."),
)
RECORD = Record("p", NOTES, (CodedEntry("p", "condition", "Gout", start="2017-03-04"),))


def held(question: str, record: Record = RECORD) -> tuple[Window, str]:
    read = reader()
    mentions = {note.id: read(note.text) for note in record.notes}
    found = window(asked_time(question, date(2021, 6, 15)), record, mentions, read)
    return found, "".join(note.id for note in record.notes if found.holds(note.id, note.time))


@pytest.mark.parametrize(
    ("question", "notes"),
    [
        ("What is known?", "abcde"),
        ("Cough in 2018?", "ab"),
        ("Cough before the stroke?", "ab"),
        ("Cough after the stroke?", "d"),
        ("Cough since the stroke?", "cd"),
        ("Cough at the time of the stroke?", "c"),
        ("Cough since his gout?", "abcd"),
        ("Cough since the stroke and before 2020?", "c"),
        ("Cough at discharge?", "d"),
    ],
)
def test_notes_within_what_is_asked(question: str, notes: str) -> None:
    assert held(question)[1] == notes


def test_an_event_that_is_not_in_the_record_is_told() -> None:
    found, notes = held("Cough before the appendectomy?")
    assert (found.missing, found.event, notes) == ("appendectomy", "", "abcde")


def test_without_a_note_of_discharge_the_last_of_each_visit_counts() -> None:
    record = Record("p", NOTES[:3])
    assert held("Drugs at discharge?", record)[1] == "bc"
    assert held("Drugs on admission?", record)[1] == "ac"


@pytest.mark.parametrize(
    ("day", "question", "notes"),
    [
        ("2020-05", "What came after the asthma?", "c"),
        ("2020-05", "What came before the asthma?", "a"),
        ("2020-05", "What came since the asthma?", "bc"),
        ("2020-05", "What was there in May 2020?", "b"),
        ("9999-12-31", "What came after the asthma?", "b"),
        ("0001-01-01", "What came before the asthma?", "b"),
    ],
)
def test_days_known_in_part_and_days_at_the_ends_of_the_calendar(
    day: str, question: str, notes: str
) -> None:
    around = (Note("a", "p", "Cough.", "2019-01-01"), Note("c", "p", "Rash.", "2021-01-01"))
    asthma = Note("b", "p", "Asthma was diagnosed.", day)
    record = Record("p", (around[0], asthma, around[1]) if day == "2020-05" else (asthma,))
    assert held(question, record)[1] == notes


def test_an_event_is_also_what_is_narrower_and_never_what_was_refuted() -> None:
    notes = (Note("a", "p", "Cough.", "2018-01-01"), Note("b", "p", "Cough.", "2020-01-01"))
    for status, after in (("active", "b"), ("refuted", "ab")):
        entry = CodedEntry("p", "condition", "Lacunar stroke", start="2019-01-01", value=status)
        assert held("Cough after the stroke?", Record("p", notes, (entry,)))[1] == after
