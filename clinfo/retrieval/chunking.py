"""Cuts documents into passages.

`by_section` fills passages with whole sentences of one section, and tables with whole rows under
their caption and header; it gives the same passages for the same document, in its order.
"""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.retrieval.documents import Block, Document, Passage, Span, passage
from clinfo.text.sentences import sentence_spans


def by_section(document: Document, size: int = 620) -> tuple[Passage, ...]:
    """Passages of at most ``size`` code points of their own: sentences of one section that follow
    each other, rows of one table.

    What is longer in one piece, a sentence or a row, is cut at white space. Raises ValueError for
    a size below 50.
    """
    if size < 50:
        raise ValueError("a passage needs room for 50 characters")
    found: list[Passage] = []
    first: Block | None = None
    start = end = 0
    for block in document.blocks:
        mergeable = block.kind == "text"
        for a, b in _units(document, block, size):
            joins = first is not None and (
                block is first
                or (mergeable and first.kind == "text" and first.section == block.section)
            )
            if first is not None and joins and b - start <= size:
                end = b
                continue
            if first is not None:
                found.append(passage(document, start, end, first))
            first, start, end = block, a, b
    if first is not None:
        found.append(passage(document, start, end, first))
    return tuple(found)


def around(document: Document, start: int, end: int) -> Span:
    """The sentence, or the row of a table, that code points [start, end) of a document stand in;
    these themselves where they stand in none.
    """
    for block in document.blocks:
        if not block.start <= start < block.end:
            continue
        table = block.table
        text = document.text[block.start : block.end]
        units = (
            (table.caption, *table.lines, table.notes)
            if table is not None
            else ((block.start + a, block.start + b) for a, b in sentence_spans(text))
        )
        return next((one for one in units if one[0] <= start and end <= one[1]), (start, end))
    return start, end


def _units(document: Document, block: Block, size: int) -> Iterator[Span]:
    """The sentences or rows of a block, none longer than ``size``."""
    if block.table is not None:
        table = block.table
        body = [line for line in table.lines[table.header :] if line[0] < line[1]]
        whole = [span for span in (*body, table.notes) if span[0] < span[1]]
        whole = whole or [(block.start, block.end)]
    else:
        whole = [
            (block.start + a, block.start + b)
            for a, b in sentence_spans(document.text[block.start : block.end])
        ]
    for start, end in whole:
        while end - start > size:
            cut = document.text.rfind(" ", start + size // 2, start + size)
            cut = cut if cut > start else start + size
            yield start, cut
            start = cut + (document.text[cut] == " ")
        if start < end:
            yield start, end
