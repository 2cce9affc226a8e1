"""Files of predictions: JSON lines {"id", "system", "prediction", "reference", "source"?, "failed"?}, with every fault named by
its line.

A prediction of nothing but blanks means that the question went unanswered, which is no fault; `"failed": true` beside it, that a
crash or an outage kept the system from answering.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Final

from clinfo.errors import UsageError

LISTED: Final = 50
"""Faults that are listed; of the others only how many there are is said."""
_NEEDED: Final = ("id", "system", "prediction", "reference")
_NULLS: Final = frozenset(("nan", "none", "null", "<na>"))
_KINDS: Final = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}


@dataclass(frozen=True)
class Prediction:
    """What one system wrote on one question, what it should have written, and the review's text where it is known.

    ``failed`` says that the system broke down rather than abstained. ``file`` and ``line`` (from 1) say where it was read; two
    predictions are equal whatever their places.
    """

    id: str
    system: str
    prediction: str
    reference: str
    source: str | None = None
    failed: bool = False
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def answered(self) -> bool:
        return bool(self.prediction.strip())


@dataclass(frozen=True)
class LineFault:
    """Something wrong in a line of a file; line 0 stands for the file as a whole."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.what}" if self.line else f"{self.file}: {self.what}"


@dataclass(frozen=True)
class PredictionFile:
    """A file as it was read. ``named`` are (id, system, line) of all lines that say both, faulty ones included; ``remarks`` are
    oddities that do not keep a row from being scored."""

    rows: tuple[Prediction, ...]
    faults: tuple[LineFault, ...]
    named: tuple[tuple[str, str, int], ...]
    remarks: tuple[LineFault, ...] = ()


class FaultyPredictions(UsageError):
    """Predictions that cannot be scored as they are; ``faults`` are all that is wrong with them."""

    def __init__(self, faults: Sequence[LineFault]) -> None:
        count = f"{len(faults):,} fault{'s' if len(faults) != 1 else ''}"
        super().__init__(f"{count} in the predictions; nothing was scored and nothing written")
        self.faults = tuple(faults)

    def listing(self) -> list[str]:
        """A line each for the first `LISTED` faults, then how many more there are."""
        shown = [str(fault) for fault in self.faults[:LISTED]]
        left = len(self.faults) - len(shown)
        return [*shown, *([f"… and {left:,} more"] if left else [])]


