"""Builds a document's canonical text block by block, as its readers meet them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from clinfo.retrieval.documents import Block, Kind, Span, Table

BETWEEN_CELLS = " | "


class Writer:
    """A canonical text in the making: blocks a blank line apart, rows of a table a line each."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.blocks: list[Block] = []
        self.section: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return what is written so far."""
        return "".join(self._parts)

    def block(self, kind: Kind, text: str) -> Span | None:
        """Write a block on its own; None where it holds nothing but white space."""
        if not (text := one_line(text)):
            return None
        span = self._put(text, "\n\n")
        self.blocks.append(Block(kind, *span, self.section))
        return span

    def heading(self, text: str, depth: int) -> None:
        """Begin a section; ``depth`` counts from 0. Its heading stands in the text too."""
        self.section = self.section[:depth]
        if text := one_line(text):
            self._put(text, "\n\n")
            self.section = (*self.section, text)

    def table(
        self, caption: str, rows: Sequence[Sequence[str]], header: int, notes: str = ""
    ) -> None:
        """Write a table, of whose rows of cells so many are its ``header``; a cell that covers
        several rows or columns stands in the text once.
        """
        begin = self._length + (2 if self._parts else 0)
        caption_span = self._put(caption, "\n\n") if (caption := one_line(caption)) else None
        lines: list[Span] = []
        for row in rows:
            before = "\n\n" if caption_span is None and not lines else "\n"
            line = BETWEEN_CELLS.join(map(one_line, row))
            lines.append(self._put(line, before) if row else (self._length, self._length))
        end = self._length
        notes_span = self._put(notes, "\n") if (notes := one_line(notes)) else (end, end)
        if not lines:
            return
        self.blocks.append(
            Block(
                "table",
                begin,
                self._length,
                self.section,
                Table(caption_span or (begin, begin), notes_span, header, tuple(lines)),
            )
        )

    def _put(self, text: str, before: str) -> Span:
        """Write ``text`` after ``before``, which nothing gets at the beginning."""
        if self._parts:
            self._parts.append(before)
            self._length += len(before)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start, self._length


def one_line(text: str) -> str:
    """The text composed (NFC) on one line, each run of white space as one blank."""
    return " ".join(unicodedata.normalize("NFC", text).split())
