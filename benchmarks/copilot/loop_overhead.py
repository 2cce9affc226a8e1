"""What the copilot's loop takes beside its model and its tools, and whether calls are parallel.

python -m benchmarks.copilot.loop_overhead [--runs 10] [--http] [--json]

A scripted model takes eight steps of four calls each and then writes; it and every tool take a time
that is set. Each call brings ten passages, so that the conversation grows as a real one does; every
event is saved to a file. The overhead of a step is the time from its beginning to that of the next
one, less what the model took and less the slowest of its tools; its processor's time is that of
this process from the one to the other. Beside it stands what the same sleeps come late by with
nothing between them: what this machine adds at its load. ``--http`` asks the model through litellm
over HTTP, which then is part of the overhead, as is the scripted server, a process of its own that
works before the first token. The load of the machine is told, as other programs slow all of it
down.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
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
from clinfo.pipelines.copilot.tools import Arguments, Kind, OpenTool, Progress, ToolDeclared
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


class Query(Arguments):
    query: str


def tools() -> dict[str, OpenTool]:
    """Tools that take `TOOL_SECONDS` and bring passages of 900 characters."""
    return {name: _tool(name) for name in (f"tool_{number}" for number in range(CALLS))}


def _tool(name: str) -> OpenTool:
    async def call(arguments: Mapping[str, Any], progress: Progress) -> Observation:
        await asyncio.sleep(TOOL_SECONDS)
        text = (SENTENCE * 12)[:900]
        documents = (f"{arguments['query']} {number}" for number in range(PASSAGES))
        return Observation(tuple(Observed(name, one, "Title", 0, 900, text) for one in documents))

    declared = ToolDeclared(name, "passages", "Brings passages.", name)
    return OpenTool(declared, Kind("passages", Query, lambda declared, host: call), call)


@contextmanager
def model(http: bool) -> Iterator[str]:
    """The name of the model to ask."""
    if not http:
        yield "scripted"
        return
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    process = spawning.Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    try:
        os.environ |= {"OPENAI_API_BASE": ours.recv(), "OPENAI_API_KEY": "sk-test"}
        yield "openai/scripted"
    finally:
        ours.send("end")
        process.join(10)


def serve(pipe: Any) -> None:
    """Serve the scripted model until something comes through the pipe, which gets its address."""
    with ModelServer(reply, first_token=MODEL_SECONDS) as server:
        pipe.send(server.url)
        pipe.recv()


def run(name: str, folder: Path) -> list[tuple[float, float, Event]]:
    """The events of one run, each with when it came and the processor's time by then."""
    settings = Settings(cache="off")
    request = request_of(settings, "Which drug?", name, "none", max_steps=STEPS)
    own = ScriptedModel()
    models = None if name != own.name else dict.fromkeys(request.models, own)
    carrier = assemble(settings, request, tools=tools(), models=models)
    file = saved.Saving(folder / "run.jsonl", COPILOT.events, (), print, overwrite=True)

    async def every() -> list[tuple[float, float, Event]]:
        found = []
        async for event in carrier.run(request):
            file.put(event)
            found.append((time.perf_counter(), time.process_time(), event))
        return found

    try:
        return asyncio.run(every())
    finally:
        file.close()


def steps(
    events: Sequence[tuple[float, float, Event]],
) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds of overhead and of the processor of each step, and how many tools' times went
    into the time of one.

    A step goes from one reply to the next; it holds its calls and the next request.
    """
    replies = [
        (at, worked)
        for at, worked, one in events
        if isinstance(one, CostIncurred) and one.where == "act"
    ]
    thoughts = [at for at, _, one in events if isinstance(one, Thought)]
    last = [
        max(
            at for at, _, one in events
            if isinstance(one, ToolObserved) and one.call.startswith(step)
        )
        for step in (f"{number}." for number in range(1, STEPS + 1))
    ]  # fmt: skip
    pairs = list(pairwise(replies))
    overhead = [late(one[0] - before[0]) for before, one in pairs]
    worked = [1_000 * (one[1] - before[1]) for before, one in pairs]
    ratio = [
        CALLS * TOOL_SECONDS / (end - begun) for begun, end in zip(thoughts, last, strict=False)
    ]
    return overhead, worked, ratio


def late(seconds: float) -> float:
    """Milliseconds by which a step took longer than the model and the slowest of its tools."""
    return 1_000 * (seconds - MODEL_SECONDS - TOOL_SECONDS)


async def bare() -> list[float]:
    """How late the sleeps of the steps of a run come with nothing between them, milliseconds."""
    found = []
    for _ in range(STEPS):
        began = time.perf_counter()
        await asyncio.sleep(MODEL_SECONDS)
        await asyncio.gather(*(asyncio.sleep(TOOL_SECONDS) for _ in range(CALLS)))
        found.append(late(time.perf_counter() - began))
    return found


def p95(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return round(statistics.quantiles(values, n=20)[-1], 1)


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
    overhead, worked, ratio, sleeps = (list[float]() for _ in range(4))
    with tempfile.TemporaryDirectory() as folder, model(options.http) as name:
        run(name, Path(folder))  # what is loaded at first use is not a step's
        for _ in range(options.runs):
            of_run = steps(run(name, Path(folder)))
            overhead += of_run[0]
            worked += of_run[1]
            ratio += of_run[2]
            sleeps += asyncio.run(bare())
    found = {
        "n": len(overhead),
        "overhead_ms_median": round(statistics.median(overhead), 1),
        "overhead_ms_p95": p95(overhead),
        "processor_ms_median": round(statistics.median(worked), 1),
        "processor_ms_p95": p95(worked),
        "sleeps_alone_ms_median": round(statistics.median(sleeps), 1),
        "sleeps_alone_ms_p95": p95(sleeps),
        "parallel_ratio_median": round(statistics.median(ratio), 2),
        "load": round(os.getloadavg()[0], 1),
    }
    line = (
        f"{found['n']} steps of {CALLS} calls: overhead {found['overhead_ms_median']} ms in the "
        f"median, {found['overhead_ms_p95']} ms at the 95th percentile (target 50), "
        f"{found['processor_ms_median']} and {found['processor_ms_p95']} ms of processor time; "
        f"the sleeps alone {found['sleeps_alone_ms_median']} and "
        f"{found['sleeps_alone_ms_p95']} ms late; "
        f"{found['parallel_ratio_median']} of {CALLS} calls at a time; load {found['load']}"
    )
    print(json.dumps(found) if options.json else line)


if __name__ == "__main__":
    main()
