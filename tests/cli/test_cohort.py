"""``clinfo cohort``: records in, the patients who match out; as a process of its own."""

import csv
import io
import json
import os
import shlex
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from benchmarks.servers.model import ModelServer
from clinfo.patients.records import Record
from tests.cli.process import clinfo
from tests.pipelines.cohort.notes import RECORDS


def written(path: Path, records: tuple[Record, ...]) -> str:
    """A file of records."""
    rows = (
        {
            "id": one.patient,
            "notes": [asdict(note) | {"date": note.time} for note in one.notes],
        }
        for one in records
    )
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


def asked(index: Path | str, query: str) -> tuple[str, ...]:
    """The command for a query."""
    return ("cohort", "find", str(index), "--query", query)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cohort")
    records = written(place / "records.jsonl", RECORDS)
    done = clinfo("cohort", "build", records, "--out", "index", cwd=place)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("5 patients in the index: 5 read (7 notes)")
    return place / "index"


def test_the_form_the_steps_and_the_evidence_are_shown(index: Path) -> None:
    done = clinfo(
        "cohort", "find", str(index), "--query",
        "condition epilepsy and not condition hypertension", cwd=index.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Read as: condition epilepsy and not condition hypertension" in done.stdout
    assert "1 left: not condition hypertension (alone: 4)" in done.stdout
    assert "“Patient is presenting with epilepsy, fever (finding).” (2019-03-01)" in done.stdout
    assert "5 left: all patients\n" in done.stdout
    assert "1 matches · 1 does not · 3 undocumented" in done.stdout
    assert "1 patient found" in done.stderr
    done = clinfo(*asked(index, "condition sinusitis"), "--csv", cwd=index.parent)
    rows = [*csv.reader(io.StringIO(done.stdout))]
    assert rows[0] == ["member", "criterion", "quote", "date"]
    assert [(row[0], row[3]) for row in rows[1:]] == [("ben", "2020-01-01"), ("dan", "2020-01-01")]


def test_the_form_of_an_answer_finds_the_same_again(index: Path, tmp_path: Path) -> None:
    query = "condition epilepsy before condition pneumonia"
    first = json.loads(clinfo(*asked(index, query), "--json", cwd=tmp_path).stdout)
    (tmp_path / "form.json").write_text(json.dumps(first), encoding="utf-8")
    again = clinfo("cohort", "find", str(index), "--form", "form.json", "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["members"] == first["members"]
    assert [member["id"] for member in first["members"]] == ["ada"]


def test_a_form_is_checked_by_the_schema_that_is_printed(index: Path, tmp_path: Path) -> None:
    done = clinfo("cohort", "schema", cwd=tmp_path)
    assert Draft202012Validator(json.loads(done.stdout)).is_valid({"has": "Epilepsy"})
    (tmp_path / "form.json").write_text('{"and": [{"has": "Epilepsy", "when": "never"}]}')
    done = clinfo("cohort", "find", str(index), "--form", "form.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "and[0].when: 'never': should be 'ever', 'current'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("patients with anemia",), 2), (("--query", "condition blorptitude"), 2), ((), 2),
        (("--query", "condition stroke", "--as-of", "soon"), 2),
        (("anemia", "--query", "condition anemia"), 2),
        (("--query", "condition cystic fibrosis"), 3),
        (('yoga "' * 667,), 2),
    ],
)  # fmt: skip
def test_the_exit_status_tells_what_was_not_found(
    index: Path, arguments: tuple[str, ...], status: int
) -> None:
    done = clinfo("cohort", "find", str(index), *arguments, cwd=index.parent)
    assert done.returncode == status, done.stderr


@pytest.mark.parametrize("form", ["--csv", "--events"])
def test_a_saved_run_is_shown_again_to_the_byte(index: Path, tmp_path: Path, form: str) -> None:
    find = (*asked(index, "condition epilepsy or condition fatigue"), form)
    done = clinfo(*find, "--save", "run.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        "5 patients, 7 notes\nread as: condition epilepsy or condition fatigue\n2 patients found"
        in done.stderr
    )
    again = clinfo("cohort", "find", "--replay", "run.jsonl", form, cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, done.stdout)
    saved = tmp_path / "run.jsonl"
    assert saved.stat().st_mode & 0o077 == 0
    finished = clinfo(*find, "--save", "run.jsonl", cwd=tmp_path)
    assert (finished.returncode, finished.stdout) == (2, "")
    whole = saved.read_bytes()
    saved.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    resumed = clinfo(*find, "--quiet", "--save", "run.jsonl", cwd=tmp_path)
    assert (resumed.returncode, resumed.stderr) == (0, "")
    members = [
        json.loads(each.splitlines()[-1])["answer"]["members"]
        for each in (whole, saved.read_bytes())
    ]
    assert members[0] == members[1]


