"""Risk scores as tables of items, each with its evidence in the record or told to be missing.

The items and points stand in ``risk_scores.json`` with their sources: concepts, words, medicines in
use, the newest value of a measure, age, sex. No formula is evaluated. An item that the record does
not settle leaves a range: at least so many points, at most so many. What a note has counts even
where another of its day denies it ("no acute stroke"); "no history of" contradicts it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Record
from clinfo.patients.risk_evidence import Evidence
from clinfo.patients.risk_evidence import Item as Item

TABLE = Path(__file__).with_name("risk_scores.json")


@dataclass(frozen=True, slots=True)
class Score:
    """A score of one record. ``least`` and ``most`` differ unless the record settles every item."""

    name: str
    use: str
    source: str
    items: tuple[Item, ...]

    @property
    def least(self) -> int:
        """The points that are evidenced."""
        return sum(item.least for item in self.items)

    @property
    def most(self) -> int:
        """The points if all that is not settled were so."""
        return sum(item.most for item in self.items)

    @property
    def open(self) -> tuple[str, ...]:
        """The names of the items that the record does not settle."""
        return tuple(item.name for item in self.items if item.least != item.most)

    def __str__(self) -> str:
        if not self.open:
            return f"{self.name} {self.least}"
        missing = "; ".join(self.open)
        return f"{self.name} at least {self.least}, at most {self.most} (not settled: {missing})"


def names() -> tuple[str, ...]:
    """The scores that are known."""
    return tuple(_table())


def score(
    name: str,
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
    as_of: date,
) -> Score:
    """A score of a record as it stood on a day; notes without a day count.

    ``mentions`` are those of the record's notes, by id. Raises UsageError where no such score is
    known.
    """
    if name not in _table():
        raise UsageError(f"no risk score is called {name!r}; known are {', '.join(names())}")
    told = _table()[name]
    until = as_of.isoformat()
    known = replace(
        record,
        notes=tuple(note for note in record.notes if note.time[:10] <= until),
        entries=tuple(entry for entry in record.entries if entry.start[:10] <= until),
    )
    of = Evidence(known, mentions, read, as_of)
    items = tuple(of.item(row) for row in told["items"])
    return Score(name, told["for"], told["source"], items)


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table
