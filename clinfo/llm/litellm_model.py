"""Any provider's model, through litellm."""

import asyncio
import math
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from clinfo.cache import Cache
from clinfo.errors import ModelError
from clinfo.llm import prices, tool_calls
from clinfo.llm.error_words import EXCERPT
from clinfo.llm.failures import (
    ALL_THOUGHT,
    BLOCKED,
    CUT,
    EMPTY,
    ONLY_THOUGHT,
    REFUSED,
    AttemptFailed,
    Failure,
    attempts,
    failure_of,
    is_blocked,
    is_torn,
    timed_out,
)
from clinfo.llm.litellm_loading import is_loaded, load
from clinfo.llm.model_names import (
    address_of,
    called,
    is_ollama,
    is_remote,
    own_key,
    provider_of,
)
from clinfo.llm.parameters import Parameters
from clinfo.llm.reply_cache import ReplyCache
from clinfo.llm.slots import CONCURRENCY, Pace, of_process
from clinfo.runs.protocols import ModelReply, ModelRequest, StreamReset
from clinfo.text.structured import well_formed
from clinfo.text.thought import parted
from clinfo.text.wording import one_line

CHARACTERS_A_TOKEN = 3.5
"""Of English medical prose, on the low side: for plans made before litellm's tokenizers are
there.
"""

TOKENS_A_MESSAGE = 4
"""Tokens of the marks around a message, as OpenAI counts them."""
THINKING_TOKENS = 8192
"""Room to reason in, on top of what is to be read; OpenAI advises to reserve 25,000 for hard tasks,
and these are short ones.
"""
CONTEXT_TOKENS = 16_384
"""The context window asked of Ollama, whose own default of 4,096 drops the beginning of a long
prompt without a word.
"""

TURN = 0.02
"""Seconds for which a reply is read before others on the event loop have their turn."""
QUICK = (30.0, 30.0, 120.0)
PATIENT = (600.0, 120.0, 1_800.0)
"""Seconds to the first token, between two tokens, for a whole reply: of a hosted model; of one that
reasons first or runs on this machine, where a call may queue and a long prompt takes minutes to be
read."""
_THINKS_UNASKED = (
    *("qwen3", "qwen-3", "qwq", "deepseek-r1", "deepseekr1", "reasoner", "gpt-oss", "magistral"),
    *("grok-4", "thinking"),
)
"""Models that reason before they write whose names litellm may not know, since people serve them
themselves.
"""
_THINKS_IF_TOLD = ("claude", "deepseek-chat", "flash-lite")
"""Models that can reason, but do so only when a reasoning effort is asked for."""


@dataclass(frozen=True)
class _Raw:
    """The result of one attempt: the answer, why it ended, the provider's account of tokens (None
    if it gave none), what was thought beside the answer and how a refusal was put.
    """

    text: str
    finish_reason: str | None
    usage: Any
    thought: str = ""
    refusal: str = ""


@lru_cache(maxsize=512)
def _counted(model: str, text: str) -> int:
    """Tokens of a text by litellm's count: a conversation sends what it sent before with each
    step.
    """
    return int(load().token_counter(model=model, text=text))


def _raw(
    arguments: dict[str, Any],
    content: str,
    calls: list[tuple[str, str]],
    finish_reason: str | None,
    usage: Any,
    thought: str,
    refusal: str,
) -> _Raw:
    """What came for these ``arguments``, the answer parted from what was thought."""
    text, within = parted(well_formed(content))
    if "tools" in arguments:
        text = tool_calls.told(text, calls)
    return _Raw(
        text or tool_calls.in_place_of_text(calls), finish_reason, usage, within or thought, refusal
    )


def _beside(message: Any, field: str) -> str:
    """A field of a message, or of a piece of one, beside its content; litellm keeps some apart."""
    kept = getattr(message, "provider_specific_fields", None) or {}
    return str(getattr(message, field, None) or kept.get(field) or "")


