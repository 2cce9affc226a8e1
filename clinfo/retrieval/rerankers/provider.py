"""Reranking models of any provider, through litellm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clinfo.errors import ModelError
from clinfo.retrieval.documents import Asked, Passage

if TYPE_CHECKING:
    from clinfo.llm.litellm_calls import LiteLLMCalls


class ProviderReranker:
    """A model behind an address: one call a question."""

    def __init__(self, calls: LiteLLMCalls) -> None:
        self.name = calls.name
        self._calls = calls

    @property
    def remote(self) -> bool:
        """Return whether text leaves this machine."""
        return self._calls.remote

    async def ascores(self, asked: Asked, passages: Sequence[Passage]) -> list[float]:
        """The scores of `Reranker.scores`. Raises ModelError, BudgetReached."""
        if not passages:
            return []
        question, texts = asked.text or asked.words, [one.text for one in passages]
        response = await self._calls.call(
            "arerank", [question, *texts], query=question, documents=texts, top_n=len(texts)
        )
        scores = {row["index"]: float(row["relevance_score"]) for row in response.results or ()}
        if set(scores) != set(range(len(texts))):
            raise ModelError(f"{self.name}: it ranked {len(scores)} of {len(texts)} passages")
        return [scores[place] for place in range(len(texts))]
