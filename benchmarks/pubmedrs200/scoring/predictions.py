"""Files of predictions: JSON lines {"id", "system", "prediction", "reference", "source"?,
"failed"?}, with every fault named by its line.

A prediction of nothing but blanks means that the question went unanswered, which is not a fault;
`"failed": true` beside it, that a crash or an outage kept the system from answering.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import msgspec

from clinfo.errors import UsageError
from clinfo.files import file_errors

LISTED: Final = 50
"""Faults that are listed; of the others only how many there are is said."""


@dataclass(frozen=True)
class Prediction:
    """The output of one system for one question, the reference answer, and the review's text where
    it is known. ``failed`` says that the system broke down rather than abstained; ``where`` is
    its file and line.
    """

    id: str
    system: str
    prediction: str
    reference: str
    source: str | None = None
    failed: bool = False
    where: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in (self.id, self.system):
            if not name.strip() or name != name.strip() or not name.isprintable():
                wrong = "is empty, has blanks around it or holds a control character"
                raise ValueError(f"the id or system {name[:40]!r} {wrong}")
        if self.failed and self.answered:
            raise ValueError("“failed” is true, and yet there is a prediction")

    @property
    def answered(self) -> bool:
        return bool(self.prediction.strip())


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
    """All rows of a file that can be used, and a fault for each line that cannot. Raises UsageError
    where the file cannot be read. Texts that several rows have in common, as references and sources
    are, are held once.
    """
    rows: list[Prediction] = []
    faults: list[str] = []
    texts: dict[str, str] = {}
    with file_errors(f"the file {path} cannot be read"), path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if not line.strip():
                continue
            where = f"{path}, line {number}"
            try:
                row = msgspec.json.decode(line, type=Prediction)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                faults.append(f"{where}: {error}")
                continue
            shared = texts.setdefault(row.reference, row.reference)
            source = texts.setdefault(row.source, row.source) if row.source is not None else None
            rows.append(replace(row, reference=shared, source=source, where=where))
    if not rows and not faults:
        faults.append(f"{path}: holds no predictions")
    return rows, faults


def duplicates(rows: Sequence[Prediction]) -> Iterator[str]:
    """A fault for each row that says again what an earlier one said: the same id and system."""
    seen: dict[tuple[str, str], Prediction] = {}
    for row in rows:
        if (first := seen.setdefault((row.id, row.system), row)) is not row:
            yield f"{row.where}: duplicate of {first.where}: id {row.id[:60]} of {row.system[:60]}"
