"""Calls a minute, calls at a time, and dollars a day over all servers of a folder."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from clinfo.errors import BudgetReached
from clinfo.mcp_server.limits import DayBudget, DayLedger, Gate, TooManyCalls
from clinfo.runs.spending import MemoryBudget


def test_calls_a_minute() -> None:
    now = [100.0]
    gate = Gate(2, 10, lambda: now[0])
    for _ in range(2):
        with gate.entered():
            now[0] += 20
    with pytest.raises(TooManyCalls, match=r"2 calls a minute; call again in 21 s"), gate.entered():
        pass
    now[0] = 160.0
    with gate.entered():
        pass
    with pytest.raises(TooManyCalls), gate.entered():
        pass


def test_calls_at_a_time_and_a_failed_one_leaves_its_place() -> None:
    gate = Gate(100, 2)
    with ExitStack() as running:
        for _ in range(2):
            running.enter_context(gate.entered())
        with pytest.raises(TooManyCalls, match="2 calls at a time"), gate.entered():
            pass
    with pytest.raises(KeyError), gate.entered():
        raise KeyError
    with gate.entered(), gate.entered():
        pass


def test_a_days_dollars_are_shared_and_renewed(tmp_path: Path) -> None:
    day = ["2026-11-23"]
    one, other = (DayLedger(tmp_path / "new" / "spent", 1.0, lambda: day[0]) for _ in range(2))
    counted_on = one.reserve(0.7)
    with pytest.raises(BudgetReached, match=r"\$1\.0000.*00:00 UTC"):
        other.reserve(0.4)
    other.reserve(0.3)  # to the last cent
    one.give_back(counted_on, 0.5)
    other.reserve(0.5)
    day[0] = "2026-11-24"
    one.reserve(1.0)
    one.give_back(counted_on, 0.1)  # of a call that was begun before midnight
    with pytest.raises(BudgetReached):
        one.reserve(0.1)


def test_the_day_is_not_overdrawn_by_calls_at_one_moment(tmp_path: Path) -> None:
    def taken(_: int) -> bool:
        try:
            DayLedger(tmp_path / "spent", 1.0).reserve(0.1)
        except BudgetReached:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(taken, range(40))) == 10


def test_the_file_is_the_owners_alone(tmp_path: Path) -> None:
    DayLedger(tmp_path / "spent", 1.0).reserve(0.1)
    assert (tmp_path / "spent").stat().st_mode & 0o077 == 0


def test_where_nothing_can_be_counted_nothing_is_spent(tmp_path: Path) -> None:
    (tmp_path / "spent").write_text("no database" * 100)
    with pytest.raises(BudgetReached, match="cannot be read"):
        DayLedger(tmp_path / "spent", 1.0).reserve(0.0)


def test_a_call_keeps_to_its_own_budget_and_the_days(tmp_path: Path) -> None:
    async def spent() -> None:
        ledger = DayLedger(tmp_path / "spent", 1.0)
        first, second = (DayBudget(MemoryBudget(limit), ledger) for limit in (0.6, None))
        token = await first.reserve(0.5)
        with pytest.raises(BudgetReached, match=r"budget of \$0\.6000"):
            await first.reserve(0.2)
        with pytest.raises(BudgetReached, match="today"):
            await second.reserve(0.6)
        await first.settle(token, 0.1)
        token = await second.reserve(0.9)
        await second.settle(token, 0.9)
        with pytest.raises(BudgetReached, match="today"):
            await first.reserve(0.1)  # what the day refused is not held by the call
        assert await first.reserve(0.0)

    asyncio.run(spent())


def test_other_calls_go_on_while_the_file_of_the_day_is_held(tmp_path: Path) -> None:
    """Another process holds the file: whoever waits for it is not the loop, and a call that is
    cancelled then has nothing counted.
    """
    ledger = DayLedger(tmp_path / "spent", 1.0)
    ledger.reserve(0.0)
    held = sqlite3.connect(tmp_path / "spent", isolation_level=None, check_same_thread=False)
    held.execute("BEGIN IMMEDIATE")

    async def run() -> None:
        budget = DayBudget(MemoryBudget(), ledger)
        waiting = [asyncio.create_task(budget.reserve(0.6)) for _ in range(2)]
        await asyncio.sleep(0)  # the loop comes back only where it does not wait itself
        assert not any(one.done() for one in waiting)
        waiting[1].cancel()
        held.execute("COMMIT")
        token = (await asyncio.gather(*waiting, return_exceptions=True))[0]
        if isinstance(token, BudgetReached):  # the cancelled one was counted first
            token = await budget.reserve(0.6)
        await budget.settle(token, 0.1)

    asyncio.run(run())
    held.close()
    ledger.reserve(0.9)
