"""The event stream of a run over real HTTP: gapless, the same for everybody, and done with whoever
goes away; the hub behind it costs one look at the database for all.
"""

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask
from sqlalchemy import Engine, text

from tests.webapp.recorded import events_of, request, stored
from tests.webapp.serving import Feed, served
from tests.webapp.small_app import parts, small_app
from webapp.records import Head, StoredEvent
from webapp.storage.database import connect, migrate
from webapp.storage.store import Store
from webapp.watch import live
from webapp.watch.hub import Hub
from webapp.watch.live import message

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Message:
    """A server-sent event as a browser understands it."""

    id: str | None
    event: str
    data: str

    @property
    def json(self) -> Any:
        return json.loads(self.data)


def parsed(body: bytes) -> list[Message]:
    """The messages of a whole stream, by the rules of the HTML standard; blocks without data are
    none.
    """
    assert body.endswith(b"\n\n") or not body
    found = []
    for block in body.decode().split("\n\n"):
        fields: dict[str, list[str]] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
        if "data" in fields:
            found.append(
                Message(
                    fields.get("id", [None])[-1],
                    fields.get("event", ["message"])[-1],
                    "\n".join(fields["data"]),
                )
            )
    return found


def numbers(messages: list[Message]) -> list[int]:
    return [int(one.id) for one in messages if one.id is not None]


