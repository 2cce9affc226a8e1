"""A table as rows under headings and columns under headers, with the values that stand there."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clinfo.evidence.arm_numbers.cells import CellValue, read_cell
from clinfo.evidence.arm_numbers.spans import label_columns, placed
from clinfo.lazy_dataclass import dataclass
from clinfo.retrieval.documents import Document, Table

_LETTERS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Entry:
    """A value at code points [start, end) of the document."""

    start: int
    end: int
    text: str
    value: CellValue


@dataclass(frozen=True)
class Row:
    """A row with values: its ``stub`` (the label's cells from the left), the ``heading`` rows it
    stands under, its values by column, and the ``headers`` of each column, from the top.

    ``goes_on`` where it has no label of its own and continues the row before.
    """

    number: int
    stub: tuple[str, ...]
    heading: str
    entries: Mapping[int, Entry]
    headers: Mapping[int, tuple[str, ...]]
    goes_on: bool

    @property
    def label(self) -> str:
        """The label in one piece."""
        return " ".join(part for part in self.stub if part)


@dataclass(frozen=True)
class Grid:
    """A table that was read: its rows with values, its caption and notes, and how many columns
    from the left hold labels.
    """

    caption: str
    notes: str
    rows: tuple[Row, ...]
    stubs: int


def read_grid(document: Document, table: Table) -> Grid:
    """The rows of a table's body that hold values."""
    text = document.text
    top, body = placed(text, table)
    header: dict[int, list[str]] = {}
    for line in top:
        stub = text[slice(*line[0])].strip() if 0 in line else ""
        for column, span in line.items():
            name = text[slice(*span)]
            named = stub and not _LETTERS.search(name) and _LETTERS.search(stub)
            header.setdefault(column, []).append(f"{stub} {name}" if named else name)
    stubs = label_columns(
        [{column: text[slice(*span)] for column, span in line.items()} for line in body]
    )
    headers = {column: tuple(dict.fromkeys(names)) for column, names in header.items()}
    rows: list[Row] = []
    heading: list[str] = []
    own: tuple[str, ...] = ("",) * stubs
    was_heading = False
    for number, line in enumerate(body):
        texts = {column: text[slice(*span)].strip() for column, span in line.items()}
        entries = {
            column: Entry(*line[column], written, value)
            for column, written in texts.items()
            if column >= stubs and (value := read_cell(written))
        }
        left = tuple(texts.get(column, "") for column in range(stubs))
        if not entries:
            told = {c: one for c, one in texts.items() if c >= stubs and _LETTERS.search(one)}
            if len(set(told.values())) > 1:
                headers = {
                    column: tuple(dict.fromkeys((*header.get(column, ()), told.get(column, ""))))
                    for column in {*header, *told}
                }
            elif any(left):
                label = " ".join(dict.fromkeys(part for part in left if part))
                heading = [*heading, label][-2:] if was_heading else [label]
                was_heading = True
            own = ("",) * stubs
            continue
        was_heading = False
        goes_on = not any(left)
        if goes_on:
            left = own
        else:
            first = next(place for place, part in enumerate(left) if part)
            left = (*own[:first], *left[first:])
        own = left
        rows.append(Row(number, left, ". ".join(heading), entries, headers, goes_on))
    caption, notes = (text[slice(*span)] for span in (table.caption, table.notes))
    return Grid(caption, notes, tuple(rows), stubs)
