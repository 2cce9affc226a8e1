"""Cells that a spreadsheet will not take for formulas."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED = re.compile(r"'+[=+\-@\t\r\n]")


def guard(cell: str) -> str:
    """The cell with an apostrophe before what a spreadsheet might run (=, +, -, @, tab, end of
    line); `unguard` takes it away.
    """
    return "'" + cell if _FORMULA.match(cell) else cell


def unguard(cell: str) -> str:
    """The cell as it was before `guard`; other cells are given back as they are."""
    return cell[1:] if _GUARDED.match(cell) else cell
