"""Any provider's model, through litellm."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from clinfo.cache import Cache
from clinfo.errors import ModelError
from clinfo.llm import prices
from clinfo.llm.failures import (
    ALL_THOUGHT,
    BLOCKED,
    CUT,
    EMPTY,
    AttemptFailed,
    failure_of,
    is_blocked,
    timed_out,
)
from clinfo.llm.litellm_loading import is_loaded, load
from clinfo.llm.model_names import address_of, is_remote, known_model_problem, needs_key, provider_of
from clinfo.llm.parameters import Parameters
from clinfo.llm.reply_cache import ReplyCache
from clinfo.llm.retrying import attempts
from clinfo.llm.slots import CONCURRENCY, Slots, of_process
from clinfo.protocols import ModelReply, ModelRequest, StreamReset
from clinfo.structured import well_formed

__all__ = ["LiteLLMModel", "known_model_problem"]

CHARACTERS_A_TOKEN = 3.5
"""Of English medical prose, on the low side: for plans made before litellm's tokenizers are there."""

TOKENS_A_MESSAGE = 4
"""What the marks around a message take, as OpenAI counts them."""


@dataclass(frozen=True)
class _Raw:
    """What one attempt brought: the text, why it ended, and the provider's account of tokens (None if it gave none)."""

    text: str
    finish_reason: str | None
    usage: Any


