"""Tables as values, before any format: what a cell shows, what it is worth, and what stands under the table."""

from __future__ import annotations

from dataclasses import dataclass

NOT_COMPUTED = "not computed"
NOT_VALIDATED = "not validated"


@dataclass(frozen=True)
class Cell:
    """One cell: ``text`` is shown; ``value`` and ``sd`` are the exact numbers behind it, None where it is words.

    ``mark`` is a remark that is part of the cell ("not validated"), ``best`` sets it in bold, ``link`` is an anchor in the page.
    """

    text: str
    value: float | None = None
    sd: float | None = None
    mark: str = ""
    best: bool = False
    link: str = ""


@dataclass(frozen=True)
class Column:
    """``better`` says which direction is good ("higher", "lower", "neither"), ``key`` names the column in CSV files."""

    key: str
    title: str
    better: str = "neither"


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
    """``key`` names files and anchors; ``stub`` heads the column of the rows' titles; ``notes`` stand under the table."""

    key: str
    title: str
    caption: str
    stub: str
    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, whatever their group."""
        return tuple(row for group in self.groups for row in group.rows)


def words(*texts: str) -> tuple[Cell, ...]:
    """Cells that hold nothing but text."""
    return tuple(Cell(text) for text in texts)


def grouped(rows: list[tuple[str, Row]]) -> tuple[Group, ...]:
    """Rows with the title of their group, as groups in the order of first appearance."""
    groups: dict[str, list[Row]] = {}
    for title, row in rows:
        groups.setdefault(title, []).append(row)
    return tuple(Group(title, tuple(rows)) for title, rows in groups.items())
