"""The most length of a text and its sentences that rules read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from clinfo.errors import RecordError
from clinfo.retrieval.documents import Block, Document, Span
from clinfo.text.sentences import sentence_spans

MOST_CHARACTERS: Final = 2_000_000
"""Characters of a paper's text."""
TOO_LONG: Final = f"more than {MOST_CHARACTERS:,} characters of text, not read"
LONGEST_SENTENCE: Final = 5_000
"""Characters of a sentence that are read: time and memory grow with the square of its length."""


def within_lengths(document: Document, name: str) -> Document:
    """The document without what goes beyond the longest sentence, which its ``lost`` tells. Raises
    RecordError for one of too many characters.
    """
    if len(document.text) > MOST_CHARACTERS:
        raise RecordError(f"{name}: {TOO_LONG}")
    blocks: list[Block] = []
    cut = 0
    for block in document.blocks:
        start = block.start
        for end, after in _left_out(document.text, block):
            blocks.append(replace(block, start=start, end=end))
            start, cut = after, cut + 1
        if document.text[start : block.end].strip():
            blocks.append(replace(block, start=start))
    if not cut:
        return document
    told = "the end of a sentence" if cut == 1 else f"the ends of {cut} sentences"
    told += f" of more than {LONGEST_SENTENCE:,} characters"
    return replace(document, blocks=tuple(blocks), lost=(*document.lost, told))


def _left_out(text: str, block: Block) -> Iterator[Span]:
    """The code points of a block's sentences that are beyond their longest."""
    if block.table is None and block.end - block.start > LONGEST_SENTENCE:
        for start, end in sentence_spans(text[block.start : block.end]):
            if end - start > LONGEST_SENTENCE:
                yield block.start + start + LONGEST_SENTENCE, block.start + end
