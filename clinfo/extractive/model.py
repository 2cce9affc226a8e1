"""The built-in extractive model: a ChatModel that chooses sentences by rule.

No network, no key, no randomness: the same request gives the same reply. It reads a request's stage
and variables and ignores its messages, so prompt edits do not change what it says.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from clinfo.errors import ModelError
from clinfo.records.articles import Article, Section
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.pipeline import Stage
from clinfo.runs.protocols import ModelReply, ModelRequest, StreamReset

NOTICE = "No language model was asked: studies are ranked and quoted, and nobody judged them."
READ_CHARACTERS: Final = 20_000
"""Characters of an abstract that are read."""
CUT: Final = f"Only the first {READ_CHARACTERS:,} characters of longer abstracts were read."
_CHARACTERS_A_TOKEN = 4
_PIECE = 8
"""Words in a streamed piece."""


class ExtractiveModel:
    """The extractive model as a `clinfo.runs.protocols.ChatModel`, for the stages that declare what
    it replies by rule.
    """

    name = EXTRACTIVE
    remote = False
    notices: tuple[str, ...] = (NOTICE,)
    context_tokens: int | None = None

    def __init__(self, stages: Iterable[Stage[Any]]) -> None:
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
        variables = _within(request.variables)
        # Other runs share the event loop: the rules have a thread. One at a time, in the order in
        # which they are asked, so that a run neither fills the threads nor changes its order.
        async with self._turn:
            text = await asyncio.to_thread(by_rule, variables, request.seed or 0)
        warnings = () if variables is request.variables else (CUT,)
        return ModelReply(text=text, model=EXTRACTIVE, warnings=warnings)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        """The reply in pieces of a few words, then as a whole."""
        reply = await self.complete(request)
        words = reply.text.split(" ")
        for start in range(0, len(words), _PIECE):
            piece = " ".join(words[start : start + _PIECE])
            yield piece if start + _PIECE >= len(words) else piece + " "
        yield reply


def _within(variables: Mapping[str, Any]) -> Mapping[str, Any]:
    """The variables with what the rules read of an article; the same ones where that is all."""
    article = variables.get("article")
    if not isinstance(article, Article):
        return variables
    if sum(len(part.text) for part in article.sections) <= READ_CHARACTERS:
        return variables
    left, sections = READ_CHARACTERS, []
    for part in article.sections:
        text = part.text[: max(left, 0)]
        if len(text) < len(part.text):  # half a sentence may say the opposite of the whole
            text = text[: text.rfind(". ") + 1] or text
        if text:
            sections.append(Section(text, part.label, part.category))
        left -= len(part.text)
    return {**variables, "article": replace(article, sections=tuple(sections))}
