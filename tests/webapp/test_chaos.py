"""kill -9 of workers and web processes at random moments: every run finishes, whole, and nothing
recorded is asked twice.

The model is a scripted one behind real HTTP in this process, so that every call it receives can be
held against the replies that were recorded. Several lanes (a database, a web process, a worker, a
model each) go side by side.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import requests

from benchmarks.own.speed import comparable
from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer
from clinfo.pipelines.literature.answer import answer_json, build_answer
from clinfo.pipelines.literature.events import LiteratureLog, loads
from clinfo.runs.events import Answered, CostIncurred, Event
from tests.webapp.running import SCRIPTED, Process, Running, running_app
from webapp.records import StoredEvent
from webapp.storage.database import connect
from webapp.storage.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

LEASE = "1"
SEED = 5
RUN_SECONDS = 120.0
"""Longest that a run may take with its kills; the machine that tests may be busy."""


def marked(body: dict[str, Any]) -> str:
    """The workload's reply, with a word that is different for each request, so that a recorded
    reply names its request.
    """
    said = workload.reply(body)
    word = "ref" + digest(body)[:10].translate(
        str.maketrans("0123456789", "ghijklmnop")
    )  # digits would be figures
    if " AND " in said:  # a query, different for each seed anyway
        return said
    if not said.startswith("{"):
        return f"{said} The trial of {word} found the same [1]."
    fields = json.loads(said)
    name = next((one for one in ("reason", "finding") if one in fields), "")
    if not name:
        return json.dumps({**fields, "word": word})
    return json.dumps({**fields, name: f"{fields[name]} {word}"})


def digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


@dataclass
class Viewer:
    """A client of the event stream that comes back with Last-Event-ID whenever it is cut off."""

    url: str
    run_id: str
    events: list[tuple[int, str]] = field(default_factory=list)
    connections: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Viewer:
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)

    def done(self, seconds: float = 30.0) -> None:
        """Wait until the stream has ended for good."""
        self._thread.join(seconds)
        assert not self._thread.is_alive(), (
            f"the stream of {self.run_id} has not ended after {len(self.events)} events"
        )

    def _watch(self) -> None:
        while not self._stop.is_set():
            last = {"Last-Event-ID": str(self.events[-1][0])} if self.events else {}
            with suppress(requests.RequestException, OSError):
                address = f"{self.url}/api/v1/runs/{self.run_id}/events"
                with requests.get(address, headers=last, stream=True, timeout=(5, 30)) as stream:
                    if stream.status_code == 204:
                        return
                    if stream.status_code == 200:
                        self.connections += 1
                        self._read(stream)
            time.sleep(0.05)

    def _read(self, stream: requests.Response) -> None:
        number, data = None, ""
        for line in stream.iter_lines(chunk_size=None, decode_unicode=True):
            if not line:  # the end of a message; one that is cut off before it does not count
                if number is not None:
                    self.events.append((number, data))
                number, data = None, ""
            elif line.startswith("id: "):
                number = int(line[4:])
            elif line.startswith("data: "):
                data = line[6:]


@dataclass
class Lane:
    """A web app of its own, its model, and the answer of a run that nothing disturbed."""

    app: Running
    store: Store
    model: ModelServer
    random: random.Random
    undisturbed: str = ""
    killed: list[str] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    """Calls of each run that were under way when the worker was killed, and so were made again."""

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
        """A run in which processes are killed at a random moment and started again at once; then
        everything is checked, as seen from the last web process.
        """
        self.model.received.clear()
        run_id = self.ask()
        with Viewer(self.app.urls[-1], run_id) as viewer:
            # Not by the clock, which depends on how busy the machine is, but somewhere in the
            # course of the run.
            stored = self.random.randrange(0, 190)
            deadline = time.monotonic() + RUN_SECONDS
            while (
                (run := self.store.get(run_id)) is not None
                and run.last_seq < stored
                and run.status != "done"
            ):
                assert time.monotonic() < deadline, run
                time.sleep(0.01)
            time.sleep(self.random.uniform(0, 0.1))
            for victim in victims:
                victim.kill()
                self.killed.append(victim.name)
            for victim in victims:
                victim.start()
            self.ended(run_id)
            self.app.wait_ready()
            viewer.done()
        self.check(run_id, viewer)

    def runs_side_by_side(self) -> None:
        """Runs asked of one web process and watched at the other, carried out by all workers."""
        with ExitStack() as watching:
            runs = [
                (run_id, watching.enter_context(Viewer(other, run_id)))
                for other in (*self.app.urls, *reversed(self.app.urls))
                for run_id in [self.ask()]
            ]
            for run_id, viewer in runs:
                self.ended(run_id)
                viewer.done()
                stored = self.store.events(run_id)
                assert viewer.events == [(event.seq, event.body) for event in stored]
                last = whole(stored)[-1]
                assert isinstance(last, Answered)
                assert comparable(last.answer) == self.undisturbed

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

    def check(self, run_id: str, viewer: Viewer) -> None:
        stored = self.store.events(run_id)
        events = whole(stored)
        last = events[-1]
        assert isinstance(last, Answered)
        assert answer_json(build_answer(LiteratureLog(events[:-1]))) == last.answer
        assert comparable(last.answer) == self.undisturbed, self.killed
        assert viewer.events == [(event.seq, event.body) for event in stored]
        self.nothing_asked_twice(stored, events)

    def nothing_asked_twice(self, stored: list[StoredEvent], events: list[Event]) -> None:
        """Whatever the model was asked, it was asked before the reply to it was recorded."""
        wall = time.time() - time.monotonic()
        asked: dict[str, list[float]] = defaultdict(list)
        for received in self.model.received:
            asked[marked(received.body).strip()].append(received.at + wall)
        replies = {
            event.reply.strip(): made.created_at
            for made, event in zip(stored, events, strict=True)
            if real_reply(event)
        }
        calls = sum(map(real_reply, events))
        said = Counter(event.reply.strip() for event in events if real_reply(event))
        twice = [(count, text) for text, count in said.items() if count > 1]
        assert len(replies) == calls, (
            f"a reply must name its request for this to show anything: {twice}"
        )
        assert set(replies) == set(asked)
        for reply, recorded in replies.items():
            assert max(asked[reply]) <= recorded + 0.01, (
                f"asked again after it was recorded: {reply[:80]}"
            )
        # One kill can make a call be asked once more, not oftener.
        assert max(map(len, asked.values())) <= 2
        self.repeated.append(sum(map(len, asked.values())) - calls)


def real_reply(event: Event) -> bool:
    return isinstance(event, CostIncurred) and " failed " not in event.call


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
            ModelServer(marked, first_token=0.1, per_token=0.003, at_once=8)
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
        yield Lane(app, store, model, random.Random(seed))


def chaos(lanes: list[tuple[Path, int, dict[str, Any]]], kills: int) -> list[str]:
    """``kills`` disturbed runs in each lane, the lanes side by side; what was killed."""

    def go(folder: Path, seed: int, servers: dict[str, Any]) -> list[str]:
        with lane(folder, seed, **servers) as one:
            one.calm_run()
            for kill in range(kills):
                one.disturbed_run(one.app.web[-1:] if kill % 3 == 1 else one.app.workers)
            one.runs_side_by_side()
            print("killed", one.killed, "calls made again", one.repeated)
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
