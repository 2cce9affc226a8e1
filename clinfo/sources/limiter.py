"""Requests spaced evenly, whichever thread of the process makes them."""

from __future__ import annotations

import math
import threading
import time

MARGIN = 0.05
"""Share by which the space between requests is longer than the rate alone would have it, for the network's jitter."""


class Limiter:
    """At most ``per_second`` requests a second, evenly spaced; callers are served in the order they come."""

    def __init__(self, per_second: float) -> None:
        self._lock = threading.Lock()
        self._space = (1 + MARGIN) / per_second
        self._next = 0.0

    @property
    def space(self) -> float:
        """Seconds between two requests."""
        return self._space

    def slow_to(self, per_second: float) -> None:
        """Take the slower of the present rate and ``per_second``."""
        with self._lock:
            self._space = max(self._space, (1 + MARGIN) / per_second)

    def hold(self, seconds: float) -> None:
        """Let nobody start for ``seconds``, because the service asked for it."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    def wait(self, stop: threading.Event | None = None, deadline: float = math.inf) -> bool:
        """Wait for the next free place; false at once, with no place used up, where it lies after ``deadline``.

        ``deadline`` is a time of `time.monotonic`. Returns at once when ``stop`` is set; the place is used up all the same.
        """
        with self._lock:
            turn = max(time.monotonic(), self._next)
            if turn > deadline:
                return False
            self._next = turn + self._space
        seconds = turn - time.monotonic()
        if seconds > 0:
            (stop or threading.Event()).wait(seconds)
        return True


_shared: dict[str, Limiter] = {}
_shared_lock = threading.Lock()


def shared_limiter(service: str, per_second: float) -> Limiter:
    """The process's one limiter for ``service`` (an address, or an address and a key); the slowest rate asked for holds."""
    with _shared_lock:
        limiter = _shared.get(service)
        if limiter is None:
            limiter = _shared[service] = Limiter(per_second)
        else:
            limiter.slow_to(per_second)
        return limiter
