"""Money: a budget that is never overdrawn knowingly, and what planned calls may cost."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import uuid4

from clinfo.errors import BudgetReached, UsageError
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, ChatModel, Message, ModelRequest
from clinfo.text.wording import number

ROUNDING = 1e-9
"""US dollars by which sums of floating-point amounts may be off."""


def dollars(usd: float, places: int = 4) -> str:
    """``$0.0500``; an amount too small for these decimal places gets as many as its first digit
    needs: ``$0.000001``.
    """
    if 0 < usd < 0.5 * 10**-places:
        places = min(-math.floor(math.log10(usd)), 12)
    return f"${usd:.{places}f}"


class MemoryBudget:
    """A Budget kept in memory, for one run or for many in one process. ``limit_usd`` None allows
    everything and still counts.

    ``spent`` is what the run had cost before, if it is one that goes on. Raises UsageError for a
    limit that is not an amount of money.
    """

    def __init__(self, limit_usd: float | None = None, spent: float = 0.0) -> None:
        if limit_usd is not None and not (math.isfinite(limit_usd) and limit_usd >= 0):
            raise UsageError(
                f"a budget must be an amount in US dollars, 0 or more, not {limit_usd}"
            )
        self.limit_usd = limit_usd
        self.spent = spent
        """US dollars settled so far."""
        self._reserved: dict[str, float] = {}
        self._settled = asyncio.Event()

    @property
    def reserved(self) -> float:
        """US dollars reserved for calls in progress."""
        return math.fsum(self._reserved.values())

    async def reserve(self, usd: float) -> str:
        """Set ``usd`` aside and return a token for it. What does not fit waits for what calls under
        way give back. Raises BudgetReached where nothing is under way any more and it still does
        not fit.
        """
        while self.limit_usd is not None and (
            self.spent + self.reserved + usd > self.limit_usd + ROUNDING
        ):
            if not self._reserved:
                raise BudgetReached(
                    f"the budget of {dollars(self.limit_usd)} does not cover another call: "
                    f"{dollars(self.spent)} spent, and the next call might cost {dollars(usd)}",
                    cost_usd=self.spent,
                )
            await self._settled.wait()
        token = uuid4().hex
        self._reserved[token] = usd
        return token

    async def settle(self, token: str, usd: float) -> None:
        """Replace the reservation by what was really spent. Raises KeyError for a token that is not
        outstanding.
        """
        del self._reserved[token]
        self.spent += usd
        self._settled.set()  # waits for nothing, so that nobody is left unwoken
        self._settled = asyncio.Event()


@dataclass(frozen=True)
class StagePlan:
    """Calls planned for a stage, and the tokens of a typical one."""

    calls: int
    prompt_tokens: int
    completion_tokens: int


def expected_cost(models: Mapping[str, ChatModel], planned: Mapping[str, StagePlan]) -> str:
    """What the ``planned`` calls should cost with these models by stage, and can cost where every
    reply is as long as allowed, in a line; "" where they cost nothing. Nothing is called.
    """
    there = [
        (plan.calls, models[stage], *_typical(stage, plan))
        for stage, plan in planned.items()
        if stage in models
    ]
    unpriced = [model.name for _, model, usual, _ in there if model.worst_cost(usual) is None]
    if unpriced:
        names = ", ".join(dict.fromkeys(unpriced))
        return f"the cost cannot be estimated: no price is known for {names}"
    low = math.fsum(calls * (model.worst_cost(usual) or 0.0) for calls, model, usual, _ in there)
    high = math.fsum(calls * (model.worst_cost(most) or 0.0) for calls, model, _, most in there)
    asked = number(sum(calls for calls, *_ in there), "model call")
    told = f"expected cost: about {dollars(low, 2)}, at most {dollars(high, 2)} ({asked})"
    return told if high else ""


def _typical(stage: str, plan: StagePlan) -> tuple[ModelRequest, ModelRequest]:
    """Requests of the planned size, for a typical reply and for the longest. Their text is filler,
    two tokens at a time: only its length is looked at.
    """
    filler = (Message("user", "a dose " * math.ceil(plan.prompt_tokens / 2)),)
    typical = ModelRequest(stage, filler, max_tokens=plan.completion_tokens)
    return typical, replace(typical, max_tokens=MAX_OUTPUT_TOKENS)
