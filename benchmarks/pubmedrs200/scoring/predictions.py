"""Files of predictions: JSON lines {"id", "system", "prediction", "reference", "source"?,
"failed"?}, with every fault named by its line.

A prediction of nothing but blanks means that the question went unanswered, which is not a fault;
`"failed": true` beside it, that a crash or an outage kept the system from answering.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from clinfo.errors import UsageError

LISTED: Final = 50
"""Faults that are listed; of the others only how many there are is said."""
NEEDED: Final = ("id", "system", "prediction", "reference")


@dataclass(frozen=True)
class Prediction:
    """The output of one system for one question, the reference answer, and the review's text where
    it is known. ``failed`` says that the system broke down rather than abstained.
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

    @property
    def where(self) -> str:
        return f"{self.file}, line {self.line}"


class FaultyPredictions(UsageError):
    """Predictions that cannot be scored as they are; ``faults`` are all that is wrong with them."""

    def __init__(self, faults: Sequence[str]) -> None:
        count = f"{len(faults):,} fault{'s' if len(faults) != 1 else ''}"
        super().__init__(f"{count} in the predictions; nothing was scored and nothing written")
        self.faults = tuple(faults)

    def listing(self) -> list[str]:
        """The first `LISTED` faults, then how many more there are."""
        left = len(self.faults) - LISTED
        return [*self.faults[:LISTED], *([f"… and {left:,} more"] if left > 0 else [])]


def read(path: Path) -> tuple[list[Prediction], list[str]]:
    """All rows of a file that can be used, and all faults. Raises UsageError where the file cannot
    be read. Texts that several rows have in common, as references and sources are, are held once.
    """
    rows: list[Prediction] = []
    faults: list[str] = []
    texts: dict[str, str] = {}
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
                if not line.strip():
                    continue
                form, wrong = _form(line)
                faults += [f"{path}, line {number}: {what}" for what in wrong]
                if not wrong:
                    one: dict[str, Any] = {
                        key: texts.setdefault(value, value) if isinstance(value, str) else value
                        for key in (*NEEDED, "source", "failed")
                        if (value := form.get(key)) is not None
                    }
                    rows.append(Prediction(**one, file=str(path), line=number))
    except OSError as error:
        raise UsageError(f"the file {path} cannot be read: {error.strerror or 'unknown'}") from None
    if not rows and not faults:
        faults.append(f"{path}: holds no predictions")
    return rows, faults


def duplicates(rows: Sequence[Prediction]) -> Iterator[str]:
    """A fault for each row that says again what an earlier one said: the same id and system."""
    seen: dict[tuple[str, str], Prediction] = {}
    for row in rows:
        if (first := seen.setdefault((row.id, row.system), row)) is not row:
            yield f"{row.where}: duplicate of {first.where}: id {row.id[:60]} of {row.system[:60]}"


def _form(raw: bytes) -> tuple[dict[str, Any], list[str]]:
    """The object that a line holds, and all that is wrong with the line or its fields."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(form := dict(pairs)) < len(pairs):
            raise ValueError("a field stands twice in one object")
        return form

    def no_number(name: str) -> float:
        raise ValueError(f"{name} is not JSON")

    try:
        form = json.loads(
            raw.decode("utf-8"), parse_constant=no_number, parse_int=str, object_pairs_hook=once
        )
    except UnicodeDecodeError as error:
        return {}, [f"invalid UTF-8 at offset {error.start} of the line ({error.reason})"]
    except ValueError as error:
        return {}, [f"not JSON: {str(error)[:200]}"]
    except RecursionError:
        return {}, ["not JSON that can be read: nested too deep"]
    if not isinstance(form, dict):
        return {}, ["not a JSON object; predictions are one JSON object a line"]
    return form, list(_wrong(form))


def _wrong(form: dict[str, Any]) -> Iterator[str]:
    for key in (*NEEDED, *(["source"] if form.get("source") is not None else [])):
        value = form.get(key)
        if key not in form:
            yield f"the field “{key}” is missing"
        elif not isinstance(value, str):
            yield f"“{key}” must be text"
        elif any("\ud800" <= character <= "\udfff" for character in value):
            yield f"“{key}” holds half of a surrogate pair, which is not a character"
        elif key in ("id", "system") and not value.strip():
            yield f"“{key}” is empty"
        elif key in ("id", "system") and (value != value.strip() or not value.isprintable()):
            yield f"“{key}” has blanks around it or holds a control character"
    failed = form.get("failed", False)
    if not isinstance(failed, bool):
        yield "“failed” must be true or false"
    elif failed and str(form.get("prediction")).strip():
        yield "“failed” is true, and yet there is a prediction"
