"""A worker at its work: a real database, the real chain, a scripted model behind real HTTP."""

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import exc

from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer
from clinfo.pipelines.literature.events import loads
from clinfo.pipelines.literature.stages import MODEL_STAGES
from clinfo.pipelines.opening import assemble, chat_model
from clinfo.records.articles import RunRequest
from clinfo.runs.events import Answered, CostIncurred, Event
from clinfo.runs.protocols import Message, ModelRequest
from clinfo.settings import Settings
from webapp.records import ENDED, StoredRun
from webapp.settings import WebSettings
from webapp.storage.budget import spent_today
from webapp.storage.database import connect, migrate
from webapp.storage.store import Store
from webapp.work import worker as worker_module
from webapp.work.key_encryption import seal
from webapp.work.worker import Worker

pytestmark = pytest.mark.slow

QUICK = RunRequest(
    question="Does yoga lower blood pressure?",
    models=dict.fromkeys(MODEL_STAGES, "extractive"),
    source="demo",
    max_seconds=60.0,
)
SLOW = RunRequest(
    question=workload.QUESTION,
    models=dict.fromkeys(MODEL_STAGES, "openai/scripted"),
    source="pubmed",
    max_seconds=60.0,
)


class Place:
    """A database and what workers on it share."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.store = Store(connect(url))
        migrate(self.store.engine)

    def worker(
        self, store: Store | None = None, chain: dict[str, Any] | None = None, **web: Any
    ) -> Worker:
        settings = WebSettings(
            **{
                "database_url": self.url,
                "models": "extractive,openai/scripted",
                "lease_seconds": 5.0,
                **web,
            }
        )
        own = Settings(
            cache="off",
            cache_dir=self.folder / "cache",
            data_dir=self.folder / "data",
            **(chain or {}),
        )
        return Worker(settings, own, store or self.store)

    def begun(self, request: RunRequest, events: list[Event]) -> str:
        """A run whose worker appended ``events``; `orphan` lets that worker die."""
        run = self.store.create(request)
        claimed = self.store.claim("a worker that dies", 600.0)
        assert claimed is not None
        assert claimed[0].id == run.id
        self.store.append(claimed[1], [(event, time.time()) for event in events], 600.0)
        return run.id

    def orphan(self) -> None:
        """Let the leases of all running runs run out."""
        with self.store.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE runs SET lease_until = 0 WHERE status = 'running'")

    def fence(self) -> int:
        """Return how often the only run was claimed."""
        with self.store.engine.connect() as connection:
            return int(connection.exec_driver_sql("SELECT fence FROM runs").scalar_one())

    def run(self, run_id: str) -> StoredRun:
        run = self.store.get(run_id)
        assert run is not None
        return run

    def events(self, run_id: str) -> list[Event]:
        """The stored events, which must be gapless and of unique keys."""
        stored = self.store.events(run_id)
        assert [event.seq for event in stored] == list(range(len(stored)))
        found = list(loads(event.body for event in stored))
        assert [event.seq for event in found] == list(range(len(stored)))
        assert len({event.key for event in found}) == len(found)
        assert self.run(run_id).last_seq == len(found) - 1
        return found

    async def until(
        self, run_id: str, wanted: Callable[[StoredRun], bool], seconds: float = 120.0
    ) -> StoredRun:
        deadline = time.monotonic() + seconds
        while not wanted(run := await asyncio.to_thread(self.run, run_id)):
            assert time.monotonic() < deadline, run
            await asyncio.sleep(0.02)
        return run

    async def ended(self, run_id: str) -> StoredRun:
        return await self.until(run_id, lambda run: run.status in ENDED)


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """litellm takes seconds to load and its first call another, which would fall into some test's
    times.
    """
    with pytest.MonkeyPatch.context() as monkeypatch, scripted(monkeypatch, 0.0, 0.0):
        model = chat_model(Settings(cache="off"), "openai/scripted", None)
        asyncio.run(model.complete(ModelRequest("tldr", (Message("user", "Synthesis: none"),))))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(f"sqlite:///{tmp_path / 'webapp.sqlite'}", tmp_path)


@pytest.fixture
def either_place(database_url: str, tmp_path: Path) -> Place:
    return Place(database_url, tmp_path)


@asynccontextmanager
async def working(*workers: Worker) -> AsyncIterator[asyncio.Event]:
    """The workers work until the end of the block, or until the event is set."""
    stop = asyncio.Event()
    tasks = [asyncio.create_task(worker.work(stop)) for worker in workers]
    try:
        yield stop
    finally:
        stop.set()
        await asyncio.wait_for(asyncio.gather(*tasks), 90)


@contextmanager
def scripted(
    monkeypatch: pytest.MonkeyPatch,
    first_token: float = 0.05,
    per_token: float = 0.002,
    reply: Callable[[dict[str, Any]], str] = workload.reply,
) -> Iterator[ModelServer]:
    """The scripted model and PubMed, to which workers of this process are led."""
    with (
        ModelServer(reply, first_token=first_token, per_token=per_token) as model,
        EutilsServer(workload.articles(), scripted=workload.searches()) as eutils,
    ):
        for name, value in {
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-host",
            "CLINFO_EUTILS_URL": eutils.url,
            "CLINFO_EUTILS_RATE": "10000",
        }.items():
            monkeypatch.setenv(name, value)
        yield model


def answer_of(events: list[Event]) -> dict[str, Any]:
    last = events[-1]
    assert isinstance(last, Answered)
    return last.answer


# ---- from the queue to the answer


def test_a_stored_run_goes_on_from_any_prefix_of_its_events(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill: nothing that is recorded is asked again, and the answer is the same."""

    async def go() -> None:
        with scripted(monkeypatch, first_token=0.01, per_token=0.0) as model:
            first = place.store.create(SLOW)
            async with working(place.worker()):
                assert (await place.ended(first.id)).status == "done"
            whole, asked = place.events(first.id), len(model.received)
            cuts = (1, 5, len(whole) // 3, len(whole) // 2, len(whole) - 3)
            for cut in cuts:
                run_id = place.begun(SLOW, whole[:cut])
                place.orphan()
                before = len(model.received)
                async with working(place.worker()):
                    assert (await place.ended(run_id)).status == "done"
                known = sum(isinstance(event, CostIncurred) for event in whole[:cut])
                assert len(model.received) - before == asked - known
                events = place.events(run_id)
                assert events[:cut] == whole[:cut]
                assert comparable(events) == comparable(whole)

    def comparable(events: list[Event]) -> str:
        from benchmarks.own.speed import comparable as without_times

        return without_times(answer_of(events))

    asyncio.run(go())


# ---- what goes wrong


def test_what_cannot_be_assembled_fails_with_its_one_line(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    remote = replace(QUICK, source="pubmed")
    asked = {
        "no prompt": (replace(QUICK, prompts={"summary": "Summarise {nonsense}"}), "nonsense"),
        "no key": (
            replace(QUICK, models=dict.fromkeys(MODEL_STAGES, "openai/gpt-4o-mini")),
            "no API key",
        ),
        "no index": (replace(QUICK, source="local"), "host"),
        "a patient": (
            replace(
                remote, question="Mrs Jane Doe, born 12/03/1961, MRN 4455667: is metformin safe?"
            ),
            "identify",
        ),
    }

    async def go() -> None:
        runs = {name: place.store.create(request) for name, (request, _) in asked.items()}
        fine = place.store.create(QUICK)
        async with working(place.worker()):
            for name, run in runs.items():
                found = await place.ended(run.id)
                assert found.status == "failed", name
                assert found.problem is not None
                assert asked[name][1] in found.problem
                assert "\n" not in found.problem
                assert not found.retryable
                assert "Jane" not in found.problem
                assert "_" not in found.problem
            assert (await place.ended(fine.id)).status == "done"

    asyncio.run(go())


def test_a_fault_of_ours_ends_one_run_and_no_other(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def assembled(of: Any, settings: Settings, request: RunRequest, *rest: Any, **more: Any) -> Any:
        if request.seed == 13:
            raise ZeroDivisionError("the question was: secret")
        return assemble(of, settings, request, *rest, **more)

    monkeypatch.setattr("clinfo.pipelines.opening.assemble", assembled)

    async def go() -> None:
        runs = [place.store.create(replace(QUICK, seed=seed)) for seed in (12, 13, 14)]
        async with working(place.worker()):
            assert [(await place.ended(run.id)).status for run in runs] == [
                "done",
                "failed",
                "done",
            ]
        problem = place.run(runs[1].id).problem
        assert problem is not None
        assert "ZeroDivisionError" in problem
        assert "secret" not in problem

    asyncio.run(go())


def test_a_model_that_fails_ends_the_run_retryable_and_it_goes_on(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def go() -> None:
        with scripted(monkeypatch, first_token=0.01, per_token=0.0) as model:
            model.key = "sk-other"
            run = place.store.create(SLOW)
            async with working(place.worker()):
                failed = await place.ended(run.id)
                assert failed.status == "failed"
                assert failed.problem is not None
                assert "sk-" not in failed.problem
                assert place.events(run.id)[-1].type == "run_failed"
                model.key = None
                place.store.resume(run.id)
                assert (await place.ended(run.id)).status == "done"
        assert answer_of(place.events(run.id))["synthesis"]

    asyncio.run(go())


class Failing(Store):
    """A store whose database goes away at the first try of each commit and of the end, before or
    just after it is carried out.
    """

    def __init__(self, store: Store, committed: bool) -> None:
        super().__init__(store.engine)
        self.committed = committed
        self.failed = False
        self.raised = 0
        self.ends = 0

    def append(self, *arguments: Any, **more: Any) -> None:
        self.ends += more.get("end") is not None
        fails = not self.failed or (more.get("end") is not None and self.ends == 1)
        self.failed = fails
        if self.committed or not fails:
            super().append(*arguments, **more)
        if fails:
            self.raised += 1
            raise exc.OperationalError(
                "INSERT", {}, Exception("server closed the connection unexpectedly")
            )


@pytest.mark.parametrize("committed", [False, True])
def test_a_database_that_goes_away_for_a_moment_loses_and_doubles_nothing(
    either_place: Place, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    place = either_place

    async def go() -> None:
        with scripted(monkeypatch, first_token=0.02, per_token=0.0005):
            store = Failing(place.store, committed)
            run = place.store.create(SLOW)
            async with working(place.worker(store)):
                assert (await place.ended(run.id)).status == "done"
        assert store.raised >= 2, "the first commit and the last, at least"
        assert store.ends == (1 if committed else 2)
        assert answer_of(place.events(run.id))["synthesis"]

    asyncio.run(go())


# ---- leases


def test_a_lost_lease_ends_the_work_at_once_and_nothing_more_is_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def go() -> None:
        with scripted(monkeypatch, first_token=0.4, per_token=0.0) as model:
            run = place.store.create(SLOW)
            worker = place.worker(lease_seconds=1.0)
            async with working(worker):
                await place.until(run.id, lambda run: run.last_seq > 3)
                claimed = None
                while claimed is None and place.run(run.id).status == "running":
                    # as if this process had stood still; a heartbeat under way may prolong the
                    # lease once more
                    place.orphan()
                    claimed = place.store.claim("another", 60.0)
                assert claimed is not None
                last = place.run(run.id).last_seq
                end = time.monotonic() + 20  # a busy machine lets go later
                while worker._hands and time.monotonic() < end:
                    await asyncio.sleep(0.05)
                asked = len(model.received)
                assert worker._hands == {}
                await asyncio.sleep(0.6)
                assert len(model.received) == asked
                assert place.run(run.id).last_seq == last
                assert place.run(run.id).status == "running"

    asyncio.run(go())


def test_a_run_that_is_deleted_while_it_runs_is_dropped(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def go() -> None:
        with scripted(monkeypatch, first_token=0.3, per_token=0.0) as model:
            run, other = place.store.create(SLOW), place.store.create(QUICK)
            worker = place.worker()
            async with working(worker):
                await place.until(run.id, lambda run: run.last_seq > 3)
                model.first_token = 25.0  # by itself the run does not end before the deadline
                place.store.delete(run.id)
                deadline = time.monotonic() + 20
                while run.id in worker._hands:
                    assert time.monotonic() < deadline
                    await asyncio.sleep(0.02)
                assert (await place.ended(other.id)).status == "done"
        assert place.store.events(run.id) == []

    asyncio.run(go())


# ---- cancelling, stopping


def test_a_worker_that_stops_hands_its_runs_back_and_another_goes_on(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "GRACE_SECONDS", 0.2)

    async def go() -> None:
        with scripted(monkeypatch, first_token=0.3, per_token=0.0) as model:
            run = place.store.create(SLOW)
            async with working(place.worker(lease_seconds=600.0)) as stop:
                await place.until(run.id, lambda run: run.last_seq > 40)
                stop.set()
                await place.until(run.id, lambda run: run.status == "queued")
            given_back = place.events(run.id)
            assert "run_cancelled" not in {event.type for event in given_back}
            recorded = {event.call for event in given_back if isinstance(event, CostIncurred)}
            asked = len(model.received)
            async with working(place.worker()):
                assert (await place.ended(run.id)).status == "done"
            events = place.events(run.id)
            assert events[: len(given_back)] == given_back
            calls = [
                event.call
                for event in events
                if isinstance(event, CostIncurred) and "failed" not in event.call
            ]
            assert len(model.received) - asked == len(calls) - len(recorded)

    asyncio.run(go())


# ---- a visitor's own key


def test_a_visitors_key_is_used_for_its_run_only_and_forgotten(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-visitor-" + "x" * 20

    async def go() -> None:
        with scripted(monkeypatch, first_token=0.02, per_token=0.0) as model:
            own, host = (
                place.store.create(SLOW, own_key=True),
                place.store.create(replace(SLOW, question="Does aspirin?")),
            )
            assert own.status == "key_needed"
            worker = place.worker()
            async with working(worker):
                while (living := place.store.live_worker(60.0)) is None:
                    await asyncio.sleep(0.05)
                place.store.give_key(own.id, living[0], seal(living[1], secret))
                assert (await place.ended(own.id)).status == "done"
                await place.ended(host.id)
                question = {"own": workload.QUESTION, "host": "Does aspirin?"}
                for received in model.received:
                    text = str(received.body["messages"])
                    used = received.headers["Authorization"].removeprefix("Bearer ")
                    assert (
                        used == (secret if question["own"] in text else "sk-host")
                        or "Question" not in text
                    )
                assert secret in {
                    received.headers["Authorization"].removeprefix("Bearer ")
                    for received in model.received
                }
                assert spent_today(place.store.engine) == 0
                model.received.clear()
                assert worker._hands == {}
        assert secret.encode() not in b"".join(
            path.read_bytes() for path in place.folder.rglob("*") if path.is_file()
        )
        gc.collect()
        holders = [
            kept
            for kept in gc.get_objects()
            if isinstance(kept, worker_module.WorkerHandle) and kept.api_key == secret
        ]
        assert holders == []

    asyncio.run(go())


@pytest.mark.parametrize(
    ("models", "problem"),
    [
        ({"synthesis": "anthropic/claude-sonnet-4-5"}, "but a key belongs to one"),
        (
            dict.fromkeys(MODEL_STAGES, "vertex_ai/gemini-2.5-flash"),
            "does not accept a visitor's key",
        ),
        (dict.fromkeys(MODEL_STAGES, "ollama_chat/llama3"), "does not accept a visitor's key"),
    ],
    ids=["two providers", "the host's credentials", "the host's machine"],
)
def test_a_visitors_key_goes_to_one_provider_that_looks_at_it(
    place: Place, monkeypatch: pytest.MonkeyPatch, models: dict[str, str], problem: str
) -> None:
    async def go() -> None:
        with scripted(monkeypatch) as model:
            run = place.store.create(replace(SLOW, models={**SLOW.models, **models}), own_key=True)
            async with working(place.worker()):
                while (living := place.store.live_worker(60.0)) is None:
                    await asyncio.sleep(0.05)
                place.store.give_key(run.id, living[0], seal(living[1], "sk-visitor"))
                ended = await place.ended(run.id)
            assert (ended.status, ended.retryable) == ("failed", False)
            assert problem in str(ended.problem)
            assert model.received == []

    asyncio.run(go())
