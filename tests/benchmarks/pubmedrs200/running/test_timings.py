"""The file of seconds that a run writes and that score and report read."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.pubmedrs200.running.records import Cell
from benchmarks.pubmedrs200.running.timings import append, seconds_of

ONE, OTHER = Cell("small", "restricted", 1, "34158009"), Cell("small", "none", 2, "Ü\u2028")


def test_what_is_noted_is_read_and_the_last_of_a_cell_counts(tmp_path: Path) -> None:
    assert seconds_of(tmp_path) == {}
    for cell, seconds in ((ONE, 1.5), (OTHER, 2.0), (ONE, 0.12345678)):
        append(tmp_path, cell, seconds, {"search": 0.00000049, "synthesis": 1})
    assert seconds_of(tmp_path) == {ONE: 0.123457, OTHER: 2.0}
    assert list(seconds_of(tmp_path)) == [ONE, OTHER]
    written = (tmp_path / "timings.jsonl").read_text(encoding="utf-8").split("\n")
    assert json.loads(written[0]) == {
        "system": "small", "regime": "restricted", "repeat": 1, "id": "34158009", "seconds": 1.5,
        "stages": {"search": 0.0, "synthesis": 1},
    }  # fmt: skip


def test_what_a_crash_or_a_stranger_left_is_passed_over(tmp_path: Path) -> None:
    append(tmp_path, ONE, 1.0, {})
    with (tmp_path / "timings.jsonl").open("ab") as file:
        for line in (
            b"\xff\xfe",
            b"[1]",
            b"null",
            b"7",
            b"{}",
            b"[" * 100_000,
            b'{"system": "small", "regime": "none", "repeat": null}',
        ):
            file.write(line + b"\n")
        for seconds in (b"NaN", b"Infinity", b'"long"', b"null"):
            place = b'{"system": "small", "regime": "restricted", "repeat": 1, "id": "34158009"'
            file.write(place + b', "seconds": ' + seconds + b"}\n")
        file.write(b'{"system": "small", "regime": "restr')
    assert seconds_of(tmp_path) == {ONE: 1.0}
    append(tmp_path, OTHER, 3.0, {})  # the torn line is cut off first
    assert seconds_of(tmp_path) == {ONE: 1.0, OTHER: 3.0}
