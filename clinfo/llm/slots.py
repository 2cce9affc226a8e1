"""How many model calls run at a time in this process."""

from __future__ import annotations

import asyncio
from functools import cache
from weakref import WeakKeyDictionary

CONCURRENCY = 32


@cache
def of_process(limit: int = CONCURRENCY) -> Slots:
    """The slots that all models of this process share, whoever made them."""
    return Slots(limit)


class Slots:
    """``async with slots:`` holds one of ``limit`` slots; who waits longest is next.

    A semaphore belongs to an event loop, so each loop gets its own when it first asks.
    """

    def __init__(self, limit: int = CONCURRENCY) -> None:
        self.limit = limit
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def _semaphore(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        if loop not in self._by_loop:
            self._by_loop[loop] = asyncio.Semaphore(self.limit)
        return self._by_loop[loop]

    async def __aenter__(self) -> None:
        await self._semaphore().acquire()

    async def __aexit__(self, *_: object) -> None:
        self._semaphore().release()
