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
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import Query
from clinfo.render.search_report import found_by_queries
from clinfo.runs.events import CostIncurred, Event, Warned
from clinfo.text.printable import one_line, printable
from clinfo.views.queries import understood
from clinfo.views.steps import doing, reading
from clinfo.views.verdicts import checking
from clinfo.views.wording import number, seconds

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from clinfo.runs.pipeline import Pipeline
    from clinfo.runs.run_log import RunLog

TAIL_LINES = 8
"""Lines of what was done, and of the streaming synthesis, that the live display shows."""
PATIENCE = 8.0
"""Seconds without any event after which it is said what the run waits for."""
INTERVAL = 30.0
"""Seconds until it is said again."""


class Progress:
    """A display of a run; this one shows nothing."""

    def see(self, event: Event) -> None:
        """Take in an event of the run."""

    def draw(self) -> None:
        """Show how things stand; called now and then."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def progress(pipeline: Pipeline[Any, Any], quiet: bool) -> Progress:
    """The display of a pipeline's run that fits stderr."""
    if quiet:
        return Progress()
    if streams.is_terminal(sys.stderr):
        from rich.console import Console

        console = Console(stderr=True)
        if console.is_terminal and not console.is_dumb_terminal:
            return Live(console, pipeline)
    return Milestones(pipeline)


