"""Ranks passages by meaning: the nearness of an embedder's vectors to that of the question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from clinfo.retrieval.documents import Asked, Passage

if TYPE_CHECKING:
    import numpy as np

    from clinfo.retrieval.embedders import Embedder, Vectors


class MeaningReranker:
    """A reranker of an embedder, for threads that have no event loop; the vector of each text is
    made once.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._known: dict[str, np.ndarray] = {}

    def scores(self, asked: Asked, passages: Sequence[Passage]) -> list[float]:
        """The cosine of each passage with the question."""
        question, *own = self.vectors([asked.text or asked.words, *(one.text for one in passages)])
        return [float(one @ question) for one in own]

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, in order. Raises ModelError, BudgetReached."""
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, asyncio.run(self._embedder.vectors(new)), strict=True))
        return np.array([self._known[text] for text in texts], np.float32)
