"""The values of long texts: documents, their blocks and tables, the passages that are searched, and
what is asked of them.

Offsets are code points [start, end) of a document's canonical text (`Document.text`). A passage is
made of spans of it and nothing else, so that whatever is shown as evidence can be pointed at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["title", "text", "table", "caption"]
MOST_CHARACTERS: Final = 2_000_000
"""Characters of a paper's text."""
TOO_LONG: Final = f"more than {MOST_CHARACTERS:,} characters of text, not read"
Span = tuple[int, int]


@dataclass(frozen=True)
class Table:
    """A table within a document's text.

    ``caption`` holds its label and title, ``notes`` its footnotes; either may be empty. ``lines``
    is where each row stands; those below ``header`` (a number of rows) are its body.
    """

    caption: Span
    notes: Span
    header: int
    lines: tuple[Span, ...]


@dataclass(frozen=True)
class Block:
    """A title, paragraph, caption or table; ``section`` are the headings it stands under, from the
    outermost.
    """

    kind: Kind
    start: int
    end: int
    section: tuple[str, ...] = ()
    table: Table | None = None


@dataclass(frozen=True)
class Document:
    """A text with its blocks in order.

    ``id`` is ``pmcid:…``, ``pmid:…``, ``doi:…`` or made from the content (``sha256:…``). ``date`` is
    an ISO 8601 date or the beginning of one. ``subject`` is what a collection divides its documents
    by: a study, a patient, a silo. ``lost`` says what the reader could not read. ``ids`` are
    all of a paper's, ``types`` what PubMed would call it where the file tells (Retracted
    Publication).
    """  # noqa: E501

    id: str
    title: str
    text: str
    blocks: tuple[Block, ...]
    file: str = ""
    licence: str = ""
    date: str = ""
    category: str = ""
    subject: str = ""
    registrations: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


@dataclass(frozen=True)
class Passage:
    """A piece of a document that is found as one.

    ``start`` and ``end`` bound what is its own; ``repeated`` are spans that it needs to be
    understood and that other passages hold too: the caption and header of its table. ``text`` is
    what is searched and shown to a model: the texts of the spans, a line each.
    """

    id: str
    document: str
    start: int
    end: int
    kind: Kind
    section: tuple[str, ...]
    text: str
    repeated: tuple[Span, ...] = ()


def passage(document: Document, start: int, end: int, block: Block) -> Passage:
    """The passage of a document's code points [start, end), whose kind and section are those of
    ``block``.
    """
    table = block.table
    repeated: tuple[Span, ...] = ()
    if table is not None:
        wanted = (table.caption, *table.lines[: table.header])
        repeated = tuple(one for one in wanted if one[1] <= start and one[0] < one[1])
    return Passage(
        id=f"{document.id}:{start}-{end}",
        document=document.id,
        start=start,
        end=end,
        kind=block.kind,
        section=block.section,
        text="\n".join(document.text[a:b] for a, b in (*repeated, (start, end))),
        repeated=repeated,
    )


@dataclass(frozen=True)
class Asked:
    """A question, and the outcome, intervention and comparator it names ("" where not known)."""

    text: str = ""
    outcome: str = ""
    intervention: str = ""
    comparator: str = ""

    @property
    def words(self) -> str:
        """Everything that is asked, as one text to search for."""
        parts = (self.intervention, self.outcome, self.comparator)
        return " ".join(part for part in parts if part) or self.text
