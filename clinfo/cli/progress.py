"""Progress of a run on stderr: a live display in a terminal, a line a milestone elsewhere.

Everything shown is read from the run's events. Text from outside is printed as data, never as
markup.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from clinfo.console import streams
from clinfo.pipelines.literature.events import (
    ArticlesChased,
    ArticlesFetched,
    ArticlesNotAssessed,
    ArticlesReranked,
    LinesCounted,
    QueryExplained,
    QueryGenerated,
    QueryRelaxed,
    QuerySearched,
    QuestionUnderstood,
    SeedStudiesChecked,
    SynthesisReset,
    SynthesisText,
    TermsCounted,
    TldrJudged,
)
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import Query, RunRequest, text_of
from clinfo.render.search_report import found_by_queries
from clinfo.runs.events import CostIncurred, Event, StageTimed, Warned
from clinfo.text.printable import one_line, printable
from clinfo.views.queries import understood
from clinfo.views.steps import doing, reading
from clinfo.views.verdicts import checking
from clinfo.views.wording import number, seconds

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

TAIL_LINES = 8
"""Lines of the streaming synthesis that the live display shows."""


class Progress:
    """A display of a run; this one shows nothing."""

    def see(self, event: Event) -> None:
        """Take in an event of the run."""

    def draw(self) -> None:
        """Show how things stand; called now and then."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def lines(line: Callable[[Event], str], quiet: bool) -> Progress:
    """A display that says of each event what ``line`` says of it, of a warning as a complaint;
    nothing where it is to be ``quiet``.
    """
    return Progress() if quiet else _Lines(line)


class _Lines(Progress):
    def __init__(self, line: Callable[[Event], str]) -> None:
        self._line = line

    def see(self, event: Event) -> None:
        if said := one_line(self._line(event)):
            (streams.complain if isinstance(event, Warned) else streams.say)(said)


def progress(quiet: bool) -> Progress:
    """The display that fits stderr."""
    if quiet:
        return Progress()
    if streams.is_terminal(sys.stderr):
        from rich.console import Console

        console = Console(stderr=True)
        if console.is_terminal and not console.is_dumb_terminal:
            return Live(console)
    return Milestones()


PATIENCE = 8.0
"""Seconds without any event after which it is said what the run waits for."""
INTERVAL = 30.0
"""Seconds until it is said again."""


class Silence:
    """The time for which a run has been silent. Times are seconds of a clock that only grows."""

    def __init__(self, now: float) -> None:
        self._since = now
        self._said: float | None = None

    def broken(self, now: float) -> None:
        """Something happened."""
        self._since, self._said = now, None

    def lasts(self, now: float) -> bool:
        """Return whether it has lasted long enough to be spoken of."""
        return now - self._since >= PATIENCE

    def due(self, now: float) -> bool:
        """Return whether it is to be spoken of now; once it is, not again for `INTERVAL`."""
        if not self.lasts(now) or (self._said is not None and now - self._said < INTERVAL):
            return False
        self._said = now
        return True


def awaited(run_log: LiteratureLog) -> str:
    """``still waiting for …`` with the work that is open; "" where none is, or none has begun."""
    if run_log.started is None or "answer" in run_log:
        return ""
    awaits = doing(run_log, run_log.started.request).awaits
    return f"still waiting for {awaits}" if awaits else ""


def _so_far(run_log: LiteratureLog, elapsed: float) -> str:
    """The seconds since the run began, and the tokens that its models have used."""
    tokens = sum(
        event.prompt_tokens + event.completion_tokens for event in run_log.all(CostIncurred)
    )
    return " · ".join([seconds(elapsed), *([number(tokens, "token")] if tokens else [])])


