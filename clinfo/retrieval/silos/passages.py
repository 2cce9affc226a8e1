"""The parts of a silo's document that are searched: its chunks and its abstractions, linked by its
id.

A chunk brings itself. An abstraction brings the chunk, of what it was made of, that the question
fits best, since it is searched and never quoted.
"""

from __future__ import annotations

from dataclasses import dataclass

from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.readers.plain import of_text
from clinfo.retrieval.silos import SiloDocument, SiloHit
from clinfo.retrieval.sparse import searched_words

CHUNK = 1200
"""Code points of a chunk at most: an evidence statement or a section's paragraph whole."""
PART = 12_000
"""Code points of a part of a document, about 3,000 tokens, that a model makes an abstraction of."""
TEXT = "text"
"""The word of a hit for having been found by a chunk."""


@dataclass(frozen=True)
class Piece:
    """A part that is searched: a chunk [start, end), or an abstraction, which ``found_by`` names
    and which has no place of its own. ``name`` is its own in the silo, ``text`` what is searched.
    """

    name: str
    start: int
    end: int
    found_by: str
    text: str


def chunks(document: SiloDocument) -> tuple[Passage, ...]:
    """The chunks of a document in its order."""
    made = (
        of_text(document.text, document.id, title=document.title)
        if document.text.strip()
        else Document(document.id, document.title, document.text, ())
    )
    return by_section(made, CHUNK)


def parts(document: SiloDocument) -> list[tuple[int, int]]:
    """The parts of a document in its order, each of whole chunks and at most `PART` long, as far as
    its chunks are; together they are the text.
    """
    found: list[tuple[int, int]] = []
    for one in chunks(document):
        if found and one.end - found[-1][0] <= PART:
            found[-1] = (found[-1][0], one.end)
        else:
            found.append((one.start, one.end))
    return found


def part_of(document: SiloDocument, abstraction: str) -> tuple[int, int]:
    """The part of a document that an abstraction was made of: that whose number its name ends with,
    else all of it.
    """
    number = abstraction.rpartition(" ")[2]
    if number.isdecimal():
        return dict(enumerate(parts(document), 1)).get(int(number), (0, len(document.text)))
    return 0, len(document.text)


def pieces(document: SiloDocument) -> list[Piece]:
    """Return what of a document is searched: its chunks, then its abstractions."""
    own = [Piece(one.id, one.start, one.end, TEXT, one.text) for one in chunks(document)]
    made = document.abstractions.items()
    return [*own, *(Piece(f"{document.id}#{name}", 0, 0, name, text) for name, text in made)]


def brought(document: SiloDocument, found: Piece, score: float, query: str) -> SiloHit:
    """The hit of what a search found: of an abstraction the best chunk of what it was made of, the
    one that shares most of the question's words.
    """
    start, end = found.start, found.end
    if found.found_by != TEXT:
        first, past = part_of(document, found.found_by)
        asked, every = set(searched_words(query)), chunks(document)
        start, end = max(
            ((one.start, one.end) for one in every if first <= one.start and one.end <= past),
            key=lambda span: (
                len(asked.intersection(searched_words(document.text[slice(*span)]))), -span[0],
            ),
            default=(start, end),
        )  # fmt: skip
    return SiloHit(document, start, end, score, found.found_by)
