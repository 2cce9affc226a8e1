"""The layers of a host over the settings: a key of the visitor's, prices, a budget, the owner of
what is cached.
"""

import asyncio

import pytest

from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer
from clinfo.errors import UsageError
from clinfo.llm.prices import Price
from clinfo.pipelines.literature.request import checked
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pipelines.opening import open_cache, priced
from clinfo.runs.events import CostIncurred, Event
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings

THEIRS = "sk-the-visitors-own"
MODEL = "openai/scripted"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the workload's question on scripted servers; gives the events and the keys that the
    model server was sent.
    """

    model = ModelServer(workload.reply, key=THEIRS)
    eutils = EutilsServer(workload.articles(), scripted=workload.searches())

    def go(**laid_over) -> tuple[list[Event], set[str], Settings]:
        before = len(model.received)
        settings = Settings()
        request = checked(question=workload.QUESTION, model=MODEL)

        async def events() -> list[Event]:
            return [
                event
                async for event in LITERATURE.assemble(settings, request, **laid_over).run(request)
            ]

        found = asyncio.run(events())
        return (
            found,
            {one.headers.get("Authorization", "") for one in model.received[before:]},
            settings,
        )

    with model, eutils:
        monkeypatch.setenv("OPENAI_API_BASE", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-the-hosts")
        monkeypatch.setenv("CLINFO_EUTILS_URL", eutils.url)
        monkeypatch.setenv("CLINFO_CACHE_DIR", str(tmp_path / "cache"))
        yield go


def test_a_visitors_key_is_the_one_that_the_provider_gets(run):
    events, sent, _ = run(api_key=THEIRS)
    assert sent == {f"Bearer {THEIRS}"}
    assert events[-1].type == "answer", str(events[-1])
    assert THEIRS not in str(events)


def test_prices_and_a_budget_of_the_host_are_kept(run):
    budget = MemoryBudget(100.0)
    events, _, _ = run(api_key=THEIRS, prices={MODEL: Price(1.0, 2.0)}, budget=budget)
    costs = [event for event in events if isinstance(event, CostIncurred)]
    assert all(
        event.cost_usd
        == pytest.approx(event.prompt_tokens / 1e6 + event.completion_tokens * 2 / 1e6)
        for event in costs
    )
    assert budget.spent == pytest.approx(sum(event.cost_usd for event in costs))
    assert budget.spent > 0


def test_a_model_of_unknown_price_needs_one(tmp_path, monkeypatch):
    monkeypatch.setenv("CLINFO_CACHE_DIR", str(tmp_path))
    request = checked(
        question="Does zinc shorten colds?", model=MODEL, source="demo", allow_identifiers=True
    )
    with pytest.raises(UsageError, match=r"price .*openai/scripted"):
        priced(LITERATURE.assemble(Settings(), request, api_key=THEIRS).models)
    priced(
        LITERATURE.assemble(
            Settings(), request, api_key=THEIRS, prices={MODEL: Price(1.0, 2.0)}
        ).models
    )


@pytest.mark.slow
def test_what_a_run_cached_can_be_forgotten_with_it(run):
    _, _, settings = run(api_key=THEIRS, owner="one")
    _, asked, _ = run(api_key=THEIRS, owner="two")
    assert not asked, "the second run was answered from the cache"
    cache = open_cache(settings)
    assert cache is not None
    assert cache.forget("one") == 0, "the other run used all of it too"
    assert cache.forget("two") > 0
    _, asked, _ = run(api_key=THEIRS)
    assert asked, "nothing is left of either"