class LiteLLMModel:
    """A ChatModel for any name that litellm understands.

    ``api_base`` and ``api_key`` go before what litellm reads from the environment. ``slots`` limits the calls under way; a
    number stands for the slots that this process shares under that number. ``price`` goes before litellm's price list.

    ``cache`` answers what has been asked before, also at temperatures above 0: the same question has the same answer.

    Times are in seconds: ``first_token_timeout`` is the longest wait for the beginning of a stream, ``gap_timeout`` between
    its pieces, ``timeout`` for a whole reply, ``give_up_after`` for all attempts of a call. A whole reply, which nobody can
    watch arriving, is waited for as long as its first token would be, or four times as long as any before it took; each
    further attempt doubles that, up to ``timeout``. A model on this machine may be queueing calls and gets ``timeout`` at once.

    What a content filter withholds is an empty reply with a warning, so that one article does not end a run. A call that
    fails after it was paid for (broken off, empty) is made again, so that a reply may cost more than `worst_cost`, which is
    of one attempt.
    """

    notices: tuple[str, ...] = ()

    def __init__(
        self,
        name: str,
        cache: Cache | None = None,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        slots: Slots | int = CONCURRENCY,
        price: prices.Price | None = None,
        first_token_timeout: float = 30.0,
        gap_timeout: float = 30.0,
        timeout: float = 120.0,
        give_up_after: float = 300.0,
    ) -> None:
        self.name = name
        self.api_base = api_base
        self.first_token_timeout = first_token_timeout
        self.gap_timeout = gap_timeout
        self.timeout = timeout
        self.give_up_after = give_up_after
        self._api_key = api_key
        self._price = price
        self._slots = of_process(slots) if isinstance(slots, int) else slots
        self._slowest = 0.0
        self._gives_finish_reason = False
        self._parameters = Parameters(name)
        self._replies = ReplyCache(cache, name)

    def __repr__(self) -> str:
        return f"LiteLLMModel({self.name!r})"

    @property
    def remote(self) -> bool:
        """Whether text leaves this machine."""
        return is_remote(self.name, self.api_base)

    @property
    def context_tokens(self) -> int | None:
        """Size of the context window, None where unknown."""
        return prices.context_tokens(self.name)

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` by litellm's count, or an estimate while litellm is not loaded."""
        if is_loaded():
            return int(load().token_counter(model=self.name, text=text))
        return math.ceil(len(text) / CHARACTERS_A_TOKEN)

    def worst_cost(self, request: ModelRequest) -> float | None:
        """Most that one attempt can cost: all of ``max_tokens`` used. None where the price is unknown."""
        return self._cost(self._prompt_tokens(request), request.max_tokens)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The whole reply. Raises ModelError once the retries that make sense are used up."""
        async with aclosing(self._run(request, streamed=False)) as run:
            async for item in run:
                if isinstance(item, ModelReply):
                    return item
        raise AssertionError("a run ends with a reply or an error")

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | StreamReset | ModelReply, None]:
        """Pieces of text as they come, a StreamReset where they are void, and last the reply. Raises ModelError."""
        return self._run(request, streamed=True)

    async def _run(self, request: ModelRequest, *, streamed: bool) -> AsyncGenerator[str | StreamReset | ModelReply, None]:
        started = time.monotonic()
        address = address_of(self.name, self.api_base)
        if (known := self._replies.get(request, address)) is not None:
            if streamed:
                yield known.text
            yield known
            return
        if not is_loaded():
            await asyncio.to_thread(load)
        wasted, tries, shown = 0.0, 0, False
        try:
            async for attempt in attempts(self.give_up_after):
                with attempt:
                    tries += 1
                    if shown:
                        shown = False
                        yield StreamReset()
                    try:
                        async with self._slots, aclosing(self._attempt(request, tries, streamed=streamed)) as pieces:
                            async for piece in pieces:
                                if isinstance(piece, _Raw):
                                    raw = piece
                                else:
                                    shown = True
                                    yield piece
                    except AttemptFailed as failed:
                        wasted += failed.cost_usd
                        raise
        except AttemptFailed as failed:
            again = f" (tried {tries} times)" if tries > 1 else ""
            line = f"{self.name}: {failed.failure.line}{again}"
            raise ModelError(line, retryable=failed.failure.retryable, cost_usd=wasted) from None
        reply = replace(self._reply(request, raw, wasted), warnings=self._warnings(request, raw))
        if raw.finish_reason != "content_filter":
            self._replies.put(request, address, reply)
        yield replace(reply, seconds=time.monotonic() - started)

    async def _attempt(self, request: ModelRequest, number: int, *, streamed: bool) -> AsyncGenerator[str | _Raw, None]:
        """One attempt: pieces of text if ``streamed``, and last what it brought. Raises AttemptFailed.

        An answer that only refuses a parameter is no failed attempt: the parameter is left out from then on.
        """
        while True:
            arguments = self._arguments(request, streamed=streamed)
            calls = self._streamed(request, arguments) if streamed else self._whole(arguments, number)
            try:
                async with aclosing(calls):
                    async for piece in calls:
                        if isinstance(piece, _Raw):
                            self._check(request, piece)
                        yield piece
                return
            except AttemptFailed:
                raise
            except Exception as error:
                if is_blocked(error):
                    yield _Raw("", "content_filter", None)
                    return
                if not self._parameters.learn(error, arguments):
                    raise AttemptFailed(failure_of(error, self.name, request, self._api_key)) from None

    async def _whole(self, arguments: dict[str, Any], number: int) -> AsyncGenerator[_Raw, None]:
        patience = self._patience(number)
        started = time.monotonic()
        try:
            async with asyncio.timeout(patience):
                response = await load().acompletion(**arguments)
        except TimeoutError:
            raise AttemptFailed(timed_out(patience, "reply")) from None
        self._slowest = max(self._slowest, time.monotonic() - started)
        choice = response.choices[0] if response.choices else None
        text = (choice.message.content or "") if choice is not None else ""
        yield _Raw(well_formed(text), getattr(choice, "finish_reason", None), getattr(response, "usage", None))

    async def _streamed(self, request: ModelRequest, arguments: dict[str, Any]) -> AsyncGenerator[str | _Raw, None]:
        clock = asyncio.get_running_loop().time
        end = clock() + self.timeout
        text, finish_reason, usage, response = "", None, None, None
        limit, what, due = self.first_token_timeout, "first token", min(clock() + self.first_token_timeout, end)
        try:
            async with asyncio.timeout_at(due):
                response = await load().acompletion(**arguments)
            chunks = aiter(response)
            while True:
                async with asyncio.timeout_at(due):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    break
                usage = getattr(chunk, "usage", None) or usage
                for choice in chunk.choices[:1]:
                    finish_reason = choice.finish_reason or finish_reason
                    if piece := choice.delta.content:
                        text += piece
                        yield well_formed(piece)
                limit, what, due = self.gap_timeout, "further token", min(clock() + self.gap_timeout, end)
        except TimeoutError:
            late = timed_out(limit, what) if clock() < end else timed_out(self.timeout, "whole reply")
            raise AttemptFailed(late, self._paid(request, text)) from None
        except Exception as error:
            if not text:
                raise
            failure = failure_of(error, self.name, request, self._api_key)
            raise AttemptFailed(failure if failure.retryable else CUT, self._paid(request, text)) from None
        finally:
            if response is not None:
                await response.aclose()
        # litellm makes up a finish reason where a stream just ends. A server that gave one before was cut off then.
        given = getattr(response, "received_finish_reason", None) or getattr(response, "intermittent_finish_reason", None)
        if text and given is None and self._gives_finish_reason:
            raise AttemptFailed(CUT, self._paid(request, text))
        self._gives_finish_reason = self._gives_finish_reason or given is not None
        yield _Raw(well_formed(text), finish_reason, usage)

    def _check(self, request: ModelRequest, raw: _Raw) -> None:
        """Raise AttemptFailed where there is no text, other than by the provider's decision."""
        if not raw.text.strip() and raw.finish_reason != "content_filter":
            paid = self._reply(request, raw, 0.0).cost_usd or 0.0
            raise AttemptFailed(ALL_THOUGHT if raw.finish_reason == "length" else EMPTY, paid)

    def _patience(self, number: int) -> float:
        """How long attempt ``number`` (from 1) at a whole reply may take."""
        first: float = max(self.first_token_timeout, 4 * self._slowest) if self.remote else self.timeout
        return min(self.timeout, first * 2.0 ** (number - 1))

    def _arguments(self, request: ModelRequest, *, streamed: bool) -> dict[str, Any]:
        """What litellm is called with."""
        api_key = self._api_key
        if api_key is None and provider_of(self.name) == "openai" and not needs_key(self.name, self.api_base):
            # A server of one's own may not want a key, but the client library insists on one.
            api_key = None if os.environ.get("OPENAI_API_KEY") else "none"
        return self._parameters.of(request, streamed=streamed) | {
            "model": self.name,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "stream": streamed,
            "api_base": self.api_base,
            "api_key": api_key,
            "timeout": self.timeout,
            "max_retries": 0,
        }

    def _reply(self, request: ModelRequest, raw: _Raw, wasted: float) -> ModelReply:
        """The reply of a finished attempt; ``wasted`` is what the attempts before it cost."""
        prompt_tokens = getattr(raw.usage, "prompt_tokens", None)
        completion_tokens = getattr(raw.usage, "completion_tokens", None)
        if not prompt_tokens:
            prompt_tokens = self._prompt_tokens(request)
        if completion_tokens is None or (completion_tokens == 0 and raw.text):
            completion_tokens = self.count_tokens(raw.text)
        cost = self._cost(prompt_tokens, completion_tokens, raw.usage)
        return ModelReply(raw.text, self.name, prompt_tokens, completion_tokens, cost_usd=None if cost is None else cost + wasted)

    def _warnings(self, request: ModelRequest, raw: _Raw) -> tuple[str, ...]:
        about_reply = {
            "content_filter": BLOCKED,
            "length": f"a reply reached the limit of {request.max_tokens} output tokens and breaks off there",
        }
        warnings = self._parameters.unsaid()
        if raw.finish_reason in about_reply:
            warnings.append(about_reply[raw.finish_reason])
        return tuple(f"{self.name}: {warning}" for warning in warnings)

    def _paid(self, request: ModelRequest, text: str) -> float:
        """What an attempt cost, as far as known, that broke off after ``text``."""
        return (self._cost(self._prompt_tokens(request), self.count_tokens(text)) or 0.0) if text else 0.0

    def _prompt_tokens(self, request: ModelRequest) -> int:
        return sum(self.count_tokens(message.content) + TOKENS_A_MESSAGE for message in request.messages)

    def _cost(self, prompt_tokens: int, completion_tokens: int, usage: object = None) -> float | None:
        return prices.cost(self.name, prompt_tokens, completion_tokens, api_base=self.api_base, price=self._price, usage=usage)
