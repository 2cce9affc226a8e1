"""Cross-encoders of sentence-transformers on this machine, by name or folder."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from clinfo.retrieval.documents import Asked, Passage
from clinfo.retrieval.embedders.encoder import BATCH, opened


class CrossEncoderReranker:
    """A model that reads question and passage together. Raises UsageError where the package or the
    model is not on this machine.
    """

    def __init__(self, model: str) -> None:
        self.name = f"sentence-transformers/{model}"
        self._model = opened("CrossEncoder", model)
        self._one_at_a_time = threading.Lock()

    def scores(self, asked: Asked, passages: Sequence[Passage]) -> list[float]:
        pairs = [(asked.text or asked.words, one.text) for one in passages]
        if not pairs:
            return []
        with self._one_at_a_time:
            found = self._model.predict(pairs, batch_size=BATCH, show_progress_bar=False)
        return [float(score) for score in found]
