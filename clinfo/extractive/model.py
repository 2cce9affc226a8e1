"""The built-in extractive model: a ChatModel that chooses sentences by rule.

No network, no key, no randomness: the same request gives the same reply. It reads a request's stage and variables and
ignores its messages, so prompt edits do not change what it says.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict
from typing import Any

from clinfo.errors import ModelError
from clinfo.extractive.keywords import write_keywords
from clinfo.extractive.query import write_query
from clinfo.extractive.relevance import judge
from clinfo.extractive.summary import summarise
from clinfo.extractive.synthesis import distil, synthesise
from clinfo.runs.protocols import ModelReply, ModelRequest, StreamReset
from clinfo.text.pico import understand

NAME = "extractive"
NOTICE = "This answer was made by choosing sentences by rule, not by a language model; changes to the prompts do not change it."
_CHARACTERS_A_TOKEN = 4
_PIECE = 8
"""Words in a streamed piece."""


class ExtractiveModel:
    """The extractive model as a `clinfo.runs.protocols.ChatModel`."""

    name = NAME
    remote = False
    notices: tuple[str, ...] = (NOTICE,)
    context_tokens: int | None = None

    def count_tokens(self, text: str) -> int:
        """About one token for four characters."""
        return -(-len(text) // _CHARACTERS_A_TOKEN)

    def worst_cost(self, request: ModelRequest) -> float | None:
        """Nothing: 0.0."""
        return 0.0

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply to one request. Raises ModelError for a stage that this model does not know."""
        writer = _WRITERS.get(request.stage)
        if writer is None:
            raise ModelError(f"the extractive model cannot do the stage {request.stage!r}")
        return ModelReply(text=writer(request.variables, request), model=NAME)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        """The reply in pieces of a few words, then as a whole."""
        reply = await self.complete(request)
        words = reply.text.split(" ")
        for start in range(0, len(words), _PIECE):
            piece = " ".join(words[start : start + _PIECE])
            yield piece if start + _PIECE >= len(words) else piece + " "
        yield reply


def _query(variables: Mapping[str, Any], request: ModelRequest) -> str:
    if variables.get("form") == "pico":
        return json.dumps(understand(variables["question"]), ensure_ascii=False)
    write = write_keywords if variables.get("form") == "keywords" else write_query
    return write(variables["question"], request.seed or 0, tuple(variables.get("previous", ())))


def _relevance(variables: Mapping[str, Any], request: ModelRequest) -> str:
    reading = judge(variables["question"], variables["article"])
    return json.dumps({"relevant": "yes" if reading.relevant else "no", "reason": reading.reason}, ensure_ascii=False)


def _summary(variables: Mapping[str, Any], request: ModelRequest) -> str:
    return json.dumps(asdict(summarise(variables["question"], variables["article"])), ensure_ascii=False)


def _synthesis(variables: Mapping[str, Any], request: ModelRequest) -> str:
    return synthesise(variables["question"], variables["studies"])


def _tldr(variables: Mapping[str, Any], request: ModelRequest) -> str:
    return distil(variables["question"], variables["studies"])


_WRITERS: dict[str, Callable[[Mapping[str, Any], ModelRequest], str]] = {
    "question2query": _query,
    "relevance": _relevance,
    "summary": _summary,
    "synthesis": _synthesis,
    "tldr": _tldr,
}
