"""What of a silo's document is searched: its chunks and its abstractions, linked by its id.

A chunk brings itself. An abstraction brings the chunk, of what it was made of, that the question
fits best, since it is searched and never quoted.
"""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.index import Filed
from clinfo.retrieval.readers.plain import of_text
from clinfo.retrieval.silos import SiloDocument, SiloHit
from clinfo.retrieval.sparse import searched_words

CHUNK = 1200
"""Code points of a chunk at most: an evidence statement or a section's paragraph whole."""
PART = 12_000
"""Code points of a part of a document, about 3,000 tokens, that a model makes an abstraction of."""
TEXT = "text"
"""What a hit says it was found by where a chunk was hit."""


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
    """What of a document an abstraction was made of: the part whose number its name ends with, else
    all of it.
    """
    number = abstraction.rpartition(" ")[2]
    if number.isdecimal():
        return dict(enumerate(parts(document), 1)).get(int(number), (0, len(document.text)))
    return 0, len(document.text)


def filed(document: SiloDocument) -> list[Filed]:
    """The passages under which an index files a document, each with its fields."""
    own = {
        **document.fields,
        "document": document.id,
        "subject": document.silo,
        "date": document.date,
    }
    found = [Filed(one, {**own, "found_by": TEXT}) for one in chunks(document)]
    for name, text in document.abstractions.items():
        whole = Passage(f"{document.id}#{name}", document.id, 0, 0, "text", (), text)
        found.append(Filed(whole, {**own, "found_by": name}))
    return found


def brought(document: SiloDocument, found: Filed, score: float, query: str) -> SiloHit:
    """The hit of what an index found; of a document that changed since, the best chunk."""
    one, by = found.passage, found.fields["found_by"]
    own = document.text[one.start : one.end]  # headings may stand before it in the passage
    if by != TEXT or len(own) < one.end - one.start or not one.text.endswith(own):
        every, (start, end) = chunks(document), part_of(document, by)
        one = _best([c for c in every if start <= c.start and c.end <= end] or every, query, one)
    return SiloHit(document, one.start, one.end, score, by)


def _best(passages: Sequence[Passage], query: str, otherwise: Passage) -> Passage:
    """The passage that shares most of the question's words, the first of several."""
    asked = set(searched_words(query))
    return max(
        passages,
        key=lambda one: (len(asked.intersection(searched_words(one.text))), -one.start),
        default=otherwise,
    )
