"""Tables as values, before any format: what a cell shows, what it is worth, and what stands under
the table.
"""

from __future__ import annotations

from dataclasses import dataclass

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
