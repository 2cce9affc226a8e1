"""Requests spaced evenly, whoever makes them: all threads of a process, all processes of a machine,
or a whole site.

    Limiter(3)                                        the threads of this process
    Limiter(3, FileMoment(folder, "eutils…"))         all processes of this machine (`clinfo.sources.shared_rate_clock`)
    anything with `wait` and `hold` (`RateLimiter`)   what a site hands in, say over its own queue

A place is given out when it is used and not before: a caller that wakes late moves those behind it,
so that no second ever holds more requests than the rate allows.
"""  # noqa: E501

from __future__ import annotations

import math
import threading
import time
from collections import deque
from pathlib import Path
from typing import Protocol

LATE = 0.02
"""Seconds that a caller may wake too late without the next one being moved for it."""


class RateClock(Protocol):
    """The next free moment of a service, on the clock of `time.monotonic`. Called by one thread at
    a time.
    """

    def take(self, space: float) -> float:
        """0.0 where the moment has come, and the next is then set (`following`); else the seconds
        until it comes.
        """

    def push(self, seconds: float) -> None:
        """Move it to at least ``seconds`` from now."""


def following(moment: float, now: float, space: float) -> float:
    """The free moment after one taken ``now``, which had come at ``moment``.

    Being late counts for at most `LATE`, so any k + 1 requests take at least k spaces less `LATE`,
    however callers wake up.
    """
    return max(moment, now - LATE) + space


class OwnMoment:
    """The next free moment as this process knows it."""

    def __init__(self) -> None:
        self._next = -math.inf

    def take(self, space: float) -> float:
        now = time.monotonic()
        if self._next > now:
            return self._next - now
        self._next = following(self._next, now, space)
        return 0.0

    def push(self, seconds: float) -> None:
        self._next = max(self._next, time.monotonic() + seconds)


MARGIN = 0.1
"""Share by which the space between requests is longer than the rate alone would have it, for the
network's jitter. It makes 0.367 s of NCBI's third of a second; Bio.Entrez waits 0.37 s, having
found 0.333 s to be refused at times."""
SHARED_BELOW = 200.0
"""Requests a second from which a rate is kept within a process alone: a lock on a file would take
longer than the space.
"""
LIMITS = "limits"
"""Folder below the user's cache in which processes share what they know of the limits, the same for
every service.
"""
_LOOK_AGAIN = 0.25
"""Seconds after which a waiting caller looks whether those before it gave up."""


class RateLimiter(Protocol):
    """A limiter that says when the next request may go out. Both methods may be called from any
    thread.
    """

    def wait(self, stop: threading.Event | None = None, deadline: float = math.inf) -> bool:
        """Wait for a place and use it up; false, soon and with none used up, where it lies after
        ``deadline``.

        ``deadline`` is a time of `time.monotonic`. When ``stop`` is set, return at once, whatever.
        """

    def hold(self, seconds: float) -> None:
        """Let nobody start for ``seconds``, because the service asked for it."""


class Limiter:
    """At most ``per_second`` requests a second, evenly spaced; a process's callers are served in
    the order they come.
    """

    def __init__(self, per_second: float, moment: RateClock | None = None) -> None:
        self._lock = threading.Lock()
        self._space = (1 + MARGIN) / per_second
        self._moment = moment or OwnMoment()
        self._known = -math.inf
        self._queue: deque[object] = deque()

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
            self._moment.push(seconds)
            self._known = max(self._known, time.monotonic() + seconds)

    def wait(self, stop: threading.Event | None = None, deadline: float = math.inf) -> bool:
        """Wait for the next free place; false at once, with no place used up, where it lies after
        ``deadline``.

        ``deadline`` is a time of `time.monotonic`. Returns at once when ``stop`` is set, with no
        place used up.
        """
        stop = stop or threading.Event()
        me = object()
        with self._lock:
            self._queue.append(me)
        try:
            while True:
                with self._lock:
                    ahead = self._queue.index(me)
                    # The moment itself is asked by the first in line alone.
                    left = max(self._known - time.monotonic(), 0.0)
                    seconds = left + ahead * self._space if ahead else self._take()
                if not seconds or stop.is_set():
                    return True
                if time.monotonic() + seconds > deadline:
                    return False
                # Nobody behind the first can be served sooner than this; what came in between is
                # seen on looking again.
                stop.wait(min(seconds, _LOOK_AGAIN) if ahead else seconds)
        finally:
            with self._lock:
                self._queue.remove(me)

    def _take(self) -> float:
        seconds = self._moment.take(self._space)
        self._known = time.monotonic() + (seconds or self._space)
        return seconds


def default_limits_dir() -> Path:
    """Return where the processes of this machine, as far as they are one user's, keep the next free
    moment of each service.
    """
    from platformdirs import user_cache_path

    return user_cache_path("clinfo") / LIMITS


_shared: dict[str, Limiter] = {}
_shared_lock = threading.Lock()


def shared_limiter(service: str, per_second: float, folder: Path | None = None) -> Limiter:
    """The one limiter for ``service`` (an address, or an address and a digest of a key); the
    slowest rate asked for holds.

    All threads of this process share it, and with a ``folder`` all processes of this machine that
    name the same one, each at the rate it was told. Rates of `SHARED_BELOW` and more stay within
    the process.
    """
    from clinfo.sources.shared_rate_clock import FileMoment

    shared = folder is not None and per_second < SHARED_BELOW
    name = f"{service} in {folder}" if shared else service
    with _shared_lock:
        limiter = _shared.get(name)
        if limiter is None:
            moment = FileMoment(folder, service) if shared and folder is not None else None
            limiter = _shared[name] = Limiter(per_second, moment)
        else:
            limiter.slow_to(per_second)
        return limiter
