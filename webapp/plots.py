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
        self._kept: dict[tuple[str, int], tuple[float, bytes | None]] = {}
        self._drawing = threading.Lock()

    def kept(self, key: tuple[str, int], draw: Callable[[], bytes | None]) -> bytes | None:
        """The plot under ``key`` (run and number), drawn where it is not kept."""
        self._drop(lambda old, made: made < self._now() - KEPT_SECONDS)
        if key not in self._kept and self._drawing.acquire(timeout=LONGEST):
            try:
                if key not in self._kept:  # nobody drew it meanwhile
                    self._kept[key] = self._now(), draw()
                    newest = sorted(self._kept, key=lambda one: self._kept[one][0])[-KEPT:]
                    self._drop(lambda old, made: old not in newest)
            finally:
                self._drawing.release()
        return self._kept.get(key, (0.0, None))[1]

    def forget(self, run_id: str) -> None:
        """Keep nothing of a run that was deleted."""
        self._drop(lambda old, made: old[0] == run_id)

    def _drop(self, goes: Callable[[tuple[str, int], float], bool]) -> None:
        for key, (made, _) in list(self._kept.items()):
            if goes(key, made):
                self._kept.pop(key, None)


plots = Plots()
"""Those of this process."""


def can_draw() -> bool:
    """Return whether plots can be drawn here: matplotlib is installed (the extra ``plots``). It is
    not loaded.
    """
    return importlib.util.find_spec("matplotlib") is not None


def drawn(module: str, events: str, *arguments: str) -> bytes | None:
    """The output of a module run by itself on these events (lines of JSON); None where it fails."""
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
