"""The blocks that a page consists of, without saying how they are written down.

Their texts are printable, and carry citation numbers in square brackets as the synthesis does.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from clinfo.text.citations import citation_marks
from clinfo.text.wording import one_line


@dataclass(frozen=True)
class Heading:
    """The start of a section; level 1 is the page's own. One that few read is ``folded`` where a
    page can be.
    """

    text: str
    level: int = 2
    folded: bool = False


@dataclass(frozen=True)
class Paragraph:
    """Running text. A line end within it is kept."""

    text: str


@dataclass(frozen=True)
class Item:
    """An entry of a list under a short ``mark`` (a number, a bullet is ""), with an address where
    it leads somewhere.
    """

    text: str
    mark: str = ""
    url: str = ""


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header; the last column takes the room that is left. A line end within
    a cell is kept.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Items | Table


def section(
    heading: str, entries: Iterable[str | Item] | Table, folded: bool = False
) -> Iterator[Block]:
    """A list or a table under a heading, which may be "" for none; nothing where it is empty. Texts
    stand on one line each.
    """
    shown: Items | Table
    if isinstance(entries, Table):
        shown, some = entries, bool(entries.rows)
    else:
        shown = Items(
            tuple(Item(one_line(one)) if isinstance(one, str) else one for one in entries)
        )
        some = bool(shown.items)
    if some and heading:
        yield Heading(heading, folded=folded)
    if some:
        yield shown


def cited(text: str, plain: Callable[[str], str], number: Callable[[int], str]) -> str:
    """``text`` written as ``plain`` does, its citation numbers as ``number`` does."""
    pieces, end = [], 0
    for mark in citation_marks(text):
        inside = re.findall(r"\d+|\D+", text[mark.start : mark.end])
        pieces.append(plain(text[end : mark.start]))
        pieces += [number(int(one)) if one.isdigit() else plain(one) for one in inside]
        end = mark.end
    return "".join([*pieces, plain(text[end:])])
