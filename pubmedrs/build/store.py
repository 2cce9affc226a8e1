"""Files of a build: answers as they arrive, line by line, and finished files, complete or
absent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from clinfo.errors import RecordError
from clinfo.files import file_errors, sync_folder, whole_file


class Ledger:
    """Answers by key in a JSONL file that only grows. A line that a crash cut off is taken away on
    opening.

    Of lines read their place in the file is kept, not the text: a build may hold gigabytes. Raises
    UsageError where the file cannot be opened, RecordError where a line within it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        with file_errors(f"{path.name} cannot be opened"):
            self._stream = path.open("a+b")
            self._take_in()

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: str) -> Any:
        """The answer under ``key``. Raises KeyError."""
        start, end = self._places[key]
        self._stream.seek(start)
        return json.loads(self._stream.read(end - start))["answer"]

    def add(self, answers: Mapping[str, Any]) -> None:
        """Keep these answers; they are on the disk when this returns."""
        lines = [(key, _line({"key": key, "answer": answer})) for key, answer in answers.items()]
        self._stream.seek(0, os.SEEK_END)
        place = self._stream.tell()
        with file_errors(f"{self._path.name} cannot be written"):
            self._stream.write(b"".join(line for _, line in lines))
            self._stream.flush()
            os.fsync(self._stream.fileno())
        for key, line in lines:
            self._places[key] = (place, place + len(line))
            place += len(line)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _take_in(self) -> None:
        self._stream.seek(0)
        place = 0
        for number, line in enumerate(self._stream, 1):
            if not line.endswith(b"\n"):
                self._stream.truncate(place)
                return
            key = _key(line)
            if key is None:
                raise RecordError(
                    f"{self._path.name}: line {number} is damaged; remove the file to ask again"
                )
            self._places[key] = (place, place + len(line))
            place += len(line)


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


def _key(line: bytes) -> str | None:
    """The key of a line, None where it is damaged."""
    try:
        held = json.loads(line)
    except ValueError:
        return None
    key = held.get("key") if isinstance(held, dict) and "answer" in held else None
    return key if isinstance(key, str) else None


def _line(value: Mapping[str, Any]) -> bytes:
    # Line separators beyond the line feed are escaped, so that every reader sees the same lines.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for mark in ("\x85", "\u2028", "\u2029"):
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text.encode(errors="replace") + b"\n"
