"""Answers kept, and finished files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from clinfo.errors import RecordError, UsageError
from pubmedrs.build.store import Ledger, write_lines, write_whole


def test_what_is_kept_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(Ledger(path)) as ledger:
        ledger.add({"1": {"x": "Größe\u2028 ≥ 3 \ud800"}, "2": None})
        assert ledger.get("1") == {"x": "Größe\u2028 ≥ 3 \ud800"}
    with closing(Ledger(path)) as ledger:
        assert ("1" in ledger, "3" in ledger) == (True, False)
        assert ledger.get("2") is None
        with pytest.raises(KeyError):
            ledger.get("3")
        ledger.add({"3": [1]})
        assert (ledger.get("1")["x"][:5], ledger.get("3")) == ("Größe", [1])


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_text("no data base\n" * 100)
    with pytest.raises(RecordError, match=r"a\.sqlite cannot be used .*; remove it to ask again"):
        Ledger(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be used"):
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
