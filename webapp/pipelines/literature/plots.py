"""Plots of a run, drawn by a process of their own: matplotlib would stay in the memory of the web
process.

What was drawn is kept a while. The module run by itself draws: events of a run come in on
stdin as lines of JSON (the one that appraised the evidence is enough), the number of the plot is
the argument, the SVG goes to stdout.
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

from clinfo.evidence import drawable, effects_plot, image
from clinfo.pipelines.literature import EvidenceAppraised, LiteratureLog, loads
from clinfo.runs import dumps

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

    def svg(self, run_id: str, number: int, run_log: LiteratureLog) -> bytes | None:
        """The plot ``number`` (from 1) of a run; None where there is none, or it could not be drawn
        (tried again later).
        """
        appraised = run_log.get(EvidenceAppraised, "appraised")
        if (
            appraised is None
            or not 1 <= number <= len(drawable(appraised.appraisal.rows))
            or not can_draw()
        ):
            return None
        return self.kept((run_id, number), lambda: _drawn(appraised, number))

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


def _drawn(appraised: EvidenceAppraised, number: int) -> bytes | None:
    command = [sys.executable, "-m", "webapp.pipelines.literature.plots", str(number)]
    try:
        done = subprocess.run(
            command,
            input=dumps(appraised).encode(),
            capture_output=True,
            timeout=LONGEST,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        _log.warning("a plot could not be drawn: %s", type(error).__name__)
        return None
    return done.stdout


def main() -> None:
    """Draw what stdin holds."""
    lines = sys.stdin.buffer.read().decode()
    appraisal = next(
        event for event in loads([lines]) if isinstance(event, EvidenceAppraised)
    ).appraisal
    with open(
        sys.stdout.fileno(), "wb", closefd=False
    ) as out:  # buffered also under PYTHONUNBUFFERED: nothing is cut off
        out.write(image(effects_plot(drawable(appraisal.rows)[int(sys.argv[1]) - 1])))


if __name__ == "__main__":
    main()
