"""Waking workers: a queue says that there is something to do. What there is to do, the database
says.

A message that is lost costs a moment (workers look into the database every few seconds anyway),
never a run. So a message is one word, nothing is read from it, and a queue that nobody empties is
not filled further.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import make_url

from clinfo.settings import Settings
from webapp.settings import WebSettings

if TYPE_CHECKING:
    from huey import Huey

logger = logging.getLogger(__name__)

NAME = "clinfo"
MESSAGE = b"look"
MOST_MESSAGES = 32
"""Messages that may wait: more would tell workers nothing new."""
POLL_SECONDS = 0.05
"""Between two looks into a SQLite queue; Redis tells by itself."""
LOCK_SECONDS = 0.5
"""Longest wait for another process that writes to the SQLite queue."""
ANSWER_SECONDS = 0.5
"""Longest wait for Redis to connect, and to answer."""
BLOCK_SECONDS = 1
"""Seconds for which one question to Redis waits for a message; at the end of it a listener sees
that it shall stop.
"""
PAUSE_SECONDS = 5.0
"""After a failure nothing is tried for this long, so that a queue that is down does not hold up
every request.
"""
SAY_AGAIN_SECONDS = 60.0


class Waker:
    """huey's queue in a SQLite file beside the database by default, in Redis with REDIS_URL."""

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._queues: dict[bool, Huey] = {}
        self._opened_by: int | None = None
        self._failed_at: float | None = None
        self._said_at: float | None = None

    def wake(self) -> None:
        """Say that there is something to do; never raises (a queue that is down is logged)."""
        if self._failed_at is not None and time.monotonic() - self._failed_at < PAUSE_SECONDS:
            return
        try:
            storage = self._storage(listening=False)
            if storage.queue_size() < MOST_MESSAGES:
                storage.enqueue(MESSAGE)
            self._failed_at = None
        except Exception as error:  # each storage raises errors of its own
            self._failed_at = time.monotonic()
            self._say(error)

    def listen(
        self,
        woken: Callable[[], None],
        stopped: Callable[[], bool],
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        """Call ``woken`` for every message until ``stopped()``; for a thread of its own.

        While not ``ready()`` no message is taken, so that another worker, who has room, gets it.
        """
        while not stopped():
            if not ready():
                time.sleep(POLL_SECONDS)
                continue
            try:
                storage = self._storage(listening=True)
                message = storage.dequeue()
                # Redis waits by itself, a file must be looked at again.
                if message is not None:
                    woken()
                elif not storage.blocking:
                    time.sleep(POLL_SECONDS)
            except Exception as error:
                self._say(error)
                _sleep(PAUSE_SECONDS, stopped)

    def ping(self) -> None:
        """Raise where the queue cannot be reached (for /readyz)."""
        self._storage(listening=False).queue_size()

    def _storage(self, *, listening: bool) -> Any:
        """huey's storage; made when first used, and again in a process that was forked. Who sends
        waits less than who listens.
        """
        with self._lock:
            if self._opened_by != os.getpid():
                self._queues = {}
                self._opened_by = os.getpid()
            if listening not in self._queues:
                url = self.settings.redis_url
                self._queues[listening] = (
                    _redis_queue(url, listening)
                    if url
                    else _sqlite_queue(queue_path(self.settings))
                )
            return self._queues[listening].storage

    def _say(self, error: Exception) -> None:
        now = time.monotonic()
        if self._said_at is None or now - self._said_at >= SAY_AGAIN_SECONDS:
            self._said_at = now
            logger.warning(
                (
                    "the queue that wakes workers cannot be used (%s); workers find runs a little "
                    "later"
                ),
                type(error).__name__,
            )


def queue_path(settings: WebSettings) -> Path:
    """The file of the queue where there is no Redis: beside a SQLite database, else in clinfo's
    data folder.
    """
    address = make_url(settings.engine_url)
    if (
        address.get_backend_name() == "sqlite"
        and address.database
        and address.database != ":memory:"
    ):
        path = Path(address.database)
        return path.with_name(f"{path.stem}-queue.sqlite")
    return Settings().data_dir / "webapp-queue.sqlite"


def _sqlite_queue(path: Path) -> Huey:
    from huey import SqliteHuey

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(
        os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    )  # with its mode, because SQLite would follow the umask
    # A message need not outlive a power cut, so the disk is not waited for.
    return SqliteHuey(
        NAME, filename=str(path), timeout=LOCK_SECONDS, fsync=False, cache_mb=1, results=False
    )


def _redis_queue(url: str, listening: bool) -> Huey:
    from huey import RedisHuey
    from redis import ConnectionPool
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    pool = ConnectionPool.from_url(
        url,
        socket_connect_timeout=ANSWER_SECONDS,
        socket_timeout=ANSWER_SECONDS + (BLOCK_SECONDS if listening else 0),
        health_check_interval=30,
        retry=Retry(NoBackoff(), 0),  # trying again is for the next message
    )
    return RedisHuey(
        NAME, connection_pool=pool, blocking=True, read_timeout=BLOCK_SECONDS, results=False
    )


def _sleep(seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not stopped():
        time.sleep(0.1)