def eventually(true: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not so after {seconds} s"
        time.sleep(0.02)


def stream(
    url: str, run_id: str, after: int | str | None = None, user: str | None = None, **more: Any
) -> requests.Response:
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    headers |= {} if user is None else {"X-Remote-User": user}
    return requests.get(f"{url}/api/v1/runs/{run_id}/events", headers=headers, timeout=30, **more)


def connected(url: str, run_id: str, buffer: int | None = None, user: str = "") -> socket.socket:
    """A connection on which a stream was asked for, and nothing read yet."""
    host, port = url.removeprefix("http://").split(":")
    reader = socket.socket()
    if buffer is not None:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    reader.settimeout(60)
    reader.connect((host, int(port)))
    reader.sendall(
        (
            f"GET /api/v1/runs/{run_id}/events HTTP/1.1\r\nHost: {host}\r\n"
            f"X-Remote-User: {user}\r\n\r\n"
        ).encode()
    )
    return reader


class Reader:
    """Reads a stream in a thread, so that a test sees what has come so far."""

    def __init__(
        self, url: str, run_id: str, after: int | None = None, user: str | None = None
    ) -> None:
        self.body = b""
        self.response = stream(url, run_id, after, user, stream=True)
        assert self.response.status_code == 200
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with suppress(requests.RequestException):  # the server was killed
            for chunk in self.response.iter_content(None):
                self.body += chunk

    @property
    def messages(self) -> list[Message]:
        return parsed(self.body[: self.body.rfind(b"\n\n") + 2] if b"\n\n" in self.body else b"")

    def ended(self) -> bytes:
        self.thread.join(30)
        assert not self.thread.is_alive()
        return self.body


def test_a_recorded_run_goes_on_after_any_event_with_exactly_the_rest(
    app: Flask, url: str, tmp_path: Path
) -> None:
    asked = request()
    run = stored(parts(app).store, asked, events_of(asked, tmp_path))
    whole = parsed(stream(url, run.id).content)
    assert numbers(whole) == list(range(run.last_seq + 1))
    assert [one.json["seq"] for one in whole[:-1]] == numbers(whole)
    assert all(one.event == one.json["type"] for one in whole[:-1])
    assert whole[-2].json["answer"]["question"] == asked.question
    assert whole[-1] == Message(
        None, "status", '{"status": "done", "position": null, "problem": null}'
    )
    with requests.Session() as session:
        for seq in range(run.last_seq):
            rest = session.get(
                f"{url}/api/v1/runs/{run.id}/events",
                headers={"Last-Event-ID": str(seq)},
                timeout=30,
            )
            assert parsed(rest.content) == whole[seq + 1 :]
    assert (
        parsed(requests.get(f"{url}/api/v1/runs/{run.id}/events?after=3", timeout=30).content)
        == whole[4:]
    )
    header_first = requests.get(
        f"{url}/api/v1/runs/{run.id}/events?after=3", headers={"Last-Event-ID": "7"}, timeout=30
    )
    assert parsed(header_first.content) == whole[8:]
    over = stream(url, run.id, run.last_seq)
    assert (over.status_code, over.content) == (204, b"")
    assert parts(app).hub.viewers == parts(app).places.taken == 0


def test_the_place_in_the_queue_and_every_change_are_told(app: Flask, url: str) -> None:
    store = parts(app).store
    first, second = Feed(store, claim=False), Feed(store, claim=False)
    reader = Reader(url, second.id)

    def told() -> list[tuple[str, int | None]]:
        return [
            (one.json["status"], one.json["position"])
            for one in reader.messages
            if one.event == "status"
        ]

    eventually(lambda: told() == [("queued", 2)])
    first.claim()
    eventually(lambda: told() == [("queued", 2), ("queued", 1)])
    second.claim()
    eventually(lambda: told()[2:] == [("running", None)])
    second.add(2, end="failed", problem="The model did not answer.")
    found = parsed(reader.ended())
    assert numbers(found) == [0, 1]
    assert found[-1].json == {
        "status": "failed",
        "position": None,
        "problem": "The model did not answer.",
    }
    assert len(told()) == 4


def test_who_hangs_up_frees_the_place(
    app: Flask, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "KEEP_ALIVE", 600.0)
    feed = Feed(parts(app).store)
    feed.add(2)
    readers = [connected(url, feed.id) for _ in range(5)]
    eventually(lambda: parts(app).hub.viewers == parts(app).places.taken == 5)
    time.sleep(0.5)
    for reader in readers[:4]:
        reader.close()
    # Nothing happens in the run: that they are gone is noticed without a write.
    eventually(lambda: parts(app).hub.viewers == parts(app).places.taken == 1)
    time.sleep(1.5)
    assert parts(app).places.taken == 1
    readers[4].close()
    feed.add()
    eventually(lambda: parts(app).hub.viewers == parts(app).places.taken == 0)


def test_one_visitor_cannot_take_all_streams(tmp_path: Path) -> None:
    app = small_app(tmp_path, streams=5, user_header="X-Remote-User", trusted_proxies=1)
    feed = Feed(parts(app).store)
    with served(app) as url:
        greedy = [connected(url, feed.id, user="lee") for _ in range(3)]
        eventually(lambda: parts(app).places.taken == 3)
        for path in (f"/api/v1/runs/{feed.id}/events", f"/runs/{feed.id}/live"):
            refused = requests.get(
                url + path,
                headers={"X-Remote-User": "lee", "Accept": "application/json"},
                timeout=30,
            )
            assert refused.status_code == 429
            assert "Your network" in refused.json()["detail"]
            assert int(refused.headers["Retry-After"]) >= 1
        assert parts(app).hub.viewers == 3
        others = [
            Reader(url, feed.id, user="kim"),
            Reader(url, feed.id),
        ]  # no user: counted by the address
        greedy.pop().close()
        eventually(lambda: parts(app).places.taken == 4)
        again = Reader(url, feed.id, user="lee")
        feed.add(end="done")
        for reader in (*others, again):
            assert numbers(parsed(reader.ended())) == [0]
        for connection in greedy:
            connection.close()
        eventually(lambda: parts(app).places.taken == 0)


def test_a_run_that_is_no_longer_shared_is_cut_off_from_all_but_its_user(tmp_path: Path) -> None:
    app = small_app(tmp_path, user_header="X-Remote-User", trusted_proxies=1)
    store = parts(app).store
    feed = Feed(store, owner="kim")
    store.share(feed.id, True)
    with served(app) as url:
        feed.add(3)
        strangers = [Reader(url, feed.id), Reader(url, feed.id, user="lee")]
        page = requests.get(
            f"{url}/runs/{feed.id}/live", headers={"X-Remote-User": "lee"}, stream=True, timeout=30
        )
        mine = Reader(url, feed.id, user="kim")
        eventually(lambda: all(len(numbers(reader.messages)) == 3 for reader in (*strangers, mine)))
        path = f"{url}/api/v1/runs/{feed.id}/share"
        assert (
            requests.post(
                path, json={"shared": False}, headers={"X-Remote-User": "kim"}, timeout=30
            ).status_code
            == 200
        )
        for reader in strangers:  # at once, not with the next event
            assert numbers(parsed(reader.ended())) == [0, 1, 2]
        assert b"secret" not in page.content
        eventually(lambda: parts(app).places.taken == 1)
        feed.add(2, text="secret", end="done")
        assert numbers(parsed(mine.ended())) == [0, 1, 2, 3, 4]
        assert stream(url, feed.id, 2, user="lee").status_code == 404


def test_a_run_deleted_while_it_is_watched_ends_the_streams(app: Flask, url: str) -> None:
    feed = Feed(parts(app).store)
    feed.add(3)
    readers = [Reader(url, feed.id) for _ in range(3)]
    eventually(lambda: all(len(numbers(reader.messages)) == 3 for reader in readers))
    assert requests.delete(f"{url}/api/v1/runs/{feed.id}", timeout=30).status_code == 204
    for reader in readers:
        assert numbers(parsed(reader.ended())) == [0, 1, 2]
    assert stream(url, feed.id, 2).status_code == 404
    eventually(lambda: parts(app).hub.viewers == parts(app).places.taken == 0)


def test_a_comment_keeps_the_connection_awake(
    app: Flask, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "KEEP_ALIVE", 0.2)
    monkeypatch.setattr(live, "HANG_UP_CHECK", 0.05)
    feed = Feed(parts(app).store)
    reader = Reader(url, feed.id)
    eventually(lambda: reader.body.count(b"\n: still here\n\n") >= 3)
    feed.add(end="done")
    assert numbers(parsed(reader.ended())) == [0]


@pytest.mark.parametrize("data", ["a\nb", "a\r\nb", "a\rb", "", "\n", "id: 7\n\nevent: x\ndata: y"])
def test_nothing_in_the_data_ends_a_message_or_begins_another(data: str) -> None:
    [found] = parsed(message(data, event="patch", id=4))
    assert found == Message("4", "patch", data.replace("\r\n", "\n").replace("\r", "\n"))


def test_stopping_ends_streams_and_their_readers_go_on_at_another_process(tmp_path: Path) -> None:
    first, second = small_app(tmp_path), small_app(tmp_path)
    feed = Feed(parts(first).store)
    feed.add(5)
    with served(second) as elsewhere:
        with served(first) as url:
            reader = Reader(url, feed.id)
            eventually(lambda: len(numbers(reader.messages)) == 5)
            parts(first).hub.stop()
            seen = numbers(parsed(reader.ended()))
            assert stream(url, feed.id, 4).status_code == 429
        feed.add(5, end="done")
        rest = numbers(parsed(stream(elsewhere, feed.id, seen[-1]).content))
    assert seen + rest == list(range(10))


# ---- the hub behind them


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
            fresh = watch.next(20.0)
            assert fresh is not None, "nothing came for 20 seconds"
            head, events = fresh
            seen += [event.seq for event in events]
            if head.status == "done" and watch.after == head.last_seq:
                return seen
            time.sleep(pause())


def test_twenty_viewers_cost_as_many_looks_as_one(store: CountingStore, hub: Hub) -> None:
    feed = Feed(store)
    others = threading.active_count()
    with ThreadPoolExecutor(20) as pool:
        viewers = [pool.submit(followed, hub, feed.id) for _ in range(20)]
        eventually(
            lambda: store.heads_by.total() - store.heads_by[TAIL] == 20
        )  # each of them looks once, as it comes
        with hub._looking:  # the last of these looks is over
            store.heads_by.clear()
            store.events_by.clear()
        while store.heads_by[TAIL] < 4:
            feed.add()
            time.sleep(0.005)
        looks = dict(store.heads_by), dict(store.events_by)
        feed.add(end="done")
        assert all(viewer.result(20) == list(range(feed.count)) for viewer in viewers)
    heads, events = looks
    assert set(heads) == {TAIL}
    assert set(events) == {TAIL}
    assert events[TAIL] <= heads[TAIL]
    assert threading.active_count() <= others + 1


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
        fresh = watch.next(30.0)
        assert fresh is not None
        assert [event.seq for event in fresh[1]] == [0, 1, 2, 3]

    def said() -> list[str]:
        return [
            record.getMessage() for record in caplog.records if record.name == "webapp.watch.hub"
        ]

    eventually(lambda: len(said()) == 2)  # written after the viewers were woken
    assert said() == ["the database does not answer; trying again", "the database answers again"]
