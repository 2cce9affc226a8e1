"""Language models behind a scripted server over HTTP: chains and bare models, faults, kill -9
within a cell, the cost cap.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.pubmedrs200.running.cells import INSTRUCTION
from benchmarks.servers import workload
from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer
from tests.benchmarks.pubmedrs200.running.conftest import REVIEWS, Runner

pytestmark = pytest.mark.slow

MODEL = "openai/gpt-4o-mini"
NAME = "openai-gpt-4o-mini"
KEY = "sk-secret-that-must-not-show"
SMALL = ("--queries", "1", "--per-query", "6", "--max-articles", "6")


def reply(body: dict[str, Any]) -> str:
    """A model that judges as the workload's does, and says everything else in a few words."""
    text = "\n".join(message["content"] for message in body["messages"])
    text += json.dumps(body.get("response_format"))
    if INSTRUCTION in text:
        return "Probably not."
    if '"relevant"' in text or '"finding"' in text:
        return workload.reply(body)
    if "Synthesis:" in text:
        return "In these studies falls were fewer [1]."
    if "Studies, each beginning" in text:
        return "Falls were fewer with vitamin D than with placebo [1]. One trial agrees [2]."
    return "vitamin AND falls"


@pytest.fixture
def model(run: Runner) -> Iterator[ModelServer]:
    with ModelServer(reply, key=KEY) as server:
        run.environment |= {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": KEY}
        yield server


def asked(model: ModelServer) -> list[str]:
    return [
        json.dumps(one.body["messages"], sort_keys=True) + str(one.body.get("seed"))
        for one in model.received
    ]


def test_chain_and_bare_model_with_a_provider_that_has_faults(
    run: Runner, model: ModelServer
) -> None:
    model.faults = Faults(rate_429=0.05, rate_500=0.05)
    model.refused = ("temperature",)
    flags = ("--model", MODEL, "--bare", MODEL, "--limit", "1", "--repeats", "2", *SMALL)
    stdout, _ = run("out", *flags)
    records = run.records("out")
    assert len(records) == 3 * 2 + 2
    bare = records[f"{NAME}-bare", "none", 1, "30000001"]
    assert (bare["status"], bare["synthesis"], bare["tldr"], bare["retrieved"]) == (
        "answered",
        "Probably not.",
        "",
        None,
    )
    chain = records[NAME, "source-dropped", 2, "30000001"]
    assert chain["status"] == "answered"
    assert chain["relevant"]
    assert any(
        "does not accept a temperature" in warning for warning in chain["answer"]["warnings"]
    )
    assert "30000001" not in chain["retrieved"]
    assert "30000001" in records[NAME, "unrestricted", 1, "30000001"]["retrieved"]
    seeds = {one.body["seed"] for one in model.received}
    assert seeds == {0, 1000}, "a repeat asks with other seeds"
    assert f"{NAME}-bare  none" in stdout
    # Prices of gpt-4o-mini: 0.15 and 0.60 dollars for a million tokens in and out.
    usage = bare["usage"]
    assert usage["cost_usd"] == pytest.approx(
        usage["prompt_tokens"] * 0.15e-6 + usage["completion_tokens"] * 0.6e-6
    )
    systems = {line["system"] for line in run.lines("out", "predictions.jsonl")}
    assert f"{NAME}-bare:none:synthesis:2" in systems
    assert f"{NAME}-bare:none:tldr" not in systems
    assert {f"{NAME}:restricted:both", f"{NAME}:restricted:tldr:2"} <= systems
    texts = [
        path.read_text(encoding="utf-8")
        for path in (run.folder / "out").rglob("*")
        if path.is_file()
    ]
    assert not [text for text in texts if KEY in text]


def test_the_cost_cap_holds_over_all_starts(run: Runner, model: ModelServer) -> None:
    flags = ("--bare", MODEL, "--repeats", "3", "--concurrency", "4")
    cells = 3 * len(REVIEWS)
    # A call is set aside at its worst, 1,024 tokens out at 0.6 dollars a million: 0.0006144 and a
    # little for the prompt.
    cap = 0.00066
    stdout, stderr = run("out", *flags, "--max-cost", str(cap), status=5)
    first = run.records("out")
    costs = [record["usage"]["cost_usd"] for record in first.values()]
    assert 0 < len(first) < cells - 2
    assert len(first) == len(model.received)
    assert sum(costs) <= cap
    assert sum(costs) + 0.00065 > cap, (
        "it was used up as far as another call might not have cost too much"
    )
    assert "does not cover another call" in stderr
    assert f"{cells - len(first)} cells are not done" in stdout
    run("out", *flags, "--max-cost", str(cap + 1.5 * max(costs)), status=5)
    assert len(first) < run.count("out") <= len(first) + 2, (
        "what the first start spent counts, and it was resumed"
    )
    assert len(model.received) == run.count("out"), "nothing is asked twice"
