"""Calls of litellm that are no chat, embeddings: paid for, tried again."""

import asyncio
from typing import Any

from clinfo.errors import ModelError
from clinfo.llm import prices
from clinfo.llm.failures import AttemptFailed, attempts, failure_of, timed_out
from clinfo.llm.litellm_loading import is_loaded, load
from clinfo.llm.model_names import address_of, is_remote, own_key
from clinfo.llm.slots import CONCURRENCY, of_process
from clinfo.runs.protocols import Budget, Message, ModelRequest

CHARACTERS_A_TOKEN = 3.0
"""On the low side, so that more is reserved than is spent."""
GIVE_UP_AFTER = 120.0
TIMEOUT = 60.0
"""Seconds for which a call is tried again, and for one attempt."""


class LiteLLMCalls:
    """One model of litellm's and how it is called.

    The worst case of a call is reserved of ``budget``.
    """

    def __init__(
        self,
        name: str,
        budget: Budget | None = None,
        api_base: str | None = None,
        api_key: str | None = None,
    ) -> None:
        self.name = name
        self._budget = budget
        self._api_base = api_base
        self._api_key = api_key

    @property
    def address(self) -> str | None:
        """Return where the model is asked, None for its provider's own address."""
        return address_of(self.name, self._api_base)

    @property
    def remote(self) -> bool:
        """Return whether text leaves this machine."""
        return is_remote(self.name, self._api_base)

    async def call(self, function: str, texts: list[str], **arguments: Any) -> Any:
        """Return what litellm's ``function`` gives; ``texts`` are what it reads.

        Raises ModelError once the retries that make sense are used up, BudgetReached.
        """
        if not is_loaded():
            await asyncio.to_thread(load)
        tokens = sum(int(len(text) / CHARACTERS_A_TOKEN) + 1 for text in texts)
        worst = self._cost(tokens)
        token = await self._budget.reserve(worst or 0.0) if self._budget else ""
        spent = worst or 0.0  # what a call that is broken off may have cost
        try:
            try:
                response = await self._tried(function, texts, arguments)
            except AttemptFailed as failed:
                spent = 0.0
                line = f"{self.name}: {failed.failure.line}"
                raise ModelError(line, retryable=failed.failure.retryable) from None
            used = getattr(getattr(response, "usage", None), "prompt_tokens", None) or tokens
            spent = self._cost(used) or 0.0
        finally:
            if self._budget:
                await self._budget.settle(token, spent)
        return response

    async def _tried(self, function: str, texts: list[str], arguments: dict[str, Any]) -> Any:
        said = ModelRequest(function, (Message("user", texts[0]),))
        key = own_key(self.name, self._api_base, self._api_key)
        async for attempt in attempts(GIVE_UP_AFTER):
            with attempt:
                try:
                    async with of_process(CONCURRENCY), asyncio.timeout(TIMEOUT):
                        return await getattr(load(), function)(
                            model=self.name,
                            api_base=self._api_base,
                            api_key=key,
                            max_retries=0,
                            timeout=TIMEOUT,
                            **arguments,
                        )
                except TimeoutError:
                    raise AttemptFailed(timed_out(TIMEOUT, "reply")) from None
                except Exception as error:
                    raise AttemptFailed(failure_of(error, self.name, said, key)) from None
        raise AssertionError("the attempts end with a reply or an error")

    def _cost(self, tokens: int) -> float | None:
        entry = prices.listed(self.name) or {}
        if (a_query := entry.get("input_cost_per_query")) is not None:
            return float(a_query)
        return prices.cost(self.name, tokens, 0, api_base=self._api_base)
