"""The search of a silo's passages by meaning: vectors in SQLite, each compared."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from clinfo.retrieval.silos.staged import Found, Staged
from clinfo.retrieval.sparse import first_places

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Embedder, Vectors

BATCH = 256
"""Passages of which vectors are made at a time."""


class SiloVectors:
    """Vectors of the passages of ``staged``, made by ``embedder``; they lie beside the passages, in
    half precision.
    """

    _held: tuple[Any, list[int], Any] = (None, [], None)

    def __init__(self, staged: Staged, embedder: Embedder) -> None:
        self.staged = staged
        self._embedder = embedder

    def complete(self, silo: str) -> None:
        """Make what vectors a silo lacks, all anew where they are another embedder's. What is made
        stays, also where it is stopped. Raises UsageError, ModelError, SourceError.
        """
        if self.staged.embedder(silo) != self._embedder.name:
            self._drop(silo, None)
            self.staged.reembed(silo, self._embedder.name)
        self._drop(silo, self.staged.stale(silo))
        self.staged.forget(silo)
        while rows := self.staged.pending(silo, BATCH):
            vectors = self._made([text for _, _, text in rows])
            self.staged.embedded(self._put(silo, [row[:2] for row in rows], vectors))

    def nearest(self, silo: str, query: str, count: int) -> list[Found]:
        """The passages nearest to a query, nearest first; none where the silo's vectors are another
        embedder's.
        """
        if self.staged.embedder(silo) != self._embedder.name:
            return []
        vector = self._made([query])[0]
        return self._nearest(silo, vector, count) if vector.any() else []

    def _made(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, whether or not a loop runs in this thread."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self._embedder.vectors(texts)).result()

    def _drop(self, silo: str, names: Sequence[str] | None) -> None:
        """Give up the vectors of passages, None for all, that are kept elsewhere: none are."""

    def _put(
        self, silo: str, passages: Sequence[tuple[int, str]], vectors: Vectors
    ) -> list[tuple[int, bytes | None]]:
        """Keep the vectors of passages (number, name); return what of them SQLite is to keep."""
        rows = zip(passages, vectors, strict=True)
        return [(number, vector.astype("<f2").tobytes()) for (number, _), vector in rows]

    def _nearest(self, silo: str, vector: Vectors, count: int) -> list[Found]:
        """The passages nearest to a vector."""
        import numpy as np

        state = (silo, self.staged.edition)
        if self._held[0] != state:
            numbers, data = self.staged.vectors(silo)
            made = np.frombuffer(data, "<f2").reshape(len(numbers), -1)
            self._held = state, numbers, made.astype(np.float32)
        _, numbers, vectors = self._held
        order = first_places(vectors @ vector, count) if numbers else ()
        return self.staged.found("number", [numbers[place] for place in order], silo)
