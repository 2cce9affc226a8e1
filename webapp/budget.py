"""Spending of all runs of a day together, kept in the database; reserved before each call, settled after."""

from __future__ import annotations

from sqlalchemy import Engine

from webapp.records import Lease


class DatabaseBudget:
    """A `clinfo.protocols.Budget` for one run: the site's daily limit (UTC days) and the run's own, whichever is reached first.

    What a worker had reserved when it died counts as spent, because the call may have been paid. ``daily_limit`` None: no limit
    of the day, counted all the same. Runs on a visitor's own key get ``counts=False``: only their own limit holds.
    """

    def __init__(
        self, engine: Engine, lease: Lease, daily_limit: float | None, run_limit: float | None, spent: float, counts: bool = True
    ) -> None:
        raise NotImplementedError

    async def reserve(self, usd: float) -> str:
        """Set ``usd`` aside and return a token for it. Raises BudgetReached if it is not there."""
        raise NotImplementedError

    async def settle(self, token: str, usd: float) -> None:
        """Replace the reservation by what was really spent."""
        raise NotImplementedError


def spent_today(engine: Engine) -> float:
    """US dollars settled or set aside today, UTC."""
    raise NotImplementedError
