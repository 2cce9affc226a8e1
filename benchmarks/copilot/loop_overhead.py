"""What the copilot's loop takes beside its model and its tools, and whether calls are parallel.

python -m benchmarks.copilot.loop_overhead [--runs 10] [--http] [--json]

A scripted model takes eight steps of four calls each and then writes; it and every tool take a time
that is set. Each call brings ten passages, so that the conversation grows as a real one does; every
event is saved to a file. The overhead of a step is the time from its beginning to that of the next
one, less what the model took and less the slowest of its tools. ``--http`` asks the model through
litellm over HTTP, which then is part of the overhead, as is the scripted server, which is in the
same process. The processor's time is that of a whole run, its plan and its answer included, divided
by its steps. The load of the machine is told, as other programs slow all of it down.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.servers.model import ModelServer
from clinfo.llm.tool_calls import told
from clinfo.pipelines.copilot.assemble import assemble
from clinfo.pipelines.copilot.declared import COPILOT
from clinfo.pipelines.copilot.events import Thought, ToolObserved
from clinfo.pipelines.copilot.request import request_of
from clinfo.pipelines.copilot.tools import Argument, OpenTool, Progress, ToolDeclared
from clinfo.records.copilot import Observation, Observed
from clinfo.runs import saved
from clinfo.runs.events import CostIncurred, Event
from clinfo.runs.protocols import ModelReply, ModelRequest, StreamReset
from clinfo.settings import Settings

STEPS, CALLS, PASSAGES = 8, 4, 10
MODEL_SECONDS, TOOL_SECONDS = 0.05, 0.1
SENTENCE = "In this cohort patients with the alteration lived longer with the drug than without. "


class ScriptedModel:
    """A model in this process that takes `MODEL_SECONDS` a call."""

    name = "scripted"
    remote = False
    notices: tuple[str, ...] = ()
    context_tokens: int | None = None

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def worst_cost(self, request: ModelRequest) -> float | None:
        return 0.0

    async def complete(self, request: ModelRequest) -> ModelReply:
        await asyncio.sleep(MODEL_SECONDS)
        spoken = sum(message.role == "assistant" for message in request.messages)
        text, calls = said(request.stage == "act", spoken)
        return ModelReply(told(text, calls), self.name, seconds=MODEL_SECONDS)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        yield await self.complete(request)


def said(acting: bool, spoken: int) -> tuple[str, list[tuple[str, str]]]:
    """What the model says when it has spoken so often: words, and calls."""
    if not acting or spoken >= STEPS:
        return json.dumps({"claims": [{"text": SENTENCE.strip(), "sources": [1]}]}), []
    asked = json.dumps({"query": f"step {spoken}"})
    return "Look further.", [(f"tool_{number}", asked) for number in range(CALLS)]


def reply(body: dict[str, Any]) -> str | dict[str, Any]:
    """The same over HTTP."""
    spoken = sum(message["role"] == "assistant" for message in body["messages"])
    text, calls = said("tools" in body, spoken)
    listed = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": given}}
        for name, given in calls
    ]
    return {"content": text, "tool_calls": listed} if listed else text


def tools() -> dict[str, OpenTool]:
    """Tools that take `TOOL_SECONDS` and bring passages of 900 characters."""
    return {name: _tool(name) for name in (f"tool_{number}" for number in range(CALLS))}


def _tool(name: str) -> OpenTool:
    async def call(arguments: Mapping[str, Any], progress: Progress) -> Observation:
        await asyncio.sleep(TOOL_SECONDS)
        text = (SENTENCE * 12)[:900]
        documents = (f"{arguments['query']} {number}" for number in range(PASSAGES))
        return Observation(tuple(Observed(name, one, "Title", 0, 900, text) for one in documents))

    declared = ToolDeclared(name, "silo", "Brings passages.", {"query": Argument("string")}, name)
    return OpenTool(declared, call)


@contextmanager
def model(http: bool) -> Iterator[str]:
    """The name of the model to ask."""
    if not http:
        yield "scripted"
        return
    with ModelServer(reply, first_token=MODEL_SECONDS) as server:
        os.environ |= {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "sk-test"}
        yield "openai/scripted"


def run(name: str, folder: Path) -> list[tuple[float, Event]]:
    """The events of one run, each with when it came."""
    settings = Settings(cache="off")
    request = request_of(settings, "Which drug?", name, "rules", max_steps=STEPS)
    own = ScriptedModel()
    models = None if name != own.name else dict.fromkeys(request.models, own)
    carrier = assemble(settings, request, tools=tools(), models=models)
    file = saved.Saving(folder / "run.jsonl", COPILOT.events, (), print, overwrite=True)

    async def every() -> list[tuple[float, Event]]:
        found = []
        async for event in carrier.run(request):
            file.put(event)
            found.append((time.perf_counter(), event))
        return found

    try:
        return asyncio.run(every())
    finally:
        file.close()


def steps(events: Sequence[tuple[float, Event]]) -> tuple[list[float], list[float]]:
    """Milliseconds of overhead of each step, and how many tools' times went into the time of one.

    A step goes from one reply to the next; it holds its calls and the next request.
    """
    replies = [at for at, one in events if isinstance(one, CostIncurred) and one.where == "act"]
    thoughts = [at for at, one in events if isinstance(one, Thought)]
    last = [
        max(at for at, one in events if isinstance(one, ToolObserved) and one.call.startswith(step))
        for step in (f"{number}." for number in range(1, STEPS + 1))
    ]
    whole = [later - earlier for earlier, later in pairwise(replies)]
    overhead = [1_000 * (took - MODEL_SECONDS - TOOL_SECONDS) for took in whole]
    ratio = [
        CALLS * TOOL_SECONDS / (end - begun) for begun, end in zip(thoughts, last, strict=False)
    ]
    return overhead, ratio


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.copilot.loop_overhead",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--http", action="store_true", help="through litellm over HTTP")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    overhead, ratio = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder, model(options.http) as name:
        run(name, Path(folder))  # what is loaded at first use is not a step's
        began = time.process_time()
        for _ in range(options.runs):
            of_run = steps(run(name, Path(folder)))
            overhead += of_run[0]
            ratio += of_run[1]
        processor = 1_000 * (time.process_time() - began) / (options.runs * STEPS)
    found = {
        "n": len(overhead),
        "overhead_ms_median": round(statistics.median(overhead), 1),
        "overhead_ms_p95": round(statistics.quantiles(overhead, n=20)[-1], 1),
        "processor_ms_a_step": round(processor, 1),
        "parallel_ratio_median": round(statistics.median(ratio), 2),
        "load": round(os.getloadavg()[0], 1),
    }
    line = (
        f"{found['n']} steps of {CALLS} calls: overhead {found['overhead_ms_median']} ms in the "
        f"median, {found['overhead_ms_p95']} ms at the 95th percentile (target 50), "
        f"{found['processor_ms_a_step']} ms of processor time; "
        f"{found['parallel_ratio_median']} of {CALLS} calls at a time; load {found['load']}"
    )
    print(json.dumps(found) if options.json else line)


if __name__ == "__main__":
    main()
