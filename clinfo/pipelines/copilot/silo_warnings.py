"""What a reader must know of the silos that an answer rests on: examples, unfinished, old."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

from clinfo.pipelines.copilot.run_log import CopilotLog
from clinfo.records.copilot import called

OLD: Final = timedelta(days=2 * 365)
"""The age from which a silo's date is warned of."""


def of_silos(
    silos: Mapping[str, Mapping[str, Any]], run_log: CopilotLog, day: date
) -> Iterator[tuple[str, str]]:
    """Warnings, each with its key: which silos that were asked are built-in examples or not loaded
    to their end, which that brought something are old or of no known date on ``day``.
    """
    for name in sorted({one.silo for one in run_log.calls} & set(silos)):
        title = called(name, silos[name])
        if left := silos[name].get("unfinished"):
            yield (
                f"unfinished {name}",
                f"The load of {title} was broken off: {left:,} of its documents are searched by "
                f"words alone. Finish it with the same “clinfo copilot load {name} …”.",
            )
        if silos[name].get("version") == "demo":
            yield (
                f"demo {name}",
                f"{title} here is a small built-in example: what it lacks, and “not in {title}”, "
                "say nothing of the whole source. Load it with “clinfo copilot load”.",
            )
    for name in sorted({one.silo for one in run_log.passages().values()} & set(silos)):
        title, stated = called(name, silos[name]), str(silos[name].get("date", ""))
        if not stated:
            yield f"age {name}", f"The date of {title} is not known: it may be old."
        elif stated < (day - OLD).isoformat():
            yield f"age {name}", f"{title} is of {stated}: newer evidence is not in it."
