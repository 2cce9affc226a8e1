"""Spending of all runs of a day together, kept in the database; reserved before each call, settled
after.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import ceil
from typing import Any, Final, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    and_,
    delete,
    func,
    insert,
    not_,
    select,
    text,
    true,
    update,
)

from clinfo.errors import BudgetReached
from clinfo.runs import MemoryBudget, dollars
from webapp.records import Lease
from webapp.storage.database import reading, writing
from webapp.storage.tables import reservations, runs, spending

Result = TypeVar("Result")

NANO: Final = 1_000_000_000
"""Nanodollars of a US dollar."""
_GIVING_BACK: Final = 120.0
"""Seconds that a worker may take, after the end of a run, to settle what that had outstanding."""


class DatabaseBudget:
    """A `clinfo.runs.protocols.Budget` for one run: the site's daily limit (UTC days) and the run's
    own, whichever is reached first.

    What a worker had reserved when it died counts as spent, because the call may have been paid.
    ``daily_limit`` None: no limit of the day, counted all the same. Runs on a visitor's own key get
    ``counts=False``: only their own limit holds.

    It belongs to one event loop; the database is asked in threads, and not at all for calls that
    cost nothing.
    """

    def __init__(
        self,
        engine: Engine,
        lease: Lease,
        daily_limit: float | None,
        run_limit: float | None,
        spent: float,
        counts: bool = True,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._lease = lease
        self._daily_limit = daily_limit
        self._run = MemoryBudget(run_limit, spent)
        self._counts = counts
        self._now = now
        self._of_the_day: set[str] = set()  # tokens of the run that stand in the database too
        self._first = asyncio.Lock()
        self._took_over = lease.fence <= 1

    async def reserve(self, usd: float) -> str:
        """Set ``usd`` aside and return a token for it. Raises BudgetReached if it is not there;
        retryable where it would be, were all that other calls have set aside given back.
        """
        if usd > 0 and self._counts:
            await self._take_over()
        token = await self._run.reserve(usd)
        if usd > 0 and self._counts:
            try:
                await self._set_aside(token, usd)
            except BaseException:
                await self._run.settle(token, 0.0)
                raise
            self._of_the_day.add(token)
        return token

    async def settle(self, token: str, usd: float) -> None:
        """Replace the reservation by what was really spent. Raises KeyError for a token that is not
        outstanding.
        """
        await self._run.settle(token, usd)
        if token in self._of_the_day:
            self._of_the_day.discard(token)
            await self._in_thread(self._settle, token, usd)
        elif usd > 0 and self._counts:  # a model whose price was not known
            await self._in_thread(self._spend, usd)

    async def _take_over(self) -> None:
        """Count what this run's earlier workers left outstanding as spent, of the day and of the
        run.
        """
        async with self._first:
            if not self._took_over:
                lost = await self._in_thread(self._write_off_earlier)
                self._took_over = True
                token = await self._run.reserve(0.0)
                await self._run.settle(token, lost)

    async def _set_aside(self, token: str, usd: float) -> None:
        work = _started(self._reserve, token, usd)
        try:
            await asyncio.shield(work)
        except (
            asyncio.CancelledError
        ):  # the thread goes on; what it may still set aside is given back
            work.add_done_callback(
                lambda done: (
                    None
                    if done.cancelled() or done.exception()
                    else _started(self._settle, token, 0.0)
                )
            )
            raise

    async def _in_thread(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Once begun it is carried through, also where nobody waits for it any more."""
        return await asyncio.shield(_started(work, *arguments))

    # ---- in threads, a transaction each

    def _reserve(self, token: str, usd: float) -> None:
        day, amount = _day(self._now()), ceil(usd * NANO)
        limit = None if self._daily_limit is None else round(self._daily_limit * NANO)
        with writing(self._engine) as connection:
            _begin_day(connection, day)
            there = (
                true()
                if limit is None
                else spending.c.spent + spending.c.reserved + amount <= limit + 1
            )  # as ROUNDING
            # A second transaction waits for the first one's row, and looks at the sums anew when it
            # has it.
            changed = (
                update(spending)
                .where(spending.c.day == day, there)
                .values(reserved=spending.c.reserved + amount)
            )
            if connection.execute(changed).rowcount == 1:
                row = {
                    "token": token,
                    "run_id": self._lease.run_id,
                    "fence": self._lease.fence,
                    "day": day,
                }
                connection.execute(insert(reservations).values(**row, amount=amount, lost=False))
                return
            spent, reserved = connection.execute(
                select(spending.c.spent, spending.c.reserved).where(spending.c.day == day)
            ).one()
        under_way = (
            f", {dollars(reserved / NANO)} reserved for runs in progress" if reserved else ""
        )
        raise BudgetReached(
            f"today's budget of this site, {dollars(self._daily_limit or 0.0)}, does not cover "
            f"another call: {dollars(spent / NANO)} spent{under_way}, and the next call might cost "
            f"{dollars(usd)}; the budget is renewed at 0:00 UTC",
            retryable=limit is not None and spent + amount <= limit + 1,
            cost_usd=self._run.spent,
        )

    def _settle(self, token: str, usd: float) -> None:
        amount = round(usd * NANO)
        mine = reservations.c.token == token, reservations.c.lost.is_(False)
        with writing(self._engine) as connection:
            row = connection.execute(
                delete(reservations)
                .where(*mine)
                .returning(reservations.c.day, reservations.c.amount)
            ).first()
            if row is None:  # written off meanwhile: it counts in full
                return
            settled = {
                "reserved": spending.c.reserved - row.amount,
                "spent": spending.c.spent + amount,
            }
            connection.execute(update(spending).where(spending.c.day == row.day).values(**settled))

    def _spend(self, usd: float) -> None:
        day = _day(self._now())
        with writing(self._engine) as connection:
            _begin_day(connection, day)
            spent = spending.c.spent + round(usd * NANO)
            connection.execute(update(spending).where(spending.c.day == day).values(spent=spent))

    def _write_off_earlier(self) -> float:
        run_id, fence = self._lease.run_id, self._lease.fence
        earlier = reservations.c.run_id == run_id, reservations.c.fence < fence
        with writing(self._engine) as connection:
            write_off(connection, [run_id], before=fence)
            lost = connection.execute(
                select(func.sum(reservations.c.amount)).where(*earlier)
            ).scalar_one()
        return int(lost or 0) / NANO


