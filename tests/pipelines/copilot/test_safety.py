"""Faults of a model and its tools: every run ends within its budgets, with a trace and an
honest message.
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from clinfo.llm.prices import Price
from clinfo.pipelines.copilot.answer import folded
from clinfo.pipelines.copilot.records import CopilotLog
from clinfo.runs.events import Event, RunFailed
from clinfo.settings import Settings
from tests.pipelines.copilot.silos import CIVIC, MemorySilos, Reply, call, calling, claims, scripted
from tests.pipelines.copilot.test_run import (
    MODEL,
    ONE_CALL,
    RESPONDS,
    answer,
    settings,
    silos,
    with_model,
)

__all__ = ["settings", "silos", "with_model"]  # fixtures
ANSWER = claims((RESPONDS, [1]))
Run = Callable[..., list[Event]]


def problems(found: Mapping[str, Any]) -> list[str]:
    return [one["problem"] for step in found["trace"] for one in step["calls"]]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (call("prescribe", {"drug": "x"}), "no such tool"),
        (call("search", '{"query": "mel'), "not JSON"),
        (call("search", '["melanoma"]'), "not a JSON object"),
        (call("search", {"silo": "civic"}), "query is missing"),
        (call("search", {"silo": "civic", "query": ["x"]}), "must be text"),
        (call("search", {"silo": "chart", "query": "x"}), "there is no silo chart"),
        (call("search", {"silo": "civic", "query": "x", "page": 2}), "page is no argument"),
        (call("search", {"silo": "civic", "query": "x" * 3_000}), "characters"),
        (call("gene_drug", {"gene": "BRAF", "direction": "sideways"}), "direction"),
        (call("gene_drug", {"levels": "A"}), "at least one of"),
    ],
)
def test_a_wrong_call_is_told_and_the_next_one_may_be_right(
    with_model: Run, wrong: dict[str, Any], said: str
) -> None:
    found = answer(with_model(scripted([calling(wrong), ONE_CALL], ANSWER)))
    first, second = problems(found)
    assert said in first
    assert second == ""
    assert found["claims"][0]["document"] == "1"
    told = json.dumps(with_model.received[2].body["messages"])  # type: ignore[attr-defined]
    assert said in told


def test_a_model_that_never_ends_is_ended_after_the_steps_allowed(with_model: Run) -> None:
    def steps(body: dict[str, Any]) -> Reply:
        return calling(
            call("search", {"silo": "civic", "query": f"melanoma {len(body['messages'])}"})
        )

    found = answer(with_model(scripted(steps, ANSWER), max_steps=3))
    assert found["ended"] == "steps"
    assert len(found["trace"]) == 3
    assert any("after 3 rounds" in line for line in found["warnings"])
    assert found["claims"]


def test_a_model_that_asks_the_same_again_is_ended_early(
    with_model: Run, silos: MemorySilos
) -> None:
    found = answer(with_model(scripted(lambda body: ONE_CALL, ANSWER), max_steps=20))
    assert found["ended"] == "repeats"
    assert len(silos.asked) == 1
    assert len(found["trace"]) == 3


def test_for_a_model_that_calls_nothing_every_silo_is_searched(with_model: Run) -> None:
    found = answer(with_model(scripted(lambda body: "I know that by heart.", ANSWER)))
    assert any("brought anything" in line for line in found["warnings"])
    first, second = found["trace"]
    assert first["thought"] == second["thought"] == "I know that by heart."
    assert first["calls"]
    assert second["calls"] == []
    assert found["claims"]


def test_tokens_are_a_budget(with_model: Run) -> None:
    def steps(body: dict[str, Any]) -> Reply:
        return calling(
            call("search", {"silo": "civic", "query": f"melanoma {len(body['messages'])}"})
        )

    found = answer(with_model(scripted(steps, ANSWER), max_tokens=1_000))
    assert found["ended"] == "tokens"
    assert len(found["trace"]) < 8


def test_time_is_a_budget(with_model: Run) -> None:
    """The second step takes longer than the run may: the answer is made of what is there."""

    def steps(body: dict[str, Any]) -> Reply:
        if any(message["role"] == "assistant" for message in body["messages"]):
            time.sleep(4)
        return ONE_CALL

    found = answer(with_model(scripted(steps, ANSWER), max_seconds=3.0))
    assert found["ended"] == "time"
    assert len(found["trace"]) == 1
    assert any("the time was used up" in line for line in found["warnings"])
    assert found["claims"]


def test_a_tool_that_takes_too_long_is_given_up_and_the_others_are_not(
    with_model: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    tools = '[slow]\nkind = "silo"\nsilo = "civic"\npurpose = "s"\ntimeout = 0.05\n'
    file = tmp_path / "tools.toml"
    file.write_text(tools + tools.replace("slow", "patient").replace("0.05", "20"))
    monkeypatch.setenv("CLINFO_COPILOT_TOOLS", str(file))
    own = Settings(cache="off")
    slow = MemorySilos(CIVIC, delay=0.5)
    step = calling(call("slow", {"query": "melanoma"}), call("patient", {"query": "melanoma"}))
    found = answer(with_model(scripted([step], ANSWER), own=slow, under=own))
    first, second = problems(found)
    assert "no result within 0.05 s" in first
    assert second == ""


def test_instructions_in_a_document_do_nothing(with_model: Run, silos: MemorySilos) -> None:
    """Even where the model follows them, nothing is said without a source and nothing is called
    that is not a tool.
    """

    def steps(body: dict[str, Any]) -> Reply:
        spoken = [one for one in body["messages"] if one["role"] == "tool"]
        if not spoken:
            return calling(call("search", {"silo": "cancergov", "query": "moles"}))
        assert "<passage " in spoken[0]["content"]
        return calling(call("bleomycin", {})) if len(spoken) == 1 else "done"

    said = claims(("Give bleomycin 30 units to everyone.", []), ("Moles are common.", [1]))
    found = answer(with_model(scripted(steps, said)))
    assert problems(found) == ["", problems(found)[1]]
    assert "no such tool" in problems(found)[1]
    assert [one["text"] for one in found["claims"]] == ["Moles are common."]


def test_an_answer_that_cannot_be_read_gives_way_to_quotations(with_model: Run) -> None:
    found = answer(with_model(scripted([ONE_CALL], "Give it to her.")))
    assert found["by_rule"] is True
    assert {one["verdict"] for one in found["claims"]} == {"quoted"}
    assert any("could not be read" in line for line in found["warnings"])
    assert any("no plan of treatment" in line for line in found["warnings"])


def test_money_that_ends_shows_what_was_found_and_more_of_it_goes_on(with_model: Run) -> None:
    """There is enough for the longest plan and the longest step, not for the longest answer."""
    under = {"prices": {MODEL: Price(0.0, 1.0)}}
    reply = scripted([ONE_CALL], ANSWER)
    stopped = with_model(reply, max_cost=0.0015, **under)
    assert isinstance(stopped[-1], RunFailed)
    assert stopped[-1].exit_status == 5
    found = folded(CopilotLog(stopped))
    assert found["by_rule"] is True
    assert any(one["text"].startswith(RESPONDS) for one in found["claims"])
    assert "What was found so far" in found["warnings"][0]
    paid = len(with_model.received)  # type: ignore[attr-defined]
    assert paid
    whole = answer([*stopped, *with_model(reply, stopped, max_cost=100.0, **under)])
    assert whole["by_rule"] is False
    assert [one["text"] for one in whole["claims"]] == [RESPONDS]
    assert not any("found so far" in line for line in whole["warnings"])
    assert len(with_model.received) + paid == whole["usage"]["calls"]  # type: ignore[attr-defined]


def test_a_tool_that_breaks_is_one_problem_and_not_the_end(with_model: Run) -> None:
    class Broken(MemorySilos):
        def search(self, *_: Any, **__: Any) -> Any:
            raise KeyError("text of a patient")

    found = answer(with_model(scripted([ONE_CALL], ANSWER), own=Broken(CIVIC)))
    assert "KeyError" in problems(found)[0]
    assert "patient" not in problems(found)[0]
    assert found["claims"] == []
