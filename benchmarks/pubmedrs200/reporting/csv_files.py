"""Tables as CSV: numbers in full, text that spreadsheets do not run."""

from __future__ import annotations

import csv
import io

from benchmarks.pubmedrs200.reporting.printable import one_line
from benchmarks.pubmedrs200.reporting.tables import Cell, Row, Table


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
