"""The web app under load: how soon viewers have what happens, and what it costs the web process.

    python -m benchmarks web-load                    30 runs at once, 150 event streams, each with both models
    python -m benchmarks web-load --workers 2 --model scripted

Everything is real: web and worker processes as ``python -m webapp`` starts them, a database, HTTP.
The scripted model and E-utilities are those of the speed benchmark, in a process of their own.
The time of an event is from ``created_at``, as the worker wrote it into the database, to the arrival at
a client of the last byte of the event; where a client asked for the stream later than that, from
when it asked. Exit status 1 when a target is missed.
"""  # noqa: E501

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks import flags
from benchmarks.servers import workload
from tests.webapp.running import DEMO_QUESTION, SCRIPTED, Running, running_app
from webapp.settings import WebSettings

RUNS, STREAMS_A_RUN = 30, 5
P95_TARGET, MEMORY_TARGET = 0.300, 250.0
PACE = {"first_token": 0.3, "per_token": 0.01, "latency": 0.1}
DEADLINE = 300.0
ENDS = ("answer", "run_failed", "run_cancelled")

ASKED: dict[str, dict[str, Any]] = {
    "extractive": {
        "question": DEMO_QUESTION,
        "model": "extractive",
        "source": "demo",
        "max_seconds": DEADLINE,
    },
    "scripted": {
        "question": workload.QUESTION,
        "model": SCRIPTED,
        "source": "pubmed",
        "per_query": workload.PER_QUERY,
        "max_seconds": DEADLINE,
    },
}


