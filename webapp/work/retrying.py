"""Going on when the database comes back: a restart or a fail-over of it ends no run."""

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from sqlalchemy import exc

from clinfo.errors import BudgetReached
from webapp.storage.budget import DatabaseBudget

logger = logging.getLogger(__name__)

Value = TypeVar("Value")

OUTAGES: Final = (exc.OperationalError, exc.InterfaceError, exc.TimeoutError)
"""The errors of SQLAlchemy where the database cannot be reached, or is locked for too long; the
same work may succeed later.
"""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds before the next try; doubled each time."""
SAY_AGAIN_SECONDS = 30.0

_said_at: float | None = None


async def patiently(work: Callable[[], Awaitable[Value]]) -> Value:
    """The value of ``work``, tried again for as long as the database cannot be reached; whoever has
    had enough cancels.
    """
    pause = FIRST_PAUSE
    while True:
        try:
            return await work()
        except OUTAGES as error:
            say(error)
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def say(error: Exception) -> None:
    """Log that the database is out, once in a while."""
    global _said_at
    now = time.monotonic()
    if _said_at is None or now - _said_at >= SAY_AGAIN_SECONDS:
        _said_at = now
        logger.warning("the database cannot be used (%s); trying again", reason(error))


def reason(error: Exception) -> str:
    """Return what the database itself said, its first line; never the statement with its values."""
    said = str(getattr(error, "orig", None) or "").strip()
    return said.splitlines()[0][:200] if said else type(error).__name__


class PatientBudget:
    """A Budget over one in the database that waits where that cannot be reached.

    What cannot be settled then stays set aside, so it counts as spent: too much rather than too
    little.
    """

    def __init__(self, budget: DatabaseBudget) -> None:
        self._budget = budget

    async def reserve(self, usd: float) -> str:
        """Set ``usd`` aside and return a token for it; wait for it while others may give it back.
        Raises BudgetReached if it is not there.
        """
        pause = FIRST_PAUSE
        while True:
            try:
                return await patiently(lambda: self._budget.reserve(usd))
            except BudgetReached as error:
                if not error.retryable:
                    raise
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def settle(self, token: str, usd: float) -> None:
        """Replace the reservation by what was really spent."""
        try:
            await self._budget.settle(token, usd)
        except OUTAGES as error:
            say(error)


OF_DAY: Final = (
    "today's budget of this site does not cover this question; it is renewed at 0:00 UTC"
)
OF_RUN: Final = (
    "this question needs more than the budget of this site for one run; ask for fewer articles or "
    "queries"
)
_CLAUSES: Final = re.compile(r"(; |\. |, or )")
_FOR_HOSTS: Final = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|(?<!\w)--[a-z]|\$\d")
"""Environment variables, flags and amounts."""


def for_visitors(error: str, problem: str, retryable: bool) -> tuple[str, bool]:
    """(what a visitor is told of a failed run, whether the same run may succeed later); ``error``
    is the name of the class of `clinfo.errors`.
    """
    if error == BudgetReached.__name__:
        daily = problem.startswith("today's")
        return (OF_DAY, True) if daily else (OF_RUN, False)
    first, *rest = _CLAUSES.split(problem)
    told = "" if _FOR_HOSTS.search(first) else first
    for between, clause in zip(rest[::2], rest[1::2], strict=True):
        if not _FOR_HOSTS.search(clause):
            told += f"{between}{clause}" if told else clause
    return told or "something is not set up on this site; please tell its host", retryable
