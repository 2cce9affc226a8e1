"""``clinfo chart overview``: what a record tells at a glance; as a process of its own."""

from __future__ import annotations

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
    file.write_text(json.dumps({"id": "p1", "notes": notes}), encoding="utf-8")
    return str(file)


def test_the_page_shows_each_with_its_note_and_day(record: str, tmp_path: Path) -> None:
    done = clinfo("chart", "overview", record, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2019-05-05 stopped Lisinopril" in done.stdout
    assert "Stroke (ever): 2019-05-05 “Acute stroke.”" in done.stdout
    assert "Penicillins (allergy): 2020-07-07" in done.stdout
    assert "Blood Pressure: 172/90 (2018-02-01)" in done.stdout
    assert "CHA2DS2-VASc at least 1, at most 9" in " ".join(done.stdout.split())


def test_as_json_up_to_a_day(record: str, tmp_path: Path) -> None:
    done = clinfo("chart", "overview", record, "--json", "--as-of", "2018-12-31", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["notes"], told["as_of"], told["contradictions"]) == (1, "2018-12-31", [])
    assert [(one["drug"], one["change"]) for one in told["medications"]] == [
        ("Lisinopril", "started")
    ]
    vasc = told["scores"][0]
    assert (vasc["name"], vasc["least"], vasc["most"]) == ("CHA2DS2-VASc", 1, 9)


def test_a_day_that_is_none_is_refused(record: str, tmp_path: Path) -> None:
    done = clinfo("chart", "overview", record, "--as-of", "soon", cwd=tmp_path)
    assert done.returncode == 2
    assert "--as-of" in done.stderr
