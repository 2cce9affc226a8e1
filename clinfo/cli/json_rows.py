"""JSON lines in and out: the form of files that commands read row by row."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Collection, Iterator
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TextIO

from clinfo.console import streams
from clinfo.errors import UsageError


def read(file: str, needed: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where it stands, the object) of each line that is not blank; "-" is standard input.

    Raises UsageError for a file that cannot be read, and for the first line that is not an object
    or lacks a ``needed`` field; the rows before it have been handed out by then.
    """
    name = "standard input" if file == "-" else file
    try:
        if file == "-":
            if sys.stdin is None:
                raise UsageError("- reads from standard input, which is closed")
            # In UTF-8 whatever the machine's own encoding: offsets are code points of the text as
            # it was written.
            yield from _lines(
                io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig"), name, needed
            )
        else:
            with Path(file).open(encoding="utf-8-sig") as stream:
                yield from _lines(stream, name, needed)
    except UnicodeError:
        raise UsageError(f"the file {name} cannot be read: it is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the file {name} cannot be read: {getattr(error, 'strerror', None) or 'unknown'}"
        ) from None


def _lines(
    stream: TextIO, name: str, needed: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(stream, 1):
        if not line.strip():
            continue
        place = f"line {number} of {name}"
        try:
            form = json.loads(line, parse_constant=_no_number, parse_float=_number)
        except _NoNumber as error:
            raise UsageError(f"{place} is not JSON: {error} is not a JSON number") from None
        except (ValueError, RecursionError):
            raise UsageError(f"{place} is not JSON") from None
        if not isinstance(form, dict):
            raise UsageError(f"{place} is not a JSON object")
        if missing := [field for field in sorted(needed) if field not in form]:
            raise UsageError(f"{place} has no field “{missing[0]}”")
        yield place, form


class _NoNumber(ValueError):
    """A number that JSON cannot hold, so that it could not be written back."""


def _no_number(name: str) -> NoReturn:
    raise _NoNumber(name)


def _number(digits: str) -> float:
    number = float(digits)
    return number if isfinite(number) else _no_number(digits[:20])


def write(form: dict[str, Any]) -> None:
    """One line of JSON on stdout, at once: who reads a pipe sees each answer, and no later line
    takes an earlier one with it.

    What UTF-8 cannot hold (half of a surrogate pair in an id) is written as JSON escapes it, so
    that every id comes back as it was.
    """
    line = json.dumps(form, ensure_ascii=False, allow_nan=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        line = json.dumps(form)
    streams.write(line + "\n")
