"""Coded entries of a record (FHIR) are searched and cited beside its notes."""

import json
from pathlib import Path
from typing import Any

import pytest

from clinfo.patients.coded_texts import coded_texts
from clinfo.patients.reading import read_records
from clinfo.patients.records import CodedEntry, Note
from clinfo.pipelines.chart.answering import patient_facts
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.parsed_question import parsed
from clinfo.pipelines.chart.quoting import coded_facts, found_notes, looked_for
from clinfo.pipelines.chart.quoting import lines as lines_of
from clinfo.pipelines.chart.records import ChartRequest
from clinfo.pipelines.chart.request import chosen, chosen_entries
from clinfo.pipelines.chart.retrieval import Matched, Retrieved
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
    resource(
        "MedicationRequest",
        "Dabigatran 150 MG",
        status="active",
        intent="proposal",
        authoredOn="2020-01-01",
    ),
    {
        "resourceType": "Condition",
        "subject": {"reference": "Patient/p1"},
        "code": {"coding": [{"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": "Z99.97"}]},
        "clinicalStatus": status("active"),
    },
    resource("AllergyIntolerance", "Penicillin V", recordedDate="2001-01-01"),
    measured("Hemoglobin A1c/Hemoglobin.total in Blood", 7.1, "%", "2016-01-01"),
    measured("Hemoglobin A1c/Hemoglobin.total in Blood", 8.4, "%", "2019-05-01"),
    {
        **measured("Potassium", 6.1, "mmol/L", "2020-03-31T23:30-05:00"),
        "interpretation": [{"text": "High"}],
    },
    measured("Potassium", 4.4, "mmol/L", "2020-04-01T02:00Z"),
    measured("Hemoglobin [Mass/volume] in Blood", 9.8, "g/dL", "2019-05-01"),
    {
        **resource("Observation", "BP", "85354-9", LOINC, status="final"),
        "component": [
            {"code": {"coding": [{"system": LOINC, "code": code}]}, "valueInteger": value}
            for code, value in (("8480-6", 131), ("8462-4", 77))
        ],
    },
    {
        **measured("Leukozyten", 3.1, "/nL", "2019-05-02"),
        "code": {
            "text": "Leukozyten",
            "coding": [{"system": "urn:own", "code": "L"}, {"system": LOINC, "code": "6690-2"}],
        },
    },
    {
        **measured("Peak flow", 410, "L/min", "2019-05-03"),
        "code": {"text": "Peak flow", "coding": [{"display": "Peak flow in hypertension"}]},
    },
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


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("Does she have diabetes?", ["2012, coded condition: Type 2 diabetes, active"]),
        ("Did she have pneumonia?", ["coded condition: Pneumonia, resolved until 2015-03-01"]),
        ("Does she have gout?", ["coded condition: Gout, refuted"]),
        ("Is she on warfarin?", ["2018-07-02, coded medication: Warfarin 5 MG, stopped"]),
        ("Any oligodendroglioma?", ["condition: coded Z99.97, name not known here, active"]),
        ("Any allergies?", ["2001-01-01, coded allergy: Penicillin V"]),
        (  # what is only proposed stands behind
            "What medicines is she taking?",
            ["Warfarin 5 MG, stopped", "Metformin 500 MG, active", "Dabigatran 150 MG, proposal"],
        ),
        (
            "What is the HbA1c?",
            ["2019-05-01, coded observation: Hemoglobin A1c", "2016-01-01, coded observation: "],
        ),
        ("Systolic blood pressure?", ["observation: systolic blood pressure, 131"]),
        ("WBC?", ["2019-05-02, coded observation: Leukozyten, 3.1 /nL"]),
        (  # 23:30 at -05:00 is after 02:00 in UTC
            "What is the potassium?",
            ["03-31 23:30-05:00, coded observation: Potassium, 6.1 mmol/L, High", "04-01 02:00Z"],
        ),
    ],
)
def test_entries_are_given_as_recorded_the_newest_first(
    index: ChartIndex, question: str, lines: list[str]
) -> None:
    facts = coded_facts(Matched(parsed(question, lexicon()), index))
    told = list(lines_of((), facts))
    assert len(told) == len(lines)
    assert all(words in line for words, line in zip(lines, told, strict=True))
    assert all(f"[{fact.note}]" in line for fact, line in zip(facts, told, strict=True))
    assert all(fact.note in index.notes for fact in facts)


@pytest.mark.parametrize("asked", ["an anticoagulant", "a vitamin K antagonist"])
def test_a_medicine_of_the_class_that_is_asked_about_names_it(
    asked: str, index: ChartIndex
) -> None:
    told, _ = looked_for(Matched(parsed(f"Does she take {asked}?", lexicon()), index))
    assert "; coded entries of " in told


@pytest.mark.parametrize("asked", ["Vascular trouble?", "The disease coded K74.60?"])
def test_neither_further_names_nor_a_kind_of_something_particular_are_quoted(
    asked: str, index: ChartIndex
) -> None:
    found = Retrieved(tuple(range(len(index.chunks))), {}, ())
    notes = found_notes(Matched(parsed(asked, lexicon()), index), found, 99)
    quoted = " ".join(span.text for note in notes for span in note.spans)
    assert "Peak flow" not in quoted
    assert "diabetes" not in quoted


def test_age_and_sex_come_from_coded_entries() -> None:
    coded = {"21112-8": "1944-05-01", "46098-0": "female"}
    entries = [CodedEntry("p", "observation", "x", code, value=v) for code, v in coded.items()]
    notes = [Note("a", "p", "Well.", "2020-04-30"), Note("b", "p", "Well.")]
    told = patient_facts(entries, notes)
    assert "last day of the record: 2020-04-30; 75 years old" in told
    assert told.endswith("sex: female")
    assert "as the notes say" in patient_facts([], notes)


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
