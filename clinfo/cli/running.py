"""Carries out a run of any pipeline for the command line: its events to where they belong, and an
end in good order.
"""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from clinfo import render
from clinfo.cli.progress import Milestones, beginning, progress
from clinfo.console import streams
from clinfo.errors import Cancelled, RecordError, UsageError
from clinfo.files import file_errors, private_files
from clinfo.llm import model_names
from clinfo.runs import saved
from clinfo.runs.events import Event, RunCancelled, RunFailed, dumps
from clinfo.runs.pipeline import Asked, Carrier, Log, Pipeline
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import expected_cost
from clinfo.settings import Settings

BEAT = 0.2
"""Seconds between two drawings of the progress display while nothing happens."""


def anew(
    pipeline: Pipeline[Any, Log],
    settings: Settings,
    request: Any,
    show: Callable[[Log], int],
    *,
    save: str | None,
    overwrite: bool,
    events: bool,
    quiet: bool,
    private: bool = True,
    worded: Callable[[Log, str], str] = lambda _, problem: problem,
) -> int:
    """Run a request, or go on with the saved run of it, and ``show`` as much of the answer as there
    is. The exit status of a run without an answer is its own; why it has none is said, as
    ``worded`` for the command line. Files are for this user alone where they are ``private``.
    """
    path = Path(save) if save else None
    if path is None:
        streams.write("")  # an answer that has nowhere to go is not to be paid for
    elif private:
        _only_mine(path)
    with private_files() if private else contextlib.nullcontext():
        before = saved.unfinished(path, request, pipeline) if path and not overwrite else []
        unseen = quiet or (events and streams.is_terminal(sys.stdout))
        if not unseen and hasattr(request, "source"):
            streams.say(beginning(request))  # before anything slow
        for doubt in filter(None, map(model_names.doubt, dict.fromkeys(request.models.values()))):
            streams.complain(doubt)
        carrier = pipeline.assemble(settings, request, before)
        saving = (
            saved.Saving(path, pipeline.events, before, streams.complain, overwrite)
            if path
            else None
        )
        if not quiet:
            if before:
                streams.complain(f"resuming the run saved in {save} ({len(before):,} events)")
            elif expected := expected_cost(carrier.models, pipeline.planned(request)):
                streams.complain(expected)
        run_log = pipeline.log(before)
        shown = progress(pipeline, unseen)
        try:
            with contextlib.closing(shown):
                if events:
                    print_events(before)
                asyncio.run(carried_out(carrier, request, run_log, before, saving, shown, events))
        finally:
            if saving is not None:
                saving.close()
        status = show(run_log)
    again = f"; to resume it, run the same command again (--save {save})" if save else ""
    ended = partial(worded, run_log)
    return status if "answer" in run_log else stopped(run_log, streams.INTERRUPTED, again, ended)


def replayed(
    pipeline: Pipeline[Any, Log],
    path: str,
    show: Callable[[Log], int],
    *,
    events: bool,
    private: bool = True,
    question: str | None = None,
    worded: Callable[[Log, str], str] = lambda _, problem: problem,
) -> int:
    """Show a saved run as far as it went, as `anew` does; nothing is asked or judged again.

    Raises UsageError where the file holds no run of the pipeline, or one of another ``question``.
    """
    try:
        found = saved.read(Path(path), pipeline)
    except RecordError as error:
        raise UsageError(f"--replay: {error}") from None
    run_log = pipeline.log(found)
    if run_log.started is None:
        name = pipeline.name
        raise UsageError(f"--replay: {path} does not contain the start of a run of {name}")
    if question is not None and question.strip() != run_log.started.request.question:
        raise UsageError(
            f"--replay: {path} contains a run of another question; leave the question out to see it"
        )
    if events:
        print_events(found)
    with private_files() if private else contextlib.nullcontext():
        status = show(run_log)
    if "answer" in run_log:
        return status
    return stopped(run_log, "the saved run is not finished", "", partial(worded, run_log))


