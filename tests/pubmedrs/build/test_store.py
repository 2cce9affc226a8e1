"""Answers kept line by line."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from clinfo.errors import RecordError, UsageError
from pubmedrs.build.store import Ledger, write_lines, write_whole


def test_what_is_kept_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with closing(Ledger(path)) as ledger:
        ledger.add({"1": {"x": "Größe\u2028 ≥ 3"}, "2": None})
        assert ledger.get("1") == {"x": "Größe\u2028 ≥ 3"}
    with closing(Ledger(path)) as ledger:
        assert ("1" in ledger, "3" in ledger, len(ledger)) == (True, False, 2)
        assert ledger.get("2") is None
        ledger.add({"3": [1]})
        assert (ledger.get("1"), ledger.get("3")) == ({"x": "Größe\u2028 ≥ 3"}, [1])
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_line_cut_off_by_a_crash_is_taken_away(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.jsonl"
    with closing(Ledger(path)) as ledger:
        ledger.add({"1": "one", "2": "a longer answer"})
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with closing(Ledger(path)) as ledger:
        assert ("1" in ledger, "2" in ledger) == (True, False)
        ledger.add({"2": "a longer answer"})
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line", ["not json", '{"answer":2}', '{"key":"2"}', '{"key":{},"answer":2}', "[]", "\0"]
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"key":"1","answer":2}}\n{line}\n')
    with pytest.raises(RecordError, match=r"a\.jsonl: line 2 is damaged"):
        Ledger(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be opened"):
        Ledger(tmp_path)
    with pytest.raises(UsageError, match="cannot be written"):
        write_whole(tmp_path / "missing" / "b.txt", "x")


def test_a_file_is_whole_or_as_before(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    write_lines(path, [{"a": 1}])

    def rows() -> object:
        yield {"a": 2}
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_lines(path, rows())  # type: ignore[arg-type]
    assert path.read_bytes() == b'{"a":1}\n'
    assert [child.name for child in tmp_path.iterdir()] == ["b.jsonl"]
