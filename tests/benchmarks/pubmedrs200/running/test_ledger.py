"""One purse for all workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from benchmarks.pubmedrs200.running.ledger import Ledger, RemoteBudget
from clinfo.errors import BudgetReached


def test_what_does_not_fit_waits_for_what_is_given_back() -> None:
    ledger, heard = Ledger(1.0, spent=0.2), {}

    def reply(name: str) -> Callable[[str], None]:
        return lambda refusal: heard.__setitem__(name, refusal)

    ledger.reserve(1, "a", 0.5, reply("a"))
    ledger.reserve(2, "b", 0.5, reply("b"))
    assert heard == {"a": ""}, "b waits: a may cost less than was set aside"
    ledger.settle("a", 0.1)
    assert heard == {"a": "", "b": ""}
    ledger.settle("b", 0.5)
    ledger.reserve(1, "c", 0.5, reply("c"))
    assert (
        "$1.0000 does not cover another call: $0.8000 spent, and the next call might cost $0.5000"
        in heard["c"]
    )


def test_what_a_dead_worker_had_set_aside_counts_as_spent() -> None:
    ledger, heard = Ledger(1.0, spent=0.0), []
    ledger.reserve(1, "a", 0.7, heard.append)
    ledger.reserve(2, "b", 0.6, heard.append)
    ledger.lost(1)
    assert ledger.spent == 0.7
    assert heard[0] == ""
    assert "does not cover" in heard[1]


def test_a_worker_asks_and_hears() -> None:
    said: list[dict[str, object]] = []

    async def asks() -> None:
        budget = RemoteBudget(said.append)
        asking = asyncio.create_task(budget.reserve(0.5))
        await asyncio.sleep(0)
        budget.answered(str(said[0]["token"]), "")
        assert await asking == said[0]["token"]
        refused = asyncio.create_task(budget.reserve(0.5))
        await asyncio.sleep(0)
        budget.answered(str(said[1]["token"]), "no more")
        with pytest.raises(BudgetReached, match="no more"):
            await refused
        given_up = asyncio.create_task(budget.reserve(0.25))
        await asyncio.sleep(0)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up

    asyncio.run(asks())
    assert said[-1] == {"type": "settle", "token": said[2]["token"], "usd": 0.0}, (
        "nothing stays set aside"
    )
