"""An answer as plain text for a terminal or a pipe."""

import textwrap
from collections.abc import Iterable

from clinfo.records.answer import Answer
from clinfo.records.articles import Article
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph, Table
from clinfo.render.page import NOTHING, Extent, page

WIDTH = 100
"""Columns where no terminal says otherwise."""
LEAST_FINDING = 24
"""A last column narrower than this is not a table any more; the cells then stand below each
other.
"""
_WIDEST = (4, 4, 5, 18, 9)  # number, year, level, design, n
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def text(
    answer: Answer,
    articles: Iterable[Article] = (),
    *,
    finished: bool = True,
    width: int = WIDTH,
    bold: bool = False,
    extent: Extent = "whole",
    all_rows: bool = False,
) -> str:
    """The page of an answer in lines of at most ``width`` columns (long addresses apart), with a
    line end.

    ``bold`` puts terminal codes round headings; the rest is as `clinfo.render.page.page` has it.
    """
    return written(page(answer, articles, finished, extent, all_rows), width, bold)


def written(blocks: Iterable[Block], width: int = WIDTH, bold: bool = False) -> str:
    """Blocks in lines of at most ``width`` columns, as `text` writes those of an answer."""
    parts = (_block(block, width, bold) for block in blocks)
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block, width: int, bold: bool) -> str:
    if isinstance(block, Heading):
        heading = "\n".join(_wrapped(block.text if block.level == 1 else block.text.upper(), width))
        return f"{_BOLD}{heading}{_PLAIN}" if bold else heading
    if isinstance(block, Paragraph):
        return "\n".join(_wrapped(block.text, width))
    if isinstance(block, Items):
        return "\n".join(_items(block.items, width))
    return "\n".join(_table(block, width))


def _wrapped(paragraph: str, width: int, first: str = "", later: str = "") -> list[str]:
    """Lines of ``paragraph``; its own line ends stay; addresses and hyphenated terms are not
    broken.
    """
    lines = []
    for number, line in enumerate(paragraph.split("\n")):
        begin = first if number == 0 else later
        lines += textwrap.wrap(
            line,
            width,
            initial_indent=begin,
            subsequent_indent=later,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return lines


def _items(items: tuple[Item, ...], width: int) -> list[str]:
    room = max(len(item.mark or "-") for item in items) + 1
    lines = []
    for item in items:
        lines += _wrapped(item.text, width, (item.mark or "-").ljust(room), " " * room)
        if item.url and item.url not in item.text:
            lines.append(" " * room + item.url)
    return lines


def _table(table: Table, width: int) -> list[str]:
    fixed = [
        min(most, max(len(row[column]) for row in (table.header, *table.rows)))
        for column, most in enumerate(_WIDEST)
    ]
    room = width - sum(fixed) - 2 * len(fixed)
    if room < LEAST_FINDING:
        return _stacked(table, width)
    widths = [*fixed, room]
    lines = [_row(table.header, widths), "  ".join("-" * size for size in widths)]
    for row in table.rows:
        cells = [_wrapped(cell, size) for cell, size in zip(row, widths, strict=True)]
        for line in range(max(len(cell) for cell in cells)):
            lines.append(_row([cell[line] if line < len(cell) else "" for cell in cells], widths))
    return lines


def _row(cells: Iterable[str], widths: list[int]) -> str:
    """One line of a table; the number column and ``n`` stand to the right."""
    placed = [
        cell.rjust(size) if column in (0, 2, 4) else cell.ljust(size)
        for column, (cell, size) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(placed).rstrip()


def _stacked(table: Table, width: int) -> list[str]:
    lines = []
    for number, year, level, design, size, finding in table.rows:
        space = "\N{NO-BREAK SPACE}"
        rank = "" if level == NOTHING else f", level{space}{level}"
        lines += [
            *_wrapped(
                f"{number}. {year}, {design}{rank}, n{space}={space}{size}", width, "", "   "
            ),
            *_wrapped(finding, width, "   ", "   "),
        ]
    return lines
