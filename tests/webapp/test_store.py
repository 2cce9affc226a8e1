"""The store, on a SQLite file and on a real PostgreSQL server."""

import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, func, select, update

from clinfo.pipelines.literature.events import SynthesisText, loads
from clinfo.records.articles import RunRequest
from clinfo.runs.events import Event, RunStarted, Warned, dumps
from webapp.records import Busy, Lease, LeaseLost, Status
from webapp.storage.database import connect, migrate, writing
from webapp.storage.store import BARREN_CLAIMS, Store
from webapp.storage.tables import events, runs

REQUEST = RunRequest(
    "Does zinc shorten a common cold?",
    models={"summary": "extractive"},
    source="demo",
    own_queries=("zinc[mh] AND cold\nin “quotes” \\ 風邪 🤧",),
    published_from=date(1999, 1, 31),
    max_seconds=20.0,
    prompts={"tldr": "{{ 7 * 7 }} {question}"},
)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = 1_700_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = connect(database_url)
    migrate(made)
    yield made
    made.dispose()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(engine: Engine, clock: Clock) -> Store:
    return Store(engine, clock)


def pieces(first: int, count: int) -> list[tuple[Event, float]]:
    return [
        (
            SynthesisText(attempt=0, piece=seq, text=f"piece {seq} ", seq=seq, t=seq / 10),
            100.0 + seq,
        )
        for seq in range(first, first + count)
    ]


def claimed(store: Store, worker: str = "w1", lease_seconds: float = 10.0) -> Lease:
    found = store.claim(worker, lease_seconds)
    assert found is not None
    return found[1]


