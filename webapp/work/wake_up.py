"""Waking workers through Redis, where there is one: a message says that there is something to do.
What there is to do, the database says.

A message that is lost costs a moment (workers look into the database every few seconds anyway),
never a run. So a message is one word, nothing is read from it, and a list that nobody empties is
not filled further. Without Redis workers look into the database often.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from webapp.settings import WebSettings

if TYPE_CHECKING:
    from redis import Redis

logger = logging.getLogger(__name__)

NAME = "clinfo:look"
MOST_MESSAGES = 32
"""Messages that may wait: more would tell workers nothing new."""
FULL_SECONDS = 0.05
"""Between two looks of a worker whether it has room again."""
ANSWER_SECONDS = 0.5
"""Longest wait for Redis to connect, and to answer."""
BLOCK_SECONDS = 1
"""Seconds for which one question to Redis waits for a message; at the end of it a listener sees
that it shall stop.
"""
PAUSE_SECONDS = 5.0
"""After a failure nothing is tried for this long, so that a Redis that is down does not hold up
every request.
"""
SAY_AGAIN_SECONDS = 60.0


class Waker:
    """A list in Redis (REDIS_URL); without one nothing is sent, and nobody listens."""

    def __init__(self, settings: WebSettings) -> None:
        self.url = settings.redis_url
        self._clients: dict[int, Redis] = {}
        self._failed_at: float | None = None
        self._said_at: float | None = None

    def wake(self) -> None:
        """Say that there is something to do; never raises (a Redis that is down is logged)."""
        paused = self._failed_at is not None and time.monotonic() - self._failed_at < PAUSE_SECONDS
        if self.url is None or paused:
            return
        try:
            with self._redis(0).pipeline() as both:
                both.lpush(NAME, "look")
                both.ltrim(NAME, 0, MOST_MESSAGES - 1)
                both.execute()
            self._failed_at = None
        except Exception as error:  # whatever the client raises: a visitor must not see it
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
                time.sleep(FULL_SECONDS)
                continue
            try:
                if self._redis(BLOCK_SECONDS).brpop([NAME], BLOCK_SECONDS) is not None:
                    woken()
            except Exception as error:
                self._say(error)
                time.sleep(min(PAUSE_SECONDS, BLOCK_SECONDS))

    def ping(self) -> None:
        """Raise where there is a Redis that cannot be reached (for /readyz)."""
        if self.url is not None:
            self._redis(0).ping()

    def _redis(self, block: int) -> Redis:
        """The client of whoever waits so many seconds for a message; made when first used."""
        if block not in self._clients:
            from redis import Redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry

            assert self.url is not None
            self._clients[block] = Redis.from_url(
                self.url,
                socket_connect_timeout=ANSWER_SECONDS,
                socket_timeout=ANSWER_SECONDS + block,
                health_check_interval=30,
                retry=Retry(NoBackoff(), 0),  # trying again is for the next message
            )
        return self._clients[block]

    def _say(self, error: Exception) -> None:
        now = time.monotonic()
        if self._said_at is None or now - self._said_at >= SAY_AGAIN_SECONDS:
            self._said_at = now
            logger.warning(
                "Redis, which wakes workers, cannot be used (%s); runs begin a little later",
                type(error).__name__,
            )