@dataclass
class Received:
    """The events of a run as one client got them: when it asked first (seconds since 1970), and
    each event with the time of its last byte.
    """

    run_id: str
    asked_at: float
    events: list[tuple[int, str, float]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


Load = dict[str, Any]
"""Figures of one load; times are seconds, ``memory`` MB of the largest web process at its peak."""


def missed(load: Load) -> list[str]:
    """The targets that these figures miss, a line each."""
    runs, clients = load["runs"], load["clients"]
    kept = {
        f"{runs - load['finished']} of {runs} runs did not finish": load["finished"] == runs,
        f"p95 is {1000 * load['p95']:.0f} ms, target {1000 * P95_TARGET:.0f}": load["p95"]
        <= P95_TARGET,
        f"{load['imperfect']} of {clients} clients missed an event, or got one twice or out of "
        "order": not load["imperfect"],
        f"{load['server_errors']} answers of 5xx and {load['refused']} other refusals": not (
            load["server_errors"] or load["refused"]
        ),
        f"a web process had {load['memory']:.0f} MB, target below {MEMORY_TARGET:.0f}": load[
            "memory"
        ]
        < MEMORY_TARGET,
    }
    return [line for line, true in kept.items() if not true]


class Counted:
    """An HTTP session that counts what was refused."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url, self.session = url, session
        self.server_errors = self.refused = 0

    def note(self, status: int) -> None:
        self.server_errors += status >= 500
        self.refused += 400 <= status < 500

    async def ask(self, **fields: Any) -> str:
        async with self.session.post(f"{self.url}/api/v1/runs", json=fields) as answer:
            self.note(answer.status)
            answer.raise_for_status()
            return str((await answer.json())["id"])

    async def read(self, path: str) -> bytes:
        async with self.session.get(self.url + path) as answer:
            self.note(answer.status)
            return await answer.read()

    async def watch(self, run_id: str) -> Received:
        """Follow a run to its end as a browser's EventSource would: a broken stream is taken up
        behind the last event.
        """
        got = Received(run_id, time.time())
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline and not (got.events and got.events[-1][1] in ENDS):
            headers = {"Accept": "text/event-stream"} | (
                {"Last-Event-ID": str(got.events[-1][0])} if got.events else {}
            )
            try:
                async with self.session.get(
                    f"{self.url}/api/v1/runs/{run_id}/events", headers=headers
                ) as answer:
                    self.note(answer.status)
                    if answer.status == 204:  # nothing will come any more
                        break
                    if answer.status != 200:
                        got.problems.append(f"{answer.status} for the stream")
                        await asyncio.sleep(1)
                        continue
                    await _read_stream(answer.content.iter_any(), got)
            except (aiohttp.ClientError, TimeoutError) as error:
                got.problems.append(f"{type(error).__name__} in the stream")
        return got


async def _read_stream(chunks: AsyncIterable[bytes], got: Received) -> None:
    waiting = b""
    async for chunk in chunks:
        now = time.time()
        *whole, waiting = (waiting + chunk).split(b"\n\n")
        for block in whole:
            fields = dict(
                line.split(b": ", 1)
                for line in block.split(b"\n")
                if b": " in line and not line.startswith(b":")
            )
            if b"id" in fields:
                got.events.append((int(fields[b"id"]), _type(fields), now))


def _type(fields: dict[bytes, bytes]) -> str:
    """The type of an event: the stream's own field, else what its data say."""
    return (
        fields[b"event"].decode()
        if b"event" in fields
        else str(json.loads(fields[b"data"])["type"])
    )


async def load(app: Running, model: str, runs: int, streams: int) -> Load:
    """``runs`` started at once, ``streams`` clients on each from its first moment."""
    unlimited = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(
        connector=unlimited, timeout=aiohttp.ClientTimeout(total=None, sock_read=60)
    ) as session:
        counted = Counted(app.url, session)
        began = time.monotonic()
        watching: list[asyncio.Task[Received]] = []

        async def start() -> str:
            run_id = await counted.ask(**ASKED[model])
            watching.extend(asyncio.create_task(counted.watch(run_id)) for _ in range(streams))
            return run_id

        ids = await asyncio.gather(*(start() for _ in range(runs)))
        received = await asyncio.gather(*watching)
        wall = time.monotonic() - began
        states = [json.loads(await counted.read(f"/api/v1/runs/{run_id}")) for run_id in ids]
        for run_id in ids:
            await counted.read(f"/runs/{run_id}")
    created = await asyncio.to_thread(_created, app, ids)
    memory = max(each.peak_memory() for each in app.web)
    return _figures(model, ids, states, received, created, wall, counted, memory)


def _created(app: Running, ids: Iterable[str]) -> dict[str, list[tuple[int, str, float]]]:
    """The events of each run as the database has them: (sequence number, type, when made)."""
    from webapp.storage.database import connect
    from webapp.storage.store import Store

    engine = connect(app.engine_url)
    try:
        store = Store(engine)
        return {
            run_id: [(event.seq, event.type, event.created_at) for event in store.events(run_id)]
            for run_id in ids
        }
    finally:
        engine.dispose()


def _figures(
    model: str,
    ids: Sequence[str],
    states: Sequence[dict[str, Any]],
    received: Sequence[Received],
    created: dict[str, list[tuple[int, str, float]]],
    wall: float,
    counted: Counted,
    memory: float,
) -> Load:
    times, imperfect = [], 0
    for got in received:
        made = {seq: at for seq, _, at in created[got.run_id]}
        if [seq for seq, _, _ in got.events] != [seq for seq, _, _ in created[got.run_id]]:
            imperfect += 1
        times += [at - max(made[seq], got.asked_at) for seq, _, at in got.events if seq in made]
    times.sort()
    return {
        "model": model,
        "runs": len(ids),
        "clients": len(received),
        "finished": sum(state["status"] == "done" for state in states),
        "wall": wall,
        "events": sum(map(len, created.values())),
        "arrivals": len(times),
        "p95": times[max(0, math.ceil(0.95 * len(times)) - 1)] if times else math.nan,
        "imperfect": imperfect,
        "server_errors": counted.server_errors,
        "refused": counted.refused,
        "memory": memory,
        "problems": [problem for got in received for problem in got.problems],
    }


async def measure(
    models: Sequence[str], runs: int, streams: int, workers: int, at_a_time: int
) -> list[Load]:
    """The load of each model, in an app of its own that has run before."""
    found = []
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            scripted = PACE if model == "scripted" else None
            settings = {"CLINFO_CACHE": "off", "CLINFO_WEB_RUNS_AT_A_TIME": str(at_a_time)}
            with running_app(
                Path(folder), workers=workers, scripted=scripted, settings=settings
            ) as app:
                await asyncio.to_thread(_warm, app, model)
                found.append(await load(app, model, runs, streams))
                if missed(found[-1]):
                    print(app.logs(), file=sys.stderr)
    return found


def _warm(app: Running, model: str) -> None:
    """Every worker has imported what it needs: as many runs at a time as there are workers,
    twice.
    """
    for _ in range(2):
        for run_id in [app.ask(**ASKED[model]) for _ in app.workers]:
            app.ended(run_id)


def table(found: Iterable[Load]) -> str:
    """Return what was measured, for people."""
    lines = ["model       runs clients finished   wall  events    p95  5xx imperfect  memory"]
    row = (
        "{model:<11} {runs:>4} {clients:>7} {finished:>8} {wall:>5.1f}s {events:>7} "
        "{ms:6.0f} {server_errors:>4} {imperfect:>9} {memory:>4.0f} MB"
    )
    lines += [row.format(ms=1000 * one["p95"], **one) for one in found]
    return "\n".join([*lines, "p95: milliseconds from an event's creation to its arrival"])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks web-load",
        description=__doc__.split("\n\n")[0] if __doc__ else None,
    )
    flags.add(
        parser,
        {
            "--model": {"choices": [*ASKED, "both"], "default": "both"},
            "--runs": {"type": int, "default": RUNS, "help": f"runs at once (default {RUNS})"},
            "--streams": {
                "type": int,
                "default": STREAMS_A_RUN,
                "help": f"event streams on each run (default {STREAMS_A_RUN})",
            },
            "--workers": {"type": int, "default": 1, "help": "worker processes (default 1)"},
        },
    )
    side_by_side = WebSettings.model_fields["runs_at_a_time"].default
    flags.add(
        parser,
        {
            "--at-a-time": {
                "type": int,
                "default": side_by_side,
                "help": f"runs that a worker carries out side by side (default {side_by_side})",
            },
            "--json": {"type": Path, "help": "also write the figures to this file"},
        },
    )
    options = parser.parse_args(arguments)
    models = list(ASKED) if options.model == "both" else [options.model]
    found = asyncio.run(
        measure(models, options.runs, options.streams, options.workers, options.at_a_time)
    )
    print(table(found))
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    wrong = [f"{one['model']}: {line}" for one in found for line in missed(one)]
    for line in wrong:
        print(f"MISSED {line}", file=sys.stderr)
    for problem, count in Counter(line for one in found for line in one["problems"]).items():
        print(f"{count} x {problem}", file=sys.stderr)
    sys.exit(1 if wrong else 0)
