"""Coded entries of a record (FHIR) are searched and cited beside its notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clinfo.patients.reading import read_records
from clinfo.pipelines.chart.asked import understood
from clinfo.pipelines.chart.choosing import chosen, chosen_entries
from clinfo.pipelines.chart.coded_notes import coded_texts
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.telling import Told, tell
from clinfo.pipelines.chart.timing import asked_window
from clinfo.records.chart import ChartRequest
from tests.pipelines.chart.records import lexicon

SNOMED, LOINC = "http://snomed.info/sct", "http://loinc.org"


def resource(kind: str, name: str, code: str = "1", system: str = SNOMED, **other: Any) -> Any:
    named = {"coding": [{"system": system, "code": code, "display": name}], "text": name}
    key = "medicationCodeableConcept" if kind == "MedicationRequest" else "code"
    owner = "patient" if kind == "AllergyIntolerance" else "subject"
    return {"resourceType": kind, key: named, owner: {"reference": "Patient/p1"}, **other}


def status(code: str) -> Any:
    return {"coding": [{"code": code}]}


def measured(name: str, value: float, unit: str, day: str) -> Any:
    number = {"value": value, "unit": unit}
    other = {"status": "final", "valueQuantity": number, "effectiveDateTime": day}
    return resource("Observation", name, "9", LOINC, **other)


ENTRIES = [
    {"resourceType": "Patient", "id": "p1", "birthDate": "1944-05-01", "gender": "female"},
    resource("Condition", "Type 2 diabetes", clinicalStatus=status("active"), onsetDateTime="2012"),
    resource(
        "Condition",
        "Pneumonia",
        clinicalStatus=status("resolved"),
        onsetDateTime="2015-02-01",
        abatementDateTime="2015-03-01",
    ),
    resource("Condition", "Stroke", clinicalStatus=status("active"), onsetDateTime="2018-07-01"),
    resource("Condition", "Gout", verificationStatus=status("refuted"), onsetDateTime="2019-01-01"),
    resource("Condition", "Family history of breast cancer", clinicalStatus=status("active")),
    resource("MedicationRequest", "Metformin 500 MG", status="active", authoredOn="2012-04-01"),
    resource("MedicationRequest", "Warfarin 5 MG", status="stopped", authoredOn="2018-07-02"),
    resource("AllergyIntolerance", "Penicillin V", recordedDate="2001-01-01"),
    measured("Hemoglobin A1c/Hemoglobin.total in Blood", 7.1, "%", "2016-01-01"),
    measured("Hemoglobin A1c/Hemoglobin.total in Blood", 8.4, "%", "2019-05-01"),
    measured("Hemoglobin [Mass/volume] in Blood", 9.8, "g/dL", "2019-05-01"),
]
NOTE = "HbA1c 7.9%. Atrial fibrillation. CHA2DS2-VASc score of 3."


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> ChartIndex:
    folder = tmp_path_factory.mktemp("record")
    bundle = {"resourceType": "Bundle", "entry": [{"resource": one} for one in ENTRIES]}
    (folder / "bundle.json").write_text(json.dumps(bundle))
    (folder / "n.csv").write_text(f"patient,date,text,id\np1,2017-06-01,{NOTE},n1\n")
    record = read_records([folder]).one()
    request = ChartRequest("", ())
    coded = coded_texts(chosen_entries(record, request))
    return prepared(chosen(record, request), lexicon(), coded=coded)


def told(question: str, index: ChartIndex) -> Told:
    known = lexicon()
    return tell(understood(question, known), index, known, asked_window(question, index, known))


@pytest.mark.parametrize(
    ("question", "found", "words"),
    [
        ("Does she have diabetes?", "documented", "Type 2 diabetes, active (SNOMED CT 1)"),
        ("Did she have pneumonia?", "history", "Pneumonia, resolved until 2015-03-01"),
        ("Does she have gout?", "negated", "Gout, refuted"),
        ("Family history of breast cancer?", "family", "Family history of breast cancer, active"),
        ("What medicines is she taking?", "documented", "Metformin 500 MG, active"),
        ("Is she on warfarin?", "history", "Warfarin 5 MG, stopped"),
        ("Any allergies?", "documented", "Penicillin V"),
        ("What diagnoses does she have?", "documented", "Stroke, active"),
        ("What is her hemoglobin?", "documented", "9.8 g/dL"),
    ],
)
def test_an_entry_is_cited_by_its_status(
    index: ChartIndex, question: str, found: str, words: str
) -> None:
    answer = told(question, index)
    assert (answer.status, words in answer.text) == (found, True)
    cited = [one for one in answer.places if words in one.quote]
    assert cited
    assert cited[0].note.category.startswith("coded ")
    assert f"[{cited[0].note.id}]" in answer.text


def test_values_of_notes_and_entries_stand_in_one_order(index: ChartIndex) -> None:
    newest = told("What is the latest HbA1c?", index)
    assert [one.day for one in newest.places] == ["2019-05-01", "2017-06-01", "2016-01-01"]
    assert "8.4 % (2019-05-01)" in newest.lines[0]
    first = told("What was the first HbA1c?", index)
    assert "7.1 % (2016-01-01)" in first.lines[0]


def test_an_event_of_the_question_may_be_a_coded_entry(index: ChartIndex) -> None:
    days = [one.day for one in told("What was the HbA1c before the stroke?", index).places]
    assert days == ["2017-06-01", "2016-01-01"]


def test_a_stated_score_that_is_older_than_an_event_says_so(index: ChartIndex) -> None:
    text = told("What is the CHA2DS2-VASc score?", index).text
    assert "older than: " in text
    assert "Stroke, transient ischaemic attack or thromboembolism (2018-07-01)" in text


def test_what_is_chosen_of_a_record_holds_for_its_entries(tmp_path: Path) -> None:
    row = {"id": "p", "notes": [], "Condition": [{"display": "Gout", "start": "2019-03-01"}]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    record = read_records([tmp_path]).one()
    for request, count in (
        (ChartRequest("", (), since="2019"), 1),
        (ChartRequest("", (), since="2020"), 0),
        (ChartRequest("", (), categories=("Coded condition",)), 1),
        (ChartRequest("", (), categories=("nursing",)), 0),
    ):
        assert len(chosen(record, request)) == count