def read(path: Path) -> PredictionFile:
    """All rows of a file that can be used, and all faults. Raises UsageError where the file cannot be opened."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"the file {path} cannot be read: {error.strerror or 'unknown'}") from None
    name = str(path)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return PredictionFile((), (LineFault(name, 0, "is UTF-16; predictions are read as UTF-8"),), ())
    if other := _other_format(path, content.removeprefix(b"\xef\xbb\xbf").strip()):
        return PredictionFile((), (LineFault(name, 0, f"is {other}; predictions are one JSON object a line"),), ())
    rows: list[Prediction] = []
    faults: list[LineFault] = []
    remarks: list[LineFault] = []
    named: list[tuple[str, str, int]] = []
    for number, raw in _lines(content):
        form, wrong = _form(raw)
        wrong = wrong or list(_wrong(form))
        faults += [LineFault(name, number, what) for what in wrong]
        if all(isinstance(form.get(key), str) for key in ("id", "system")):
            named.append((form["id"], form["system"], number))
        if not wrong:
            id, system, prediction, reference = (form[key] for key in _NEEDED)
            rows.append(Prediction(id, system, prediction, reference, form.get("source"), form.get("failed", False), name, number))
            remarks += [
                LineFault(name, number, f"“{key}” is the word {form[key].strip()}, which is scored as text")
                for key in ("prediction", "reference")
                if form[key].strip().casefold() in _NULLS
            ]
    if not rows and not faults:
        faults.append(LineFault(name, 0, "holds no predictions"))
    return PredictionFile(tuple(rows), tuple(faults), tuple(named), tuple(remarks))


def duplicates(files: Iterable[tuple[str, PredictionFile]]) -> Iterator[LineFault]:
    """A fault for each line that says again what an earlier line of any of the (name, file) said: the same id and system."""
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    for name, file in files:
        for id, system, line in file.named:
            first, at = seen.setdefault((id, system), (name, line))
            if (first, at) != (name, line):
                where = f"line {at}" if first == name else f"{first}, line {at}"
                yield LineFault(name, line, f"duplicate of {where}: id {_shown(id)} of system {_shown(system)}")


def _other_format(path: Path, content: bytes) -> str:
    """What a file is that as a whole is no JSON lines, "" where it may be."""
    if content.startswith(b"[") and content.endswith(b"]") and b"{" in content:
        return "a JSON array"
    if content.startswith(b"{") and not content.partition(b"\n")[0].strip(b"{ \t\r"):
        return "JSON over several lines"
    separated = path.suffix.lower() in (".csv", ".tsv") and not content.startswith(b"{")
    return "a table (CSV)" if separated and content else ""


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """(number from 1, bytes) of lines that are not blank, without a byte order mark."""
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            yield number, line.removesuffix(b"\r")


class _NotJson(ValueError):
    pass


def _form(raw: bytes) -> tuple[dict[str, Any], list[str]]:
    """The object that a line holds, or what is wrong with the line as a whole."""
    try:
        form = json.loads(raw.decode("utf-8"), parse_constant=_constant, parse_int=_Number, object_pairs_hook=_pairs)
    except UnicodeDecodeError as error:
        return {}, [f"invalid UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start} of the line ({error.reason})"]
    except _NotJson as error:
        return {}, [str(error)]
    except RecursionError:
        return {}, ["not JSON that can be read: nested too deep"]
    except json.JSONDecodeError as error:
        return {}, [f"not JSON: {error.msg} at column {error.colno}"]
    return (form, []) if isinstance(form, dict) else ({}, [f"not a JSON object but {_kind(form)}"])


class _Number(int):
    """A whole number of a file; its digits are never looked at, since there may be more than Python converts."""

    def __new__(cls, digits: str) -> _Number:
        return super().__new__(cls, 0)


def _constant(name: str) -> float:
    return float(name.replace("Infinity", "inf"))


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    form = dict(pairs)
    if len(form) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _NotJson(f"the field {_shown(next(key for key in keys if keys.count(key) > 1))} stands twice in one object")
    return form


def _wrong(form: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the fields of an object."""
    for key in _NEEDED:
        if key not in form:
            yield f"the field “{key}” is missing"
        elif not isinstance(form[key], str):
            yield f"“{key}” must be text, not {_kind(form[key])}"
        elif _lone(form[key]):
            yield f"“{key}” holds half of a surrogate pair, which is no character"
        elif key == "reference" and not form[key].strip():
            yield "“reference” is empty"
        elif key in ("id", "system") and (what := _unfit(form[key])):
            yield f"“{key}” {what}"
    source = form.get("source")
    if source is not None and not isinstance(source, str):
        yield f"“source” must be text, not {_kind(source)}"
    elif source is not None and _lone(source):
        yield "“source” holds half of a surrogate pair, which is no character"
    failed = form.get("failed", False)
    if not isinstance(failed, bool):
        yield f"“failed” must be true or false, not {_kind(failed)}"
    elif failed and isinstance(prediction := form.get("prediction"), str) and prediction.strip():
        yield "“failed” is true, and yet there is a prediction"
    for key, value in form.items():
        if key not in (*_NEEDED, "source", "failed") and (number := _no_number(value)) is not None:
            yield f"the field {_shown(key)} holds {_kind(number)}, which is not JSON"


def _no_number(value: Any) -> float | None:
    """A number that JSON cannot hold, from anywhere in a value."""
    if isinstance(value, float):
        return None if isfinite(value) else value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for one in inner if (found := _no_number(one)) is not None), None)


def _unfit(name: str) -> str:
    if not name.strip():
        return "is empty"
    if name != name.strip():
        return "has blanks around it"
    return "" if name.isprintable() else "holds a line break or another control character"


def _lone(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if value != value else "an infinite number"
    return next(name for kind, name in _KINDS.items() if isinstance(value, kind))


def _shown(text: str) -> str:
    """A name from outside, short enough for a line."""
    return f"“{text[:60]}{'…' if len(text) > 60 else ''}”"
