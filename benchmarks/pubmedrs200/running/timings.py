"""The durations of a run's cells: timings.jsonl in its folder, a line {"system", "regime",
"repeat", "id", "seconds", "stages"} as each cell ends. It is the only file of a run whose bytes
differ between runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.running.folder import append_line
from benchmarks.pubmedrs200.running.records import Cell

FILE: Final = "timings.jsonl"
DECIMALS: Final = 6


def append(run: Path, cell: Cell, seconds: float, stages: Mapping[str, float]) -> None:
    """Note that a cell ended; ``stages`` are seconds by stage. Raises OSError."""
    form = {"system": cell.system, "regime": cell.regime, "repeat": cell.repeat, "id": cell.id}
    parts = {stage: round(spent, DECIMALS) for stage, spent in stages.items()}
    append_line(run / FILE, {**form, "seconds": round(seconds, DECIMALS), "stages": parts})


def seconds_of(run: Path) -> dict[Cell, float]:
    """Seconds by cell, all finite; of a cell that was begun more than once, the last. Empty where
    the run has no such file.

    Lines that a crash cut off, and others that are not of the form, are left out. Raises OSError.
    """
    path = run / FILE
    if not path.is_file():
        return {}
    found: dict[Cell, float] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            form = json.loads(line)
            cell = Cell(
                str(form["system"]), str(form["regime"]), int(form["repeat"]), str(form["id"])
            )
            seconds = float(form["seconds"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
        if isfinite(seconds):
            found[cell] = seconds
    return found
