"""Money: a budget that is never overdrawn knowingly, and what planned calls may cost."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import uuid4

from clinfo.errors import BudgetReached, UsageError
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, ChatModel, Message, ModelRequest

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


@dataclass(frozen=True)
class Estimate:
    """US dollars that a run should cost (``low``) and can cost if every reply is as long as allowed
    (``high``).

    Both are None where a price is unknown; ``unpriced`` names those models.
    """

    low: float | None
    high: float | None
    calls: int
    unpriced: tuple[str, ...] = ()


def estimate(models: Mapping[str, ChatModel], planned: Mapping[str, StagePlan]) -> Estimate:
    """Return what the ``planned`` calls may cost with these models by stage. Nothing is called."""
    lows, highs, unpriced = list[float](), list[float](), list[str]()
    for stage, calls in planned.items():
        low = models[stage].worst_cost(_typical(stage, calls, calls.completion_tokens))
        high = models[stage].worst_cost(_typical(stage, calls, MAX_OUTPUT_TOKENS))
        if low is None or high is None:
            unpriced.append(models[stage].name)
        else:
            lows.append(low * calls.calls)
            highs.append(high * calls.calls)
    return Estimate(
        low=None if unpriced else math.fsum(lows),
        high=None if unpriced else math.fsum(highs),
        calls=sum(calls.calls for calls in planned.values()),
        unpriced=tuple(dict.fromkeys(unpriced)),
    )


def _typical(stage: str, calls: StagePlan, max_tokens: int) -> ModelRequest:
    """A request of the planned size. Its text is filler, two tokens at a time: only its length is
    looked at.
    """
    filler = "a dose " * math.ceil(calls.prompt_tokens / 2)
    return ModelRequest(stage, (Message("user", filler),), max_tokens=max_tokens)
