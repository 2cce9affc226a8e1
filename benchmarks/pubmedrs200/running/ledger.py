"""The money of a whole run: reserved and settled for all processes in one place, and reached from
theirs.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from clinfo.errors import BudgetReached
from clinfo.runs.spending import ROUNDING, dollars


class Ledger:
    """Amounts spent and reserved, in US dollars. A reservation that does not fit waits for what
    calls under way give back.

    Only when nothing is under way any more, and it still does not fit, it is refused.
    """

    def __init__(self, limit: float | None, spent: float) -> None:
        self.limit = limit
        self.spent = spent
        self._held: dict[str, tuple[int, float]] = {}
        self._waiting: deque[tuple[int, str, float, Callable[[str], None]]] = deque()

    def reserve(self, worker: int, token: str, usd: float, reply: Callable[[str], None]) -> None:
        """Set ``usd`` aside for a worker's call; ``reply`` is called with "" once it is, or with
        why it cannot be.
        """
        self._waiting.append((worker, token, usd, reply))
        self._grant()

    def settle(self, token: str, usd: float) -> None:
        """Replace a reservation, granted or waiting, by what was really spent."""
        if self._held.pop(token, None) is None:
            self._waiting = deque(one for one in self._waiting if one[1] != token)
        self.spent += usd
        self._grant()

    def lost(self, worker: int) -> None:
        """A worker is gone: its calls under way may have cost all that was set aside for them."""
        for token, (owner, usd) in list(self._held.items()):
            if owner == worker:
                del self._held[token]
                self.spent += usd
        self._waiting = deque(one for one in self._waiting if one[0] != worker)
        self._grant()

    def _grant(self) -> None:
        while self._waiting:
            worker, token, usd, reply = self._waiting[0]
            held = sum(amount for _, amount in self._held.values())
            if self.limit is None or self.spent + held + usd <= self.limit + ROUNDING:
                self._held[token] = worker, usd
                answer = ""
            elif self._held:
                return
            else:
                answer = (
                    f"the budget of {dollars(self.limit)} does not cover another call: "
                    f"{dollars(self.spent)} spent, "
                    f"and the next call might cost {dollars(usd)}"
                )
            self._waiting.popleft()
            reply(answer)


class RemoteBudget:
    """The ledger as a worker's runs see it: a Budget that asks over ``say``."""

    def __init__(self, say: Callable[[dict[str, Any]], None]) -> None:
        self._say = say
        self._asked: dict[str, asyncio.Future[str]] = {}

    async def reserve(self, usd: float) -> str:
        """Set ``usd`` aside and return a token for it. Raises BudgetReached if it is not there."""
        token = uuid4().hex
        self._asked[token] = answer = asyncio.get_running_loop().create_future()
        self._say({"type": "reserve", "token": token, "usd": usd})
        try:
            refusal = await answer
        except asyncio.CancelledError:
            self._say({"type": "settle", "token": token, "usd": 0.0})
            raise
        finally:
            del self._asked[token]
        if refusal:
            raise BudgetReached(refusal)
        return token

    async def settle(self, token: str, usd: float) -> None:
        """Replace the reservation by what was really spent."""
        self._say({"type": "settle", "token": token, "usd": usd})

    def answered(self, token: str, refusal: str) -> None:
        """The ledger's answer to a reservation has come."""
        answer = self._asked.get(token)
        if answer is not None and not answer.done():
            answer.set_result(refusal)
