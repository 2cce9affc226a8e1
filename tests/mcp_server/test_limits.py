"""Calls a minute, calls at a time, and dollars a day over all servers of a folder."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clinfo.errors import BudgetReached
from clinfo.mcp_server.limits import DayBudget, DayLedger
from clinfo.runs.spending import MemoryBudget


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
