"""One patient's record made searchable: chunks, the items in them, the concepts they name, and the
two searches by words and by meaning.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clinfo.patients.coded_texts import CodedTexts
from clinfo.patients.lexicon import Lexicon
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Note
from clinfo.pipelines.chart.note_reading import Item, read_coded, read_note
from clinfo.pipelines.chart.packing import Chunk, packed
from clinfo.pipelines.chart.parsed_question import naming_words, stated_meanings
from clinfo.retrieval.sparse import SparseIndex, searched_words

if TYPE_CHECKING:
    from clinfo.cache import Cache
    from clinfo.retrieval.embedders import Embedder, Vectors

DENIED: Final = frozenset(("negated", "family"))
"""Assertions by which a note says that the patient does not have something."""
PLAN: Final = ("plan", "planned", "course", "procedures", "immunizations")
"""Kinds of sections (`clinfo.patients.sections`) that say what was found or done."""


@dataclass(frozen=True)
class Occurrence:
    """An item where it stands; ``plan`` where that is in a plan, as all may be of a note without
    headings.
    """

    item: int
    chunk: int
    note: str
    at: Item
    plan: bool


@dataclass(frozen=True, eq=False)
class ChartIndex:
    """A record as it is searched. ``mentions`` are by note.

    ``texts`` are the different items, ``words`` their stems, ``holding`` the items that hold a
    stem. ``concepts`` and ``types`` count by chunk what the dictionary finds there that is not
    negated and not another person's. ``vectors`` are those of the chunks with their counts; None
    without an embedder.
    """

    notes: Mapping[str, Note]
    mentions: Mapping[str, Sequence[Mention]]
    chunks: tuple[Chunk, ...]
    texts: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    holding: Mapping[str, Any]
    occurrences: tuple[Occurrence, ...]
    concepts: tuple[Mapping[str, int], ...]
    types: tuple[Mapping[str, int], ...]
    sparse: SparseIndex
    vectors: Vectors | None = None
    embedder: Embedder | None = None
    coded: CodedTexts = field(default_factory=CodedTexts)

    @cached_property
    def statements(self) -> tuple[Any, int, Mapping[str, tuple[Any, Any]]]:
        """The statement that each occurrence makes, how many different ones there are, and by
        meaning the statements that have it and how much; an item of which all that the dictionary
        knows is denied states nothing. Further names that a coded entry has do not stand in its
        line: they name it, and state nothing.
        """
        numbers: dict[tuple[str, tuple[str, ...]], int] = {}
        named = {id: ([one.start for one in own], own) for id, own in self.mentions.items()}
        of = []
        for one in self.occurrences:
            starts, mentions = named.get(one.note, ((), ()))
            within = mentions[bisect_left(starts, one.at.start) : bisect_left(starts, one.at.end)]
            said = [m for m in within if m.assertion not in DENIED]
            denied = bool(within) and not said
            line = self.notes[one.note].text[slice(*one.at.whole)]
            concepts = sorted({m.concept for m in said if m.text in line})
            statement = ("" if denied else self.texts[one.item], tuple(concepts))
            of.append(numbers.setdefault(statement, len(numbers)))
        held: dict[str, dict[int, float]] = {}
        for statement, place in numbers.items():
            for meaning, strength in stated_meanings(*statement).items():
                held.setdefault(meaning, {})[place] = strength
        return (
            np.array(of, np.intp),
            len(numbers),
            {
                name: (np.array([*own], np.intp), np.array([*own.values()]))
                for name, own in held.items()
            },
        )


def prepared(
    notes: Sequence[Note],
    lexicon: Lexicon,
    embedder: Embedder | None = None,
    chunks: Sequence[Chunk] | None = None,
    cache: Cache | None = None,
    coded: CodedTexts | None = None,
) -> ChartIndex:
    """The notes of one patient, packed (by visit and category, unless ``chunks`` are given) and
    read, from the patient's ``cache`` where they were read before; the texts of ``coded`` entries
    among them are read by their statuses.
    """
    coded = coded or CodedTexts()
    known = {note.id: note for note in notes}
    packs = tuple(packed(notes) if chunks is None else chunks)
    within: dict[str, list[tuple[int, int, int]]] = {}
    for number, chunk in enumerate(packs):
        for part in chunk.parts:
            within.setdefault(part.note, []).append((part.start, part.end, number))
    named: dict[str, Sequence[Mention]] = {}
    places: dict[str, int] = {}
    found: list[Occurrence] = []
    concepts: list[Counter[str]] = [Counter() for _ in packs]
    types: list[Counter[str]] = [Counter() for _ in packs]
    for id, spans in within.items():
        text = known[id].text
        lines = coded.lines.get(id)
        read = read_coded(lines, text, lexicon) if lines else read_note(text, lexicon, cache)
        named[id] = read.mentions
        for one in read.mentions:
            at = _chunk_at(spans, one.start)
            if at is not None and one.assertion not in DENIED:
                concepts[at][one.concept] += 1
                types[at].update(one.types)
        headed = any(item.section for item in read.items)
        for item in read.items:
            if (at := _chunk_at(spans, item.start)) is not None:
                place = places.setdefault(item.text, len(places))
                plan = item.section in PLAN or not headed
                found.append(Occurrence(place, at, id, item, plan))
    words = tuple(map(naming_words, places))
    holding: dict[str, list[int]] = {}
    for place, own in enumerate(words):
        for word in own:
            holding.setdefault(word, []).append(place)
    return ChartIndex(
        known,
        named,
        packs,
        tuple(places),
        words,
        {word: np.array(own, np.intp) for word, own in holding.items()},
        tuple(found),
        tuple(concepts),
        tuple(types),
        SparseIndex([searched_words(chunk.text) for chunk in packs]),
        vectors_of(list(map(_embedded, packs, types)), embedder),
        embedder,
        coded,
    )


def _embedded(chunk: Chunk, counts: Mapping[str, int]) -> str:
    """The text of a chunk as it is embedded: with its date, category and counts of types."""
    told = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return f"{chunk.since[:10]} {chunk.category}\n{told}\n{chunk.text}"


def vectors_of(texts: Sequence[str], embedder: Embedder | None) -> Vectors | None:
    """The vectors of texts, from outside any event loop."""
    if embedder is None or not texts:
        return None
    loop = asyncio.new_event_loop()  # asyncio.run writes down the whole result for its signal
    try:
        made: Vectors = loop.run_until_complete(embedder.vectors(texts))
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
    return made


def _chunk_at(spans: Sequence[tuple[int, int, int]], start: int) -> int | None:
    return next((number for a, b, number in spans if a <= start < b), None)


def counted(index: ChartIndex) -> dict[str, Any]:
    """The content of an index, in numbers."""
    types = sum(map(Counter, index.types), Counter[str]())
    dated = sorted(note.time for note in index.notes.values() if note.time)
    return {
        "notes": len(index.notes),
        "from": dated[0][:10] if dated else None,
        "to": dated[-1][:10] if dated else None,
        "chunks": len(index.chunks),
        "items": len(index.texts),
        "entities": len({concept for own in index.concepts for concept in own}),
        "mentions by type": dict(sorted(types.items())),
    }
