"""Files that are damaged, hostile, of another kind or too large: told, and the rest is read."""

import gzip
import io
import json
import zipfile
from pathlib import Path

import pytest

from clinfo.patients import collecting
from clinfo.patients.readers import files
from clinfo.patients.reading import read_records


def record(patient: str, *texts: str) -> str:
    notes = [{"date": f"2020-01-{n:02}", "text": text} for n, text in enumerate(texts, 1)]
    return json.dumps({"id": patient, "notes": notes}) + "\n"


def test_texts_that_name_nobody_are_of_one_patient_a_folder(tmp_path: Path) -> None:
    for folder in ("smith/notes", "jones/notes"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "1.txt").write_text(f"Of {folder}.")
    (tmp_path / "a.csv").write_text("date,text\n2020-01-01,Of a.\n")
    (tmp_path / "b.csv").write_text("date,text\n2020-01-01,Of b.\n")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("smith/notes/1.txt", "Packed.")
    read = read_records([tmp_path])
    own = tmp_path.name
    names = [f"{own}/a", f"{own}/b", "jones/notes", "smith/notes", "z/smith/notes"]
    assert sorted(record.patient for record in read.records) == sorted(names)
    assert sorted(read.unnamed) == sorted(names)
    assert [len(record.notes) for record in read.records] == [1] * 5
    (whole,) = read_records([tmp_path], unnamed_as="x").records
    assert (whole.patient, len(whole.notes)) == ("x", 5)
    assert {note.patient for note in whole.notes} == {"x"}


def test_what_is_no_record_is_told_and_the_rest_read(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<ClinicalDocument/>")
    (tmp_path / "b.json").write_text("{broken")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.4\n\0")
    (tmp_path / "d.csv").write_text("name,colour\nx,red\n")
    (tmp_path / "e.zip").write_bytes(b"PK\x03\x04 no archive")
    (tmp_path / "f.jsonl.gz").write_bytes(gzip.compress(record("p", "x" * 9999).encode())[:-20])
    (tmp_path / "g.jsonl").write_text("[" * 200_000 + "\n" + '"text"\n' + record("p", "kept"))
    (tmp_path / "h.csv").write_text("")
    (tmp_path / "i.csv").write_text("patient,date\rp,2020\n")
    read = read_records([tmp_path])
    assert [n.text for n in read.one().notes] == ["kept"]
    told = {line.split(".")[0] for line in read.problems}
    assert told == set("abcdefghi")
    assert sum(line.startswith("g.jsonl, line") for line in read.problems) == 2


@pytest.mark.parametrize("kind", ["gz", "zip"])
def test_bombs_are_not_read_on(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FREE", 1_000_000)
    inflated = record("q", "before").encode() + b" " * 30_000_000
    bomb = tmp_path / f"a.{kind}"
    if kind == "gz":
        bomb.write_bytes(gzip.compress(inflated))
    else:
        with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("q/notes.jsonl", inflated)
    (tmp_path / "b.jsonl").write_text(record("p", "kept"))
    read = read_records([tmp_path])
    assert [one.patient for one in read.records] == ["p", "q"]
    assert ["200 times its size" in line for line in read.problems] == [True]


def test_members_of_an_archive(tmp_path: Path) -> None:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("anna/2020-01-02 echo.txt", "EF 35%.")
        archive.writestr("../../etc/2020-01-02.txt", "Outside.")
        archive.writestr("__MACOSX/anna/._x.txt", "junk")
    (tmp_path / "all.zip").write_bytes(raw.getvalue())
    read = read_records([tmp_path / "all.zip"])
    assert read.one("anna").notes[0].time == "2020-01-02"
    assert [one.patient for one in read.records] == ["anna"]


def test_a_note_beyond_the_limit_is_cut_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "MOST_CHARACTERS", 1000)
    (tmp_path / "a.jsonl").write_text(record("p", "x" * 1001, "y" * 1000))
    read = read_records([tmp_path])
    assert [len(n.text) for n in read.one().notes] == [1000, 1000]
    assert read.problems == (
        "a.jsonl, line 1: of a longer note the first 1,000 characters are read",
    )


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("Température 38 °C".encode("cp1252"), True),
        ("Température 38 °C".encode("utf-16"), False),
        ("Température 38 °C".encode("utf-8-sig"), False),
    ],
)
def test_encodings(tmp_path: Path, raw: bytes, told: bool) -> None:
    (tmp_path / "2020-01-01.txt").write_bytes(raw)
    read = read_records([tmp_path])
    assert read.one().notes[0].text == "Température 38 °C"
    assert bool(read.problems) is told


def test_a_line_beyond_the_limit_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_LINE", 500)
    (tmp_path / "a.jsonl").write_text(record("p", "a") + record("q", "x" * 3000) + record("p", "b"))
    read = read_records([tmp_path])
    assert [n.text for n in read.one("p").notes] == ["a", "b"]
    assert read.problems == ("a.jsonl, line 2: longer than 0 MB, passed over",)


def test_control_characters_and_lone_surrogates_do_not_pass(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(record("p\x1b[2J", "a\0b\ud83dc\x1b]0;title\x07\r\nd"))
    note = read_records([tmp_path]).one().notes[0]
    assert (note.patient, note.text) == ("p", "abc\nd")