def seqs(store: Store, run_id: str) -> list[int]:
    return [event.seq for event in store.events(run_id)]


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Return what ``work`` gives, begun at the same moment in so many threads."""
    together = threading.Barrier(count)

    def begin(number: int) -> Any:
        together.wait()
        return work(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(begin, range(count)))


# ---- what visitors do


def test_ids_cannot_be_guessed_and_suit_an_address(store: Store) -> None:
    ids = {store.create(REQUEST).id for _ in range(50)}
    assert len(ids) == 50
    assert all(
        len(run_id) >= 22 and run_id.isascii() and run_id.isalnum() for run_id in ids
    )  # 22 · log2(62) = 131 bits


def test_the_runs_of_a_visitor_are_those_of_the_browser_or_of_the_user(
    store: Store, clock: Clock
) -> None:
    ids = {}
    for name, visitor, owner in (
        ("a", "b1", None),
        ("b", "b1", "u"),
        ("c", "b2", "u"),
        ("d", "b2", None),
        ("e", None, None),
    ):
        clock.time += 1
        ids[store.create(REQUEST, visitor=visitor, owner=owner).id] = name

    def names(visitor: str | None, owner: str | None, limit: int = 50) -> str:
        return "".join(ids[run.id] for run in store.of_visitor(visitor, owner, limit))

    assert names("b1", None) == "a"  # a user's are private, also on a computer that others use
    assert names("b2", None, limit=1) == "d"
    assert names("b1", "u") == "cb"
    assert names("b1", "other") == ""
    assert names(None, None) == ""  # a program's runs are nobody's


def test_the_queue_has_a_limit_and_positions(store: Store) -> None:
    ids = [store.create(REQUEST, queue_limit=3).id for _ in range(3)]
    with pytest.raises(Busy) as raised:
        store.create(REQUEST, queue_limit=3)
    assert raised.value.retry_after > 0
    assert {run_id: head.position for run_id, head in store.heads(ids).items()} == dict(
        zip(ids, (1, 2, 3), strict=True)
    )
    assert claimed(store).run_id == ids[0]
    found = store.heads(ids)
    assert [found[run_id].position for run_id in ids] == [None, 1, 2]
    store.ask_cancel(ids[1])
    assert store.heads([ids[2]])[ids[2]].position == 1
    assert store.create(REQUEST, queue_limit=3, own_key=True).status == "key_needed"
    assert store.counts() == {
        "queued": 1,
        "running": 1,
        "done": 0,
        "failed": 0,
        "cancelled": 1,
        "key_needed": 1,
    }


# ---- events


def test_events_come_back_byte_for_byte(store: Store) -> None:
    run_id = store.create(REQUEST).id
    lease = claimed(store)
    odd = "NUL \0, \x1b, line\u2028sep, \ufeff, \U0010ffff, \uffff, e\u0301 é, \\u0000, \"'\\ 😀"
    made = [
        RunStarted(
            request=REQUEST,
            settings={"a": [1, None, 0.1]},
            notices=(odd,),
            started_at="2024-01-01",
            seq=0,
        ),
        Warned(about=odd, text=odd, where=odd[:8], seq=1, t=0.1 + 0.2),
        Warned(
            about="long " + "ä" * 20_000, text="x" * 2_000_000, seq=2
        ),  # longer than an entry of PostgreSQL's index may be
        Warned(about="long " + "ä" * 20_001, text="", seq=3),
    ]
    store.append(lease, [(event, 1_700_000_000.123456 + event.seq) for event in made], 10)
    found = store.events(run_id)
    assert [event.body for event in found] == [dumps(event) for event in made]
    assert [event.created_at for event in found] == [1_700_000_000.123456 + seq for seq in range(4)]
    assert [event.type for event in found] == ["run_started", "warning", "warning", "warning"]
    assert list(loads(event.body for event in found)) == made
    assert [event.seq for event in store.events(run_id, 1)] == [2, 3]
    assert (
        store.events(run_id, 3) == store.events(run_id, 2**31) == store.events(run_id, 10**40) == []
    )
    assert len(store.events(run_id, -(10**40))) == 4


def test_a_request_of_another_version_is_shown_but_not_carried_out(
    store: Store, engine: Engine
) -> None:
    run_id, other = store.create(REQUEST, visitor="v").id, store.create(REQUEST, visitor="v").id
    with writing(engine) as connection:
        newer = (
            '{"question": "Does zinc help?", "strategy": "divination", "queries": 2, "novelty": 1}'
        )
        connection.execute(update(runs).where(runs.c.id == run_id).values(request=newer))
    shown = store.get(run_id)
    assert shown is not None
    assert shown.request == RunRequest("Does zinc help?", queries=2)
    assert {run.id for run in store.of_visitor("v", None)} == {run_id, other}
    assert claimed(store).run_id == other
    failed = store.get(run_id)
    assert failed is not None
    assert (failed.status, failed.retryable) == ("failed", False)
    assert "version" in (failed.problem or "")


def test_sequence_numbers_have_no_gaps_and_keys_come_once(store: Store) -> None:
    run_id = store.create(REQUEST).id
    lease = claimed(store)
    store.append(lease, pieces(0, 3), 10)
    with pytest.raises(ValueError, match="do not continue"):
        store.append(lease, pieces(4, 1), 10)
    with pytest.raises(ValueError, match="do not continue"):
        store.append(lease, pieces(2, 1), 10)
    with pytest.raises(ValueError, match="gaps"):
        store.append(lease, [*pieces(3, 1), *pieces(5, 1)], 10)
    doubled = SynthesisText(attempt=0, piece=1, text="again", seq=4)
    with pytest.raises(ValueError, match="same key") as raised:
        store.append(lease, [*pieces(3, 1), (doubled, 1.0)], 10, end="done")
    assert raised.value.__cause__ is None  # the driver's message would show what was to be stored
    found = store.get(run_id)
    assert found is not None
    assert (found.status, found.last_seq) == ("running", 2)  # nothing of a refused batch is there
    assert seqs(store, run_id) == [0, 1, 2]
    for end in ("queued", "running"):
        with pytest.raises(ValueError, match="does not end"):
            store.append(lease, [], 10, end=end)


# ---- leases


def test_a_run_that_kills_its_workers_fails(store: Store, clock: Clock) -> None:
    run_id = store.create(REQUEST).id
    for _ in range(BARREN_CLAIMS - 1):
        claimed(store)
        clock.time += 11
    store.append(claimed(store), pieces(0, 1), 10)  # it got on: counted anew
    for _ in range(BARREN_CLAIMS):
        clock.time += 11
        claimed(store)
    clock.time += 11
    assert store.claim("w1", 10) is None
    failed = store.get(run_id)
    assert failed is not None
    assert (failed.status, failed.retryable, failed.last_seq) == ("failed", False, 0)
    assert failed.problem
    store.resume(run_id)
    assert claimed(store).run_id == run_id


def test_a_worker_does_not_take_its_own_run_back_while_it_goes_on(
    store: Store, clock: Clock
) -> None:
    """After an outage longer than the lease it writes what waited; another may take the run."""
    run_id = store.create(REQUEST).id
    lease = claimed(store, "w1")
    clock.time += 11
    assert store.claim("w1", 10, [run_id]) is None
    store.append(lease, pieces(0, 2), 10)
    clock.time += 11
    assert claimed(store, "w2").fence == lease.fence + 1
    with pytest.raises(LeaseLost):
        store.append(lease, pieces(2, 1), 10)


def test_two_workers_that_write_at_once_leave_one_row_of_events(engine: Engine) -> None:
    """The older one goes on writing while the newer one takes the run over: after that nothing of
    the older comes through.
    """
    store = Store(engine)
    for _ in range(5):
        run_id = store.create(REQUEST).id
        old = claimed(store, "w1", 0.05)
        taken_over = threading.Event()

        def write_old(lease: Lease = old, over: threading.Event = taken_over) -> int:
            for seq in range(10_000):
                try:
                    store.append(lease, pieces(seq, 1), 0.0)
                except LeaseLost:
                    assert over.is_set() or over.wait(10)
                    return seq
            raise AssertionError("never lost")

        with ThreadPoolExecutor(1) as thread:
            writing_old = thread.submit(write_old)
            while (found := store.claim("w2", 60)) is None:
                pass
            taken_over.set()
            run, new, _ = found
            store.append(new, pieces(run.last_seq + 1, 3), 60, end="done")
            written = writing_old.result()
        assert written == run.last_seq + 1
        assert seqs(store, run_id) == list(range(run.last_seq + 4))


# ---- keys of visitors


@pytest.mark.parametrize("end", ["cancel", "release", "fail and resume"])
def test_a_key_does_not_outlive_its_use(store: Store, engine: Engine, end: str) -> None:
    store.register("w1", b"one")
    run_id = store.create(REQUEST, own_key=True).id
    store.give_key(run_id, "w1", b"sealed")
    if end == "cancel":
        store.ask_cancel(run_id)
    else:
        lease = claimed(store)
        if end == "release":
            store.release(lease)
        else:
            store.append(lease, [], 10, end="failed", retryable=True)
            assert store.resume(run_id).status == "key_needed"
    found = store.get(run_id)
    assert found is not None
    assert found.status == ("cancelled" if end == "cancel" else "key_needed")
    with engine.connect() as connection:
        assert connection.execute(select(runs.c.sealed_key)).scalar_one() is None


# ---- deletion


def test_what_is_old_and_has_ended_is_deleted(store: Store, engine: Engine, clock: Clock) -> None:
    """Events go along, ids are noted, and a great many are deleted in parts."""
    expected: set[str] = set()
    for status in ("done", "failed", "cancelled", "key_needed", "running", "queued"):
        run_id = store.create(REQUEST, own_key=status == "key_needed").id
        if status in ("done", "failed", "cancelled"):
            end: Status = status
            store.append(claimed(store), pieces(0, 1), 10, end=end)
        elif status == "running":
            store.append(claimed(store), pieces(0, 3), 10)
        if status not in ("running", "queued"):
            expected.add(run_id)
    clock.time += 10
    young = store.create(REQUEST, own_key=True).id
    assert store.delete_before(clock.time) == 4
    assert {run_id for run_id, _ in store.deletions(0)} == expected
    assert store.get(young) is not None
    counts = {name: count for name, count in store.counts().items() if count}
    assert counts == {"queued": 1, "running": 1, "key_needed": 1}
    with engine.connect() as connection:
        assert connection.execute(select(func.count()).select_from(events)).scalar_one() == 3
        row = dict(connection.execute(select(runs).where(runs.c.id == young)).one()._mapping)
    old = row | {"status": "done", "created_at": 1.0}
    with writing(engine) as connection:
        connection.execute(runs.insert(), [old | {"id": f"old{number}"} for number in range(450)])
    assert store.delete_before(2.0) == 450
    clock.time += 401 * 86_400
    store.delete(young)
    assert store.deletions(0) == [(young, clock.time)]  # ids are not noted for ever


def test_deleting_while_a_worker_writes_leaves_no_orphan(store: Store, engine: Engine) -> None:
    for _ in range(5):
        run_id = store.create(REQUEST).id
        lease = claimed(store)

        def write(number: int, lease: Lease = lease, run_id: str = run_id) -> bool:
            if number == 0:
                return store.delete(run_id)
            try:
                for seq in range(10_000):
                    store.append(lease, pieces(seq, 1), 10)
            except LeaseLost:
                return True
            return False

        assert in_threads(2, write) == [True, True]
        with engine.connect() as connection:
            assert connection.execute(select(func.count()).select_from(events)).scalar_one() == 0


def test_a_deleted_question_is_in_no_file_of_a_sqlite_database(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'webapp.sqlite'}")
    migrate(engine)
    store = Store(engine)
    secret = "Does a heffalump with sciatica profit?"
    run_id = store.create(RunRequest(secret)).id
    lease = claimed(store)
    store.append(lease, [(Warned(about="x", text=secret * 500, seq=0), 1.0)], 10, end="done")

    def found() -> list[str]:
        return [path.name for path in tmp_path.iterdir() if b"heffalump" in path.read_bytes()]

    assert found()
    store.delete(run_id)
    assert found() == []
    engine.dispose()


# ---- the engine


def test_a_sqlite_file_is_its_owners_only(tmp_path: Path) -> None:
    file = tmp_path / "new" / "webapp.sqlite"
    engine = connect(f"sqlite:///{file}")
    migrate(engine)
    Store(engine).create(REQUEST)
    assert {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in [file.parent, *file.parent.iterdir()]
    } == {
        "new": 0o700,
        "webapp.sqlite": 0o600,
        "webapp.sqlite-wal": 0o600,
        "webapp.sqlite-shm": 0o600,
    }
    engine.dispose()