def spent_today(
    engine: Engine, now: Callable[[], float] = time.time, settled: bool = False
) -> float:
    """US dollars settled or set aside today, UTC; only those ``settled``."""
    today = select(spending.c.spent, spending.c.reserved).where(spending.c.day == _day(now()))
    with reading(engine) as connection:
        spent, reserved = connection.execute(today).first() or (0, 0)
    return int(spent if settled else spent + reserved) / NANO


def write_off(connection: Connection, run_ids: Sequence[str], before: int | None = None) -> None:
    """Count what is outstanding for calls of these runs (under fences older than ``before``) as
    spent.
    """
    outstanding: list[ColumnElement[bool]] = [
        reservations.c.run_id.in_(run_ids),
        reservations.c.lost.is_(False),
    ]
    if before is not None:
        outstanding.append(reservations.c.fence < before)
    lost = update(reservations).where(*outstanding).values(lost=True)
    paid: Counter[str] = Counter()
    for day, amount in connection.execute(
        lost.returning(reservations.c.day, reservations.c.amount)
    ).all():
        paid[day] += amount
    for day, amount in sorted(paid.items()):
        moved = {"reserved": spending.c.reserved - amount, "spent": spending.c.spent + amount}
        connection.execute(update(spending).where(spending.c.day == day).values(**moved))


def write_off_stale(engine: Engine, now: float) -> None:
    """`write_off` what runs that nobody carries out any more have left outstanding: others wait for
    it.
    """
    carried_out = and_(runs.c.status == "running", runs.c.lease_until >= now)
    ended = func.coalesce(runs.c.ended_at, 0.0) < now - _GIVING_BACK
    stale = select(runs.c.id).where(not_(carried_out), ended)
    left = select(reservations.c.run_id).where(
        reservations.c.lost.is_(False), reservations.c.run_id.in_(stale)
    )
    with reading(engine) as connection:
        if connection.execute(left.limit(1)).first() is None:
            return
    with writing(engine) as connection:
        write_off(connection, connection.execute(left.distinct()).scalars().all())


def forget_runs(connection: Connection, run_ids: Sequence[str]) -> None:
    """Take deleted runs out of the accounts; the days' sums stay as they are."""
    write_off(connection, run_ids)
    connection.execute(delete(reservations).where(reservations.c.run_id.in_(run_ids)))


def _started(work: Callable[..., Result], *arguments: Any) -> asyncio.Future[Result]:
    return asyncio.ensure_future(asyncio.to_thread(work, *arguments))


def _begin_day(connection: Connection, day: str) -> None:
    begin = text(
        "INSERT INTO spending (day, spent, reserved) VALUES (:day, 0, 0) ON CONFLICT (day) DO "
        "NOTHING"
    )
    connection.execute(begin, {"day": day})


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()
