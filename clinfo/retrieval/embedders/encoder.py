"""Models of sentence-transformers on this machine, by name or folder."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from clinfo.errors import UsageError
from clinfo.extras import needed
from clinfo.retrieval.embedders import LOCAL, unit

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Vectors

BATCH = 32


class EncoderEmbedder:
    """A bi-encoder. Raises UsageError where the package or the model is not on this machine; none
    is fetched.
    """

    remote = False

    def __init__(self, model: str) -> None:
        self.name = LOCAL + model
        self._model = opened("SentenceTransformer", model)
        self._one_at_a_time = threading.Lock()

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(self._embedded, list(texts))

    def _embedded(self, texts: list[str]) -> Vectors:
        with self._one_at_a_time:
            made = self._model.encode(texts or [""], batch_size=BATCH, show_progress_bar=False)
        return unit(made)[: len(texts)]


def opened(kind: str, model: str) -> Any:
    """A model of sentence-transformers that lies on this machine; ``kind`` is its class there.

    Raises UsageError.
    """
    package = needed("sentence_transformers", "encoders")
    try:
        return getattr(package, kind)(model, device="cpu", local_files_only=True)
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0][:120]
        raise UsageError(f"the model {model} is not on this machine ({reason})") from None
