"""A pipeline of two stages gets events, saving, resumption, replay, a budget and cancelling from
the engine for nothing.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from benchmarks.servers.model import ModelServer
from clinfo import cli
from clinfo.api import replay
from clinfo.errors import UsageError
from clinfo.pipelines import PIPELINES
from clinfo.runs.events import Answered, Event, RunCancelled, RunFailed
from clinfo.runs.pipeline import Carrier
from clinfo.runs.saved import Saving, read, unfinished
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings
from tests.fakes import FakeModel
from tests.runs import toy
from tests.runs.toy import TOY, Asked

QUESTION = Asked("zinc for colds")


def carrier(model: FakeModel, budget: float | None = None) -> Carrier[Asked]:
    models = dict.fromkeys(("shout", "join"), model)
    return TOY.assemble(Settings(cache="off"), QUESTION, models=models, budget=MemoryBudget(budget))


def run(
    after: Sequence[Event] = (),
    *,
    budget: float | None = None,
    model: FakeModel | None = None,
    save: Path | None = None,
    cancel: asyncio.Event | None = None,
    request: Asked = QUESTION,
) -> tuple[list[Event], FakeModel]:
    """New events of a run, and the model with what it was asked."""
    model = model or FakeModel(lambda asked: asked.messages[0].content.upper(), price=0.01)

    async def collected() -> list[Event]:
        events = []
        saving = Saving(save, TOY.events, after, pytest.fail) if save else None
        async for event in carrier(model, budget).run(request, after, cancel):
            events.append(event)
            if saving:
                saving.put(event)
        if saving:
            saving.close()
        return events

    return asyncio.run(collected()), model


def test_it_is_short() -> None:
    lines = Path(toy.__file__).read_text(encoding="utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 60


def test_a_run_is_saved_and_replayed(tmp_path: Path) -> None:
    events, model = run(save=tmp_path / "toy.jsonl")
    assert [event.type for event in events] == [
        "run_started",
        *["cost", "shouted"] * 3,
        "cost",
        "answer",
    ]
    assert isinstance(events[-1], Answered)
    assert events[-1].answer == {"text": "ZINC FOR COLDS"}
    assert len(model.asked) == 4
    assert read(tmp_path / "toy.jsonl", TOY) == events
    with pytest.raises(UsageError, match="finished"):
        unfinished(tmp_path / "toy.jsonl", QUESTION, TOY)


@pytest.mark.parametrize("cut", range(1, 10))
def test_it_goes_on_after_each_event_and_pays_nothing_twice(cut: int, tmp_path: Path) -> None:
    whole, _ = run()
    run(save=tmp_path / "toy.jsonl")
    lines = (tmp_path / "toy.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "toy.jsonl").write_text("".join(lines[:cut]), encoding="utf-8")
    if cut == len(whole):
        assert run(read(tmp_path / "toy.jsonl", TOY))[0] == []
        return
    before = unfinished(tmp_path / "toy.jsonl", QUESTION, TOY)
    rest, model = run(before, save=tmp_path / "toy.jsonl")
    assert [event.key for event in [*before, *rest]] == [event.key for event in whole]
    assert len(model.asked) == 4 - sum(event.type == "cost" for event in before)
    assert read(tmp_path / "toy.jsonl", TOY) == [*before, *rest]


def test_another_request_does_not_go_on() -> None:
    events, _ = run()
    with pytest.raises(UsageError, match="another request"):
        run(events[:3], request=Asked("zinc for flu"))


def test_a_budget_ends_it_and_more_money_lets_it_go_on() -> None:
    events, _ = run(budget=0.025)
    failed = events[-1]
    assert isinstance(failed, RunFailed)
    assert (failed.error, failed.retryable) == ("BudgetReached", True)
    more, model = run(events, budget=1.0)
    assert isinstance(more[-1], Answered)
    assert len(model.asked) == 4 - sum(event.type == "cost" for event in events)


def test_it_is_cancelled() -> None:
    cancel = asyncio.Event()
    cancel.set()
    events, _ = run(model=FakeModel(delay=30.0), cancel=cancel)
    assert isinstance(events[-1], RunCancelled)


def test_it_has_a_command_with_flags_of_its_options(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(PIPELINES, "toy", "tests.runs.toy:TOY")
    monkeypatch.chdir(tmp_path)
    assert cli.run(["toy", "--help"]) == 0
    assert "--times N" in capsys.readouterr().out
    assert cli.run(["toy", "zinc", "--times", "20", "--model", "openai/scripted"]) == 2
    assert (
        capsys.readouterr().err == "clinfo: --times: must be a whole number from 1 to 9, not “20”\n"
    )
    for wrong in ("4,x", "-1", "nan"):
        assert cli.run(["toy", "zinc", f"--numbers={wrong}", "--model", "openai/scripted"]) == 2
        assert capsys.readouterr().err.startswith("clinfo: --numbers: must be a number from 0")
    with ModelServer(reply=lambda body: body["messages"][-1]["content"].upper()) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        asked = ["toy", "zinc colds", "--times", "2", "--model", "openai/scripted"]
        asked += ["--numbers", "4,1", "--numbers", "1.5 1"]
        assert cli.run([*asked, "--save", "run.jsonl", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert cli.run(["toy", "--replay", "run.jsonl"]) == 0
    assert capsys.readouterr().out == said
    assert json.loads(said) == {"schema": 1} | replay("run.jsonl")
    assert replay("run.jsonl") == {"text": "ZINC COLDS ZINC COLDS 4 1 1.5 1"}


def test_whoever_stops_to_read_the_events_ends_the_run() -> None:
    model = FakeModel(delay=0.01)

    async def first() -> None:
        async with aclosing(carrier(model).run(QUESTION)) as events:
            async for _ in events:
                break
        asked = len(model.asked)
        await asyncio.sleep(0.05)
        assert len(model.asked) == asked

    asyncio.run(first())


def test_a_fault_of_ours_ends_it_with_one_event_that_names_its_place_alone() -> None:
    (*_, last), _ = run(model=FakeModel(lambda asked: ZeroDivisionError("a secret")))
    assert isinstance(last, RunFailed)
    assert "ZeroDivisionError in" in last.problem
    assert "secret" not in last.problem
