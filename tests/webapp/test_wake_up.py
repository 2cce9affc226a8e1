"""The list that wakes workers: never in the way, never full."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.webapp.servers import free_port
from webapp.settings import WebSettings
from webapp.work import wake_up
from webapp.work.wake_up import Waker

PATIENT = 60.0


def with_redis(address: str) -> WebSettings:
    return WebSettings(redis_url=address)


@pytest.fixture
def settings(redis_server: str, monkeypatch: pytest.MonkeyPatch) -> WebSettings:
    """Wakers of these settings give nothing up on a machine that stands still; what they do then
    costs messages (see below).
    """
    monkeypatch.setattr(wake_up, "ANSWER_SECONDS", PATIENT)
    import redis

    with redis.Redis.from_url(redis_server) as client:
        client.flushall()
    return with_redis(redis_server)


@contextmanager
def listening(waker: Waker, ready: threading.Event | None = None) -> Iterator[list[float]]:
    """The times at which messages came."""
    came: list[float] = []
    stop = threading.Event()
    arguments = (
        lambda: came.append(time.monotonic()),
        stop.is_set,
        *((ready.is_set,) if ready else ()),
    )
    thread = threading.Thread(target=waker.listen, args=arguments, daemon=True)
    thread.start()
    try:
        yield came
    finally:
        stop.set()
        thread.join(60)
        assert not thread.is_alive()


def until(condition, seconds: float = 30.0) -> bool:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def test_a_listener_in_another_waker_is_woken_by_every_message(settings: WebSettings) -> None:
    sender = Waker(settings)
    sender.wake()
    with listening(Waker(settings)) as came:
        assert until(lambda: len(came) == 1)
        for _ in range(15):
            before = len(came)
            sender.wake()
            assert until(lambda: len(came) == before + 1)  # noqa: B023


def test_a_redis_that_is_down_is_said_once_and_holds_nobody_up(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    import redis

    waker = Waker(with_redis(f"redis://127.0.0.1:{free_port()}/0"))
    with caplog.at_level(logging.WARNING, logger="webapp.work.wake_up"):
        for _ in range(100):
            waker.wake()
    assert len([record for record in caplog.records if record.name == "webapp.work.wake_up"]) == 1
    with pytest.raises(redis.ConnectionError):
        waker.ping()


def test_a_listener_outlives_a_restart_of_redis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis

    from tests.webapp.servers import running_redis

    monkeypatch.setattr(wake_up, "ANSWER_SECONDS", PATIENT)
    monkeypatch.setattr(wake_up, "PAUSE_SECONDS", 0.2)
    with running_redis() as address:
        settings = with_redis(address)
        with listening(Waker(settings)) as came:
            Waker(settings).wake()
            assert until(lambda: len(came) == 1)
            # Its connections are cut off, as by a restart.
            with redis.Redis.from_url(address) as client:
                client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            time.sleep(0.3)
            Waker(settings).wake()
            assert until(lambda: len(came) == 2)


def test_without_redis_nothing_is_sent() -> None:
    waker = Waker(WebSettings())
    waker.wake()
    waker.ping()
    assert waker.url is None
