"""The web app under load: how soon viewers have what happens, and what it costs the web process.

    python -m benchmarks web-load                    30 runs at once, 150 event streams and a browser, each with both models
    python -m benchmarks web-load --workers 2 --model scripted

Everything is real: web and worker processes as ``python -m webapp`` starts them, a database, HTTP.
The scripted model and E-utilities are those of the speed benchmark, in a process of their own.
First one run with five streams is measured, then the load, in the same app, and both are told. The
time of an event is from ``created_at``, as the worker wrote it into the database, to the arrival at
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
from collections.abc import AsyncIterable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from benchmarks import flags
from benchmarks.servers import workload
from tests.webapp.browser import chromium
from tests.webapp.running import DEMO_QUESTION, SCRIPTED, Running, running_app
from webapp.settings import WebSettings

if TYPE_CHECKING:
    from playwright.async_api import Browser

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
    connections: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass
class Load:
    """Figures of one load; times are seconds, ``memory`` MB of the largest web process at its
    peak.
    """

    model: str
    runs: int
    clients: int
    finished: int
    wall: float
    events: int
    arrivals: int
    p50: float
    p95: float
    p99: float
    worst: float
    imperfect: int
    reconnections: int
    server_errors: int
    refused: int
    memory: float
    browser: float | None
    problems: list[str]

    def missed(self) -> list[str]:
        """The targets that these figures miss, a line each."""
        said = []
        if self.finished < self.runs:
            said.append(f"{self.runs - self.finished} of {self.runs} runs did not finish")
        if not self.p95 <= P95_TARGET:
            said.append(f"p95 is {1000 * self.p95:.0f} ms, target {1000 * P95_TARGET:.0f}")
        if self.imperfect:
            said.append(
                f"{self.imperfect} of {self.clients} clients missed an event, or got one twice or "
                "out of order"
            )
        if self.server_errors or self.refused:
            said.append(f"{self.server_errors} answers of 5xx and {self.refused} other refusals")
        if self.memory >= MEMORY_TARGET:
            said.append(f"a web process had {self.memory:.0f} MB, target below {MEMORY_TARGET:.0f}")
        return said


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
            got.connections += 1
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


async def load(
    app: Running, model: str, runs: int, streams: int, browser: Browser | None = None
) -> Load:
    """``runs`` started at once, ``streams`` clients on each from its first moment, and the browser
    on the last of them.
    """
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
        seen = (
            asyncio.create_task(_look(browser, f"{app.url}/runs/{ids[-1]}"))
            if browser is not None
            else None
        )
        received = await asyncio.gather(*watching)
        wall = time.monotonic() - began
        seen_at = await seen if seen is not None else None
        states = [json.loads(await counted.read(f"/api/v1/runs/{run_id}")) for run_id in ids]
        for run_id in ids:
            await counted.read(f"/runs/{run_id}")
    created = await asyncio.to_thread(_created, app, ids)
    return _figures(
        model,
        ids,
        states,
        received,
        created,
        wall,
        seen_at,
        counted,
        max(each.peak_memory() for each in app.web),
    )


async def _look(browser: Browser, address: str) -> float | None:
    """Return when (seconds since 1970) a browser that watches a run shows its answer; None where it
    does not.
    """
    from playwright.async_api import Error

    page = await browser.new_page()
    try:
        await page.goto(address, timeout=60_000)
        await page.locator(chromium.ANSWER).first.wait_for(timeout=DEADLINE * 1000)
        return time.time()
    except Error:
        return None
    finally:
        await page.close()


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
    seen_at: float | None,
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
    ended = created[ids[-1]][-1][2] if created[ids[-1]] else math.nan
    return Load(
        model=model,
        runs=len(ids),
        clients=len(received),
        finished=sum(state["status"] == "done" for state in states),
        wall=wall,
        events=sum(map(len, created.values())),
        arrivals=len(times),
        p50=quantile(times, 0.50),
        p95=quantile(times, 0.95),
        p99=quantile(times, 0.99),
        worst=times[-1] if times else math.nan,
        imperfect=imperfect,
        reconnections=sum(got.connections - 1 for got in received),
        server_errors=counted.server_errors,
        refused=counted.refused,
        memory=memory,
        browser=None if seen_at is None else seen_at - ended,
        problems=[problem for got in received for problem in got.problems],
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest of the ordered values that at least ``share`` of them do not exceed; NaN of
    none.
    """
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


