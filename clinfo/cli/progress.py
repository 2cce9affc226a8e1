"""Progress on stderr. Of a run: a live display in a terminal, a line a milestone elsewhere; of what
takes long and is no run: a bar, else lines.

Everything shown of a run is read from its events. Text from outside is printed as data, never as
markup.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from clinfo.console import streams
from clinfo.runs.events import CostIncurred, Event, Warned
from clinfo.runs.pipeline import Doing, Pipeline
from clinfo.runs.run_log import RunLog
from clinfo.text.wording import number, one_line, printable, seconds

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


TAIL_LINES = 8
"""Lines of what was done, and of the streaming synthesis, that the live display shows."""
PATIENCE = 8.0
"""Seconds without any event after which it is said what the run waits for."""
INTERVAL = 30.0
"""Seconds until it is said again."""


def progress(pipeline: Pipeline[Any, Any], quiet: bool) -> Milestones:
    """The display of a pipeline's run that fits stderr."""
    if not quiet and streams.is_terminal(sys.stderr):
        from rich.console import Console

        console = Console(stderr=True)
        if console.is_terminal and not console.is_dumb_terminal:
            return Live(console, pipeline)
    return Milestones(pipeline, quiet=quiet)


class Milestones:
    """Plain lines, one for each milestone and none for single articles; in a long silence, what the
    run waits for. A ``quiet`` one says nothing.
    """

    def __init__(
        self,
        pipeline: Pipeline[Any, Any],
        clock: Callable[[], float] = time.monotonic,
        quiet: bool = False,
    ) -> None:
        self._quiet = quiet
        self._clock = clock
        self._began = self._heard = clock()
        self._said: float | None = None
        self._run_log: RunLog = pipeline.log(())
        self._pipeline = pipeline

    def see(self, event: Event) -> None:
        """Take in an event of the run."""
        self._heard, self._said = self._clock(), None
        self._run_log.add(event)
        if isinstance(event, Warned):
            return self._say(f"warning: {event.text}")
        for line in self._pipeline.told(self._run_log, event):
            self._say(line)
        return None

    def draw(self) -> None:
        """Show how things stand; called now and then."""
        now = self._clock()
        due = self._said is None or now - self._said >= INTERVAL
        if due and (line := self._awaited()):
            self._said = now
            self._say(f"{line} · {self._so_far()}")

    def _awaited(self) -> str:
        """The work that a run waits for which has been silent for long."""
        awaits = self._doing().awaits
        silent = self._clock() - self._heard >= PATIENCE
        return f"still waiting for {awaits}" if awaits and silent else ""

    def _doing(self) -> Doing:
        """The present work; nothing before the run begins and after it ends."""
        begun = self._run_log.started
        if begun is None or "answer" in self._run_log:
            return Doing()
        return self._pipeline.doing(self._run_log, begun.request)

    def _so_far(self) -> str:
        """The seconds since the run began, and the tokens that its models have used."""
        costs = self._run_log.all(CostIncurred)
        tokens = sum(event.prompt_tokens + event.completion_tokens for event in costs)
        elapsed = seconds(self._clock() - self._began)
        return f"{elapsed} · {number(tokens, 'token')}" if tokens else elapsed

    def close(self) -> None:
        """Leave the terminal as it was."""

    def _say(self, line: str) -> None:
        if not self._quiet and (said := one_line(line)):
            streams.say(said)


class Live(Milestones):
    """A display that is drawn over and over in one place and is gone in the end."""

    def __init__(
        self,
        console: Console,
        pipeline: Pipeline[Any, Any],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        from rich.live import Live as RichLive

        super().__init__(pipeline, clock)
        self._told: list[str] = []
        self._live = RichLive(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def draw(self) -> None:
        with contextlib.suppress(OSError):  # a terminal that is gone must not end the run
            self._live.update(self._picture(), refresh=True)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._live.stop()

    def _say(self, line: str) -> None:
        self._told.append(one_line(line))

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        now = self._doing()
        lines = [*self._told[-TAIL_LINES:], now.said, self._awaited()]
        parts = [Text(one_line(line), overflow="ellipsis", no_wrap=True) for line in lines if line]
        console = self._live.console
        written: Any = []
        if now.streaming:
            written = Text(printable(now.streaming)).wrap(console, console.width)
        return Group(*parts, *written[-TAIL_LINES:], Text(self._so_far(), style="dim"))


def beginning(request: Any) -> str:
    """The first line of a run over a source: what is searched, with which models."""
    names = list(dict.fromkeys(request.models.values()))
    return one_line(
        f"source {request.source}, {'model' if len(names) == 1 else 'models'} {', '.join(names)}"
    )


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
