"""What is kept of patients: by its owner only, without their names, and gone when erased."""

import hashlib
import json
import stat
from pathlib import Path

import pytest

from clinfo.errors import UsageError
from clinfo.patients.keeping import PatientStore


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_are_their_owners_and_tell_no_patient(tmp_path: Path) -> None:
    store = PatientStore(tmp_path / "patients")
    path = store.keep("MRN 4711", "index.npz", b"numbers")
    cache = store.cache("MRN 4711")
    cache.put("k", "v")
    cache.close()
    files = [one for one in store.root.rglob("*") if one.is_file()]
    assert path in files
    assert {mode(one) for one in files} == {0o600}
    assert {mode(one) for one in (store.root, path.parent)} == {0o700}
    assert not any("4711" in str(one) for one in files)
    assert store.kept(store.hashed("MRN 4711"), "index.npz") == b"numbers"
    assert store.kept(store.hashed("another"), "index.npz") is None


def test_erasing_takes_all_of_one_patient_and_nothing_of_another(tmp_path: Path) -> None:
    store = PatientStore(tmp_path)
    store.keep("p", "run.jsonl", b"1")
    store.keep("p", "index.npz", b"2")
    other = store.keep("q", "run.jsonl", b"3")
    assert store.erase(store.hashed("p")) == 2
    assert store.kept(store.hashed("p"), "run.jsonl") is None
    assert other.read_bytes() == b"3"
    assert store.erase(store.hashed("p")) == 0


def test_a_cache_that_is_open_is_not_made_again_once_the_patient_is_erased(tmp_path: Path) -> None:
    store = PatientStore(tmp_path)
    cache = store.cache("p")
    store.erase(store.hashed("p"))
    cache.put("k", "v")
    cache.close()
    assert not cache.path.parent.exists()


def test_the_log_names_the_person_and_hides_patient_and_question(tmp_path: Path) -> None:
    store = PatientStore(tmp_path)
    store.audit(user="dr x", patient="4711", run="r1", question="Any statin?")
    PatientStore(tmp_path).audit(user="dr y", patient="4711", run="r2", did="erase")
    text = (tmp_path / "audit.jsonl").read_text()
    first, second = map(json.loads, text.splitlines())
    assert "4711" not in text
    assert "statin" not in text
    assert (first["user"], first["did"], first["run"]) == ("dr x", "ask", "r1")
    assert first["question"] == hashlib.sha256(b"Any statin?").hexdigest()
    assert first["patient"] == second["patient"] == store.hashed("4711")
    assert second["question"] == ""
    assert mode(tmp_path / "audit.jsonl") == 0o600


def test_no_log_no_run(tmp_path: Path) -> None:
    store = PatientStore(tmp_path)
    (tmp_path / "audit.jsonl").mkdir()
    with pytest.raises(UsageError):
        store.audit(user="x", patient="p", run="r")


@pytest.mark.parametrize("name", ["../x", "/etc/x", "", ".hidden", "a/b"])
def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        PatientStore(tmp_path).keep("p", name, b"")