class Milestones(Progress):
    """Plain lines, one for each milestone and none for single articles; in a long silence, what the
    run waits for.
    """

    def __init__(
        self, pipeline: Pipeline[Any, Any], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._began = self._heard = clock()
        self._said: float | None = None
        self._run_log: RunLog = pipeline.log(())
        self._lines = LINES.get(pipeline.name, {})

    def see(self, event: Event) -> None:
        self._heard, self._said = self._clock(), None
        self._run_log.add(event)
        if isinstance(event, Warned):
            return self._say(f"warning: {event.text}")
        if event.type in self._lines:
            told = self._lines[event.type](self._run_log, event)
            for line in [told] if isinstance(told, str) else told:
                self._say(line)
        return None

    def draw(self) -> None:
        now = self._clock()
        due = self._said is None or now - self._said >= INTERVAL
        if due and (line := self._awaited()):
            self._said = now
            self._say(f"{line} · {self._so_far()}")

    def _awaited(self) -> str:
        """What a run waits for that has been silent for long."""
        silent = self._clock() - self._heard >= PATIENCE
        return awaited(self._run_log) if silent else ""

    def _so_far(self) -> str:
        """The seconds since the run began, and the tokens that its models have used."""
        costs = self._run_log.all(CostIncurred)
        tokens = sum(event.prompt_tokens + event.completion_tokens for event in costs)
        elapsed = seconds(self._clock() - self._began)
        return f"{elapsed} · {number(tokens, 'token')}" if tokens else elapsed

    def _say(self, line: str) -> None:
        if said := one_line(line):
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

        run_log, lines, streaming = self._run_log, self._told[-TAIL_LINES:], ""
        if isinstance(run_log, LiteratureLog) and run_log.started is not None:
            streaming = run_log.streamed_synthesis
            lines.append(doing(run_log, run_log.started.request).said)
        lines.append(self._awaited())
        parts = [Text(one_line(line), overflow="ellipsis", no_wrap=True) for line in lines if line]
        console = self._live.console
        written: Any = Text(printable(streaming)).wrap(console, console.width) if streaming else []
        return Group(*parts, *written[-TAIL_LINES:], Text(self._so_far(), style="dim"))


def awaited(run_log: RunLog) -> str:
    """``still waiting for …`` with the work that is open; "" where none is known, or none has
    begun.
    """
    if not isinstance(run_log, LiteratureLog) or run_log.started is None or "answer" in run_log:
        return ""
    awaits = doing(run_log, run_log.started.request).awaits
    return f"still waiting for {awaits}" if awaits else ""


def beginning(request: Any) -> str:
    """The first line of a run over a source: what is searched, with which models."""
    names = list(dict.fromkeys(request.models.values()))
    return one_line(
        f"source {request.source}, {'model' if len(names) == 1 else 'models'} {', '.join(names)}"
    )


def _searched(run_log: LiteratureLog, search: Any) -> list[str]:
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


def _timed(run_log: LiteratureLog, event: Any) -> str:
    """The reading, and in the end the checking."""
    if event.where == "read":
        return f"{reading(run_log).whole} in {seconds(event.seconds)}"
    shown = [*run_log.sentences("synthesis"), *run_log.sentences("tldr")]
    return checking(shown) if event.where == "tldr" and shown else ""


def _counted(count: int | str, name: str) -> str:
    """A number of things; ``count`` may be a range in words."""
    return f"{count} {name}s" if isinstance(count, str) else number(count, name)


def _observed(run_log: RunLog, event: Any) -> str:
    seen = event.observation
    told = seen.problem or number(len(seen.passages), "passage")
    return f"{event.call} → {told} in {seconds(event.seconds)}"


def _written(run_log: RunLog, event: Any) -> str:
    if event.by_rule:
        return f"{number(len(event.claims), 'passage')} quoted"
    left = f", {number(len(event.left_out), 'claim')} left out" if event.left_out else ""
    return f"{number(len(event.claims), 'claim')}{left}"


LINES: Final[Mapping[str, Mapping[str, Callable[[Any, Any], str | list[str]]]]] = {
    "literature": {
        "question_understood": lambda _, event: f"Understood as: {understood(event.pico)}",
        "query_generated": lambda _, event: (
            f"query {event.query.index + 1} is identical to query {event.same_as + 1}"
            if event.same_as is not None
            else ""
        ),
        "query_searched": _searched,
        "query_relaxed": lambda _, event: f"query {event.index + 1} found nothing; {event.said}",
        "query_explained": lambda _, event: f"query {event.index + 1}: {event.text}",
        "articles_fetched": lambda _, event: f"{number(len(event.articles), 'article')} fetched",
        "articles_chased": lambda _, event: (
            f"{number(len(event.articles), 'linked article')} fetched (of {event.chase.new:,} new "
            "articles found by links)"
        ),
        "articles_not_assessed": lambda _, event: (
            f"{number(len(event.ids), 'article')} not judged: {event.reason}"
            if event.cause == "rank"
            else ""
        ),
        "seed_studies_checked": lambda _, event: (
            f"seed studies: {found_by_queries(event.seed_studies)}"
        ),
        "lines_counted": lambda _, event: (
            f"hits of {number(len(event.lines), 'line')} of the strategy counted"
        ),
        "terms_counted": lambda _, event: f"hits of {number(len(event.terms), 'term')} counted",
        "articles_reranked": lambda _, event: (
            f"{number(len(event.kept), 'article')} of {len(event.kept) + len(event.dropped):,} "
            "relevant kept"
        ),
        "stage_timed": _timed,
        "synthesis_text": lambda run_log, event: (
            "writing the synthesis" if len(run_log.all(type(event))) == 1 else ""
        ),
        "synthesis_reset": lambda *_: "the synthesis was interrupted and is started again",
    },
    "trials": {
        "paper_refused": lambda _, event: event.reason,
        "question_understood": lambda _, event: (
            f"asked: {event.asked.intervention} against {event.asked.comparator or '?'} for "
            f"{event.asked.outcome}"
        ),
        "studies_grouped": lambda run_log, event: (
            f"{number(len(run_log.papers), 'paper')} read, "
            f"{number(len(event.studies), 'study', 'studies')}"
        ),
        "study_concluded": lambda run_log, event: (
            f"{len(run_log.concluded)}/{len(run_log.studies)} {event.study}: "
            f"{(event.conclusion.direction or 'passages quoted').replace('_', ' ')}"
        ),
    },
    "cohort": {
        "index_opened": lambda _, event: (
            f"{_counted(event.patients, 'patient')}, {_counted(event.notes, 'note')}"
        ),
        "criteria_read": lambda _, event: f"read as: {event.text}",
        "patient_read": lambda _, event: f"{event.done:,} of {number(event.of, 'patient')} read",
        "cohort_found": lambda _, event: f"{_counted(event.counts['members'], 'patient')} found",
    },
    "copilot": {
        "plan_made": lambda _, event: f"plan: {number(len(event.parts), 'part')}",
        "thought": lambda _, event: f"{event.step}. {event.text}" if event.text else "",
        "tool_called": lambda _, event: (
            f"{event.call} {event.tool}: {'; '.join(map(str, event.arguments.values()))[:120]}"
        ),
        "tool_observed": _observed,
        "answer_written": _written,
    },
}
"""What is said of events, by pipeline and the type of the event; "" for nothing."""
