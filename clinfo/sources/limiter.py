"""Requests spaced evenly, whoever makes them: all threads of a process, or all processes of a
machine.

    Limiter(3)                                        the threads of this process
    Limiter(3, Moment(folder, "eutils…"))             all processes of this machine

A place is given out when it is used and not before: a caller that wakes late moves those behind it,
so that no second ever holds more requests than the rate allows.

Processes share the next free moment of a service in a file. The file says nothing of service or key
but a digest. A moment that could not have been written since the machine started, or that lies too
far ahead, is not believed: it holds nobody. A folder that cannot be used means a limit within this
process alone, and one warning.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import os
import platform
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

LATE = 0.02
"""Seconds that a caller may wake too late without the next one being moved for it."""
FARTHEST = 900.0
"""Seconds ahead of the time of writing beyond which a stored moment is not believed; nobody is held
for longer.
"""
LOCK_WAIT = 2.0
"""Seconds to wait for another process that holds the file: it needs less than a thousandth of one,
unless it was stopped.
"""
KEPT_DAYS = 2.0
"""Age at which files of other addresses, keys and runs of the machine are removed."""
_DIGITS = 32

log = logging.getLogger("clinfo")


def following(moment: float, now: float, space: float) -> float:
    """The free moment after one taken ``now``, which had come at ``moment``.

    Being late counts for at most `LATE`, so any k + 1 requests take at least k spaces less `LATE`,
    however callers wake up.
    """
    return max(moment, now - LATE) + space


class Moment:
    """The next free moment of ``service``, on the clock of `time.monotonic`, which all processes of
    a machine share: that of this process alone without a ``folder`` (made where it is missing), and
    from then on where a file in it cannot be used, which ``problem`` tells. Called by one thread at
    a time.
    """

    def __init__(self, folder: Path | None = None, service: str = "") -> None:
        self._next = -math.inf
        self._folder, self._ready = folder, False
        self.problem: str | None = None
        digest = hashlib.sha256(f"{service}\n{machine()}".encode()).hexdigest()[:_DIGITS]
        self.path = (folder or Path()) / f"{digest}.json"
        # Not ``thread_local``: whichever thread has the turn takes it.
        self._lock = FileLock(
            self.path.with_suffix(".lock"),
            timeout=LOCK_WAIT,
            mode=0o600,
            thread_local=False,
            poll_interval=0.002,
        )

    def take(self, space: float) -> float:
        """0.0 where the moment has come, and the next is then set (`following`); else the seconds
        until it comes.
        """
        return self._moved(
            lambda moment, now: moment if moment > now else following(moment, now, space)
        )

    def push(self, seconds: float) -> None:
        """Move it to at least ``seconds`` from now, though no further than `FARTHEST`."""
        self._moved(lambda moment, now: max(moment, now + min(seconds, FARTHEST)))

    def _moved(self, moved: Callable[[float, float], float]) -> float:
        """Seconds until the moment as it was; it is now what ``moved`` gives of it and the time."""
        if self._folder is not None and self.problem is None:
            try:
                if not self._ready:
                    self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                    _tidy(self._folder)
                    self._ready = True
                with self._lock:
                    now = time.monotonic()
                    moment = _read(self.path, now)
                    self._next = moved(moment, now)
                    if self._next != moment:
                        with os.fdopen(_private(self.path), "w") as file:
                            json.dump([self._next, now], file)
                return max(0.0, moment - now)
            except (OSError, Timeout) as error:
                self._note(error)
        now = time.monotonic()
        moment, self._next = self._next, moved(self._next, now)
        return max(0.0, moment - now)

    def _note(self, error: OSError | Timeout) -> None:
        said = (
            "another process keeps it locked"
            if isinstance(error, Timeout)
            else error.strerror or "an error"
        )
        reason = f"{self._folder} cannot be used ({said})"
        self.problem = f"requests cannot be coordinated with other processes: {reason}"
        log.warning(self.problem)


@cache
def machine() -> str:
    """Return what tells this machine, and on Linux this run of it, from others that may share its
    folder.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except (OSError, ValueError):
        return platform.node()


def _private(path: Path) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, 0o600)


def _read(path: Path, now: float) -> float:
    """The stored moment; minus infinity where there is none that can be believed."""
    try:
        moment, written = json.loads(path.read_bytes()[:200])
        if isinstance(moment, float) and isinstance(written, float) and written <= now:
            return moment if moment <= written + FARTHEST else -math.inf
    except (FileNotFoundError, ValueError, TypeError):
        pass
    return -math.inf


def _tidy(folder: Path) -> None:
    """Remove files that nobody has used for days."""
    oldest = time.time() - KEPT_DAYS * 86_400
    with contextlib.suppress(OSError):
        for path in folder.glob("*.json"):
            if len(path.stem) == _DIGITS and path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)
                path.with_suffix(".lock").unlink(missing_ok=True)


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


class Limiter:
    """At most ``per_second`` requests a second, evenly spaced; a process's callers are served in
    the order they come.
    """

    def __init__(self, per_second: float, moment: Moment | None = None) -> None:
        self._lock = threading.Lock()
        self._space = (1 + MARGIN) / per_second
        self._moment = moment or Moment()
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
    shared = folder is not None and per_second < SHARED_BELOW
    name = f"{service} in {folder}" if shared else service
    with _shared_lock:
        limiter = _shared.get(name)
        if limiter is None:
            moment = Moment(folder if shared else None, service)
            limiter = _shared[name] = Limiter(per_second, moment)
        else:
            limiter.slow_to(per_second)
        return limiter
