"""Progress of scoring on stderr: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Final

from clinfo.console import streams

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

INTERVAL: Final = 10.0
"""Seconds between lines where stderr is not a terminal."""


class Counter:
    """Counts what is done of a known number of values. ``of`` is said as in ``scores
    300/4,000``.
    """

    def __init__(self, of: str, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._of, self._total, self._done = of, total, 0
        self._clock, self._said = clock, clock()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if total and streams.is_terminal(sys.stderr):
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(of, total=total)

    def __enter__(self) -> Counter:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            with contextlib.suppress(OSError):
                self._bar.stop()

    def add(self, count: int) -> None:
        """So many more are done."""
        self._done += count
        if self._bar is not None and self._task is not None:
            with contextlib.suppress(OSError):  # a terminal that is gone must not end the work
                self._bar.update(self._task, completed=self._done)
        elif self._clock() - self._said >= INTERVAL:
            self._said = self._clock()
            streams.say(f"{self._of} {self._done:,}/{self._total:,}")
