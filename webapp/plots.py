"""Plots of runs, drawn by a process of their own: matplotlib would stay in the memory of the web
process. What was drawn is kept a while.
"""

from __future__ import annotations

import importlib.util
import logging
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

_log = logging.getLogger(__name__)

LONGEST = 20.0
"""Seconds that a drawing may take."""
KEPT, KEPT_SECONDS = 32, 600.0
"""The number of plots kept, and the seconds for which they are: what was deleted is gone from here
after that.
"""


class Plots:
    """Drawn plots by run and number. One is drawn at a time, so that a busy page takes the memory
    of one drawing only.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._kept: OrderedDict[tuple[str, int], tuple[float, bytes | None]] = OrderedDict()
        self._lock = threading.Lock()
        self._drawing = threading.Lock()

    def kept(self, key: tuple[str, int], draw: Callable[[], bytes | None]) -> bytes | None:
        """The plot under ``key`` (run and number), drawn where it is not kept."""
        if (kept := self._find(key)) is not None:
            return kept[1]
        if not self._drawing.acquire(timeout=LONGEST):
            return None
        try:
            if (kept := self._find(key)) is None:  # nobody drew it meanwhile
                kept = self._now(), draw()
                with self._lock:
                    self._kept[key] = kept
                    while len(self._kept) > KEPT:
                        self._kept.popitem(last=False)
            return kept[1]
        finally:
            self._drawing.release()

    def forget(self, run_id: str) -> None:
        """Keep nothing of a run that was deleted."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == run_id]:
                del self._kept[key]

    def _find(self, key: tuple[str, int]) -> tuple[float, bytes | None] | None:
        """Return what is kept under ``key``; what has been kept for too long is dropped on the
        way.
        """
        oldest = self._now() - KEPT_SECONDS
        with self._lock:
            for old in [one for one, (made, _) in self._kept.items() if made < oldest]:
                del self._kept[old]
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)


plots = Plots()
"""Those of this process."""


def can_draw() -> bool:
    """Return whether plots can be drawn here: matplotlib is installed (the extra ``plots``). It is
    not loaded.
    """
    return importlib.util.find_spec("matplotlib") is not None


def drawn(module: str, events: str, *arguments: str) -> bytes | None:
    """What a module run by itself writes of these events (lines of JSON); None where it cannot."""
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(
            command, input=events.encode(), capture_output=True, timeout=LONGEST, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        _log.warning("a plot could not be drawn: %s", type(error).__name__)
        return None
    return done.stdout


def write(image: bytes) -> None:
    """Write an image to stdout, buffered also under PYTHONUNBUFFERED: nothing is cut off."""
    with open(sys.stdout.fileno(), "wb", closefd=False) as out:
        out.write(image)
