"""What one note says and another denies; measured values, newest first."""

from __future__ import annotations

import pytest

from clinfo.patients.contradictions import contradictions
from clinfo.patients.measured import measured
from clinfo.patients.recognisers import reader
from clinfo.patients.records import CodedEntry, Note, Record

READ = reader()


def record(*texts: str, entries: tuple[CodedEntry, ...] = ()) -> Record:
    notes = (Note(f"n{at}", "p", text, f"202{at}-01-01") for at, text in enumerate(texts))
    return Record("p", tuple(notes), entries)


def found(*texts: str) -> list[tuple[str, str, str, str]]:
    one = record(*texts)
    mentions = {note.id: READ(note.text) for note in one.notes}
    texts_of = {note.id: note.text for note in one.notes}
    told = contradictions(one, mentions)
    for each in told:
        for place in (each.said, each.denied):
            assert texts_of[place.note][place.start : place.end] == place.quote
    return [(each.concept, each.kind, each.said.note, each.denied.note) for each in told]


def test_a_disease_that_is_later_denied_is_shown_with_both_notes() -> None:
    assert found("He has diabetes.", "Doing well.", "No history of diabetes.") == [
        ("Diabetes Mellitus", "ever", "n0", "n2")
    ]
    assert found("Pneumonia.", "Film: no pneumonia.") == [("Pneumonia", "now", "n0", "n1")]


@pytest.mark.parametrize(
    "texts",
    [
        ("No diabetes.", "New diabetes."),
        ("Chest pain.", "Denies chest pain."),
        ("Mother has diabetes.", "No diabetes."),
        ("Possible diabetes.", "No diabetes."),
        ("NKDA.", "No known allergies."),
        ("Allergies: penicillin.", "Well."),
    ],
)
def test_what_is_no_contradiction(texts: tuple[str, ...]) -> None:
    assert found(*texts) == []


@pytest.mark.parametrize(
    ("one", "concept"),
    [
        ("ALLERGIES: penicillin (rash)", "Penicillins"),
        ("She is allergic to sulfa drugs and aspirin.", "Aspirin"),
        ("Known shellfish allergy.", "Shellfish Hypersensitivity"),
        ("Anaphylaxis to ibuprofen in 2010.", "Ibuprofen"),
    ],
)
@pytest.mark.parametrize("none", ["NKDA", "# Allergies\nNo Known Allergies.", "Allergies: none"])
def test_an_allergy_beside_none(one: str, concept: str, none: str) -> None:
    assert (concept, "allergy", "n0", "n1") in found(one, none)
    assert (concept, "allergy", "n1", "n0") in found(none, one)


def values(concept: str, one: Record) -> list[tuple[str, str, str]]:
    mentions = {note.id: READ(note.text) for note in one.notes}
    return [(each.day, each.value, each.unit) for each in measured(concept, one, mentions, READ)]


def test_values_come_newest_first_from_notes_and_coded_entries() -> None:
    entry = CodedEntry(
        "p", "observation", "Hemoglobin A1c", start="2022-06-01", value="6.1", unit="%"
    )
    one = record(
        "HbA1c 8.2 %", "Hemoglobin A1c is elevated at 8.", "His A1c was 7.4%.", entries=(entry,)
    )
    assert values("Glycated Hemoglobin A", one) == [
        ("2022-06-01", "6.1", "%"),
        ("2022-01-01", "7.4", "%"),
        ("2021-01-01", "8", ""),
        ("2020-01-01", "8.2", "%"),
    ]


@pytest.mark.parametrize(
    ("text", "concept", "value", "unit"),
    [
        ("BP: 132/84 mm Hg", "Blood Pressure", "132/84", "mm Hg"),
        ("Hemoglobin 10.2 g/dL", "Hemoglobins", "10.2", "g/dL"),
        ("Weight and INR of 2.4 today", "International Normalized Ratio", "2.4", ""),
        ("eGFR <60 mL/min", "Glomerular Filtration Rate", "<60", "mL/min"),
    ],
)
def test_a_value_in_a_sentence(text: str, concept: str, value: str, unit: str) -> None:
    assert values(concept, record(text)) == [("2020-01-01", value, unit)]


@pytest.mark.parametrize("text", ["INR in 3 months", "INR on 2020-01-02", "Father: INR 2.1"])
def test_what_is_no_value(text: str) -> None:
    assert values("International Normalized Ratio", record(text)) == []
