"""Speed of the chain, as ratios against something measured or computed in the same run.

    python -m benchmarks speed            a run against its bound, as a process of its own, memory
    python -m benchmarks speed --faults   runs under faults at both servers

The chain runs over real HTTP against two scripted servers in a process of their own
(`benchmarks.servers.pair`).
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import flags
from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer, Received
from clinfo.runs.events import Event

FIRST_TOKEN, PER_TOKEN = 0.5, 0.01
EUTILS_SECONDS, EUTILS_RATE = 0.15, 3.0
SLOTS = 32
TARGET = 1.15


@dataclass(frozen=True)
class Bound:
    """Seconds that no chain can go below with these slots, this limiter and these servers.

    query      first token + query tokens
    search     the k-th request starts at k/rate; the fetch waits for the last of the three searches
    reading    list schedule of one call an article (in rank order; a summary comes along if it is relevant), on ``SLOTS`` slots, no overhead
    synthesis  first token + the tokens of TL;DR and synthesis, which one call writes
    """  # noqa: E501

    query: float
    search: float
    reading: float
    synthesis: float

    @property
    def total(self) -> float:
        return self.query + self.search + self.reading + self.synthesis


def bound(count: int = workload.ARTICLE_COUNT) -> Bound:
    """The bound of the workload with so many articles."""

    def call(tokens: int) -> float:
        return FIRST_TOKEN + PER_TOKEN * tokens

    last_search = 2 / EUTILS_RATE + EUTILS_SECONDS
    read = [
        call(workload.JUDGEMENT_TOKENS + (workload.SUMMARY_TOKENS if relevant else 0))
        for relevant in workload.ranked_relevance(count)
    ]
    return Bound(
        query=call(workload.QUERY_TOKENS),
        search=max(last_search, 3 / EUTILS_RATE) + EUTILS_SECONDS,
        reading=_schedule(read),
        synthesis=call(workload.TLDR_TOKENS + workload.SYNTHESIS_TOKENS),
    )


def _schedule(calls: Sequence[float]) -> float:
    """Return when the last of these calls (in seconds) ends, each on the slot that is free
    first.
    """
    free = [0.0] * SLOTS
    for seconds in calls:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


@contextmanager
def servers(**options: object) -> Iterator[dict[str, str]]:
    """The pair of scripted servers in a process of its own; yields their addresses as environment
    variables.
    """
    command = [sys.executable, "-m", "benchmarks.servers.pair", json.dumps(options)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
    finally:
        process.communicate()  # closes its standard input, which ends it


def ask(
    environment: dict[str, str], cache_dir: str, **settings: Any
) -> tuple[dict[str, Any], float]:
    """The workload's question through the real chain: (answer or failure, wall seconds)."""
    began = time.perf_counter()
    last = events_of(environment, cache_dir, **settings)[-1]
    wall = time.perf_counter() - began
    if last.type == "answer":
        return last.answer, wall  # type: ignore[attr-defined]
    return {"failed": getattr(last, "problem", last.type)}, wall


def answer_of(events: Sequence[Event]) -> dict[str, Any]:
    """The answer of a run that came to one."""
    return dict(events[-1].answer)  # type: ignore[attr-defined]


def judged_run(
    reply: Callable[[dict[str, Any]], str],
    count: int,
    round: int | None = None,
    first_token: float = 0.0,
) -> tuple[list[Event], list[Received]]:
    """(The events of a judged run over ``count`` articles, what its scripted model was asked).
    Raises SystemExit where it does not answer.
    """
    model = ModelServer(reply, first_token=first_token)
    eutils = EutilsServer(workload.articles(count, round), scripted=workload.searches(count))
    with tempfile.TemporaryDirectory() as folder, model, eutils:
        environment = {
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-scripted",
            "CLINFO_EUTILS_URL": eutils.url,
            "CLINFO_EUTILS_RATE": "10000",
        }
        events = events_of(environment, folder, count, judged=True)
    if events[-1].type != "answer":
        raise SystemExit(f"the chain did not answer: {getattr(events[-1], 'problem', '')}")
    return events, model.received


def events_of(
    environment: dict[str, str],
    cache_dir: str,
    count: int = workload.ARTICLE_COUNT,
    judged: bool = False,
    **settings: str,
) -> list[Event]:
    """The events of a run of the workload's question; ``judged``: the model judges too."""
    from clinfo.pipelines.literature.stages import JUDGE_STAGE, LITERATURE, MODEL_STAGES
    from clinfo.records.articles import RunRequest
    from clinfo.settings import Settings

    os.environ.update(
        environment | {"CLINFO_CACHE": "off", "CLINFO_CACHE_DIR": cache_dir} | settings
    )
    chosen = Settings()
    judges = (JUDGE_STAGE,) if judged else ()
    request = RunRequest(
        question=workload.QUESTION,
        models=dict.fromkeys((*MODEL_STAGES, *judges), "openai/scripted"),
        source="pubmed",
        per_query=workload.per_query(count),
        max_articles=count,
        strict=judged,
        judge="model" if judged else "none",
    )

    async def collect() -> list[Event]:
        return [event async for event in LITERATURE.assemble(chosen, request).run(request)]

    return asyncio.run(collect())