class Milestones(Progress):
    """Plain lines, one for each milestone and none for single articles; in a long silence, what the
    run waits for.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._silence = Silence(self._began)
        self._run_log = LiteratureLog()

    def see(self, event: Event) -> None:
        self._silence.broken(self._clock())
        first_text = isinstance(event, SynthesisText) and not self._run_log.all(SynthesisText)
        self._run_log.add(event)
        if first_text:
            self._say("writing the synthesis")
        for line in _lines(self._run_log, event):
            self._say(line)

    def draw(self) -> None:
        now = self._clock()
        if self._silence.due(now) and (line := awaited(self._run_log)):
            self._say(f"{line} · {_so_far(self._run_log, now - self._began)}")

    def _say(self, line: str) -> None:
        streams.say(one_line(line))


class Live(Progress):
    """A display that is drawn over and over in one place and is gone in the end."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.live import Live as RichLive

        self._clock = clock
        self._run_log = LiteratureLog()
        self._began = clock()
        self._silence = Silence(self._began)
        self._live = RichLive(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def see(self, event: Event) -> None:
        self._silence.broken(self._clock())
        self._run_log.add(event)

    def draw(self) -> None:
        with contextlib.suppress(OSError):  # a terminal that is gone must not end the run
            self._live.update(self._picture(), refresh=True)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._live.stop()

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        run_log = self._run_log
        lines: list[RenderableType] = []
        if run_log.understood is not None:
            lines.append(
                Text(
                    one_line(f"Understood as: {understood(run_log.understood)}"),
                    overflow="ellipsis",
                    no_wrap=True,
                )
            )
        searched = {event.index: event for event in run_log.searches}
        for generated in run_log.queries:
            search = searched.get(generated.query.index)
            shown = [f"query {generated.query.index + 1}: {generated.query.text} …"]
            if search:
                shown = [*_searched(run_log, search), *map(_mended, run_log.relaxed(search.index))]
            lines += [Text(one_line(line), overflow="ellipsis", no_wrap=True) for line in shown]
        if run_log.fetched is not None:
            read = reading(run_log)
            lines.append(
                self._bar("judged" if read.by_model else "ranked", read.judged, read.to_judge or 0)
            )
            if read.by_model:
                lines.append(self._bar("summarised", read.summarised, read.to_summarise))
        if run_log.streamed_synthesis:
            wrapped = Text(printable(run_log.streamed_synthesis)).wrap(
                self._live.console, self._live.console.width
            )
            lines += list(wrapped[-TAIL_LINES:])
        elif not lines:
            lines.append(Text("writing queries …"))
        now = self._clock()
        if self._silence.lasts(now) and (line := awaited(run_log)):
            lines.append(Text(one_line(line), overflow="ellipsis", no_wrap=True))
        lines.append(Text(_so_far(run_log, now - self._began), style="dim"))
        return Group(*lines)

    def _bar(self, label: str, done: int, of: int) -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        row = Table.grid(padding=(0, 1))
        row.add_row(
            f"{label:>10}",
            ProgressBar(total=max(of, 1), completed=done, width=30),
            f"{done:,}/{of:,}",
        )
        return row


def beginning(request: RunRequest) -> str:
    """The first line of a run: what is searched, with which models."""
    names = list(dict.fromkeys(request.models.values()))
    return one_line(
        f"source {request.source}, {'model' if len(names) == 1 else 'models'} {', '.join(names)}"
    )


def _searched(run_log: LiteratureLog, search: QuerySearched) -> list[str]:
    """A query with its hits before its text (the end of a long line may be cut off), then what was
    mended and remarked.
    """
    queries = {event.query.index: event.query for event in run_log.queries}
    query = queries.get(
        search.index, Query(search.index, "")
    )  # a damaged record may lack its queries
    said = number(search.result.count, "hit") if search.result else f"failed ({search.problem})"
    notes = [*query.repairs, *query.remarks, *(search.result.warnings if search.result else ())]
    return [
        f"query {search.index + 1} → {said}: {query.text}",
        *(f"  note: {note}" for note in notes),
    ]


def _mended(event: QueryRelaxed | QueryExplained) -> str:
    """Return what was done about a query that found nothing, or what lost everything in it."""
    if isinstance(event, QueryRelaxed):
        return f"query {event.index + 1} found nothing; {event.said}"
    return f"query {event.index + 1}: {event.text}"


_SAID: Final[Mapping[type[Event], Callable[[Any], str]]] = {
    QuestionUnderstood: lambda event: f"Understood as: {understood(event.pico)}",
    QueryRelaxed: _mended,
    QueryExplained: _mended,
    ArticlesFetched: lambda event: f"{number(len(event.articles), 'article')} fetched",
    ArticlesChased: lambda event: (
        f"{number(len(event.articles), 'linked article')} fetched (of {event.chase.new:,} new "
        "articles found by links)"
    ),
    SeedStudiesChecked: lambda event: f"seed studies: {found_by_queries(event.seed_studies)}",
    LinesCounted: lambda event: (
        f"hits of {number(len(event.lines), 'line')} of the strategy counted"
    ),
    TermsCounted: lambda event: f"hits of {number(len(event.terms), 'term')} counted",
    ArticlesReranked: lambda event: (
        f"{number(len(event.kept), 'article')} of {len(event.kept) + len(event.dropped):,} "
        "relevant kept"
    ),
    TldrJudged: lambda event: f"TL;DR, carried by its sources: {text_of(event.sentences)}",
    SynthesisReset: lambda event: "the synthesis was interrupted and is started again",
    Warned: lambda event: f"warning: {event.text}",
}
"""The line for an event of a kind that needs nothing else to be told."""


def _lines(run_log: LiteratureLog, event: Event) -> list[str]:
    """The lines on an event; nothing of single articles."""
    match event:
        case QuerySearched():
            return _searched(run_log, event)
        case QueryGenerated(same_as=int(same)):
            return [f"query {event.query.index + 1} is identical to query {same + 1}"]
        case ArticlesNotAssessed(cause="rank"):
            return [f"{number(len(event.ids), 'article')} not judged: {event.reason}"]
        case StageTimed(where="read"):
            return [f"{reading(run_log).whole} in {seconds(event.seconds)}"]
        case StageTimed(where="tldr"):
            shown = [*run_log.sentences("synthesis"), *run_log.sentences("tldr")]
            return [checking(shown)] if shown else []
    return [_SAID[type(event)](event)] if type(event) in _SAID else []