class LiteLLMModel:
    """A ChatModel for any name that litellm understands.

    ``api_base`` and ``api_key`` go before what litellm reads from the environment. ``slots`` limits
    the calls under way; a number stands for the slots that this process shares under that number.
    ``price`` goes before litellm's price list.

    ``cache`` answers what has been asked before, also at temperatures above 0: the same question
    has the same answer.

    Times are in seconds: ``first_token_timeout`` is the longest wait for the beginning of a stream,
    ``gap_timeout`` between its pieces, ``timeout`` for a whole reply (None: `QUICK` or `PATIENT`),
    ``give_up_after`` for all attempts of a call. Where the wait is long, whole replies are streamed
    too, so that time-outs are measured between tokens. Elsewhere a whole reply is waited for as
    long as its first token would be, or four times as long as any before it took; each further
    attempt doubles that, up to ``timeout``.

    ``max_output_tokens`` is the most that a call may write, thoughts included; None for what the
    stage asks, with `THINKING_TOKENS` more for a model that reasons. A reply that is all thought is
    asked for once more with twice the room. ``reasoning_effort`` is passed on. ``context_tokens``
    is the window asked of Ollama. ``on_this_machine``: None to tell it by the address.

    What a content filter withholds is an empty reply with a warning, so that one article does not
    end a run. A call that fails after it was begun is made again, so that a reply may cost more
    than `worst_cost`, which is of one attempt. What an attempt cost that broke off is unknown; the
    reply then says what it can have cost at most.
    """

    notices: tuple[str, ...] = ()
    takes_schemas = True

    def __init__(
        self,
        name: str,
        cache: Cache | None = None,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        slots: Pace | int = CONCURRENCY,
        price: prices.Price | None = None,
        first_token_timeout: float | None = None,
        gap_timeout: float | None = None,
        timeout: float | None = None,
        give_up_after: float = 300.0,
        max_output_tokens: int | None = None,
        reasoning_effort: str | None = None,
        context_tokens: int = CONTEXT_TOKENS,
        on_this_machine: bool | None = None,
    ) -> None:
        self.name = name
        self.api_base = api_base
        self.give_up_after = give_up_after
        self.max_output_tokens = max_output_tokens
        self.reasoning_effort = reasoning_effort
        self._waits = (first_token_timeout, gap_timeout, timeout)
        self._window = context_tokens
        self._on_this_machine = on_this_machine
        self._api_key = api_key
        self._price = price
        self._slots = of_process(slots) if isinstance(slots, int) else slots
        self._thinks = False
        self._parameters = Parameters(called(name))
        self._replies = ReplyCache(cache, name)

    def __repr__(self) -> str:
        return f"LiteLLMModel({self.name!r})"

    @property
    def remote(self) -> bool:
        """Return whether text leaves this machine."""
        return is_remote(self.name, self.api_base)

    @property
    def context_tokens(self) -> int | None:
        """Size of the context window, None where unknown."""
        return self._window if is_ollama(self.name) else prices.context_tokens(self.name)

    @property
    def reasons(self) -> bool:
        """Return whether the model writes thoughts before its reply: litellm knows, its name says
        so, or it was seen to.
        """
        name = self.name.lower()
        if self._thinks or any(one in name for one in _THINKS_UNASKED):
            return True
        asked = self.reasoning_effort is not None or not any(one in name for one in _THINKS_IF_TOLD)
        return asked and bool((prices.listed(self.name) or {}).get("supports_reasoning"))

    @property
    def on_this_machine(self) -> bool:
        """Return whether the model shares this machine, so that a call given up is still at work
        there.
        """
        return not self.remote if self._on_this_machine is None else self._on_this_machine

    @property
    def patient(self) -> bool:
        """Return whether calls are given much time, and streamed so that one sees that they go
        on.
        """
        return self.on_this_machine or self.reasons

    @property
    def waits(self) -> tuple[float, float, float]:
        """Seconds to the first token, between two tokens, for a whole reply."""
        first, gap, whole = self._waits
        usual = PATIENT if self.patient else QUICK
        whole = whole or usual[2]
        return min(first or usual[0], whole), min(gap or usual[1], whole), whole

    def limit(self, request: ModelRequest, *, doubled: bool = False) -> int:
        """Most tokens that the model may write for this request, thoughts included."""
        limit = self.max_output_tokens or request.max_tokens + (
            THINKING_TOKENS if self.reasons else 0
        )
        most = (prices.listed(self.name) or {}).get("max_output_tokens")
        limit *= 2 if doubled else 1
        return min(limit, most) if isinstance(most, int) and most > 0 else limit

    @property
    def calls_tools(self) -> bool:
        """Return whether tools go by the provider's own protocol, as far as is known."""
        return self._parameters.take("tools")

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` by litellm's count, or an estimate while litellm is not loaded."""
        if is_loaded():
            return _counted(self.name, text)
        return math.ceil(len(text) / CHARACTERS_A_TOKEN)

    def worst_cost(self, request: ModelRequest) -> float | None:
        """Most that one attempt can cost: all tokens of its limit used. None where the price is
        unknown.
        """
        return self._cost(self._prompt_tokens(request), self.limit(request))

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The whole reply. Raises ModelError once the retries that make sense are used up."""
        async with aclosing(self._run(request, streamed=False)) as run:
            async for item in run:
                if isinstance(item, ModelReply):
                    return item
        raise AssertionError("a run ends with a reply or an error")

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | StreamReset | ModelReply, None]:
        """Pieces of text as they come, a StreamReset where they are void, and last the reply.
        Raises ModelError.
        """
        return self._run(request, streamed=True)

    async def _run(
        self, request: ModelRequest, *, streamed: bool
    ) -> AsyncGenerator[str | StreamReset | ModelReply, None]:
        started = time.monotonic()
        address = address_of(self.name, self.api_base)
        if (known := self._replies.get(request, address)) is not None:
            if streamed:
                yield known.text
            yield known
            return
        if not is_loaded():
            await asyncio.to_thread(load)
        server = address or provider_of(self.name) or self.name
        pace = of_process(self._slots.most, server)  # what it has shown to take
        wasted, certain, tries, shown, doubled = 0.0, True, 0, False, False
        try:
            async for attempt in attempts(self.give_up_after):
                with attempt:
                    tries += 1
                    if shown:
                        shown = False
                        yield StreamReset()
                    try:
                        calls = self._attempt(request, tries, doubled=doubled, streamed=streamed)
                        async with pace, self._slots, aclosing(calls) as pieces:
                            async for piece in pieces:
                                if isinstance(piece, _Raw):
                                    raw = piece
                                elif streamed:
                                    shown = isinstance(piece, str)
                                    yield piece
                        pace.quicken()
                    except AttemptFailed as failed:
                        wasted += failed.cost_usd
                        certain = certain and failed.certain
                        if failed.failure is ALL_THOUGHT:
                            doubled = self._thinks = True
                        if failed.failure.overload:
                            pace.slow()
                        raise
        except AttemptFailed as failed:
            again = f" (tried {tries} times)" if tries > 1 else ""
            line = f"{self.name}: {failed.failure.line}{again}"
            raise ModelError(
                line, retryable=failed.failure.retryable, cost_usd=wasted, cost_known=certain
            ) from None
        limit = self.limit(request, doubled=doubled)
        if raw.finish_reason == "length" and not (request.schema or request.tools):
            torn = "" if raw.text.rstrip().endswith((".", "!", "?", "…")) else " …"
            raw = replace(raw, text=raw.text.rstrip() + torn)
            if streamed and torn:
                yield torn
        reply = replace(self._reply(request, raw, wasted), warnings=self._warnings(limit, raw))
        if not certain:
            reply = replace(reply, cost_usd=None, at_most_usd=reply.cost_usd)
        if raw.finish_reason not in ("content_filter", "length") and not raw.refusal:
            self._replies.put(request, address, reply)
        yield replace(reply, seconds=time.monotonic() - started)

    async def _attempt(
        self, request: ModelRequest, number: int, *, doubled: bool, streamed: bool
    ) -> AsyncGenerator[str | StreamReset | _Raw, None]:
        """One attempt: pieces of text where it is streamed, and last what it brought. Raises
        AttemptFailed.

        An answer that only refuses a parameter is no failed attempt: the parameter is left out from
        then on.
        """
        streamed = streamed or self.patient
        limit = self.limit(request, doubled=doubled)
        while True:
            arguments = self._arguments(request, limit, streamed=streamed)
            calls = (
                self._streamed(request, arguments, limit)
                if streamed
                else self._whole(request, arguments, limit, number)
            )
            try:
                async with aclosing(calls):
                    async for piece in calls:
                        if isinstance(piece, _Raw):
                            if piece.finish_reason == "content_filter":  # what came is no reply
                                piece = replace(piece, text="", thought=piece.thought + piece.text)
                            self._check(request, piece)
                        yield piece
                return
            except AttemptFailed:
                raise
            except Exception as error:
                if is_blocked(error):
                    yield _Raw("", "content_filter", None)
                    return
                once = number == 1 and is_torn(error)  # may be better the next time
                if once or not self._parameters.learn(error, arguments):
                    failure = failure_of(error, self.name, request, self._api_key)
                    raise (
                        self._lost(failure, request, limit)
                        if failure.begun
                        else AttemptFailed(failure)
                    ) from None

    async def _whole(
        self, request: ModelRequest, arguments: dict[str, Any], limit: int, number: int
    ) -> AsyncGenerator[_Raw, None]:
        first, _, whole = self.waits
        patience = min(whole, first * 2.0 ** (number - 1))
        try:
            async with asyncio.timeout(patience):
                response = await load().acompletion(**arguments)
        except TimeoutError:
            raise self._lost(
                timed_out(patience, "reply", again=not self.on_this_machine), request, limit
            ) from None
        choice = response.choices[0] if response.choices else None
        message = choice.message if choice is not None else None
        yield _raw(
            arguments,
            getattr(message, "content", None) or "",
            tool_calls.whole(message),
            getattr(choice, "finish_reason", None),
            getattr(response, "usage", None),
            _beside(message, "reasoning_content"),
            _beside(message, "refusal"),
        )

    async def _streamed(
        self, request: ModelRequest, arguments: dict[str, Any], limit: int
    ) -> AsyncGenerator[str | StreamReset | _Raw, None]:
        clock = asyncio.get_running_loop().time
        first, gap, whole = self.waits
        end = clock() + whole
        finish_reason, usage, response = None, None, None
        come, thought, refusal, wanted = "", "", "", tool_calls.Streamed()
        wait, what, due = first, "first token", min(clock() + first, end)
        try:
            async with asyncio.timeout_at(due):
                response = await load().acompletion(**arguments)
            chunks, others = aiter(response), clock() + TURN
            while True:
                if clock() > others:  # a reply that came all at once is read without a pause
                    await asyncio.sleep(0)
                    others = clock() + TURN
                async with asyncio.timeout_at(due):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    break
                usage = getattr(chunk, "usage", None) or usage
                for choice in chunk.choices[:1]:
                    finish_reason = choice.finish_reason or finish_reason
                    wanted.add(getattr(choice.delta, "tool_calls", None))
                    thought += _beside(choice.delta, "reasoning_content")
                    refusal += _beside(choice.delta, "refusal")
                    if piece := choice.delta.content:
                        come += piece
                        yield well_formed(piece)
                wait, what, due = gap, "further token", min(clock() + gap, end)
        except TimeoutError:
            late = (wait, what) if clock() < end else (whole, "whole reply")
            raise self._lost(
                timed_out(*late, again=not self.on_this_machine), request, limit
            ) from None
        except Exception as error:
            if not come:
                raise
            failure = failure_of(error, self.name, request, self._api_key)
            raise self._lost(failure, request, limit) from None
        finally:
            if response is not None:
                await response.aclose()
        # litellm makes up a finish reason where a stream just ends.
        given = getattr(response, "received_finish_reason", None) or getattr(
            response, "intermittent_finish_reason", None
        )
        if given is None:
            raise self._lost(CUT, request, limit)
        raw = _raw(arguments, come, wanted.calls, finish_reason, usage, thought, refusal)
        if raw.text and not parted(come)[0] and "tools" not in arguments:  # calls in its place
            yield raw.text
        if raw.text and finish_reason == "content_filter":
            yield StreamReset()
        yield raw

    def _check(self, request: ModelRequest, raw: _Raw) -> None:
        """Raise AttemptFailed where there is no text beside thoughts, other than by the provider's
        or the model's decision.
        """
        if not raw.text.strip() and raw.finish_reason != "content_filter" and not raw.refusal:
            paid = self._reply(request, raw, 0.0).cost_usd or 0.0
            nothing = ONLY_THOUGHT if raw.thought.strip() else EMPTY
            raise AttemptFailed(ALL_THOUGHT if raw.finish_reason == "length" else nothing, paid)

    def _lost(self, failure: Failure, request: ModelRequest, limit: int) -> AttemptFailed:
        """An attempt that failed after its work was begun: it may have cost as much as one can."""
        cost = self._cost(self._prompt_tokens(request), limit) or 0.0
        return AttemptFailed(failure, cost, certain=cost == 0)

    def _arguments(self, request: ModelRequest, limit: int, *, streamed: bool) -> dict[str, Any]:
        """Return what litellm is called with."""
        window = {"num_ctx": self._window} if is_ollama(self.name) else {}
        parameters = self._parameters.of(request, limit, self.reasoning_effort, streamed=streamed)
        if "tools" in parameters:  # else litellm looks for tools of its own with the package mcp
            parameters["_skip_mcp_handler"] = True
        return (
            parameters
            | window
            | {
                "model": called(self.name),
                "messages": self._parameters.messages(request, parameters),
                "stream": streamed,
                "api_base": self.api_base,
                "api_key": own_key(self.name, self.api_base, self._api_key),
                "timeout": self.waits[2],
                "max_retries": 0,
            }
        )

    def _reply(self, request: ModelRequest, raw: _Raw, wasted: float) -> ModelReply:
        """The reply of a finished attempt; ``wasted`` is what the attempts before it cost."""
        prompt_tokens = getattr(raw.usage, "prompt_tokens", None)
        completion_tokens = getattr(raw.usage, "completion_tokens", None)
        believed = raw.usage
        if not prompt_tokens or prompt_tokens < 0:
            prompt_tokens, believed = self._prompt_tokens(request), None
        if (
            completion_tokens is None
            or completion_tokens < 0
            or (completion_tokens == 0 and raw.text)
        ):
            completion_tokens, believed = self.count_tokens(raw.thought + raw.text), None
        cost = self._cost(prompt_tokens, completion_tokens, believed)
        return ModelReply(
            raw.text,
            self.name,
            prompt_tokens,
            completion_tokens,
            cost_usd=None if cost is None else cost + wasted,
        )

    def _warnings(self, limit: int, raw: _Raw) -> tuple[str, ...]:
        about_reply = {
            "content_filter": BLOCKED,
            "length": f"a reply reached the limit of {limit} output tokens and breaks off there",
        }
        warnings = self._parameters.unsaid()
        if raw.finish_reason in about_reply:
            warnings.append(about_reply[raw.finish_reason])
        if raw.refusal and not raw.text:
            warnings.append(f"{REFUSED}: {one_line(raw.refusal)[:EXCERPT].rstrip(' .')}")
        return tuple(f"{self.name}: {warning}" for warning in warnings)

    def _prompt_tokens(self, request: ModelRequest) -> int:
        beside = tool_calls.text_of(request)
        return (self.count_tokens(beside) if beside else 0) + sum(
            self.count_tokens(message.content) + TOKENS_A_MESSAGE for message in request.messages
        )

    def _cost(
        self, prompt_tokens: int, completion_tokens: int, usage: object = None
    ) -> float | None:
        cost = prices.cost(
            self.name,
            prompt_tokens,
            completion_tokens,
            api_base=self.api_base,
            price=self._price,
            usage=usage,
        )
        return None if cost is None else max(0.0, cost)
