"""Requests spaced evenly, whoever makes them: all threads of a process, and with a folder all
processes of a machine.

A place is given out when it is used and not before: a caller that wakes late moves those behind it,
so that no second ever holds more requests than the rate allows.

Processes share the next free moment of a service in a file, which says nothing of service or key
but a digest. A moment of another run of the machine, or that lies too far ahead, is not believed:
it holds nobody. A folder that cannot be used means a limit within this process alone, and one
warning.
"""

import hashlib
import json
import logging
import math
import os
import platform
import threading
import time
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
MARGIN = 0.1
"""Share by which the space between requests is longer than the rate alone would have it, for the
network's jitter. It makes 0.367 s of NCBI's third of a second; Bio.Entrez waits 0.37 s, having
found 0.333 s to be refused at times."""
SHARED_BELOW = 200.0
"""Requests a second from which a rate is kept within a process alone: a lock on a file would take
longer than the space.
"""
_LOOK_AGAIN = 0.25
"""Seconds after which a caller who is not the next looks whether it was told to stop."""

log = logging.getLogger("clinfo")


def following(moment: float, now: float, space: float) -> float:
    """The free moment after one taken ``now``, which had come at ``moment``.

    Being late counts for at most `LATE`, so any k + 1 requests take at least k spaces less `LATE`,
    however callers wake up.
    """
    return max(moment, now - LATE) + space


class Limiter:
    """At most ``per_second`` requests a second, evenly spaced; the next free moment is kept in
    ``path``, without it in this process.
    """

    def __init__(self, per_second: float, path: Path | None = None) -> None:
        self.space = (1 + MARGIN) / per_second
        self._turn, self._one = threading.Lock(), threading.Lock()
        self._next = -math.inf
        self._path = path
        if path is not None:  # not ``thread_local``: `_one` keeps the threads apart
            self._file_lock = FileLock(
                path.with_suffix(".lock"), LOCK_WAIT, 0o600, thread_local=False, poll_interval=0.002
            )

    def hold(self, seconds: float) -> None:
        """Let nobody start for ``seconds``, because the service asked for it."""
        self._moved(lambda moment, now: max(moment, now + min(seconds, FARTHEST)))

    def wait(self, stop: threading.Event | None = None, deadline: float = math.inf) -> bool:
        """Wait for the next free place; false, with no place used up, where it does not come before
        ``deadline``, a time of `time.monotonic`.

        Returns at once when ``stop`` is set, with no place used up.
        """
        stop = stop or threading.Event()
        while not self._turn.acquire(timeout=_LOOK_AGAIN):
            # Whoever has the turn takes a place, and the next is that much later.
            if stop.is_set() or time.monotonic() + self.space > deadline:
                return stop.is_set()
        try:
            while (seconds := self._take()) and not stop.is_set():
                if time.monotonic() + seconds > deadline:
                    return False
                stop.wait(seconds)
            return True
        finally:
            self._turn.release()

    def _take(self) -> float:
        """0.0 where the moment has come, and the next is then set; else the seconds until it."""
        return self._moved(
            lambda moment, now: moment if moment > now else following(moment, now, self.space)
        )

    def _moved(self, moved: Callable[[float, float], float]) -> float:
        """Seconds until the moment as it was; it is now what ``moved`` gives of it and the time."""
        with self._one:
            if self._path is not None:
                try:
                    self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    with self._file_lock:
                        now = time.monotonic()
                        moment = _read(self._path, now)
                        if (then := moved(moment, now)) != moment:
                            with open(self._path, "w", opener=_private) as file:
                                json.dump([then, now, machine()], file)
                    return max(0.0, moment - now)
                except (OSError, Timeout) as error:
                    reason = getattr(error, "strerror", None) or "another process keeps it locked"
                    log.warning(
                        "requests cannot be coordinated with other processes: "
                        f"{self._path.parent} cannot be used ({reason})"
                    )
                    self._path = None
            now = time.monotonic()
            moment, self._next = self._next, moved(self._next, now)
            return max(0.0, moment - now)


@cache
def machine() -> str:
    """Return what tells this machine, and on Linux this run of it, from others that may share its
    folder.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except (OSError, ValueError):
        return platform.node()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _read(path: Path, now: float) -> float:
    """The stored moment; minus infinity where there is none that can be believed."""
    try:
        moment, written, where = json.loads(path.read_bytes()[:300])
        believed = where == machine() and written <= now and moment <= written + FARTHEST
        return float(moment) if believed else -math.inf
    except (FileNotFoundError, ValueError, TypeError):
        return -math.inf


_shared: dict[str, Limiter] = {}
_shared_lock = threading.Lock()


def shared_limiter(service: str, per_second: float, folder: Path | None = None) -> Limiter:
    """The one limiter for ``service`` (an address, or an address and a digest of a key); the
    slowest rate asked for holds.

    All threads of this process share it, and all processes of this machine that name the same
    ``folder`` (default: the user's cache), each at the rate it was told. Rates of `SHARED_BELOW`
    and more stay within the process.
    """
    from platformdirs import user_cache_path

    folder = folder or user_cache_path("clinfo") / "limits"
    digest = hashlib.sha256(service.encode()).hexdigest()[:32]
    path = folder / f"{digest}.json" if per_second < SHARED_BELOW else None
    with _shared_lock:
        limiter = _shared.setdefault(f"{service} {path}", Limiter(per_second, path))
        limiter.space = max(limiter.space, (1 + MARGIN) / per_second)
        return limiter