def chain_report() -> dict[str, Any]:
    """Wall time of the chain, warm and as a command line in turns, against the bound; and the peak
    memory of this process.
    """
    limit = bound()
    timing = {
        "first_token": FIRST_TOKEN,
        "per_token": PER_TOKEN,
        "latency": EUTILS_SECONDS,
        "rate": EUTILS_RATE,
    }
    with tempfile.TemporaryDirectory() as folder, servers(**timing) as environment:
        answer, _ = ask(environment, folder)
        if "failed" in answer or answer["counts"]["relevant"] != workload.RELEVANT_COUNT:
            raise SystemExit(
                f"the chain did not answer as it should: {answer.get('failed') or answer['counts']}"
            )
        command = ["-m", "clinfo", "ask", workload.QUESTION, "--model", "openai/scripted", "--json"]
        alike = ["--no-strict", "--judge", "none"]
        turns = [(ask(environment, folder)[1], _seconds([*command, *alike])) for _ in range(3)]
    walls, colds = zip(*turns, strict=True)
    wall, cold = statistics.median(walls), statistics.median(colds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    parts = " + ".join(f"{name} {seconds:.2f}" for name, seconds in asdict(limit).items())
    print(f"bound = {parts} = {limit.total:.2f} s\n{Bound.__doc__}")
    each = ", ".join(f"{one:.2f}" for one in walls)
    print(
        f"warm wall {wall:.2f} s (median of {each}) = {wall / limit.total:.3f} x bound (target "
        f"{TARGET})"
    )
    print(f"as a process of its own {cold:.2f} s = {cold / wall:.2f} x the warm one (target 1.3)")
    print(f"peak memory {peak:.0f} MB (target 350)")
    print(f"stages {answer['timings']}")
    return {
        "bound": limit.total,
        "warm": wall,
        "ratio": wall / limit.total,
        "cold": cold,
        "peak_mb": peak,
    }


def faults_report(runs: int = 50) -> dict[str, Any]:
    """Return how many of ``runs`` runs under faults at both servers end with the answer of a
    faultless run.
    """
    quick = {"CLINFO_MODEL_TIMEOUT": "4", "CLINFO_MODEL_FIRST_TOKEN_TIMEOUT": "2"}
    shares = {
        "rate_429": 0.10,
        "rate_500": 0.05,
        "hang": 0.02,
        "cut": 0.02,
        "empty": 0.02,
        "hang_seconds": 60,
    }
    with tempfile.TemporaryDirectory() as folder:
        with servers() as environment:
            expected = comparable(ask(environment, folder, **quick)[0])
        same, walls, problems = 0, [], []
        for seed in range(runs):
            with servers(faults={**shares, "seed": seed}) as environment:
                answer, wall = ask(environment, folder, **quick)
            walls.append(wall)
            if comparable(answer) == expected:
                same += 1
            else:
                problems.append((seed, answer.get("failed") or answer["warnings"]))
            print(
                (
                    f"seed {seed}: {'same' if comparable(answer) == expected else 'DIFFERENT'} in "
                    f"{wall:.1f} s"
                ),
                file=sys.stderr,
            )
    print(
        f"faults: {same} of {runs} runs end with the answer of a faultless run; median wall "
        f"{statistics.median(walls):.1f} s"
    )
    for seed, problem in problems:
        print(f"  seed {seed}: {problem}")
    return {"same": same, "runs": runs}


def comparable(answer: dict[str, Any]) -> str:
    """An answer as text, without times (the day of the search too: midnight may pass) and usage."""
    kept = {
        key: value
        for key, value in answer.items()
        if key not in ("timings", "usage", "searched_on")
    }
    kept["queries"] = [
        {key: value for key, value in query.items() if key != "sent_at"}
        for query in kept.get("queries", [])
    ]
    return json.dumps(kept, sort_keys=True)


def _seconds(program: list[str]) -> float:
    """Wall seconds of one run of Python with these arguments."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *program], check=True, capture_output=True)
    return time.perf_counter() - began


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m benchmarks speed", description=__doc__)
    flags.add(
        parser,
        {
            "--faults": {"action": "store_true", "help": "only the runs under faults"},
            "--runs": {"type": int, "default": 50, "help": "number of runs under faults"},
            "--json": {"type": Path, "help": "also write the figures to this file"},
        },
    )
    options = parser.parse_args(arguments)
    figures = faults_report(options.runs) if options.faults else chain_report()
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
