"""Limits of a host for its callers: calls a minute and at a time, dollars a call and a day."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from clinfo.errors import BudgetReached, ServiceError
from clinfo.runs.spending import MemoryBudget, dollars

MINUTE = 60.0
_NANO = 1_000_000_000
_PATIENCE = 5.0
"""Seconds to wait for another process that counts."""


class TooManyCalls(ServiceError):
    """The host's limit of calls is reached; a later call may be taken."""


class Gate:
    """Lets in so many calls a minute, and so many at a time; a call that is not let in waits for
    nothing.
    """

    def __init__(
        self, a_minute: int, at_once: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._a_minute, self._at_once, self._clock = a_minute, at_once, clock
        self._begun: deque[float] = deque()
        self._running = 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        """A place for a call. Raises TooManyCalls."""
        now = self._clock()
        while self._begun and self._begun[0] <= now - MINUTE:
            self._begun.popleft()
        if len(self._begun) >= self._a_minute:
            wait = int(self._begun[0] + MINUTE - now) + 1
            raise TooManyCalls(
                f"this server takes {self._a_minute:,} calls a minute; call again in {wait} s",
                retryable=True,
            )
        if self._running >= self._at_once:
            raise TooManyCalls(
                f"this server works on {self._at_once:,} calls at a time; call again when one has "
                "ended",
                retryable=True,
            )
        self._begun.append(now)
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


def today() -> str:
    """The day in UTC, ISO 8601."""
    return datetime.now(UTC).date().isoformat()


class DayLedger:
    """The dollars spent on a day (UTC) by all servers of one data folder, in a file.

    What a call may cost counts from before it is made, so a process that is killed in a call
    leaves the most that the call may have cost.
    """

    def __init__(self, path: Path, limit_usd: float, day: Callable[[], str] = today) -> None:
        self._path, self._limit, self._day = path, limit_usd, day

    def reserve(self, usd: float) -> str:
        """Count ``usd`` and return the day it is counted on. Raises BudgetReached where the day has
        not so much left.
        """
        day = self._day()
        with self._opened() as ledger:
            ledger.execute("INSERT OR IGNORE INTO spent VALUES (?, 0)", (day,))
            counted = ledger.execute(
                "UPDATE spent SET nano = nano + ?1 WHERE day = ?2 AND nano + ?1 <= ?3",
                (round(usd * _NANO), day, round(self._limit * _NANO)),
            )
            if counted.rowcount:
                return day
        raise BudgetReached(
            f"today's budget of this server, {dollars(self._limit)}, does not cover another call; "
            "it is renewed at 00:00 UTC"
        )

    def give_back(self, day: str, usd: float) -> None:
        """Take ``usd`` off what a day has cost; where that cannot be written, the most that the
        call may have cost stays counted.
        """
        with suppress(BudgetReached), self._opened() as ledger:
            ledger.execute(
                "UPDATE spent SET nano = nano - ? WHERE day = ?", (round(usd * _NANO), day)
            )

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The file within a transaction. Raises BudgetReached where it cannot be used."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE)) as ledger, ledger:
                ledger.execute(
                    "CREATE TABLE IF NOT EXISTS spent (day TEXT PRIMARY KEY, nano INTEGER)"
                )
                yield ledger
        except (OSError, sqlite3.Error):
            raise BudgetReached(
                "what was spent today cannot be read or written, so nothing more is spent"
            ) from None


class DayBudget:
    """A Budget of one call that counts against the day too; other calls go on while the file of the
    day is waited for.
    """

    def __init__(self, of_call: MemoryBudget, ledger: DayLedger) -> None:
        self._of_call, self._ledger = of_call, ledger
        self._reserved: dict[str, tuple[str, float]] = {}

    async def reserve(self, usd: float) -> str:
        """As `MemoryBudget.reserve`."""
        token = await self._of_call.reserve(usd)
        counting = asyncio.ensure_future(asyncio.to_thread(self._ledger.reserve, usd))
        try:
            self._reserved[token] = await asyncio.shield(counting), usd
        except BaseException:
            await self._of_call.settle(token, 0.0)
            with suppress(BudgetReached):  # the thread goes on when this is cancelled
                await self._give_back(await counting, usd)
            raise
        return token

    async def settle(self, token: str, usd: float) -> None:
        """As `MemoryBudget.settle`."""
        day, reserved = self._reserved.pop(token)
        await self._of_call.settle(token, usd)
        await self._give_back(day, reserved - usd)

    async def _give_back(self, day: str, usd: float) -> None:
        work = asyncio.to_thread(self._ledger.give_back, day, usd)
        await asyncio.shield(asyncio.ensure_future(work))
