"""Plots of runs, drawn by a process of their own: matplotlib would stay in the memory of the web
process. What was drawn is kept a while.

Run by itself the module draws one: a pickled `clinfo.evidence.plot.Plot` comes in on stdin, the SVG
goes to stdout.
"""

import importlib.util
import logging
import pickle
import subprocess
import sys
import threading
import time
from typing import Any, Final

_log = logging.getLogger(__name__)

LONGEST: Final = 20.0
"""Seconds that a drawing may take."""
KEPT, KEPT_SECONDS = 32, 600.0
"""The number of plots kept, and the seconds for which they are: what was deleted is gone from here
after that.
"""
_kept: dict[tuple[str, int], tuple[float, bytes]] = {}
_drawing = threading.Lock()


def can_draw() -> bool:
    """Return whether plots can be drawn here: matplotlib is installed (the extra ``plots``). It is
    not loaded.
    """
    return importlib.util.find_spec("matplotlib") is not None


def drawn(run_id: str, number: int, plot: Any) -> bytes | None:
    """The SVG of a plot of a run, one drawn at a time; None where that fails."""
    with _drawing:
        key, now = (run_id, number), time.monotonic()
        for old in [one for one, (made, _) in _kept.items() if made < now - KEPT_SECONDS]:
            del _kept[old]
        if key not in _kept:
            command = [sys.executable, "-m", __name__]
            try:
                done = subprocess.run(
                    command,
                    input=pickle.dumps(plot),
                    capture_output=True,
                    timeout=LONGEST,
                    check=True,
                )
            except (OSError, subprocess.SubprocessError) as error:
                _log.warning("a plot could not be drawn: %s", type(error).__name__)
                return None
            if len(_kept) >= KEPT:
                del _kept[next(iter(_kept))]
            _kept[key] = now, done.stdout
        return _kept[key][1]


if __name__ == "__main__":
    from clinfo.evidence import image

    # Buffered also under PYTHONUNBUFFERED: nothing is cut off.
    with open(sys.stdout.fileno(), "wb", closefd=False) as out:
        out.write(image(pickle.load(sys.stdin.buffer)))
