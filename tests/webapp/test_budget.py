"""The budget of all runs of a day, on a SQLite file and on a real PostgreSQL server."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import Engine, event, func, select

from clinfo.errors import BudgetReached
from clinfo.records.articles import RunRequest
from webapp.records import Lease
from webapp.storage.budget import DatabaseBudget, spent_today, write_off_stale
from webapp.storage.database import connect, migrate
from webapp.storage.store import Store
from webapp.storage.tables import reservations, spending


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = connect(database_url)
    migrate(made)
    yield made
    made.dispose()


def lease(run_id: str = "run", fence: int = 1) -> Lease:
    return Lease(run_id, "w", fence)


def budget(
    engine: Engine,
    daily: float | None = 1.0,
    run: float | None = None,
    spent: float = 0.0,
    **more: Any,
) -> DatabaseBudget:
    return DatabaseBudget(engine, more.pop("lease", lease()), daily, run, spent, **more)


def table(engine: Engine) -> list[tuple[float, float]]:
    """(spent, reserved) in dollars, by day."""
    with engine.connect() as connection:
        rows = connection.execute(
            select(spending.c.spent, spending.c.reserved).order_by(spending.c.day)
        ).all()
    return [(spent / 1e9, reserved / 1e9) for spent, reserved in rows]


def outstanding(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(reservations)).scalar_one()


def test_the_limit_of_the_day_holds_for_all_runs_together(engine: Engine) -> None:
    async def spend() -> None:
        first, second = budget(engine, lease=lease("a")), budget(engine, lease=lease("b"))
        token = await first.reserve(0.7)
        with pytest.raises(BudgetReached) as raised:
            await second.reserve(0.4)
        message = str(raised.value)
        assert message.startswith(
            "today's budget of this site, $1.0000, does not cover another call: $0.0000 spent, "
            "$0.7000 reserved"
        )
        assert "the next call might cost $0.4000" in message
        assert "\n" not in message
        await first.settle(token, 0.6)
        with pytest.raises(KeyError):
            await first.settle(token, 0.6)
        assert (table(engine), spent_today(engine), outstanding(engine)) == ([(0.6, 0.0)], 0.6, 0)
        await second.reserve(0.4)  # exactly what is left
        with pytest.raises(BudgetReached):
            await first.reserve(0.000001)

    asyncio.run(spend())


def test_the_limit_of_the_run_holds_too_and_gives_the_day_nothing_away(engine: Engine) -> None:
    async def spend() -> None:
        mine = budget(engine, run=0.5, spent=0.3)
        with pytest.raises(
            BudgetReached, match=r"the budget of \$0\.5000 .* \$0\.3000 spent"
        ) as raised:
            await mine.reserve(0.3)
        assert raised.value.cost_usd == 0.3
        assert spent_today(engine) == 0.0
        await mine.settle(await mine.reserve(0.2), 0.2)

        tight = budget(engine, daily=0.25, run=0.1)
        with pytest.raises(BudgetReached, match="today"):
            await tight.reserve(0.1)
        roomy = budget(engine, daily=None, run=0.1)
        token = await roomy.reserve(0.1)
        await roomy.settle(token, 0.0)
        await roomy.reserve(0.1)  # what the day refused was not kept from the run

    asyncio.run(spend())


def test_what_a_dead_worker_had_set_aside_counts_as_spent(engine: Engine) -> None:
    async def spend() -> None:
        dead = budget(engine, daily=2.0, lease=lease(fence=1))
        await dead.settle(await dead.reserve(0.1), 0.1)
        token = await dead.reserve(0.3)
        await dead.reserve(0.2)
        other = budget(engine, daily=2.0, lease=lease("other run"))
        await other.reserve(0.05)
        assert table(engine) == [(0.1, 0.55)]
        for fence in (2, 3):  # the third worker finds what the first one lost, too
            after = budget(engine, daily=2.0, run=0.75, spent=0.1, lease=lease(fence=fence))
            with pytest.raises(BudgetReached, match=r"\$0\.6000 spent"):
                await after.reserve(0.16)
            assert table(engine) == [(0.6, 0.05)]
            await after.settle(await after.reserve(0.15), 0.0)
        await dead.settle(token, 0.01)  # it was not dead after all; it counts in full all the same
        assert table(engine) == [(0.6, 0.05)]

    asyncio.run(spend())


def test_a_call_that_is_broken_off_while_it_asks_gives_back_what_it_set_aside(
    engine: Engine,
) -> None:
    hold, asked, commits = threading.Event(), threading.Event(), list[object]()

    def slowly(*arguments: object) -> None:
        commits.append(arguments)
        asked.set()
        hold.wait(10)

    async def spend() -> None:
        mine = budget(engine, run=1.0)
        await mine.settle(await mine.reserve(0.1), 0.1)
        event.listen(engine, "commit", slowly)
        calling = asyncio.create_task(mine.reserve(0.5))
        await asyncio.to_thread(asked.wait, 10)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        hold.set()
        for _ in range(500):
            if len(commits) > 1 and table(engine) == [(0.1, 0.0)] and outstanding(engine) == 0:
                break
            await asyncio.sleep(0.01)
        assert (table(engine), outstanding(engine)) == ([(0.1, 0.0)], 0)
        token = await mine.reserve(0.9)  # nor is it kept from the run
        settling = asyncio.create_task(mine.settle(token, 0.2))
        await asyncio.sleep(0)
        settling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await settling
        for _ in range(500):
            if outstanding(engine) == 0:
                break
            await asyncio.sleep(0.01)
        assert table(engine) == [(0.3, 0.0)]

    asyncio.run(spend())


def test_many_at_once_never_overdraw(engine: Engine) -> None:
    """Twelve workers, each with a loop of its own, reserve and settle as fast as they can."""
    together = threading.Barrier(12)
    overdrawn: list[float] = []

    async def spend(number: int) -> int:
        mine, cents = budget(engine, lease=lease(f"run {number}")), 0
        for turn in range(4):
            with suppress(BudgetReached):
                token = await mine.reserve(0.05)
                overdrawn.extend(one for one in [spent_today(engine)] if one > 1.0)
                if turn % 2:
                    await mine.settle(token, 0.02)
                cents += 2 if turn % 2 else 5
        return cents

    def work(number: int) -> int:
        together.wait()
        return asyncio.run(spend(number))

    with ThreadPoolExecutor(12) as threads:
        cents = sum(threads.map(work, range(12)))
    assert overdrawn == []
    assert sum(table(engine)[0]) == pytest.approx(cents / 100)  # nothing of it was mislaid
    assert 63 <= cents <= 100  # eleven others may hold three more than they spend, at the last no


def test_what_nobody_carries_out_any_more_keeps_no_other_waiting(engine: Engine) -> None:
    now = 1_000_000.0
    store = Store(engine, lambda: now)
    leases = []
    for _ in range(3):
        store.create(RunRequest("Does zinc help?"))
        found = store.claim("w", 10.0)
        assert found is not None
        leases.append(found[1])
    dead, ended, alive = leases

    async def go() -> None:
        for each in leases:
            await budget(engine, lease=each, now=lambda: now).reserve(0.05)

    asyncio.run(go())
    store.append(ended, [], 10.0, end="done")
    write_off_stale(engine, now)
    assert table(engine) == [(0.0, 0.15)]  # one may still be giving back
    now += 200
    store.beat("w", [alive], 10.0)
    write_off_stale(engine, now)
    assert table(engine) == [(0.1, 0.05)]
    claimed = store.claim("x", 10.0)
    assert claimed is not None
    assert claimed[0].id == dead.run_id


def test_deleting_a_run_leaves_the_days_sum(engine: Engine) -> None:
    store = Store(engine)
    run_id = store.create(RunRequest("Does zinc help?")).id
    found = store.claim("w", 10)
    assert found is not None

    async def spend() -> None:
        mine = budget(engine, lease=found[1])
        await mine.settle(await mine.reserve(0.2), 0.1)
        token = await mine.reserve(0.4)
        store.delete(run_id)
        assert (table(engine), outstanding(engine)) == ([(0.5, 0.0)], 0)
        await mine.settle(token, 0.3)

    asyncio.run(spend())
    assert table(engine) == [(0.5, 0.0)]
