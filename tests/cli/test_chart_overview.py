"""``clinfo chart overview``: what a record tells at a glance; as a process of its own."""

import json
from pathlib import Path

import pytest

from tests.cli.process import clinfo

NOTES = (
    ("2018-02-01", "Hypertension. Started on lisinopril 10 mg. BP 172/90."),
    ("2019-05-05", "Acute stroke. Lisinopril was stopped. NKDA."),
    ("2020-07-07", "No history of stroke. ALLERGIES: penicillin."),
)


@pytest.fixture
def record(tmp_path: Path) -> str:
    notes = [{"date": day, "type": "H&P", "encounter": day, "text": text} for day, text in NOTES]
    file = tmp_path / "record.jsonl"
    drug = {"display": "Lisinopril 10 MG", "start": "2018-02-01"}
    row = {"id": "p1", "notes": notes, "MedicationRequest": [drug]}
    file.write_text(json.dumps(row), encoding="utf-8")
    return str(file)


def test_the_page_shows_each_with_its_note_and_day(record: str, tmp_path: Path) -> None:
    done = clinfo("chart", "overview", record, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Stroke: 2019-05-05, named 1 time: “Acute stroke.”" in done.stdout
    assert "2018-02-01 Lisinopril 10 MG" in done.stdout


def test_who_the_patient_is_stands_first_and_is_no_result(tmp_path: Path) -> None:
    patient = {"resourceType": "Patient", "id": "p1", "birthDate": "1950-02-03", "gender": "male"}
    code = {"coding": [{"system": "http://loinc.org", "code": "2160-0", "display": "Creatinine"}]}
    measured = {"resourceType": "Observation", "status": "final",
                "subject": {"reference": "Patient/p1"},
                "code": code, "effectiveDateTime": "2020-01-02",
                "valueQuantity": {"value": 1.1, "unit": "mg/dL"}}  # fmt: skip
    entries = [{"resource": {**patient}}, {"resource": measured}]
    bundle = {"resourceType": "Bundle", "type": "collection", "entry": entries}
    (tmp_path / "p.json").write_text(json.dumps(bundle))
    done = clinfo("chart", "overview", "p.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, results = done.stdout.split("NEWEST RESULTS")
    assert "Birth date: 1950-02-03; Sex: male" in first
    assert "Creatinine: 1.1 mg/dL (2020-01-02)" in results
    assert "Sex" not in results


def test_as_json_up_to_a_day(record: str, tmp_path: Path) -> None:
    done = clinfo("chart", "overview", record, "--json", "--as-of", "2018-12-31", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["notes"], told["as_of"]) == (1, "2018-12-31")
    assert [one["concept"] for one in told["conditions"]] == ["Hypertension"]
    assert [one["text"] for one in told["medications"]] == ["Lisinopril 10 MG"]


def test_a_day_that_is_none_is_refused(record: str, tmp_path: Path) -> None:
    done = clinfo("chart", "overview", record, "--as-of", "soon", cwd=tmp_path)
    assert done.returncode == 2
    assert "--as-of" in done.stderr
