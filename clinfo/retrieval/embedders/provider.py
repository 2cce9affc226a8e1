"""Embedding models of any provider, through litellm: paid for, tried again."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from clinfo.cache import Cache
from clinfo.errors import ModelError
from clinfo.llm import prices
from clinfo.llm.failures import AttemptFailed, attempts, failure_of, timed_out
from clinfo.llm.litellm_loading import is_loaded, load
from clinfo.llm.model_names import address_of, is_remote, own_key
from clinfo.llm.slots import CONCURRENCY, of_process
from clinfo.retrieval.embedders import unit
from clinfo.runs.protocols import Budget, Message, ModelRequest
from clinfo.runs.spending import MemoryBudget

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Vectors

BATCH = 64
"""Texts a call."""
CHARACTERS_A_TOKEN = 3.0
"""On the low side, so that more is reserved than is spent."""
GIVE_UP_AFTER = 120.0
TIMEOUT = 60.0
"""Seconds for which a call is tried again, and for one attempt."""
_FORM = 1


class ProviderEmbedder:
    """A model behind an address. Each text is asked for once where there is a cache, which keeps
    vectors by the text's hash; the worst case of a call is reserved of ``budget``.
    """

    def __init__(
        self,
        name: str,
        cache: Cache | None = None,
        budget: Budget | None = None,
        api_base: str | None = None,
        api_key: str | None = None,
    ) -> None:
        self.name = name
        self._cache, self._budget = cache, budget or MemoryBudget()
        self._api_base, self._api_key = api_base, api_key

    @property
    def remote(self) -> bool:
        return is_remote(self.name, self._api_base)

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
        if not is_loaded():
            await asyncio.to_thread(load)
        tokens = sum(int(len(text) / CHARACTERS_A_TOKEN) + 1 for text in texts)
        spent = self._cost(tokens)  # what a call that is broken off may have cost
        token = await self._budget.reserve(spent)
        try:
            response = await self._tried(texts)
            spent = self._cost(
                getattr(getattr(response, "usage", None), "prompt_tokens", 0) or tokens
            )
        except AttemptFailed as failed:
            spent = 0.0
            line = f"{self.name}: {failed.failure.line}"
            raise ModelError(line, retryable=failed.failure.retryable) from None
        finally:
            await self._budget.settle(token, spent)
        rows = sorted(response.data, key=lambda row: row["index"])
        if [row["index"] for row in rows] != list(range(len(texts))):
            raise ModelError(f"{self.name}: it sent {len(rows)} vectors for {len(texts)} texts")
        made = dict(zip(texts, unit([row["embedding"] for row in rows]), strict=True))
        await asyncio.to_thread(self._keep, made)
        return made

    async def _tried(self, texts: list[str]) -> Any:
        """Return what litellm gives for these texts. Raises AttemptFailed once the retries that
        make sense are used up.
        """
        key = own_key(self.name, self._api_base, self._api_key)
        async for attempt in attempts(GIVE_UP_AFTER):
            with attempt:
                try:
                    async with of_process(CONCURRENCY), asyncio.timeout(TIMEOUT):
                        return await load().aembedding(
                            model=self.name,
                            # An empty text is an error for some providers, a blank for all.
                            input=[text.strip() or "." for text in texts],
                            api_base=self._api_base,
                            api_key=key,
                            max_retries=0,
                            timeout=TIMEOUT,
                        )
                except TimeoutError:
                    raise AttemptFailed(timed_out(TIMEOUT, "reply")) from None
                except Exception as error:
                    said = ModelRequest("embedding", (Message("user", texts[0]),))
                    raise AttemptFailed(failure_of(error, self.name, said, key)) from None

    def _cost(self, tokens: int) -> float:
        """US dollars for so many tokens as far as prices are known."""
        entry = prices.listed(self.name) or {}
        if (a_query := entry.get("input_cost_per_query")) is not None:
            return float(a_query)
        return prices.cost(self.name, tokens, 0, api_base=self._api_base) or 0.0

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
        address = address_of(self.name, self._api_base)
        return Cache.key_of("embedding", _FORM, address, self.name, text)
