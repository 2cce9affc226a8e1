"""The published retriever: the chunks of all notes that are most like the criteria, by patient.

Chunks are 1,000 tokens with 10 % overlap and never cross a note; the best 0.21 % of them are kept
(section 4.1 of the paper), and a patient scores as the best of the patient's own.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinfo.records.cohort import SHARE
from clinfo.retrieval.chunking import by_tokens
from clinfo.retrieval.documents import Block, Document
from clinfo.retrieval.sparse import SparseIndex, first_places, searched_words

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Embedder, Vectors

TOKENS, OVERLAP = 1000, 0.1
_KEPT_SCORES = 4
"""Decimal places of a score that is told."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Code points [start, end) of a note and their text."""

    patient: str
    note: str
    date: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A patient with the chunks that were kept, best first, and the score of the best."""

    patient: str
    score: float
    chunks: tuple[Chunk, ...]


class Retriever:
    """The chunks of an opened index as it was on ``as_of`` ("" today), searched by vectors where
    there is an ``embedder``, else by BM25.
    """

    def __init__(
        self, base: sqlite3.Connection, embedder: Embedder | None = None, as_of: str = ""
    ) -> None:
        self.chunks = tuple(chunks_of(base, as_of))
        self._embedder = embedder
        self._sparse: SparseIndex | None = None
        self._vectors: Vectors | None = None
        if embedder is None:
            self._sparse = SparseIndex([searched_words(chunk.text) for chunk in self.chunks])
        elif self.chunks:
            self._vectors = asyncio.run(embedder.vectors([chunk.text for chunk in self.chunks]))

    def found(
        self, criteria: str, share: float = SHARE, count: int | None = None
    ) -> tuple[Candidate, ...]:
        """The patients of the best chunks, best first: ``count`` chunks, else this ``share`` (0 to
        1) of all, at least one. BM25 leaves out chunks without any of the words.
        """
        most = count if count is not None else max(1, math.ceil(share * len(self.chunks)))
        grouped: dict[str, list[Chunk]] = {}
        scores: dict[str, float] = {}
        for place, score in self._best(criteria, most):
            chunk = self.chunks[place]
            grouped.setdefault(chunk.patient, []).append(chunk)
            scores.setdefault(chunk.patient, round(score, _KEPT_SCORES))
        return tuple(
            Candidate(patient, scores[patient], tuple(own)) for patient, own in grouped.items()
        )

    def of_each(self, criteria: str, pieces: int) -> tuple[Candidate, ...]:
        """All patients, best first, each with so many of the patient's own chunks, as the published
        reader is shown them.
        """
        everyone = self.found(criteria, 1.0)
        found = {one.patient: Candidate(one.patient, one.score, one.chunks[:pieces])
                 for one in everyone}  # fmt: skip
        for chunk in self.chunks:  # of whom no chunk has any of the words
            if chunk.patient not in found:
                found[chunk.patient] = Candidate(chunk.patient, 0.0, (chunk,))
        return tuple(found.values())

    def _best(self, criteria: str, most: int) -> Iterator[tuple[int, float]]:
        """Places of chunks with their scores, from the best."""
        if self._sparse is not None:
            words = searched_words(criteria)
            scores = self._sparse.scores(words)
            yield from ((place, scores[place]) for place in self._sparse.best(words, most))
        elif self._vectors is not None and self._embedder is not None:
            (vector,) = asyncio.run(self._embedder.vectors([criteria]))
            likeness = self._vectors @ vector
            yield from ((int(n), float(likeness[n])) for n in first_places(likeness, most))


def chunks_of(base: sqlite3.Connection, as_of: str = "") -> Iterator[Chunk]:
    """The chunks of the notes of an opened index that are not later than ``as_of``."""
    rows = base.execute(
        "SELECT patients.id, notes.id, notes.time, notes.text FROM notes "
        "JOIN patients ON patients.number = notes.patient WHERE notes.time <= ? "
        "ORDER BY patients.id, notes.number",
        (f"{as_of}\uffff" if as_of else "\uffff",),
    )
    for patient, note, time, packed in rows:
        text = zlib.decompress(packed).decode("utf-8", "surrogatepass")
        whole = Document(note, "", text, (Block("text", 0, len(text)),))
        for one in by_tokens(whole, TOKENS, OVERLAP):
            yield Chunk(patient, note, time, one.start, one.end, one.text)