async def measure(
    models: Sequence[str], runs: int, streams: int, workers: int, at_a_time: int, watched: bool
) -> list[tuple[Load, Load]]:
    """For each model one run with five streams, then the load."""
    found = []
    async with AsyncExitStack() as stack:
        browser = await stack.enter_async_context(chromium.opened()) if watched else None
        for model in models:
            with tempfile.TemporaryDirectory() as folder:
                scripted = PACE if model == "scripted" else None
                settings = {"CLINFO_CACHE": "off", "CLINFO_WEB_RUNS_AT_A_TIME": str(at_a_time)}
                with running_app(
                    Path(folder), workers=workers, scripted=scripted, settings=settings
                ) as app:
                    await asyncio.to_thread(_warm, app, model)
                    alone = await load(app, model, 1, STREAMS_A_RUN)
                    found.append((alone, await load(app, model, runs, streams, browser)))
                    if found[-1][1].missed():
                        print(app.logs(), file=sys.stderr)
    return found


def _warm(app: Running, model: str) -> None:
    """Every worker has imported what it needs: as many runs at a time as there are workers,
    twice.
    """
    for _ in range(2):
        for run_id in [app.ask(**ASKED[model]) for _ in app.workers]:
            app.ended(run_id)


def table(found: Iterable[tuple[Load, Load]]) -> str:
    """Return what was measured, for people."""
    lines = [
        (
            "model       runs clients finished   wall  events arrivals    p50    p95    p99  worst "
            " 5xx imperfect  memory  browser"
        )
    ]
    for pair in found:
        for one in pair:
            milliseconds = " ".join(
                f"{1000 * value:6.0f}" for value in (one.p50, one.p95, one.p99, one.worst)
            )
            browser = "-" if one.browser is None else f"{1000 * one.browser:.0f} ms"
            counts = (
                f"{one.runs:>4} {one.clients:>7} {one.finished:>8} {one.wall:>5.1f}s "
                f"{one.events:>7} {one.arrivals:>8}"
            )
            rest = f"{one.server_errors:>4} {one.imperfect:>9} {one.memory:>4.0f} MB {browser:>8}"
            lines.append(f"{one.model:<11} {counts} {milliseconds} {rest}")
        alone, loaded = pair
        lines.append(
            f"{loaded.model}: p95 under load {loaded.p95 / alone.p95:.1f} x that of one run with "
            f"{alone.clients} streams; "
            f"{loaded.reconnections} reconnections"
        )
    return "\n".join(
        [
            *lines,
            "p50 to worst: milliseconds from an event's creation to its arrival, over all clients",
        ]
    )


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
            "--no-browser": {"action": "store_true", "help": "no browser watches"},
            "--json": {"type": Path, "help": "also write the figures to this file"},
        },
    )
    options = parser.parse_args(arguments)
    watched = not options.no_browser and chromium.PATH.exists()
    models = list(ASKED) if options.model == "both" else [options.model]
    found = asyncio.run(
        measure(models, options.runs, options.streams, options.workers, options.at_a_time, watched)
    )
    print(table(found))
    if options.json:
        options.json.write_text(
            json.dumps([[asdict(alone), asdict(loaded)] for alone, loaded in found], indent=2)
            + "\n"
        )
    missed = [f"{loaded.model}: {line}" for _, loaded in found for line in loaded.missed()]
    for line in missed:
        print(f"MISSED {line}", file=sys.stderr)
    for problem, count in _counted(line for _, loaded in found for line in loaded.problems).items():
        print(f"{count} x {problem}", file=sys.stderr)
    sys.exit(1 if missed else 0)


def _counted(lines: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for line in lines:
        counts[line] = counts.get(line, 0) + 1
    return counts


if __name__ == "__main__":
    main()
