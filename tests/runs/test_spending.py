"""Budgets and estimates."""

import asyncio
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.errors import BudgetReached, UsageError
from clinfo.llm.litellm_model import LiteLLMModel
from clinfo.llm.prices import Price
from clinfo.pipelines.literature.stages import LITERATURE, MODEL_STAGES
from clinfo.records.articles import RunRequest
from clinfo.runs.spending import MemoryBudget, StagePlan, dollars, expected_cost


def test_an_amount_is_never_shown_as_nothing() -> None:
    assert [dollars(usd) for usd in (0.0, 0.5, 0.00006, 0.00004, 1e-6)] == [
        "$0.0000", "$0.5000", "$0.0001", "$0.00004", "$0.000001",
    ]  # fmt: skip
    assert [dollars(usd, 2) for usd in (0.0, 1.234, 0.003)] == ["$0.00", "$1.23", "$0.003"]


def test_the_last_cent_can_be_spent() -> None:
    async def spend() -> None:
        budget = MemoryBudget(0.3)
        for _ in range(3):
            await budget.settle(await budget.reserve(0.1), 0.1)
        with pytest.raises(BudgetReached, match=r"\$0.3000 spent, and"):
            await budget.reserve(0.0001)
        await budget.settle(await budget.reserve(0.0), 0.0)

    asyncio.run(spend())


def test_what_is_given_back_goes_to_those_who_wait_still() -> None:
    async def spend() -> None:
        budget = MemoryBudget(1.0)
        token = await budget.reserve(1.0)
        waiting = [asyncio.create_task(budget.reserve(0.5)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await budget.settle(token, 0.0)
        await asyncio.gather(*waiting[1:])
        assert (waiting[0].cancelled(), budget.reserved) == (True, 1.0)
        for each in waiting[1:]:
            await budget.settle(each.result(), 0.5)
        with pytest.raises(BudgetReached):
            await budget.reserve(0.1)

    asyncio.run(spend())


def test_what_was_spent_before_counts() -> None:
    with pytest.raises(BudgetReached):
        asyncio.run(MemoryBudget(1.0, spent=0.9).reserve(0.2))


@pytest.mark.parametrize("limit", [-0.01, float("nan"), float("inf")])
def test_a_limit_that_is_no_amount(limit: float) -> None:
    with pytest.raises(UsageError):
        MemoryBudget(limit)


@given(
    st.floats(0, 10),
    st.lists(st.tuples(st.floats(0, 5), st.floats(0, 1), st.booleans()), max_size=20),
)
def test_it_is_never_overdrawn(limit: float, calls: list[tuple[float, float, bool]]) -> None:
    """Whatever is reserved and settled (never above its reservation), in whatever order."""

    async def spend() -> None:
        budget, open_calls = MemoryBudget(limit), []
        for worst, share, at_once in calls:
            reserving = asyncio.create_task(budget.reserve(worst))
            await asyncio.sleep(0)
            while not reserving.done():  # it waits for what is given back
                assert budget.spent + budget.reserved + worst > limit
                await budget.settle(*open_calls.pop(0))
                await asyncio.sleep(0)
            try:
                token = await reserving
            except BudgetReached:
                assert budget.spent + budget.reserved + worst > limit
                continue
            open_calls.append((token, worst * share))
            if at_once:
                await budget.settle(*open_calls.pop(0))
            assert budget.spent + budget.reserved <= limit + 1e-6
        for open_call in open_calls:
            await budget.settle(*open_call)
        assert budget.spent <= limit + 1e-6
        assert budget.reserved == 0

    asyncio.run(spend())


def request(**fields: Any) -> RunRequest:
    fields.setdefault("models", dict.fromkeys(MODEL_STAGES, "a"))
    return RunRequest("Is a hot bath better than a cold one after a marathon?", **fields)


def test_the_plan_follows_the_request() -> None:
    planned = LITERATURE.planned(request(rerank=60))
    counts = {"question2query": 3, "relevance": 48, "summary": 24, "synthesis": 1, "tldr": 0}
    assert counts == {stage: planned[stage].calls for stage in counts}
    apart = LITERATURE.planned(request(models={"synthesis": "a", "tldr": "b"}))
    assert apart["tldr"].calls == 1
    assert apart["synthesis"].completion_tokens < planned["synthesis"].completion_tokens
    in_one = LITERATURE.planned(request())
    assert (in_one["relevance"].calls, in_one["summary"].calls) == (48, 0)
    assert in_one["relevance"].completion_tokens > planned["relevance"].completion_tokens
    assert in_one["synthesis"] == planned["synthesis"]
    assert LITERATURE.planned(request(max_articles=10))["relevance"].calls == 10
    assert LITERATURE.planned(request(own_queries=("a", "b")))["question2query"].calls == 0
    assert LITERATURE.planned(request(own_queries=("a", "b")))["relevance"].calls == 32
    assert LITERATURE.planned(request(queries=10, rerank=20))["summary"].calls == 20


def test_the_expected_cost_is_told() -> None:
    model = LiteLLMModel("openai/of-my-own", price=Price(1_000.0, 10_000.0))
    planned = {"relevance": StagePlan(10, 1000, 50), "tldr": StagePlan(1, 2000, 60)}
    told = expected_cost(dict.fromkeys(MODEL_STAGES, model), planned)
    low, high = (float(one) for one in re.findall(r"\$([\d.]+)", told))
    assert low == pytest.approx((10 * (1000 + 500) + 2000 + 600) / 1e3, rel=0.05)
    assert high == pytest.approx((10 * (1000 + 10_240) + 2000 + 10_240) / 1e3, rel=0.05)
    assert "11 model calls" in told
    free = LiteLLMModel("openai/of-my-own", price=Price(0.0, 0.0))
    assert expected_cost(dict.fromkeys(MODEL_STAGES, free), planned) == ""


def test_an_unknown_price_makes_no_estimate() -> None:
    known, unknown = LiteLLMModel("openai/gpt-4o"), LiteLLMModel("openai/of-my-own")
    models = {**dict.fromkeys(MODEL_STAGES, known), "summary": unknown}
    told = expected_cost(models, LITERATURE.planned(request()))
    assert told.endswith("for openai/of-my-own")
    assert "$" not in told
