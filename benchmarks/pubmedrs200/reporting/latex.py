"""Tables as LaTeX with booktabs, one file each, to be read with \\input, for a text 17 cm wide (A4
with margins of 2 cm).
"""

from __future__ import annotations

import re
import textwrap
from typing import Final

from benchmarks.pubmedrs200.reporting.printable import one_line
from benchmarks.pubmedrs200.reporting.tables import Cell, Row, Table, unbroken

_ESCAPES: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': r"\textquotedbl{}",
    "'": "'",
    "`": r"\textasciigrave{}",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    "§": r"\S{}",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "�": "?",
    "\u00a0": "~",
}
_NUMBER: Final = re.compile(r"^Table [0-9]+\. ")  # LaTeX numbers tables itself
WIDE: Final = 10
"""Characters of a column's title in one line."""
LONG: Final = 40
"""More rows than this go over several pages (longtable); more characters in a cell go over several
lines.
"""
NARROW: Final = 28
"""Characters of a row's title, or of a cell of words, in one line."""
MANY: Final = 4
"""With more columns of deviations than this, a deviation stands below its mean, and letters are
smaller.
"""


def escaped(text: str) -> str:
    """Text as LaTeX sets it literally. Letters outside ASCII stay as they are (UTF-8 is LaTeX's
    default since 2018).
    """
    return "".join(_ESCAPES.get(character, character) for character in one_line(text))


def table_latex(table: Table) -> str:
    """The table with caption, label ``tab:KEY`` and notes; needs the packages array, booktabs and,
    where long, longtable.

    A table without rows is its caption and notes as a paragraph.
    """
    head = (
        f"% {table.key}: needs \\usepackage{{array}}, \\usepackage{{booktabs}}, "
        "\\usepackage{longtable} and T1 font encoding\n"
    )
    caption, notes = (
        escaped(_NUMBER.sub("", table.caption)),
        [_broken(escaped(note)) for note in table.shown_notes],
    )
    if not table.rows:
        return (
            head
            + "{\\footnotesize\\sloppy\\noindent "
            + caption
            + "".join(f"\\par {note}" for note in notes)
            + "\\par}\n"
        )
    spec = _stub(table) + "".join(_column(table, place) for place in range(len(table.columns)))
    lines = _body(table)
    titles = _line([escaped(table.stub), *(_heading(column.heading) for column in table.columns)])
    size = (
        "\\scriptsize\\setlength{\\tabcolsep}{2pt}"
        if _stacked(table)
        else "\\footnotesize\\setlength{\\tabcolsep}{3pt}"
    )
    under = "".join(f"\\par {note}\n" for note in notes)
    if len(table.rows) > LONG:
        return (
            (
                f"{head}{{{size}\n\\begin{{longtable}}{{{spec}}}\n"
                f"\\caption{{{caption}}}\\label{{tab:{table.key}}}\\\\\n\\toprule\n{titles}\n"
                f"\\midrule\n\\endfirsthead\n\\toprule\n{titles}\n\\midrule\n\\endhead\n"
                "\\bottomrule\n"
                "\\endlastfoot\n"
            )
            + "\n".join(lines)
            + f"\n\\end{{longtable}}\n\\scriptsize\\sloppy\n{under}}}\n"
        )
    return (
        (
            f"{head}\\begin{{table}}[htbp]\n\\centering{size}\n"
            f"\\caption{{{caption}}}\\label{{tab:{table.key}}}\n"
            f"\\begin{{tabular}}{{{spec}}}\n\\toprule\n{titles}\n\\midrule\n"
        )
        + "\n".join(lines)
        + (
            "\n\\bottomrule\n\\end{tabular}\n\\par\\smallskip\n"
            "\\begin{minipage}{\\linewidth}\\scriptsize\\sloppy\n"
        )
        + f"{under}\\end{{minipage}}\n\\end{{table}}\n"
    )


def _broken(text: str) -> str:
    """A note whose signatures, which hold no spaces, may go on in the next line."""
    return text.replace("$|$", "$|$\\allowbreak{}").replace("\\_", "\\_\\allowbreak{}")


def _stub(table: Table) -> str:
    """The column of the rows' titles; long ones go over several lines."""
    long = max(len(row.title) for row in table.rows) > NARROW
    return ">{\\raggedright\\arraybackslash}p{0.19\\linewidth}" if long else "l"


def _stacked(table: Table) -> bool:
    return (
        sum(
            any(row.cells[place].sd is not None for row in table.rows)
            for place in range(len(table.columns))
        )
        > MANY
    )


def _heading(title: str) -> str:
    """A column's title in lines that are no wider than its numbers."""
    lines = [
        escaped(line)
        for line in textwrap.wrap(unbroken(one_line(title)), WIDE, break_long_words=False)
    ]
    return "\\shortstack{" + "\\\\".join(lines) + "}" if len(lines) > 1 else "".join(lines)


def _column(table: Table, place: int) -> str:
    """Numbers to the right; text that is long in lines of its own."""
    cells = [row.cells[place] for row in table.rows]
    if table.numeric(place):
        return "r"
    longest = max(len(cell.text) for cell in cells)
    return (
        "p{0.45\\linewidth}" if longest > LONG else "p{0.2\\linewidth}" if longest > NARROW else "l"
    )


def _body(table: Table) -> list[str]:
    lines: list[str] = []
    stacked = [_stacked(table) and table.numeric(place) for place in range(len(table.columns))]
    for group in table.groups:
        if group.title:
            lines += ["\\addlinespace"] if lines else []
            lines.append(
                f"\\multicolumn{{{len(table.columns) + 1}}}{{l}}{{\\textit{{{escaped(group.title)}}}}} "  # noqa: E501
                "\\\\"
            )
        lines += [_row(row, stacked) for row in group.rows]
    return lines


def _row(row: Row, stacked: list[bool]) -> str:
    cells = (
        _cell(cell, row.printed, below) for cell, below in zip(row.cells, stacked, strict=True)
    )
    return _line([escaped(row.title), *cells])


def _cell(cell: Cell, printed: bool, stacked: bool) -> str:
    """``stacked`` cells have their words, or mean and deviation, below one another."""
    texts = [escaped(text) for text in (cell.text.split() if stacked else [cell.text])]
    kind = "textbf" if cell.best else "textit" if printed else ""
    lines = [f"\\{kind}{{{text}}}" for text in texts] if kind else texts
    lines += [f"{{\\scriptsize {escaped(mark)}}}" for mark in cell.mark.split("; ") if mark]
    return (
        "\\begin{tabular}[t]{@{}r@{}}" + "\\\\".join(lines) + "\\end{tabular}"
        if len(lines) > 1
        else "".join(lines)
    )


def _line(cells: list[str]) -> str:
    return (
        " & ".join("{}" + cell if cell.startswith(("[", "*")) else cell for cell in cells) + r" \\"
    )
