"""Tables and the whole report as Markdown."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.pubmedrs200.reporting.printable import one_line
from benchmarks.pubmedrs200.reporting.tables import Cell, Row, Table

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>()#|~$!&])")


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line; numbers and plain words stay readable."""
    return re.sub(r"\\([()])", r"\1", _SPECIAL.sub(r"\\\1", one_line(text)))


def table_text(table: Table) -> str:
    """One table with its caption and notes. Groups are rows of their own, in bold."""
    width = len(table.columns) + 1
    lines = [f"### {escaped(table.title)}", "", escaped(table.under_title), ""]
    if table.rows:
        lines.append(
            _line([escaped(table.stub), *(escaped(column.heading) for column in table.columns)])
        )
        lines.append(
            _line(
                [
                    "---",
                    *(
                        "---:" if table.numeric(place) else "---"
                        for place in range(len(table.columns))
                    ),
                ]
            )
        )
        for group in table.groups:
            if group.title:
                lines.append(_line([f"**{escaped(group.title)}**", *[""] * (width - 1)]))
            lines += [_row(table, row) for row in group.rows]
        lines.append("")
    lines += [f"- {escaped(note)}" for note in table.shown_notes]
    return "\n".join(lines) + "\n"


def _row(table: Table, row: Row) -> str:
    return _line(
        [
            escaped(row.title),
            *(_cell(cell, row.printed, table.numeric(at)) for at, cell in enumerate(row.cells)),
        ]
    )


def _cell(cell: Cell, printed: bool, numeric: bool) -> str:
    """Words in a number's place are in italics, as are printed values."""
    text = escaped(cell.text)
    if cell.best:
        text = f"**{text}**"
    elif printed or (numeric and cell.value is None):
        text = f"*{text}*" if text else text
    return f"{text}, *{escaped(cell.mark)}*" if cell.mark else text


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
