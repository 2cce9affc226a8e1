"""Progress of a run on stderr: a live display in a terminal, a line a milestone elsewhere.

Everything shown is read from the run's events. Text from outside is printed as data, never as
markup.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from clinfo.cli import waiting
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
)
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import Query, RunRequest
from clinfo.render.search_report import found_by_queries
from clinfo.runs.events import Event, StageTimed, Warned
from clinfo.text.printable import one_line, printable
from clinfo.views.queries import understood
from clinfo.views.verdicts import support
from clinfo.views.wording import number, seconds

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

TAIL_LINES = 8
"""Lines of the streaming synthesis that the live display shows."""


class Progress(Protocol):
    """A display of a run."""

    def see(self, event: Event) -> None:
        """Take in an event of the run."""

    def draw(self) -> None:
        """Show how things stand; called now and then."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def progress(quiet: bool) -> Progress:
    """The display that fits stderr."""
    if quiet:
        return Silence()
    if streams.is_terminal(sys.stderr):
        from rich.console import Console

        console = Console(stderr=True)
        if console.is_terminal and not console.is_dumb_terminal:
            return Live(console)
    return Milestones()


class Silence:
    """No display."""

    def see(self, event: Event) -> None: ...

    def draw(self) -> None: ...

    def close(self) -> None: ...


class Milestones:
    """Plain lines, one for each milestone and none for single articles; in a long silence, what the
    run waits for.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._silence = waiting.Silence(clock())
        self._run_log = LiteratureLog()

    def see(self, event: Event) -> None:
        self._silence.broken(self._clock())
        first_text = isinstance(event, SynthesisText) and not self._run_log.all(SynthesisText)
        self._run_log.add(event)
        if first_text:
            self._say("writing the synthesis")
        for line in self._lines(event):
            self._say(line)

    def draw(self) -> None:
        if self._silence.due(self._clock()) and (line := waiting.awaited(self._run_log)):
            self._say(line)

    def close(self) -> None: ...

    def _lines(self, event: Event) -> list[str]:
        if isinstance(event, QuestionUnderstood):
            return [f"Understood as: {understood(event.pico)}"]
        if isinstance(event, QueryGenerated) and event.same_as is not None:
            return [f"query {event.query.index + 1} is identical to query {event.same_as + 1}"]
        if isinstance(event, QuerySearched):
            return _searched(self._run_log, event)
        if isinstance(event, QueryRelaxed | QueryExplained):
            return [_mended(event)]
        if isinstance(event, ArticlesFetched):
            return [f"{number(len(event.articles), 'article')} fetched"]
        if isinstance(event, ArticlesNotAssessed) and event.cause == "rank":
            return [f"{number(len(event.ids), 'article')} not judged: {event.reason}"]
        if isinstance(event, ArticlesChased):
            return [
                (
                    f"{number(len(event.articles), 'linked article')} fetched (of "
                    f"{event.chase.new:,} new articles found by links)"
                )
            ]
        if isinstance(event, SeedStudiesChecked):
            return [f"seed studies: {found_by_queries(event.seed_studies)}"]
        if isinstance(event, LinesCounted):
            return [f"hits of {number(len(event.lines), 'line')} of the strategy counted"]
        if isinstance(event, TermsCounted):
            return [f"hits of {number(len(event.terms), 'term')} counted"]
        if isinstance(event, ArticlesReranked):
            return [
                (
                    f"{number(len(event.kept), 'article')} of "
                    f"{len(event.kept) + len(event.dropped):,} relevant kept"
                )
            ]
        if isinstance(event, SynthesisReset):
            return ["the synthesis was interrupted and is started again"]
        if isinstance(event, StageTimed) and event.where == "read":
            return [f"{_read(self._run_log)} in {seconds(event.seconds)}"]
        if isinstance(event, StageTimed) and event.where == "tldr":
            return [_checked(self._run_log)]
        if isinstance(event, Warned):
            return [f"warning: {event.text}"]
        return []

    def _say(self, line: str) -> None:
        streams.say(one_line(line))


class Live:
    """A display that is drawn over and over in one place and is gone in the end."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.live import Live as RichLive

        self._clock = clock
        self._run_log = LiteratureLog()
        self._began = clock()
        self._silence = waiting.Silence(self._began)
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
            to_judge = len(run_log.articles) - len(run_log.excluded)
            lines.append(self._bar("judged", len(run_log.judgements), to_judge))
            lines.append(self._bar("summarised", len(run_log.summaries), len(run_log.relevant)))
        if run_log.streamed_synthesis:
            wrapped = Text(printable(run_log.streamed_synthesis)).wrap(
                self._live.console, self._live.console.width
            )
            lines += list(wrapped[-TAIL_LINES:])
        elif not lines:
            lines.append(Text("writing queries …"))
        now = self._clock()
        if self._silence.lasts(now) and (line := waiting.awaited(run_log)):
            lines.append(Text(one_line(line), overflow="ellipsis", no_wrap=True))
        lines.append(Text(seconds(now - self._began), style="dim"))
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


def _read(run_log: LiteratureLog) -> str:
    judged = number(len(run_log.judgements), "article")
    return (
        f"{judged} judged, {len(run_log.relevant):,} relevant, {len(run_log.summaries):,} "
        "summarised"
    )


def _checked(run_log: LiteratureLog) -> str:
    return (
        "checked "
        "against "
        f"their sources: {support([*run_log.sentences('synthesis'), *run_log.sentences('tldr')])}"
    )
