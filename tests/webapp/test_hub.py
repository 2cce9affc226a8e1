"""The hub: every viewer gets everything once and in order, whatever the others do, for one look at
the database.
"""

from __future__ import annotations

import gc
import random
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from tests.webapp.serving import Feed
from webapp.records import Busy, Head, NotFound, StoredEvent
from webapp.storage.database import connect, migrate
from webapp.storage.store import Store
from webapp.watch.hub import Hub, Stopped


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


def test_every_viewer_gets_the_rest_once_and_in_order_wherever_and_whenever_it_begins(
    database_url: str,
) -> None:
    engine = connect(database_url)
    migrate(engine)
    store = Store(engine)
    hub, feed = Hub(store), Feed(store)
    feed.add(10)
    chance = random.Random(5)
    starts = [chance.randrange(-1, 10) for _ in range(24)]
    with ThreadPoolExecutor(len(starts)) as pool:
        found = []
        for start in starts:
            found.append(pool.submit(followed, hub, feed.id, start, lambda: chance.random() * 0.03))
            feed.add(chance.randrange(1, 6))
            time.sleep(chance.random() * 0.03)
        feed.add(3, end="done")
        for start, one in zip(starts, found, strict=True):
            assert one.result(30) == list(range(start + 1, feed.count))
    assert hub.viewers == 0
    hub.stop()
    engine.dispose()


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


def test_looks_are_rarer_when_nothing_happens_and_news_come_all_the_same(
    store: CountingStore, hub: Hub
) -> None:
    feed = Feed(store)
    with closing(hub.watch(feed.id)) as watch:
        assert watch.next(1.0) is not None
        time.sleep(2.2)
        store.heads_by.clear()
        started = time.monotonic()
        assert watch.next(1.0) is None
        assert store.heads_by[TAIL] <= 7 * (time.monotonic() - started)
        feed.add()
        batch = watch.next(30.0)
        assert batch is not None
        assert batch.head.last_seq == feed.count - 1


def test_the_first_call_says_at_once_how_far_the_run_is(store: Store, hub: Hub) -> None:
    waiting = Feed(store, claim=False)
    with closing(hub.watch(waiting.id)) as watch:
        first = watch.next(0.0)
        assert first is not None
        assert (first.events, first.head.status, first.head.position) == ((), "queued", 1)
        assert watch.next(0.1) is None
        waiting.claim()
        second = watch.next(30.0)
        assert second is not None
        assert (second.events, second.head.status, second.head.position) == ((), "running", None)


def test_a_viewer_that_does_not_read_delays_nobody(store: Store, hub: Hub) -> None:
    feed = Feed(store)
    with closing(hub.watch(feed.id)) as idle, closing(hub.watch(feed.id)) as keen:
        assert idle.log is keen.log
        keen.next(1.0)
        for _ in range(10):
            feed.add()
            batch = keen.next(30.0)
            assert batch is not None
            assert len(batch.events) == 1
        late = idle.next(0.0)
        assert late is not None
        assert [event.seq for event in late.events] == list(range(10))


def test_what_viewers_derive_is_shared_and_goes_with_the_last_of_them(
    store: Store, hub: Hub
) -> None:
    feed = Feed(store)
    first = hub.watch(feed.id)
    with closing(hub.watch(feed.id)) as second:
        with first.log.lock:
            first.log.derived["page"] = "once"
        assert second.log.derived["page"] == "once"
        first.close()
        first.close()
        assert hub.viewers == 1
        kept = weakref.ref(second.log)
    del first, second
    gc.collect()
    eventually(lambda: gc.collect() >= 0 and kept() is None)
    with closing(hub.watch(feed.id)) as third:
        assert not third.log.derived


def test_a_deleted_run_is_not_found_by_those_who_watch_it_and_others_go_on(
    store: Store, hub: Hub
) -> None:
    feed = Feed(store)
    other = Feed(store)
    with closing(hub.watch(feed.id)) as watch, closing(hub.watch(other.id)) as elsewhere:
        watch.next(1.0)
        elsewhere.next(1.0)
        store.delete(feed.id)
        with pytest.raises(NotFound):
            watch.next(30.0)
        with pytest.raises(NotFound):
            hub.watch(feed.id)
        other.add()
        assert elsewhere.next(30.0) is not None
    assert hub.viewers == 0


def test_there_is_no_place_in_a_run_that_is_not_there_nor_behind_an_event_that_is_not(
    store: Store, hub: Hub
) -> None:
    with pytest.raises(NotFound):
        hub.watch("nothing-of-that-name")
    feed = Feed(store)
    feed.add(2)
    for after in (2, 1_000_000, -2):
        with pytest.raises(ValueError, match="no event"):
            hub.watch(feed.id, after)
    assert hub.viewers == 0


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


def test_stopping_ends_every_watch_at_once_and_takes_no_more(store: Store, hub: Hub) -> None:
    feed = Feed(store)
    ended: list[float] = []

    def view() -> None:
        with closing(hub.watch(feed.id)) as watch:
            watch.next(0.0)
            with pytest.raises(Stopped):
                watch.next(60.0)
        ended.append(time.monotonic())

    threads = [threading.Thread(target=view) for _ in range(5)]
    for thread in threads:
        thread.start()
    eventually(lambda: hub.viewers == 5)
    time.sleep(0.2)
    stopped = time.monotonic()
    hub.stop()
    for thread in threads:
        thread.join(30)
    assert len(ended) == 5
    assert max(ended) - stopped < 20.0, "they would have waited for 60 s"
    with pytest.raises(Busy):
        hub.watch(feed.id)
    assert hub.viewers == 0
    eventually(lambda: not [thread for thread in threading.enumerate() if thread.name == TAIL])
