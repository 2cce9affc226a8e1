"""Files of a build: answers as they arrive, and finished files, complete or absent."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clinfo.errors import RecordError
from clinfo.files import file_errors, sync_folder, whole_file


class Ledger:
    """Answers by key in an SQLite file; what is added is on the disk when `add` returns. Raises
    RecordError where the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._errors():
            self._connection = sqlite3.connect(path)
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL)"
            )

    def __contains__(self, key: str) -> bool:
        return self._row(key) is not None

    def get(self, key: str) -> Any:
        """The answer under ``key``. Raises KeyError."""
        if (row := self._row(key)) is None:
            raise KeyError(key)
        return json.loads(row[0])

    def add(self, answers: Mapping[str, Any]) -> None:
        """Keep these answers, all of them or none."""
        rows = [(key, json.dumps(answer)) for key, answer in answers.items()]
        with self._errors(), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _row(self, key: str) -> tuple[str] | None:
        with self._errors():
            found: tuple[str] | None = self._connection.execute(
                "SELECT answer FROM answers WHERE key = ?", (key,)
            ).fetchone()
        return found

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise RecordError(
                f"{self._path.name} cannot be used ({error}); remove it to ask again"
            ) from error


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """A JSONL file of ``rows``, complete on the disk or as it was before. Raises UsageError where
    it cannot be written.
    """
    write_whole(path, "".join(_line(row).decode() for row in rows))


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """A JSON file for people to read too, complete on the disk or as it was before. Raises
    UsageError.
    """
    write_whole(
        path,
        (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode(errors="replace").decode(),
    )


def write_whole(path: Path, text: str) -> None:
    """A file of this text, complete on the disk or as it was before. Raises UsageError where it
    cannot be written.
    """
    with file_errors(f"{path.name} cannot be written"):
        with whole_file(path) as file:
            file.write(text)
        sync_folder(path.parent)


def _line(value: Mapping[str, Any]) -> bytes:
    # Line separators beyond the line feed are escaped, so that every reader sees the same lines.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for mark in ("\x85", "\u2028", "\u2029"):
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text.encode(errors="replace") + b"\n"
