"""JSON lines in and out: the form of files that commands read row by row."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TextIO

from clinfo.errors import UsageError


def read(file: str, needed: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where it stands, the object) of each line that is not blank; "-" is standard input.

    Raises UsageError for a file that cannot be read, and for the first line that is no object or lacks a ``needed`` field;
    the rows before it have been handed out by then.
    """
    name = "standard input" if file == "-" else file
    try:
        if file == "-":
            if sys.stdin is None:
                raise UsageError("- reads standard input, which is closed")
            yield from _lines(sys.stdin, name, needed)
        else:
            with Path(file).open(encoding="utf-8-sig") as stream:
                yield from _lines(stream, name, needed)
    except UnicodeError:
        raise UsageError(f"the file {name} cannot be read: it is not text in UTF-8") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"the file {name} cannot be read: {getattr(error, 'strerror', None) or 'unknown'}") from None


def _lines(stream: TextIO, name: str, needed: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(stream, 1):
        if not line.strip():
            continue
        place = f"line {number} of {name}"
        try:
            form = json.loads(line)
        except (ValueError, RecursionError):
            raise UsageError(f"{place} is not JSON") from None
        if not isinstance(form, dict):
            raise UsageError(f"{place} is not a JSON object")
        if missing := [field for field in sorted(needed) if field not in form]:
            raise UsageError(f"{place} lacks the field “{missing[0]}”")
        yield place, form


def write(form: dict[str, Any]) -> None:
    """One line of JSON on stdout."""
    print(json.dumps(form, ensure_ascii=False))
