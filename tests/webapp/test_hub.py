"""The hub: every viewer gets everything once and in order, whatever the others do, for one look at
the database.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from tests.webapp.serving import Feed
from webapp.records import Head, StoredEvent
from webapp.storage.database import connect, migrate
from webapp.storage.store import Store
from webapp.watch.hub import Hub


class CountingStore(Store):
    """Counts the looks at the database by the name of the thread that took them."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.heads_by: Counter[str] = Counter()
        self.events_by: Counter[str] = Counter()

    def heads(self, run_ids: Collection[str]) -> dict[str, Head]:
        self.heads_by[threading.current_thread().name] += 1
        return super().heads(run_ids)

    def events(self, run_id: str, after: int = -1) -> list[StoredEvent]:
        self.events_by[threading.current_thread().name] += 1
        return super().events(run_id, after)


TAIL = "clinfo-hub"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CountingStore]:
    engine = connect(f"sqlite:///{tmp_path / 'webapp.sqlite'}")
    migrate(engine)
    yield CountingStore(engine)
    engine.dispose()


@pytest.fixture
def hub(store: Store) -> Iterator[Hub]:
    hub = Hub(store)
    yield hub
    hub.stop()


def followed(
    hub: Hub, run_id: str, after: int = -1, pause: Callable[[], float] = lambda: 0.0
) -> list[int]:
    """The sequence numbers that a viewer is given until the run has ended."""
    seen: list[int] = []
    with closing(hub.watch(run_id, after)) as watch:
        while True:
            batch = watch.next(20.0)
            assert batch is not None, "nothing came for 20 seconds"
            seen += [event.seq for event in batch.events]
            if batch.head.status == "done" and watch.after == batch.head.last_seq:
                return seen
            time.sleep(pause())


def eventually(true: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not so after {seconds} s"
        time.sleep(0.01)


def test_twenty_viewers_cost_as_many_looks_as_one(store: CountingStore, hub: Hub) -> None:
    feed = Feed(store)
    others = threading.active_count()
    with ThreadPoolExecutor(20) as pool:
        viewers = [pool.submit(followed, hub, feed.id) for _ in range(20)]
        eventually(
            lambda: store.heads_by.total() - store.heads_by[TAIL] == 20
        )  # each of them looks once, as it comes
        store.heads_by.clear()
        store.events_by.clear()
        started = time.monotonic()
        while (took := time.monotonic() - started) < 1.0 or (
            store.heads_by[TAIL] < 4 and took < 30.0
        ):
            feed.add()
            time.sleep(0.005)
        looks = dict(store.heads_by), dict(store.events_by)
        feed.add(end="done")
        assert all(viewer.result(20) == list(range(feed.count)) for viewer in viewers)
    heads, events = looks
    assert set(heads) == {TAIL}
    assert set(events) == {TAIL}
    assert 4 <= heads[TAIL] <= 1.5 * took / hub.interval
    assert events[TAIL] <= heads[TAIL]
    assert threading.active_count() <= others + 1


def test_no_look_is_taken_while_nobody_watches(store: CountingStore, hub: Hub) -> None:
    feed = Feed(store)
    feed.add(3)
    with closing(hub.watch(feed.id)) as watch:
        batch = watch.next(30.0)
        assert batch is not None
        assert [event.seq for event in batch.events] == [0, 1, 2]
    eventually(lambda: not [thread for thread in threading.enumerate() if thread.name == TAIL])
    store.heads_by.clear()
    time.sleep(0.3)
    assert not store.heads_by


def test_what_was_just_done_to_a_run_is_seen_by_whoever_comes_next(store: Store) -> None:
    hub = Hub(store, interval=30.0)  # the tail itself learns nothing in the time of this test
    feed = Feed(store)
    feed.add(2, end="failed", problem="The model did not answer.")
    with closing(hub.watch(feed.id)) as before:
        assert before.head.status == "failed"
        store.resume(feed.id)
        with closing(hub.watch(feed.id, 1)) as after:
            assert after.head.status == "queued"
            batch = after.next(0.0)
            assert batch is not None
            assert batch.head.status == "queued"
    hub.stop()


def test_it_lives_through_a_database_that_fails(
    store: CountingStore, hub: Hub, caplog: pytest.LogCaptureFixture
) -> None:
    feed = Feed(store)
    with closing(hub.watch(feed.id)) as watch:
        assert watch.next(1.0) is not None
        with store.engine.begin() as connection:
            connection.execute(text("ALTER TABLE runs RENAME TO away"))
        store.heads_by.clear()
        eventually(lambda: store.heads_by[TAIL] >= 3)
        assert watch.next(0.0) is None
        with store.engine.begin() as connection:
            connection.execute(text("ALTER TABLE away RENAME TO runs"))
        feed.add(4)
        batch = watch.next(30.0)
        assert batch is not None
        assert [event.seq for event in batch.events] == [0, 1, 2, 3]

    def said() -> list[str]:
        return [
            record.getMessage() for record in caplog.records if record.name == "webapp.watch.hub"
        ]

    eventually(lambda: len(said()) == 2)  # written after the viewers were woken
    assert said() == ["the database does not answer; trying again", "the database answers again"]
