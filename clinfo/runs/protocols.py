"""Interfaces that a run needs: models, money and time. Implementations are passed in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, Protocol

TEMPERATURE = 0.5
MAX_OUTPUT_TOKENS = 1024
"""Both as in section 2.2 of the paper, in every stage."""


@dataclass(frozen=True)
class Tool:
    """A tool that a model may call; ``parameters`` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """A call that a model asked for. ``arguments`` are as it wrote them, which may be no JSON;
    ``id`` is unique in its conversation.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Message:
    """One chat message: an assistant's may ask for ``calls``, a tool's is the result of the call
    ``call_id``.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True)
class ModelRequest:
    """One question to a model, as a typed value.

    Models behind a provider read ``messages``; the extractive model reads ``stage`` and
    ``variables``, which the pipeline's declaration types by stage (`clinfo.runs.pipeline.Stage`).

    ``schema`` is the JSON schema of the one object expected ({} for any object), None where prose
    is; ``form`` is its name where that is not the stage's, ``reply`` the class that reads it
    (`clinfo.runs.replies`): a reply that it cannot read is kept in no cache. ``layout`` says the
    same in words, for a model that is held to no schema (`in_words`). ``max_tokens`` limits what is
    to be read; a model that reasons first may write more on top. ``attempt`` is 0 for the first
    asking; a stage that could not use the reply asks again with 1, and a cache must not answer that
    with the reply to attempt 0.

    Where there are ``tools`` the reply's text is what `clinfo.llm.tool_calls.read` reads: what the
    model said, and the calls it asks for.
    """

    stage: str
    messages: tuple[Message, ...]
    variables: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    temperature: float = TEMPERATURE
    max_tokens: int = MAX_OUTPUT_TOKENS
    seed: int | None = None
    attempt: int = 0
    tools: tuple[Tool, ...] = ()
    form: str = ""
    layout: str = ""
    reply: type[Any] | None = None

    def in_words(self) -> ModelRequest:
        """The request with the form of the reply told in its first message, the words that are the
        same in every call of a stage.
        """
        if not self.layout:
            return self
        (first, *rest) = self.messages
        told = replace(first, content=f"{first.content}\n\n{self.layout}")
        return replace(self, messages=(told, *rest), layout="")


@dataclass(frozen=True)
class ModelReply:
    """A model's reply with what it used.

    ``cost_usd`` is None where the price or what was used is unknown, 0.0 where there is none;
    ``at_most_usd`` is then the most it can have cost, None where that is unknown too.
    """

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    at_most_usd: float | None = None
    cached: bool = False
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class StreamReset:
    """In a stream: what came so far is void (the connection was lost and the reply starts anew)."""


class ChatModel(Protocol):
    """A language model, or something that behaves like one."""

    @property
    def name(self) -> str:
        """The name the user chose it by."""

    @property
    def remote(self) -> bool:
        """Return whether text leaves this machine."""

    @property
    def notices(self) -> tuple[str, ...]:
        """Return what every answer made with this model must say."""

    @property
    def context_tokens(self) -> int | None:
        """Size of the context window, None where unknown or without limit."""

    def count_tokens(self, text: str) -> int:
        """Number of tokens of ``text``, near enough to plan with."""

    def worst_cost(self, request: ModelRequest) -> float | None:
        """Most that this call can cost in US dollars; 0.0 for a free model, None where the price is
        unknown.
        """

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The whole reply. Raises ModelError once the retries that make sense are used up."""

    def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        """Pieces of text as they come, a StreamReset where they are void, and last the whole reply
        as a ModelReply.
        """


Ask = Callable[[str, ModelRequest], Awaitable[ModelReply]]
"""The function by which a stage asks its model, of a name of the call that is unique in the run and
the request: the recorder answers from what is recorded, else reserves the cost, calls and records.
Raises ModelError, BudgetReached.
"""


class Budget(Protocol):
    """Spending: the worst case is reserved before a call, what it really cost is settled after."""

    async def reserve(self, usd: float) -> str:
        """Set ``usd`` aside and return a token for it; where it is not there, wait for what calls
        under way may give back. Raises BudgetReached where that cannot help.
        """

    async def settle(self, token: str, usd: float) -> None:
        """Replace the reservation by what was really spent."""


class Clock(Protocol):
    """Time, handed in so that tests can hold it still."""

    def now(self) -> datetime:
        """The present moment, with time zone."""

    def monotonic(self) -> float:
        """Seconds that only grow."""