REST = 'condition "Epilepsy" and not any "Hypertension"'


def test_what_is_asked_back_is_an_object_with_the_rest_to_be_pasted(
    index: Path, tmp_path: Path
) -> None:
    words = {"words": "on one day", "reason": "A query cannot say that."}
    made = {
        "form": {"and": [{"has": "Epilepsy", "kind": "condition"},
                         {"not": {"has": "Hypertension"}}]},
        "not_understood": [words], "assumptions": ["any epilepsy counts"],
    }  # fmt: skip
    find = ("cohort", "find", str(index), "blorping", "--model", "openai/scripted", "--quiet")
    with ModelServer(reply=lambda body: json.dumps(made)) as server:
        keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
        done = clinfo(*find, "--save", "run.jsonl", "--json", cwd=tmp_path, **keys)
    assert done.returncode == 2
    assert json.loads(done.stdout) == {
        "schema": 1, "pipeline": "cohort", "query": REST,
        "asked_back": "not understood: on one day (A query cannot say that)",
        "not_understood": [words | {"near": []}], "assumptions": ["any epilepsy counts"],
    }  # fmt: skip
    told, assumed = sorted(done.stderr.splitlines(), key=len, reverse=True)
    assert assumed == "clinfo: Assumed: any epilepsy counts"
    assert told.endswith(f"on one day (A query cannot say that); the rest: --query '{REST}'")
    again = clinfo("cohort", "find", "--replay", "run.jsonl", cwd=tmp_path)
    assert (again.returncode, again.stdout, again.stderr) == (2, "", done.stderr)
    pasted = shlex.split(told.rpartition("; the rest: ")[2])
    assert clinfo("cohort", "find", str(index), *pasted, cwd=tmp_path).returncode == 0


def test_what_was_assumed_and_is_to_be_known_stands_with_the_answer(
    index: Path, tmp_path: Path
) -> None:
    made = {"form": {"has": "Epilepsy", "times": 1}, "not_understood": [], "assumptions": ["ever"],
            "missing": [], "added": [], "assumed": []}  # fmt: skip
    find = ("cohort", "find", str(index), "blorping", "--model", "openai/scripted", "--quiet")
    with ModelServer(reply=lambda body: json.dumps(made)) as server:
        keys = {"OPENAI_API_KEY": "sk-test", "OPENAI_API_BASE": server.url}
        page, rows, whole = (
            clinfo(*find, *how, cwd=tmp_path, **keys) for how in ((), ("--csv",), ("--json",))
        )
    assert "Assumed: ever" in page.stdout
    assert ("Assumed: ever" in rows.stderr, "Assumed" in rows.stdout) == (True, False)
    assert json.loads(whole.stdout)["assumptions"] == ["ever"]
    page = clinfo(*asked(index, "value egfr < 60"), cwd=tmp_path)
    assert (page.returncode, "Note: no record states" in page.stdout) == (3, True)


