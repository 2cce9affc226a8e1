"""Rerankers: each puts passages that a search found into an order of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from clinfo.retrieval.documents import Asked, Passage

if TYPE_CHECKING:
    from clinfo.retrieval.rerankers.provider import ProviderReranker
    from clinfo.runs.protocols import Budget, ModelReply

NONE, RESULTS = "none", "results"
LOCAL = "sentence-transformers/"


class Reranker(Protocol):
    """Scores passages for a question; the higher, the more likely it answers."""

    name: str

    def scores(self, asked: Asked, passages: Sequence[Passage]) -> list[float]:
        """A score for each passage, comparable only within this call."""
        ...


def best(scores: Sequence[float], count: int) -> list[int]:
    """The places of the ``count`` highest scores, from the highest; equal ones by place."""
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:count]


def reranker_named(
    name: str,
    budget: Budget | None = None,
    told: Callable[[ModelReply], None] | None = None,
    **address: Any,
) -> Reranker | ProviderReranker | None:
    """The reranker of this name: ``none``, ``results`` (the learned one, for trials),
    ``sentence-transformers/NAME`` (a cross-encoder on this machine), or any of litellm's.

    The last is paid of ``budget`` and told as `LiteLLMCalls` says. Raises UsageError where a
    package is missing or the model is not there.
    """
    if name == NONE:
        return None
    if name == RESULTS:
        from clinfo.retrieval.rerankers.results import ResultReranker

        return ResultReranker()
    if name.startswith(LOCAL):
        from clinfo.retrieval.rerankers.cross_encoder import CrossEncoderReranker

        return CrossEncoderReranker(name.removeprefix(LOCAL))
    from clinfo.llm.litellm_calls import LiteLLMCalls
    from clinfo.retrieval.rerankers.provider import ProviderReranker

    return ProviderReranker(LiteLLMCalls(name, budget, told, **address))


async def scored(
    reranker: Reranker | ProviderReranker, asked: Asked, passages: Sequence[Passage]
) -> list[float]:
    """The scores of either kind of reranker, without holding up the event loop."""
    if hasattr(reranker, "ascores"):
        return await reranker.ascores(asked, passages)
    return await asyncio.to_thread(reranker.scores, asked, passages)
