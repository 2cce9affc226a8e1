"""Faults of prediction files are named by line, all of them, and good rows come through whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.scoring.predictions import (
    LISTED,
    FaultyPredictions,
    LineFault,
    Prediction,
    duplicates,
    read,
)
from clinfo.errors import UsageError


def line(**changes: object) -> bytes:
    form = {"id": "1", "system": "a", "prediction": "yes", "reference": "no"} | changes
    return json.dumps({key: value for key, value in form.items() if value is not ...}).encode()


def faults(tmp_path: Path, *lines: bytes) -> dict[int, str]:
    """Return what is said of a file, by line."""
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"\n".join(lines))
    return {fault.line: fault.what for fault in read(path).faults}


def test_rows_are_read_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf"
        + line(prediction=" Café\n[1] ", source="text", more=[1.5, {"x": None}])
        + b"\r\n\n"
        + line(id="2", prediction="")
        + b"\n"
        + line(id="3", prediction=" \n", source=None)
    )
    found = read(path)
    assert found.faults == ()
    assert found.rows == (
        Prediction("1", "a", " Café\n[1] ", "no", "text"),
        Prediction("2", "a", "", "no"),
        Prediction("3", "a", " \n", "no"),
    )
    assert [(row.line, row.answered) for row in found.rows] == [(1, True), (3, False), (4, False)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"id": "1", "system": "caf\xe9"}', ["invalid UTF-8", "0xe9", "offset 26"]),
        (b'{"id": "1",', ["not JSON"]),
        (b"{'id': '1'}", ["not JSON", "column 2"]),
        (b'["1"]', ["not a JSON object", "list"]),
        (b'"text"', ["not a JSON object", "text"]),
        (b"17", ["not a JSON object", "number"]),
        (b"NaN", ["not a JSON object", "NaN"]),
        (b"[" * 100_000, ["nested"]),
        (line(more=1).rstrip().removesuffix(b"1}") + b"[" * 600 + b"]" * 600 + b"}", ["nested"]),
        (b'{"id": "1", "id": "2"}', ["“id”", "twice"]),
        (line(id=...), ["“id” is missing"]),
        (line(prediction=...), ["“prediction” is missing"]),
        (line(reference=...), ["“reference” is missing"]),
        (line(system=...), ["“system” is missing"]),
        (line(prediction=None), ["“prediction”", "null"]),
        (line(id=34158009), ["“id”", "a number"]),
        (line(id=True), ["“id”", "true or false"]),
        (line(prediction=["a"]), ["“prediction”", "a list"]),
        (line(source={}), ["“source”", "an object"]),
        (line(failed=1), ["“failed”", "true or false", "a number"]),
        (line(failed="yes"), ["“failed”", "text"]),
        (line(failed=float("nan"), prediction=""), ["“failed”", "NaN"]),
        (line(failed=True), ["“failed” is true", "a prediction"]),
        (line(reference=""), ["“reference” is empty"]),
        (line(reference=" \n"), ["“reference” is empty"]),
        (line(id=""), ["“id” is empty"]),
        (line(system=" a"), ["“system”", "blanks"]),
        (line(id="1\n2"), ["“id”", "line break"]),
        (line(prediction="\ud83d half"), ["“prediction”", "surrogate"]),
        (line(source="\udc00"), ["“source”", "surrogate"]),
        (line(prediction=float("nan")), ["“prediction”", "NaN"]),
        (line(reference=float("inf")), ["“reference”", "infinite"]),
        (line(prediction=0.5), ["“prediction”", "a number"]),
        (line(extra=float("nan")), ["“extra”", "NaN"]),
        (line(extra=[{"deep": float("-inf")}]), ["“extra”", "infinite"]),
        (line().replace(b'"yes"', b"1e999"), ["“prediction”", "infinite"]),
        (line().replace(b'"yes"', b"9" * 5_000), ["“prediction”", "a number"]),
    ],
)
def test_each_fault_is_named(tmp_path: Path, content: bytes, words: list[str]) -> None:
    said = faults(tmp_path, line(id="before"), content, line(id="after"))
    assert list(said) == [2]
    assert all(word in said[2] for word in words), said[2]


def test_all_faults_of_a_line_and_of_a_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"\n".join([line(id=..., reference=""), line(), b"{", line(prediction=None)]))
    found = read(path)
    assert [fault.line for fault in found.faults] == [1, 1, 3, 4]
    assert len(found.rows) == 1


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_a_file_without_rows_is_a_fault(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.jsonl").write_bytes(content)
    assert [fault.what for fault in read(tmp_path / "p.jsonl").faults] == ["holds no predictions"]


def test_utf_16_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_bytes(line().decode().encode("utf-16"))
    assert ["UTF-16" in fault.what for fault in read(tmp_path / "p.jsonl").faults] == [True]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("p.json", b"[" + line() + b",\n" + line(id="2") + b"]\n", "a JSON array"),
        ("p.json", json.dumps([{"id": "1"}], indent=2).encode(), "a JSON array"),
        ("p.json", json.dumps({"id": "1"}, indent=2).encode(), "JSON over several lines"),
        ("p.csv", b"\xef\xbb\xbfid,system,prediction\n1,a,yes\n", "a table (CSV)"),
    ],
)
def test_another_format_is_told_once(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    [fault] = read(tmp_path / name).faults
    assert fault.what == f"is {words}; predictions are one JSON object a line"


@pytest.mark.parametrize("content", [b"[" + line() + b"\n" + line(id="2"), b"[1, 2]\n"])
def test_lines_that_begin_like_an_array_are_named(tmp_path: Path, content: bytes) -> None:
    assert list(faults(tmp_path, content, line(id="3"))) == [1]


def test_texts_that_rows_have_in_common_are_held_once(tmp_path: Path) -> None:
    same = {"reference": "It does. " * 50, "source": "A review. " * 50}
    (tmp_path / "p.jsonl").write_bytes(
        b"\n".join([line(**same), line(id="2", **same), line(id="2", system="b", **same)])
    )
    first, second, third = read(tmp_path / "p.jsonl").rows
    assert first.reference is second.reference is third.reference
    assert first.source is second.source is third.source
    assert second.id is third.id


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read(tmp_path / "none.jsonl")


def test_duplicates_within_and_across_files(tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    first.write_bytes(b"\n".join([line(), line(system="b"), line(reference="")]))
    second.write_bytes(line(system="b"))
    found = list(duplicates([("1", read(first)), ("2", read(second))]))
    assert [(fault.file, fault.line) for fault in found] == [("1", 3), ("2", 1)]
    assert "line 1" in found[0].what
    assert "1, line 2" in found[1].what


def test_a_word_that_stands_for_nothing_is_remarked(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_bytes(
        b"\n".join([line(prediction="nan"), line(id="2", prediction="None of these")])
    )
    found = read(tmp_path / "p.jsonl")
    assert found.faults == ()
    assert [remark.line for remark in found.remarks] == [1]


def test_a_long_listing_is_cut_and_counted() -> None:
    listing = FaultyPredictions(
        [LineFault("p", number, "wrong") for number in range(1, 1_100)]
    ).listing()
    assert len(listing) == LISTED + 1
    assert listing[0] == "p, line 1: wrong"
    assert listing[-1] == "… and 1,049 more"
