"""Tables as values, before any format: what a cell shows, what it is worth, and what stands under
the table; numbers and texts as they are written in them; and CSV.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

_UNPRINTABLE: Final = re.compile(
    # what formats cannot hold
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\u202a-\u202e\u2066-\u2069]"  # what turns the direction of the text that follows
)


def printable(text: str) -> str:
    """The text with what XML, HTML or UTF-8 cannot hold, and what turns the direction of writing,
    replaced by U+FFFD.
    """
    return _UNPRINTABLE.sub("�", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Printable text with every run of white space as one space."""
    return " ".join(printable(text).split())


def decimals(low: float | None, high: float | None) -> int:
    """Return how many decimals a metric is written with: three where it stays within −1…1, else
    one.
    """
    if low is not None and high is not None and max(abs(low), abs(high)) <= 1:
        return 3
    return 1


def fixed(value: float, places: int) -> str:
    """A number with a fixed count of decimals, thousands apart, with a true minus sign and without
    a negative zero.
    """
    text = f"{value:,.{places}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def counted(count: int, one: str, more: str = "") -> str:
    """A count with its noun, "1 answer" or "2 answers"; ``more`` is the plural where it is not
    ``one`` with an s.
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def with_sd(mean: float, sd: float | None, places: int) -> str:
    """``mean (sd)``, or the mean alone."""
    return fixed(mean, places) + (f" ({fixed(sd, places)})" if sd is not None else "")


def probability(p: float) -> str:
    """A p value: three decimals, and no smaller than "< 0.001"."""
    return "< 0.001" if p < 0.001 else fixed(p, 3)


NOT_COMPUTED = "not computed"
NOT_VALIDATED = "not validated"
ARROWS = "↑ higher is better, ↓ lower is better; without an arrow neither is."


@dataclass(frozen=True)
class Cell:
    """One cell: ``text`` is shown; ``value`` and ``sd`` are the exact numbers behind it, None where
    it is words.

    ``mark`` is a remark that is part of the cell ("not validated"), ``best`` sets it in bold,
    ``link`` is an anchor in the page. ``full`` is what files for other programs hold where ``text``
    points to another row.
    """

    text: str
    value: float | None = None
    sd: float | None = None
    mark: str = ""
    best: bool = False
    link: str = ""
    full: str = ""


@dataclass(frozen=True)
class Column:
    """``better`` says which direction is good ("higher", "lower", "neither"), ``key`` names the
    column in CSV files.
    """

    key: str
    title: str
    better: str = "neither"

    @property
    def heading(self) -> str:
        """The title with an arrow that points to the better values, where one direction is
        better.
        """
        return self.title + {"higher": " ↑", "lower": " ↓"}.get(self.better, "")


@dataclass(frozen=True)
class Row:
    """``printed`` rows hold values that others published and that nobody computed here."""

    title: str
    cells: tuple[Cell, ...]
    label: str = ""
    printed: bool = False


@dataclass(frozen=True)
class Group:
    """Rows under a heading; "" for none."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Table:
    """``key`` names files and anchors; ``stub`` heads the column of the rows' titles; ``notes``
    stand under the table.
    """

    key: str
    title: str
    caption: str
    stub: str
    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()

    @property
    def under_title(self) -> str:
        """The caption for where the title stands above it already."""
        rest = self.caption.removeprefix(self.title).lstrip(".,:; ")
        return rest[:1].upper() + rest[1:] if rest else self.caption

    @property
    def shown_notes(self) -> tuple[str, ...]:
        """The notes, the arrows of the headings explained first."""
        return (
            (ARROWS,) if any(column.heading != column.title for column in self.columns) else ()
        ) + self.notes

    def only(self, places: Sequence[int]) -> Table:
        """The table with the columns at these places."""

        def cut(row: Row) -> Row:
            return replace(row, cells=tuple(row.cells[place] for place in places))

        groups = tuple(replace(one, rows=tuple(map(cut, one.rows))) for one in self.groups)
        return replace(self, columns=tuple(self.columns[place] for place in places), groups=groups)

    def numeric(self, place: int) -> bool:
        """Return whether a column is one of numbers, be it that none is known."""
        cells = [row.cells[place] for row in self.rows]
        known = any(cell.value is not None for cell in cells) or all(
            cell.text == NOT_COMPUTED for cell in cells
        )
        return self.columns[place].better != "neither" or known

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, whatever their group."""
        return tuple(row for group in self.groups for row in group.rows)


def unbroken(heading: str) -> str:
    """A heading whose arrow stands on no line of its own."""
    return heading.replace(" ↑", "\u00a0↑").replace(" ↓", "\u00a0↓")


def grouped(rows: list[tuple[str, Row]]) -> tuple[Group, ...]:
    """Rows with the title of their group, as groups in the order of first appearance."""
    groups: dict[str, list[Row]] = {}
    for title, row in rows:
        groups.setdefault(title, []).append(row)
    return tuple(Group(title, tuple(rows)) for title, rows in groups.items())


def table_csv(table: Table) -> str:
    """Columns: group, system, label, whether the value is printed elsewhere, then each column; one
    with deviations has a second, ``KEY_sd``, one with remarks a third, ``KEY_remark``. Numbers are
    exact; where there is none the words stand in their place."""
    spread = [
        any(row.cells[place].sd is not None for row in table.rows)
        for place in range(len(table.columns))
    ]
    marked = [
        any(row.cells[place].mark for row in table.rows) for place in range(len(table.columns))
    ]
    header = ["group", "system", "label", "printed"]
    for column, sd, mark in zip(table.columns, spread, marked, strict=True):
        header += [
            column.key,
            *([f"{column.key}_sd"] if sd else []),
            *([f"{column.key}_remark"] if mark else []),
        ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for group in table.groups:
        for row in group.rows:
            writer.writerow(_line(group.title, row, spread, marked))
    return text.getvalue()


def _line(group: str, row: Row, spread: list[bool], marked: list[bool]) -> list[str]:
    line = [
        harmless(group),
        harmless(row.title),
        harmless(row.label),
        "yes" if row.printed else "no",
    ]
    for cell, sd, mark in zip(row.cells, spread, marked, strict=True):
        line += [
            _value(cell),
            *([_number(cell.sd)] if sd else []),
            *([harmless(cell.mark)] if mark else []),
        ]
    return line


def _value(cell: Cell) -> str:
    return harmless(cell.full or cell.text) if cell.value is None else _number(cell.value)


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def harmless(text: str) -> str:
    """One line of text that a spreadsheet does not take for a formula: an apostrophe stands before
    what could start one.
    """
    line = one_line(text)
    return "'" + line if line.startswith(("=", "+", "-", "@")) else line
