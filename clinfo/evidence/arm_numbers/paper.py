"""One document as it is read for one question: what it reports of both arms, and their sizes."""

from __future__ import annotations

from collections import Counter

from clinfo.evidence.arm_numbers.grids import Grid, read_grid
from clinfo.evidence.arm_numbers.naming import ArmNaming
from clinfo.evidence.arm_numbers.pairing import Reported, reported
from clinfo.evidence.arm_numbers.sentences import told_in_sentences
from clinfo.evidence.arm_numbers.sizes import (
    SURE,
    Size,
    Sizes,
    equal_size,
    header_sizes,
    label_sizes,
    row_sizes,
    text_sizes,
)
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Block, Document
from clinfo.text.regex import regex

_DECIMALS = regex(r"[.·](\d+)\s?%?\s?[)\]]")


class Paper:
    """A document as it is read for one question."""

    def __init__(self, document: Document, asked: Asked) -> None:
        self.document = document
        self.naming = ArmNaming(document, asked)
        self.tables = [block for block in document.blocks if block.table is not None]
        self.grids = [_grid(document, block) for block in self.tables]
        self.told = self._in_tables()
        if not self.told and self.naming.controlled:
            self.naming.over_time = True
            self.told = self._in_tables()
            self.naming.over_time = bool(self.told)
        self.by_row = row_sizes(self.told)
        self.by_label = {
            number: label_sizes(document, (block.start, block.end), self.naming)
            for number, block in enumerate(self.tables)
        }
        self.by_text: Sizes = ([], [])
        if not self.naming.over_time:
            self.by_text = text_sizes(document, self.naming)
        self.equal = equal_size(document)
        self.told.extend(told_in_sentences(document, self.naming))

    def _in_tables(self) -> list[Reported]:
        return [
            one
            for number, grid in enumerate(self.grids)
            for one in reported(grid, number, self.naming)
        ]

    def fitting_size(self, told: Reported, side: int, near: bool) -> Size | None:
        """The one number of the same arm of which the arm's count is the percentage beside it: in
        the same row, or in any table.
        """
        share = next((part.entry for part in told.parts[side] if part.entry.value.second), None)
        if share is None or share.value.shape not in ("share", "bracket") or told.grid < 0:
            return None
        decimals = _DECIMALS.search(share.text)
        found = {
            part.entry.value.first: Size(
                part.entry.value.first, part.entry.start, part.entry.end, 3.0
            )
            for one in self.told
            if one.grid >= 0 and (not near or (one.grid, one.row) == (told.grid, told.row))
            for part in one.parts[side]
            if part.entry.value.shape == "plain"
            and part.entry.value.first > 2
            and decimals is not None
            and share.value.first
            and round(100 * share.value.first / part.entry.value.first, len(decimals[1]))
            == share.value.second
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def beside(self, told: Reported, size: Size) -> bool:
        """Return whether a size stands in the table or the block of sentences that tells."""
        block = self.tables[told.grid] if told.grid >= 0 else self.document.blocks[told.row]
        return block.start <= size.start < block.end

    def size(self, told: Reported, side: int) -> Size | None:
        """The size of a group as far as it can be known for what a table or sentence tells."""
        if fitting := self.fitting_size(told, side, near=True):
            return fitting
        if told.grid >= 0:
            near: list[Sizes] = [
                header_sizes(self.document, self.tables[told.grid], told),
                self.by_label[told.grid],
                self.by_row.get(told.grid, ([], [])),
            ]
            for sizes in near:
                if sizes[side]:
                    return sizes[side][0]
        if fitting := self.fitting_size(told, side, near=False):
            return fitting
        others = [
            size
            for sizes in (*self.by_row.values(), *self.by_label.values(), self.by_text)
            for size in sizes[side]
        ]
        if not others:
            return self.equal
        in_tables = [
            size for size in others if size.rank >= SURE and size not in self.by_text[side]
        ]
        others = in_tables or others
        times = Counter(size.value for size in others)
        return max(others, key=lambda size: (times[size.value], size.rank, -size.start))


def _grid(document: Document, block: Block) -> Grid:
    assert block.table is not None
    return read_grid(document, block.table)
