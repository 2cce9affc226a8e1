"""Limits the number of concurrent model calls in this process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cache
from weakref import WeakKeyDictionary

CONCURRENCY = 32


@cache
def of_process(most: int = CONCURRENCY, server: str = "") -> Pace:
    """The places that all models of this process share, whoever made them, or those of them that
    ask a ``server`` (an address, or a provider's name).
    """
    return Pace(most)


@dataclass
class _Turns:
    """The places taken on one event loop, and who waits there for one."""

    taken: int = 0
    free: asyncio.Condition = field(default_factory=asyncio.Condition)


class Pace:
    """``async with pace:`` holds one of as many places as a server has shown to serve.

    Overload halves the places, down to one; each reply then gives back a share of a place, as TCP
    does (additive increase, multiplicative decrease; Chiu and Jain 1989).
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.places = float(most)
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, _Turns] = WeakKeyDictionary()

    def slow(self) -> None:
        """The server could not keep up."""
        self.places = max(1.0, self.places / 2)

    def quicken(self) -> None:
        """The server replied."""
        self.places = min(float(self.most), self.places + 1 / self.places)

    async def __aenter__(self) -> None:
        turns = self._turns.setdefault(asyncio.get_running_loop(), _Turns())
        async with turns.free:
            await turns.free.wait_for(lambda: turns.taken < int(self.places))
            turns.taken += 1

    async def __aexit__(self, *_: object) -> None:
        turns = self._turns[asyncio.get_running_loop()]
        turns.taken -= 1
        async with turns.free:
            turns.free.notify_all()
