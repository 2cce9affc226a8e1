"""Limits the number of concurrent model calls in this process."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import cache
from weakref import WeakKeyDictionary

CONCURRENCY = 32


@cache
def of_process(most: int = CONCURRENCY, server: str = "") -> Pace:
    """The places that all models of this process share, whoever made them, or those of them that
    ask a ``server`` (an address, or a provider's name).
    """
    return Pace(most)


class Pace:
    """``async with pace:`` holds one of as many places as a server has shown to serve; who waits
    longest is next.

    Overload halves the places, down to one; each reply then gives back a share of a place, as TCP
    does (additive increase, multiplicative decrease; Chiu and Jain 1989).
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.places = float(most)
        self._taken: WeakKeyDictionary[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()
        self._waiting: WeakKeyDictionary[asyncio.AbstractEventLoop, deque[asyncio.Future[None]]] = (
            WeakKeyDictionary()
        )

    def slow(self) -> None:
        """The server could not keep up."""
        self.places = max(1.0, self.places / 2)

    def quicken(self) -> None:
        """The server replied."""
        self.places = min(float(self.most), self.places + 1 / self.places)

    async def __aenter__(self) -> None:
        loop = asyncio.get_running_loop()
        waiting = self._waiting.setdefault(loop, deque())
        if self._taken.get(loop, 0) < int(self.places) and not waiting:
            self._taken[loop] = self._taken.get(loop, 0) + 1
            return
        turn = loop.create_future()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # its place had been handed over already
                self._leave(loop)
            elif turn in waiting:
                waiting.remove(turn)
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave(asyncio.get_running_loop())

    def _leave(self, loop: asyncio.AbstractEventLoop) -> None:
        self._taken[loop] -= 1
        waiting = self._waiting[loop]
        while waiting and self._taken[loop] < int(self.places):
            turn = waiting.popleft()
            if not turn.done():
                self._taken[loop] += 1
                turn.set_result(None)
