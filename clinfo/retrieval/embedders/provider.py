"""Embedding models of any provider, through litellm."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING

from clinfo.cache import Cache
from clinfo.errors import ModelError
from clinfo.retrieval.embedders import unit

if TYPE_CHECKING:
    from clinfo.llm.litellm_calls import LiteLLMCalls
    from clinfo.retrieval.embedders import Vectors

BATCH = 64
"""Texts a call."""
_FORM = 1


class ProviderEmbedder:
    """A model behind an address. Each text is asked for once where there is a cache, which keeps
    vectors by the text's hash.
    """

    def __init__(self, calls: LiteLLMCalls, cache: Cache | None = None) -> None:
        self.name = calls.name
        self._calls = calls
        self._cache = cache

    @property
    def remote(self) -> bool:
        return self._calls.remote

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        found = await asyncio.to_thread(self._kept, texts)
        asked = [text for text in dict.fromkeys(texts) if text not in found]
        batches = [asked[first : first + BATCH] for first in range(0, len(asked), BATCH)]
        for new in await asyncio.gather(*map(self._batch, batches)):
            found |= new
        if not texts:
            return np.zeros((0, 0), np.float32)
        return np.stack([found[text] for text in texts])

    async def _batch(self, texts: list[str]) -> dict[str, Vectors]:
        # An empty text is an error for some providers, and a blank for all of them.
        response = await self._calls.call(
            "aembedding", texts, input=[text.strip() or "." for text in texts]
        )
        rows = sorted(response.data, key=lambda row: row["index"])
        if [row["index"] for row in rows] != list(range(len(texts))):
            raise ModelError(f"{self.name}: it sent {len(rows)} vectors for {len(texts)} texts")
        made = dict(zip(texts, unit([row["embedding"] for row in rows]), strict=True))
        await asyncio.to_thread(self._keep, made)
        return made

    def _kept(self, texts: Sequence[str]) -> dict[str, Vectors]:
        import numpy as np

        if self._cache is None:
            return {}
        stored = {text: self._cache.get(self._key(text)) for text in dict.fromkeys(texts)}
        return {
            text: np.frombuffer(base64.b64decode(value), "<f4")
            for text, value in stored.items()
            if value is not None
        }

    def _keep(self, made: dict[str, Vectors]) -> None:
        for text, vector in made.items() if self._cache is not None else ():
            value = base64.b64encode(vector.astype("<f4").tobytes()).decode()
            self._cache.put(self._key(text), value)  # type: ignore[union-attr]

    def _key(self, text: str) -> str:
        return Cache.key_of("embedding", _FORM, self._calls.address, self.name, text)
