"""Progress of a run on standard error: one line that changes on a terminal, one now and then
elsewhere.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Final

from clinfo.runs.spending import dollars

TERMINAL: Final = 0.2
ELSEWHERE: Final = 15.0
"""Seconds between two lines."""


class Progress:
    """Counts of a run of ``total`` cells, of which ``before`` were done already, by status."""

    def __init__(self, total: int, before: Counter[str], spent: float, quiet: bool) -> None:
        self._total = total
        self._counts = Counter(before)
        self._before = before.total()
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._began = self._drawn = time.monotonic()
        self._width = 0
        self.spent = spent

    def ended(self, status: str) -> None:
        """A cell has come to its end."""
        self._counts[status] += 1
        now = time.monotonic()
        if not self._quiet and now - self._drawn >= (TERMINAL if self._terminal else ELSEWHERE):
            self._drawn = now
            self._write(self._line(now))

    def say(self, line: str) -> None:
        """A line that stays."""
        if self._terminal and self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr)
            self._width = 0
        print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """The last state, so that it stays."""
        if not self._quiet:
            self.say(self._line(time.monotonic(), last=True))

    def _write(self, line: str) -> None:
        if self._terminal:
            print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
            self._width = max(self._width, len(line))
        else:
            print(line, file=sys.stderr, flush=True)

    def _line(self, now: float, last: bool = False) -> str:
        done = self._counts.total()
        parts = [f"{done:,}/{self._total:,} done"]
        parts += [
            f"{self._counts[status]:,} {status}"
            for status in ("failed", "leaked")
            if self._counts[status]
        ]
        if self.spent:
            parts.append(dollars(self.spent, 2))
        new = done - self._before
        if new and done < self._total and not last:
            parts.append(f"about {_time((now - self._began) / new * (self._total - done))} left")
        return ", ".join(parts)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
