"""The next free moment of a service, kept in a file that all processes of one machine share.

The clock is `time.monotonic`: nobody can set it back or forward, and it is one clock for all
processes of a machine (Python 3.5 and later, on every system). The wall clock jumps, and a jump
back by an hour would stop everybody for one. What the monotonic clock lacks is a common beginning
with other machines and with the time before a restart. So the file's name holds the identity of
this run of the machine where the system tells it (Linux), and what stands in the file counts only
while it could have been written since the machine started: neither later than now nor for a moment
too far ahead.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import os
import platform
import time
from collections.abc import Iterator
from functools import cache as once
from pathlib import Path

from filelock import FileLock, Timeout

from clinfo.sources.limiter import OwnMoment, following

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


class FileMoment:
    """The next free moment of ``service`` in ``folder``, which is made where it is missing (files
    0600, folder 0700).

    Where the folder or its files cannot be used, one warning is given (kept in ``problem``) and
    this process goes on by itself. A file that is damaged, from before the last start of the
    machine or from the future counts as absent.
    """

    def __init__(self, folder: Path, service: str) -> None:
        digest = hashlib.sha256(f"{service}\n{machine()}".encode()).hexdigest()[:_DIGITS]
        self.path = folder / f"{digest}.json"
        self.problem: str | None = None
        self._lock = FileLock(
            folder / f"{digest}.lock",
            timeout=LOCK_WAIT,
            mode=0o600,
            thread_local=False,
            poll_interval=0.002,
        )
        self._own = OwnMoment()
        self._ready = False

    def take(self, space: float) -> float:
        """0.0 where the moment has come, and the next is then set; else the seconds until it
        comes.
        """
        if self.problem is None:
            try:
                with self._opened() as descriptor:
                    now = time.monotonic()
                    moment = _read(descriptor, now)
                    if moment > now:
                        return moment - now
                    _write(descriptor, following(moment, now, space), now)
                    self._own.take(
                        space
                    )  # so that a process that has to go on by itself does not begin with a burst
                    return 0.0
            except (OSError, Timeout) as error:
                self._note(error)
        return self._own.take(space)

    def push(self, seconds: float) -> None:
        """Move it to at least ``seconds`` from now, though no further than `FARTHEST`."""
        seconds = min(seconds, FARTHEST)
        self._own.push(seconds)
        if self.problem is None:
            try:
                with self._opened() as descriptor:
                    now = time.monotonic()
                    _write(descriptor, max(_read(descriptor, now), now + seconds), now)
            except (OSError, Timeout) as error:
                self._note(error)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        if not self._ready:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _tidy(self.path.parent)
            self._ready = True
        with self._lock:
            descriptor = os.open(
                self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600
            )
            try:
                yield descriptor
            finally:
                os.close(descriptor)

    def _note(self, error: OSError | Timeout) -> None:
        said = (
            "another process keeps it locked"
            if isinstance(error, Timeout)
            else error.strerror or "an error"
        )
        reason = f"{self.path.parent} cannot be used ({said})"
        self.problem = f"requests cannot be coordinated with other processes: {reason}"
        log.warning(self.problem)


@once
def machine() -> str:
    """Return what tells this machine, and on Linux this run of it, from others that may share its
    folders.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except (OSError, ValueError):
        return platform.node()


def _read(descriptor: int, now: float) -> float:
    """The stored moment; minus infinity where there is none that can be believed."""
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        moment, written = json.loads(os.read(descriptor, 200))
        believed = (
            isinstance(moment, float)
            and isinstance(written, float)
            and written <= now
            and moment <= written + FARTHEST
        )
    except (ValueError, TypeError):
        return -math.inf
    return moment if believed else -math.inf


def _write(descriptor: int, moment: float, now: float) -> None:
    text = json.dumps([moment, now]).encode()
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, text)
    os.ftruncate(descriptor, len(text))


def _tidy(folder: Path) -> None:
    """Remove files that nobody has used for days."""
    oldest = time.time() - KEPT_DAYS * 86_400
    with contextlib.suppress(OSError):
        for path in folder.glob("*.json"):
            if len(path.stem) == _DIGITS and path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)
                path.with_suffix(".lock").unlink(missing_ok=True)
