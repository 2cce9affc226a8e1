"""URCA's calls and wall time against the least that its steps allow, with a scripted model.

    python -m benchmarks.trials.critical_path [--data FOLDER] [--latency 1.0] [--repeats 2]

The bound of the calls is one for the question, one a group of passages, one a study. The bound of
the time is three calls one after the other, however many studies there are. Of the repeats the
shortest counts, since others use the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from benchmarks.trials.data import papers
from clinfo.pipelines.trials.assemble import assemble
from clinfo.pipelines.trials.declared import MODEL_STAGES
from clinfo.pipelines.trials.events import PassagesClustered, StudiesGrouped
from clinfo.records.trials import Method, TrialsRequest
from clinfo.runs.events import Answered, Event
from clinfo.runs.protocols import ModelReply, ModelRequest, StreamReset
from clinfo.settings import Settings

METHODS: tuple[Method, ...] = ("urca", "numbers")
REPLIES = {
    "pico": '{"intervention": "a", "comparator": "b", "outcome": "pain", "better": "lower"}',
    "extract": "Pain did not differ.",
    "conclude": '{"direction": "no_difference", "quotes": [], "reason": ""}',
}


class Scripted:
    """A model that takes ``latency`` seconds a call, however many there are."""

    name, remote, context_tokens = "scripted", True, None
    notices: tuple[str, ...] = ()

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.calls = 0

    def count_tokens(self, text: str) -> int:
        """A quarter of its letters."""
        return len(text) // 4

    def worst_cost(self, request: ModelRequest) -> float | None:
        """Nothing."""
        return 0.0

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The stage's reply, in time."""
        self.calls += 1
        await asyncio.sleep(self.latency)
        return ModelReply(REPLIES[request.stage], self.name)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        """The reply at once."""
        yield await self.complete(request)


def ran(texts: Sequence[str], studies: int, method: Method, latency: float) -> tuple[float, float]:
    """Seconds of a run over two papers a study, and its calls as a multiple of the bound."""
    names = [f"{number}.txt" for number in range(2 * studies)]
    files = dict(zip(names, texts, strict=False))
    told = {f"study {n}": tuple(names[2 * n : 2 * n + 2]) for n in range(studies)}
    request = TrialsRequest("Does a reduce pain?", tuple(names), studies=told, method=method)
    model = Scripted(latency)
    carrier = assemble(
        Settings(cache="off"),
        request,
        models=dict.fromkeys(MODEL_STAGES, model),
        read=lambda name: files[name].encode(),
    )

    async def every() -> list[Event]:
        return [event async for event in carrier.run(request)]

    began = time.perf_counter()
    events = asyncio.run(every())
    seconds = time.perf_counter() - began
    if not isinstance(events[-1], Answered):
        raise RuntimeError(f"the run ended with {events[-1]}")
    groups = sum(len(one.clusters) for one in events if isinstance(one, PassagesClustered))
    grouped = next(one for one in events if isinstance(one, StudiesGrouped))
    return seconds, model.calls / (1 + groups + len(grouped.studies))


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trials.critical_path")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLINFO_BENCH_DATA"))
    parser.add_argument("--latency", type=float, default=1.0, help="seconds a call [1]")
    parser.add_argument("--repeats", type=int, choices=(1, 2), default=2)
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("give --data or CLINFO_BENCH_DATA a folder of articles and questions")
    data = Path(options.data)
    folder = data / "trials" if (data / "trials").is_dir() else data
    texts = [paper.text for paper in papers(folder).values()]
    ran(texts, 1, "numbers", 0.0)  # what is loaded once
    bound = 3 * options.latency
    unread = (texts[first : first + 20] for first in range(2, len(texts), 20))  # no cache has them

    def shortest(studies: int, method: Method) -> tuple[float, float]:
        return min(
            ran(next(unread), studies, method, options.latency) for _ in range(options.repeats)
        )

    for method in METHODS:
        one, calls = shortest(1, method)
        began = time.process_time()
        ten, more = shortest(10, method)
        busy = (time.process_time() - began) / options.repeats
        print(f"{method:8} calls / bound {max(calls, more):.2f}; wall / bound of three calls: "
              f"1 study {one / bound:.2f}, 10 studies {ten / bound:.2f}; "
              f"10 studies / 1 study {ten / one:.2f}; {busy:.2f} s of processor")  # fmt: skip


if __name__ == "__main__":
    main()
