"""The built-in extractive model: a ChatModel that chooses sentences by rule.

No network, no key, no randomness: the same request gives the same reply. It reads a request's stage
and variables and ignores its messages, so prompt edits do not change what it says.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from clinfo.errors import ModelError
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.pipeline import Stage
from clinfo.runs.protocols import ModelReply, ModelRequest, StreamReset

NOTICE = "No language model was asked: studies are ranked and quoted, and nobody judged them."
_CHARACTERS_A_TOKEN = 4


class ExtractiveModel:
    """The extractive model as a `clinfo.runs.protocols.ChatModel`, for the stages that declare what
    it replies by rule.
    """

    name = EXTRACTIVE
    remote = False
    notices: tuple[str, ...] = (NOTICE,)
    context_tokens: int | None = None

    def __init__(self, stages: Iterable[Stage]) -> None:
        self._by_rule = {stage.name: stage.by_rule for stage in stages}
        self._turn = asyncio.Lock()

    def count_tokens(self, text: str) -> int:
        """About one token for four characters."""
        return -(-len(text) // _CHARACTERS_A_TOKEN)

    def worst_cost(self, request: ModelRequest) -> float | None:
        """Nothing: 0.0."""
        return 0.0

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to one request. Raises ModelError for a stage that this model does not know."""
        by_rule = self._by_rule.get(request.stage)
        if by_rule is None:
            raise ModelError(f"the extractive model does not support the stage {request.stage!r}")
        # Other runs share the event loop: the rules have a thread. One at a time, in the order in
        # which they are asked, so that a run neither fills the threads nor changes its order.
        async with self._turn:
            text = await asyncio.to_thread(by_rule, request.variables, request.seed or 0)
        return ModelReply(text=text, model=EXTRACTIVE)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        """The reply at once, then as a whole."""
        reply = await self.complete(request)
        yield reply.text
        yield reply
