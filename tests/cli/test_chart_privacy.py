"""What ``clinfo chart`` does with a record: logged, kept for its owner, erased, and never sent to
what was not declared for it.
"""

import json
import stat
import subprocess
from pathlib import Path

import pytest

from clinfo.patients.keeping import PatientStore
from tests.cli.process import clinfo

pytestmark = pytest.mark.slow

NOTES = "patient,date,text\nMRN-4711,2019-03-02,Warfarin 5 mg was started for xylophonia.\n"
QUESTION = "When was warfarin started?"


def run(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    (folder / "notes.csv").write_text(NOTES)
    data = {name: str(folder / name) for name in ("CLINFO_DATA_DIR", "CLINFO_CACHE_DIR")}
    return clinfo("chart", *arguments, cwd=folder, **data | {"CLINFO_CACHE": "on"} | more)


def test_a_question_is_logged_and_leaves_text_with_the_patient_only(tmp_path: Path) -> None:
    done = run(tmp_path, "ask", "notes.csv", QUESTION, "--trace", "trace.json", "--save", "run")
    assert done.returncode == 0, done.stderr
    assert "Warfarin 5 mg was started" in " ".join(done.stdout.split())
    patients = tmp_path / "CLINFO_DATA_DIR" / "patients"
    (line,) = (patients / "audit.jsonl").read_text().splitlines()
    row = json.loads(line)
    assert row["patient"] == PatientStore(patients).hashed("MRN-4711")
    assert (row["did"], len(row["question"]), bool(row["run"])) == ("ask", 64, True)
    for name in ("trace.json", "run"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    kept = list((patients / row["patient"]).iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    for folder in ("CLINFO_DATA_DIR", "CLINFO_CACHE_DIR"):
        for path in (tmp_path / folder).rglob("*"):
            if path.is_file() and path not in kept:
                assert b"xylophonia" not in path.read_bytes(), path


def test_what_is_read_of_files_that_name_nobody_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "2019-03-02.txt").write_text("Warfarin was started for xylophonia.")
    assert run(tmp_path, "ask", "2019-03-02.txt", QUESTION).returncode == 0
    patients = tmp_path / "CLINFO_DATA_DIR" / "patients"
    assert sorted(path.name for path in patients.iterdir()) == ["audit.jsonl", "secret"]


def test_a_trace_is_its_owners_over_another_file_and_in_a_replay(tmp_path: Path) -> None:
    for name in ("trace.json", "run"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    run(tmp_path, "ask", "notes.csv", QUESTION, "--trace", "trace.json", "--save", "run")
    run(tmp_path, "ask", "--replay", "run", "--trace", "again.json")
    for name in ("trace.json", "run", "again.json"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600, name


def test_every_reading_is_logged_and_a_run_keeps_its_id(tmp_path: Path) -> None:
    assert run(tmp_path, "index", "notes.csv").returncode == 0
    assert run(tmp_path, "overview", "notes.csv").returncode == 0
    ask = ("ask", "notes.csv", QUESTION, "--save", "run")
    run(tmp_path, *ask)
    saved = tmp_path / "run"
    begun = saved.read_text().splitlines(keepends=True)[:2]
    saved.write_text("".join(begun))
    run(tmp_path, *ask)
    log = (tmp_path / "CLINFO_DATA_DIR" / "patients" / "audit.jsonl").read_text()
    rows = [json.loads(line) for line in log.splitlines()]
    assert [row["did"] for row in rows] == ["index", "overview", "ask", "ask"]
    id = json.loads(begun[0])["settings"]["run"]
    assert id
    assert [row["run"] for row in rows] == ["", "", id, id]
    assert len({row["patient"] for row in rows}) == 1


def test_a_model_that_was_not_declared_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    for name, more in (
        ("--model", {"OPENAI_API_KEY": "k"}),
        ("", {"CLINFO_EMBEDDER": "openai/text-embedding-3-small", "OPENAI_API_KEY": "k"}),
    ):
        model = (name, "openai/gpt-4o-mini") if name else ()
        done = run(tmp_path, "ask", "notes.csv", QUESTION, *model, **more)
        assert done.returncode == 6, done.stderr
        assert "CLINFO_PATIENT_MODELS" in done.stderr
        assert not (tmp_path / "CLINFO_DATA_DIR" / "patients" / "audit.jsonl").exists()


def test_erasing_takes_what_is_kept_and_is_logged(tmp_path: Path) -> None:
    store = PatientStore(tmp_path / "CLINFO_DATA_DIR" / "patients")
    store.keep("MRN-4711", "record-1.json", b"{}")
    store.keep("MRN-0815", "record-1.json", b"{}")
    assert run(tmp_path, "erase", "MRN-4711").returncode == 0
    assert store.kept(store.hashed("MRN-4711"), "record-1.json") is None
    assert store.kept(store.hashed("MRN-0815"), "record-1.json") == b"{}"
    assert run(tmp_path, "erase", "MRN-4711").returncode == 3
    log = (store.root / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["did"] for line in log] == ["erase", "erase"]


def test_two_patients_need_a_name(tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text(NOTES + "MRN-0815,2019-03-02,Slept well.\n")
    refused = run(tmp_path, "ask", "two.csv", QUESTION)
    assert refused.returncode == 2
    assert "--patient" in refused.stderr
    done = run(tmp_path, "ask", "two.csv", QUESTION, "--patient", "MRN-4711")
    assert done.returncode == 0, done.stderr
    assert "Warfarin 5 mg was started" in " ".join(done.stdout.split())