async def carried_out(
    carrier: Carrier[Asked],
    request: Asked,
    run_log: RunLog,
    before: Sequence[Event],
    saving: saved.Saving | None,
    shown: Milestones,
    written: bool,
) -> None:
    """Take every event of the run to where it belongs; the first Ctrl-C ends the run in good
    order.
    """
    cancel = asyncio.Event()
    for event in before:
        shown.see(event)
    drawing = asyncio.create_task(_draw(shown))
    with interrupt_sets(cancel):
        async for event in carrier.run(request, after=before, cancel=cancel):
            run_log.add(event)
            if saving is not None:
                saving.put(event)
            if written:
                print_events([event])
            shown.see(event)
    drawing.cancel()


@contextlib.contextmanager
def interrupt_sets(cancel: asyncio.Event) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM set ``cancel``; the second one interrupts. One that the
    process was started to ignore, as by nohup, stays ignored.
    """
    loop = asyncio.get_running_loop()
    usual = {
        each: handler
        for each in (signal.SIGINT, signal.SIGTERM)
        if (handler := signal.getsignal(each)) is not signal.SIG_IGN
    }

    def first(_number: int, _frame: object) -> None:
        for each in usual:
            signal.signal(each, signal.default_int_handler)
        loop.call_soon_threadsafe(cancel.set)

    for each in usual:
        signal.signal(each, first)
    try:
        yield
    finally:
        for each, handler in usual.items():
            signal.signal(each, handler)


async def _draw(shown: Milestones) -> None:
    while True:
        await asyncio.sleep(BEAT)
        shown.draw()


def print_events(events: Sequence[Event]) -> None:
    """Write events to stdout, a line each."""
    for event in events:
        streams.write(dumps(event) + "\n")


def stopped(
    run_log: RunLog,
    interrupted: str,
    again: str = "",
    worded: Callable[[str], str] = lambda problem: problem,
) -> int:
    """The exit status of a run without an answer; why it has none, and how it can go on ``again``,
    is said on stderr. What was asked wrongly is to be asked otherwise, not again.
    """
    ends: list[RunFailed | RunCancelled] = [*run_log.all(RunFailed), *run_log.all(RunCancelled)]
    last = max(ends, key=lambda event: event.seq, default=None)
    if isinstance(last, RunFailed):
        wrong = last.exit_status == UsageError.exit_status
        streams.complain(worded(last.problem) + ("" if wrong else again))
        return last.exit_status
    streams.complain(interrupted + again)
    return Cancelled.exit_status


def told(
    pipeline: Pipeline[Any, Any],
    run_log: RunLog,
    json: bool,
    events: bool,
    trace: str | None = None,
) -> int:
    """Write the trace of a run that began, and its answer, or what it found before it could not go
    on, unless its events were; give the exit status.
    """

    if run_log.started is None:
        return 0
    answer = pipeline.handed_out([*run_log])
    if trace is not None:
        write_trace(trace, answer.trace)
    if "answer" not in run_log and not getattr(run_log, "so_far", False):
        return 0
    if not events:
        page = getattr(render, f"{pipeline.name}_page")
        streams.show(answer.to_dict() if json else render.written(page(answer.record)).rstrip())
    return int(answer.status)


def write_trace(path: str, text: str) -> None:
    """Write the trace of a run, for this user alone."""
    to = Path(path)
    with (
        file_errors(f"--trace: {path} cannot be written"),
        to.open("w", encoding="utf-8") as file,
    ):
        if to.is_file():
            to.chmod(0o600)  # one that was there has kept its mode
        file.write(text)


def _only_mine(path: Path) -> None:
    """Take a file that is there already, and will hold a record or a case, from all others."""
    if path.is_file():
        with file_errors(f"--save: {path} cannot be written"):
            path.chmod(0o600)
