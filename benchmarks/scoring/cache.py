"""Values that were computed already, in a file beside the output, so that scoring goes on where it was stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import TextIO

from clinfo.errors import UsageError

Values = Mapping[str, list[float]]


class ScoreCache:
    """Values of batches by key. Each is appended at once; a line that a kill cut off is forgotten."""

    def __init__(self, path: Path, fresh: bool = False) -> None:
        """Raises UsageError where the file cannot be read or written."""
        self.path = path
        self._known: dict[str, Values] = {}
        self._file: TextIO | None = None
        try:
            content = path.read_bytes() if path.exists() and not fresh else b""
            whole = content[: content.rfind(b"\n") + 1]
            for line in whole.splitlines():
                self._take(line)
            if fresh or len(whole) < len(content):
                self._replace(whole)
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or 'unknown'}") from None

    def __enter__(self) -> ScoreCache:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    def get(self, key: str) -> Values | None:
        """Values by metric, in the order of the batch."""
        return self._known.get(key)

    def put(self, key: str, values: Values) -> None:
        """Keep the values of a batch, in the file too."""
        self._known[key] = values
        if self._file is not None:
            self._file.write(_line(key, values))

    def flush(self) -> None:
        """Hand what was kept to the operating system: from here on a kill does not lose it."""
        if self._file is not None:
            self._file.flush()

    def settle(self, keys: Collection[str]) -> None:
        """Leave only what ``keys`` name, sorted: the same bytes however often the work was interrupted."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._replace("".join(_line(key, self._known[key]) for key in sorted(keys)).encode())

    def _take(self, line: bytes) -> None:
        try:
            form = json.loads(line)
            values = {name: [float(value) for value in listed] for name, listed in form["values"].items()}
            if all(isfinite(value) for listed in values.values() for value in listed):
                self._known[str(form["key"])] = values
        except (ValueError, TypeError, KeyError, AttributeError):
            return  # damaged: it is computed again

    def _replace(self, content: bytes) -> None:
        new = self.path.with_name(self.path.name + ".new")
        new.write_bytes(content)
        os.replace(new, self.path)


def _line(key: str, values: Values) -> str:
    return json.dumps({"key": key, "values": {name: list(listed) for name, listed in values.items()}}, allow_nan=False) + "\n"