def test_a_file_that_names_no_patient_is_not_counted_without_a_word(tmp_path: Path) -> None:
    records = tmp_path / "records"
    records.mkdir()
    written(records / "r.jsonl", RECORDS[:1])
    (records / "guideline.txt").write_text("Treat epilepsy with lamotrigine.\n")
    built = clinfo("cohort", "build", "records", "--out", "index", "--json", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    told = json.loads(built.stdout)
    assert (told["patients"], len(told["unnamed"])) == (2, 1)
    (notice,) = [line for line in built.stderr.splitlines() if "names no patient" in line]
    assert told["unnamed"][0] in notice
    (records / "guideline.txt").unlink()
    built = clinfo("cohort", "build", "records", "--out", "index", cwd=tmp_path)
    assert built.stdout.startswith("1 patient in the index: 0 read (0 notes), 1 as they were, 1 ")
    assert "names no patient" not in built.stderr


def test_a_build_that_was_killed_while_it_took_in_a_change_goes_on(tmp_path: Path) -> None:
    """Only patients whose notes are others are read, before the kill or after it."""
    first = tuple(
        Record(f"{one.patient}{number}", one.notes) for number in range(20) for one in RECORDS
    )
    place, index = tmp_path / "records.jsonl", str(tmp_path / "index")
    build = ("cohort", "build", written(place, first), "--out", index)
    assert clinfo(*build, cwd=tmp_path).returncode == 0
    other = tuple(
        Record(one.patient, one.notes if number % 2 else RECORDS[2].notes)
        for number, one in enumerate(first)
    )
    written(place, other)
    command = [sys.executable, "-m", "clinfo", *build]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stderr is not None
        assert "25 of 40" in process.stderr.readline()
        process.send_signal(signal.SIGKILL)
    built = json.loads(clinfo(*build, "--json", cwd=tmp_path).stdout)
    assert (built["patients"], built["removed"]) == (100, 0)
    assert built["read"] <= 15
    whole = tmp_path / "whole"
    clinfo("cohort", "build", str(place), "--out", str(whole), cwd=tmp_path)
    for criteria in ("any hypertension", "any epilepsy", "any sinusitis and not any fatigue"):
        found = [
            json.loads(clinfo(*asked(at, criteria), "--json", cwd=tmp_path).stdout)
            for at in (index, whole)
        ]
        assert found[0]["attrition"] == found[1]["attrition"], criteria
        members = [{one["id"] for one in answer["members"]} for answer in found]
        assert members[0] == members[1], criteria


def test_a_patient_is_erased_and_that_is_logged(tmp_path: Path) -> None:
    place = str(tmp_path / "index")
    clinfo("cohort", "build", written(tmp_path / "r.jsonl", RECORDS), "--out", place, cwd=tmp_path)
    for status, said in ((0, "2 notes erased"), (3, "0 notes")):
        done = clinfo("cohort", "erase", place, "ada", cwd=tmp_path)
        assert (done.returncode, said in done.stdout) == (status, True), done.stderr
    assert clinfo(*asked(place, "condition epilepsy"), cwd=tmp_path).returncode == 3
    (log,) = tmp_path.rglob("audit.jsonl")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["did"] for line in lines] == ["erase", "erase", "cohort"]
    assert '"ada"' not in log.read_text()


def test_a_table_of_kinds_is_taken_along(tmp_path: Path) -> None:
    (tmp_path / "ward.csv").write_text(
        "child,parent,source,date\nfatigue,ward complaints,us,2026-01\n"
    )
    records = written(tmp_path / "r.jsonl", RECORDS)
    build = ("cohort", "build", records, "--out", "index", "--hierarchy")
    assert clinfo(*build, "ward.csv", cwd=tmp_path).returncode == 0
    done = clinfo(*asked("index", "any ward complaints"), "--csv", cwd=tmp_path)
    assert 'ben,"any ""ward complaints""",' in done.stdout
    assert clinfo(*build, "none.csv", cwd=tmp_path).returncode == 2


def test_what_records_lack_is_said_and_the_rest_read(tmp_path: Path) -> None:
    note = {"id": "a", "date": "2020-01-01", "text": "Patient is presenting with gout."}
    rows = (
        {"id": "ada", "notes": [note]}, {"id": "", "notes": [note]}, {"id": "eva", "notes": []},
        {"id": "late", "notes": [note | {"date": "2999-01-01"}]}, {"id": "ben", "notes": [{}]},
        [1],
    )  # fmt: skip
    text = "".join(f"{json.dumps(row)}\n" for row in rows) + "{broken\n"
    (tmp_path / "r.jsonl").write_text(text)
    built = clinfo("cohort", "build", "r.jsonl", "--out", "index", cwd=tmp_path)
    assert (built.returncode, built.stdout[:10]) == (0, "2 patients")
    for told in (
        "line 2: a record without a patient's id", "line 3: a record without notes",
        "1 passed over: without text", "line 6: not a record", "line 7: not JSON",
        "1 note dated later than today",
    ):  # fmt: skip
        assert told in built.stderr
    (tmp_path / "none").mkdir()
    for records, out in (("none", "index"), ("missing", "index"), ("r.jsonl", "r.jsonl")):
        done = clinfo("cohort", "build", records, "--out", out, cwd=tmp_path)
        assert done.returncode in (2, 4), done.stderr
        assert "Traceback" not in done.stderr
    found = clinfo(*asked("index", "condition gout"), "--json", cwd=tmp_path)
    assert len(json.loads(found.stdout)["members"]) == 2
