"""Waking workers: a queue says that there is something to do. What there is to do, the database says.

A message that is lost costs a moment (workers look into the database every few seconds anyway), never a run.
"""

from __future__ import annotations

from collections.abc import Callable

from webapp.settings import WebSettings


class Waker:
    """huey's queue in a SQLite file beside the database by default, in Redis with REDIS_URL."""

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings

    def wake(self) -> None:
        """Say that there is something to do; never raises (a queue that is down is logged)."""
        raise NotImplementedError

    def listen(self, woken: Callable[[], None], stopped: Callable[[], bool]) -> None:
        """Call ``woken`` for every message until ``stopped()``; for a thread of its own."""
        raise NotImplementedError

    def ping(self) -> None:
        """Raise where the queue cannot be reached (for /readyz)."""
        raise NotImplementedError
