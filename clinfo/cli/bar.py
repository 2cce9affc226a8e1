"""The progress of what takes long and is no run: a bar in a terminal's stderr, else lines."""

import sys
import time

from clinfo.console import streams
from clinfo.text.printable import one_line

TELL = 15.0
"""Seconds between two lines of progress where no bar is shown."""


class Bar:
    """A bar of progress. Where none is shown, ``first`` is said, and then how far it is, at most
    ``every`` so many seconds (None: never). ``live``: one is shown.
    """

    def __init__(self, first: str = "", quiet: bool = False, every: float | None = None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self.live = streams.is_terminal(sys.stderr) and not quiet
        self._every, self._told = None if quiet else every, time.monotonic()
        if first and not self.live and not quiet:
            streams.say(first)
        text = TextColumn("{task.description}", markup=False)
        share = TextColumn("{task.percentage:>3.0f} %", markup=False)
        self._bar = Progress(
            *(text, BarColumn(), share, TimeRemainingColumn()),
            console=Console(stderr=True),
            transient=True,
            disable=not self.live,
        )
        self._task = self._bar.add_task(one_line(first), total=None)
        self._bar.start()

    def show(self, text: str, done: float, total: float | None) -> None:
        """So much of the whole is done; None where nobody knows how much that is."""
        self._bar.update(self._task, description=one_line(text), completed=done, total=total)
        now = time.monotonic()
        if not self.live and self._every is not None and now - self._told >= self._every:
            self._told = now
            streams.say(text)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._bar.stop()
