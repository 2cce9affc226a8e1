"""kill -9 of workers and web processes at random moments: every run finishes, whole, with the
answer of a run that nothing disturbed.

That nothing recorded is asked again whatever is stored of a run is for test_worker.py, that a
reader who is cut off misses nothing for test_event_streams.py. Several lanes (a database, a web
process, a worker, a model each) go side by side.
"""

import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks.own.speed import comparable
from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer
from clinfo.pipelines.literature.answer import answer_json, build_answer
from clinfo.pipelines.literature.events import LiteratureLog, loads
from clinfo.runs.events import Answered, Event
from tests.webapp.running import SCRIPTED, Process, Running, running_app
from webapp.records import StoredEvent
from webapp.storage.database import connect
from webapp.storage.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

LEASE = "1"
SEED = 5
RUN_SECONDS = 120.0
"""Longest that a run may take with its kills; the machine that tests may be busy."""


@dataclass
class Lane:
    """A web app of its own, and the answer of a run that nothing disturbed."""

    app: Running
    store: Store
    random: random.Random
    undisturbed: str = ""
    killed: list[str] = field(default_factory=list)

    def ask(self) -> str:
        return self.app.ask(
            question=workload.QUESTION, model=SCRIPTED, source="pubmed", max_seconds=600
        )

    def calm_run(self) -> None:
        """A run without a kill, whose answer all others must have."""
        run_id = self.ask()
        self.ended(run_id)
        events = whole(self.store.events(run_id))
        assert isinstance(events[-1], Answered)
        self.undisturbed = comparable(events[-1].answer)
        assert events[-1].answer["counts"]["relevant"] == workload.RELEVANT_COUNT

    def disturbed_run(self, victims: list[Process]) -> None:
        """A run in which processes are killed at a random moment and started again at once."""
        run_id = self.ask()
        # Not by the clock, which depends on how busy the machine is, but somewhere in the course of
        # the run.
        stored, deadline = self.random.randrange(0, 190), time.monotonic() + RUN_SECONDS
        while (run := self.store.get(run_id)) and run.last_seq < stored and run.status != "done":
            assert time.monotonic() < deadline, run
            time.sleep(0.01)
        time.sleep(self.random.uniform(0, 0.1))
        for victim in victims:
            victim.kill()
            self.killed.append(victim.name)
        for victim in victims:
            victim.start()
        self.check(run_id)
        self.app.wait_ready()

    def runs_side_by_side(self) -> None:
        """Runs asked of one web process, carried out by all workers."""
        for run_id in [self.ask() for _ in range(4)]:
            self.check(run_id)

    def ended(self, run_id: str) -> None:
        deadline = time.monotonic() + RUN_SECONDS
        while (run := self.store.get(run_id)) is not None and run.status not in (
            "done",
            "failed",
            "cancelled",
        ):
            assert time.monotonic() < deadline, f"{run}\n{self.killed}\n{self.app.logs()}"
            time.sleep(0.05)
        assert run is not None
        assert run.status == "done", f"{run}\n{self.killed}\n{self.app.logs()}"

    def check(self, run_id: str) -> None:
        self.ended(run_id)
        events = whole(self.store.events(run_id))
        last = events[-1]
        assert isinstance(last, Answered)
        assert answer_json(build_answer(LiteratureLog(events[:-1]))) == last.answer
        assert comparable(last.answer) == self.undisturbed, self.killed


def whole(stored: list[StoredEvent]) -> list[Event]:
    """The events, which must be gapless, in order, each key once."""
    assert [event.seq for event in stored] == list(range(len(stored)))
    events = list(loads(event.body for event in stored))
    assert [event.seq for event in events] == list(range(len(stored)))
    assert len({event.key for event in events}) == len(events)
    times = [event.t for event in events]
    assert times == sorted(times)
    return events


@contextmanager
def lane(folder: Path, seed: int, **servers: Any) -> Iterator[Lane]:
    with ExitStack() as stack:
        # Most of a worker's work would be litellm's for each piece of a stream.
        model = stack.enter_context(
            ModelServer(workload.reply, first_token=0.1, per_token=0.003, at_once=8)
        )
        eutils = stack.enter_context(
            EutilsServer(workload.articles(), latency=0.05, scripted=workload.searches())
        )
        environment = {
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-scripted",
            "CLINFO_EUTILS_URL": eutils.url,
            "CLINFO_EUTILS_RATE": "10000",
            "CLINFO_CACHE": "off",
            "CLINFO_WEB_LEASE_SECONDS": LEASE,
        }
        app = stack.enter_context(running_app(folder, **servers, **environment))
        store = Store(connect(app.engine_url))
        stack.callback(store.engine.dispose)
        yield Lane(app, store, random.Random(seed))


def chaos(lanes: list[tuple[Path, int, dict[str, Any]]], kills: int) -> list[str]:
    """``kills`` disturbed runs in each lane, the lanes side by side; what was killed."""

    def go(folder: Path, seed: int, servers: dict[str, Any]) -> list[str]:
        with lane(folder, seed, **servers) as one:
            one.calm_run()
            for kill in range(kills):
                one.disturbed_run(one.app.web[-1:] if kill % 3 == 1 else one.app.workers)
            one.runs_side_by_side()
            return one.killed

    with ThreadPoolExecutor(len(lanes)) as pool:
        going = [pool.submit(go, *each) for each in lanes]
        return [killed for each in going for killed in each.result()]


def test_kill_9_on_sqlite(tmp_path: Path) -> None:
    killed = chaos([(tmp_path / str(number), SEED + number, {}) for number in range(2)], 3)
    assert Counter(killed) == {"worker-0": 4, "web-0": 2}


def test_kill_9_on_postgresql_and_redis_with_two_of_each(
    tmp_path: Path, postgresql_url: str, redis_server: str
) -> None:
    """As on several machines: different homes, caches and data folders."""
    servers = {"database_url": postgresql_url, "redis_url": redis_server, "web": 2, "workers": 2}
    killed = chaos([(tmp_path, SEED + 10, servers)], 3)
    assert Counter(killed) == {"worker-0": 2, "worker-1": 2, "web-1": 1}
