"""Spending of all runs of a day together, kept in the database; reserved before each call, settled
after.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
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
_HOLD: Final = "hold "
"""Begins the token of what is held for a run's later calls: given back, never counted as spent.

Its amount is what the run is likely to cost less what its calls have cost and set aside; below zero
nothing is held any more.
"""


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
        self._under_way: set[asyncio.Future[Any]] = set()
        self._hold = f"{_HOLD}{secrets.token_hex(12)}"

    async def admit(self, usd: float) -> None:
        """Hold ``usd``, what the run is likely to cost, of the day; its calls draw on that first.

        Raises BudgetReached where the day's budget does not cover it, so that runs side by side do
        not spend it without one of them reaching its answer; retryable where it would, were all
        that others have set aside given back.
        """
        if usd > 0 and self._counts:
            await self._take_over()
            await self._in_thread(self._reserve, self._hold, usd)

    async def release(self) -> None:
        """Give back what is still held, also where holding it was broken off."""
        if self._counts:
            await asyncio.gather(*self._under_way, return_exceptions=True)
            await self._in_thread(self._settle, self._hold, 0.0)

    async def reserve(self, usd: float) -> str:
        """Set ``usd`` aside and return a token for it. Raises BudgetReached if it is not there, as
        `admit` does.
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
        work = self._start(self._reserve, token, usd)
        try:
            await asyncio.shield(work)
        except (
            asyncio.CancelledError
        ):  # the thread goes on; what it may still set aside is given back
            work.add_done_callback(
                lambda done: (
                    None
                    if done.cancelled() or done.exception()
                    else self._start(self._settle, token, 0.0)
                )
            )
            raise

    async def _in_thread(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Once begun it is carried through, also where nobody waits for it any more."""
        return await asyncio.shield(self._start(work, *arguments))

    def _start(self, work: Callable[..., Result], *arguments: Any) -> asyncio.Future[Result]:
        task = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    # ---- in threads, a transaction each

    def _reserve(self, token: str, usd: float) -> None:
        day, amount = _day(self._now()), ceil(usd * NANO)
        limit = None if self._daily_limit is None else round(self._daily_limit * NANO)
        with writing(self._engine) as connection:
            _begin_day(connection, day)
            more = amount
            if token == self._hold:
                there_already = select(reservations.c.token).where(reservations.c.token == token)
                if connection.execute(there_already).first() is not None:
                    return  # a try before this one came through, and its answer was lost
            else:
                more += self._held_more(connection, day, -amount)
            there = (
                true()
                if limit is None or not more
                else spending.c.spent + spending.c.reserved + more <= limit + 1
            )  # as ROUNDING
            # A second transaction waits for the first one's row, and looks at the sums anew when it
            # has it.
            changed = (
                update(spending)
                .where(spending.c.day == day, there)
                .values(reserved=spending.c.reserved + more)
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
            self._held_more(connection, day, amount)
            spent, reserved = connection.execute(
                select(spending.c.spent, spending.c.reserved).where(spending.c.day == day)
            ).one()
        under_way = (
            f", {dollars(reserved / NANO)} reserved for runs in progress" if reserved else ""
        )
        what, cost = (
            ("this run", "it is likely to cost")
            if token == self._hold
            else ("another call", "the next call might cost")
        )
        raise BudgetReached(
            f"today's budget of this site, {dollars(self._daily_limit or 0.0)}, does not cover "
            f"{what}: {dollars(spent / NANO)} spent{under_way}, and {cost} {dollars(usd)}; the "
            "budget is renewed at 0:00 UTC",
            retryable=limit is not None and spent + amount <= limit + 1,
            cost_usd=self._run.spent,
        )

    def _held_more(self, connection: Connection, day: str, amount: int) -> int:
        """Add ``amount`` to the run's hold of that day; the change of what is really held."""
        mine = reservations.c.token == self._hold, reservations.c.day == day
        added = update(reservations).where(*mine).values(amount=reservations.c.amount + amount)
        now = connection.execute(added.returning(reservations.c.amount)).scalar()
        return 0 if now is None else max(now, 0) - max(now - amount, 0)

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
            held = token == self._hold
            freed = (
                max(row.amount, 0)
                if held
                else row.amount - self._held_more(connection, row.day, row.amount - amount)
            )
            settled = {"reserved": spending.c.reserved - freed, "spent": spending.c.spent + amount}
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
    spent, reserved = _sums(engine, now)
    return (spent if settled else spent + reserved) / NANO


def waiting(
    engine: Engine,
    daily_limit: float | None,
    needs: Mapping[str, float],
    now: Callable[[], float] = time.time,
) -> frozenset[str]:
    """Those of the runs that cannot be admitted with what they need (US dollars) before others give
    back what they have set aside.
    """
    if not needs or daily_limit is None:
        return frozenset()
    spent, reserved = _sums(engine, now)
    left = round(daily_limit * NANO) + 1 - spent
    amounts = {run_id: ceil(usd * NANO) for run_id, usd in needs.items()}
    return frozenset(name for name, usd in amounts.items() if usd <= left < usd + reserved)


def _sums(engine: Engine, now: Callable[[], float]) -> tuple[int, int]:
    """Nanodollars settled, and set aside, today."""
    today = select(spending.c.spent, spending.c.reserved).where(spending.c.day == _day(now()))
    with reading(engine) as connection:
        row = connection.execute(today).first()
    return (0, 0) if row is None else (int(row.spent), int(row.reserved))


def write_off(connection: Connection, run_ids: Sequence[str], before: int | None = None) -> None:
    """Count what is outstanding for calls of these runs (under fences older than ``before``) as
    spent, and give back what was only held for later ones.
    """
    outstanding: list[ColumnElement[bool]] = [
        reservations.c.run_id.in_(run_ids),
        reservations.c.lost.is_(False),
    ]
    if before is not None:
        outstanding.append(reservations.c.fence < before)
    columns = reservations.c.day, reservations.c.amount
    held = delete(reservations).where(*outstanding, reservations.c.token.startswith(_HOLD))
    lost = update(reservations).where(*outstanding).values(lost=True)
    freed: defaultdict[str, int] = defaultdict(int)
    paid: defaultdict[str, int] = defaultdict(int)
    for day, amount in connection.execute(held.returning(*columns)).all():
        freed[day] += max(amount, 0)
    for day, amount in connection.execute(lost.returning(*columns)).all():
        freed[day] += amount
        paid[day] += amount
    for day, amount in sorted(freed.items()):
        moved = {"reserved": spending.c.reserved - amount, "spent": spending.c.spent + paid[day]}
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


def _begin_day(connection: Connection, day: str) -> None:
    begin = text(
        "INSERT INTO spending (day, spent, reserved) VALUES (:day, 0, 0) ON CONFLICT (day) DO "
        "NOTHING"
    )
    connection.execute(begin, {"day": day})


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()
