"""From a request to what stands on stdout: running, saving, showing, and the exit status that says
how it ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clinfo.cli.answer_format import Include
from clinfo.cli.progress import beginning, progress
from clinfo.cli.running import carried_out, print_events, stopped
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, RecordError, UsageError
from clinfo.files import file_errors
from clinfo.llm import model_list
from clinfo.pipelines.literature.answer_building import build_answer
from clinfo.pipelines.literature.assemble import assemble
from clinfo.pipelines.literature.chain import Chain
from clinfo.pipelines.literature.declared import LITERATURE
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.answer import Answer
from clinfo.records.articles import Article, RunRequest
from clinfo.references.registry import IEEE
from clinfo.render.folded import Extent
from clinfo.render.forms import forms, styled
from clinfo.runs import saved
from clinfo.runs.events import Answered
from clinfo.settings import Settings
from clinfo.views.unanswered import unanswered
from clinfo.views.wording import number

WIDEST = 110
"""Columns of a terminal that are used; longer lines are hard to read."""
NARROWEST = 40
"""Columns, whatever COLUMNS says."""


@dataclass(frozen=True)
class Output:
    """The form of what goes to stdout, and whether progress goes to stderr."""

    form: str
    include: Include
    events: bool
    quiet: bool
    plot: Path | None = None
    extent: Extent = "usual"
    all_rows: bool = False
    style: str = IEEE


def answer_anew(
    settings: Settings, request: RunRequest, output: Output, save: Path | None, overwrite: bool
) -> int:
    """Run a request, or go on with the saved run of it, and show the answer. The exit status is
    given back.
    """
    if save is None:
        streams.write("")  # an answer that has nowhere to go is not to be paid for
    before = (
        saved.unfinished(save, request, LITERATURE) if save is not None and not overwrite else []
    )
    request = LITERATURE.resumed(LITERATURE.log(before), request)
    quiet = output.quiet or (output.events and streams.is_terminal(sys.stdout))
    if not quiet:
        streams.say(beginning(request))  # before anything slow
    for name in dict.fromkeys(request.models.values()):
        if doubt := model_list.doubt(name):
            streams.complain(doubt)
    chain = assemble(settings, request, after=before)
    saving = (
        saved.Saving(save, LITERATURE.events, before, streams.complain, overwrite)
        if save is not None
        else None
    )
    if not output.quiet:
        if before:
            streams.complain(f"resuming the run saved in {save} ({len(before):,} events)")
        elif expected := _expected_cost(chain, request):
            streams.complain(expected)
    shown = progress(quiet)
    run_log = LiteratureLog(before)
    try:
        with contextlib.closing(shown):
            if output.events:
                print_events(before)
            asyncio.run(carried_out(chain, request, run_log, before, saving, shown, output.events))
    finally:
        if saving is not None:
            saving.close()
    if not output.events:
        show(run_log, output)
    if output.plot is not None:
        plot(run_log, output.plot)
    again = (
        f"; to resume it, run the same command again (--save {save})" if save is not None else ""
    )
    return _ended(run_log, streams.INTERRUPTED, again)


def _expected_cost(chain: Chain, request: RunRequest) -> str:
    """Return what the run may cost, in a line; nothing where it costs nothing."""
    from clinfo.runs.spending import dollars, estimate

    expected = estimate(chain.models, LITERATURE.planned(request))
    if expected.low is None or expected.high is None:
        return f"the cost cannot be estimated: no price is known for {', '.join(expected.unpriced)}"
    if expected.high == 0:
        return ""
    low, high = dollars(expected.low, 2), dollars(expected.high, 2)
    return f"expected cost: about {low}, at most {high} ({number(expected.calls, 'model call')})"


def show_saved(path: Path, question: str | None, output: Output) -> int:
    """Show a saved run, as far as it went; nothing is asked or judged again."""
    try:
        events = saved.read(path, LITERATURE)
    except RecordError as error:
        raise UsageError(f"--replay: {error}") from None
    run_log = LiteratureLog(events)
    if run_log.started is None:
        raise UsageError(f"--replay: {path} does not contain the start of a run")
    if question is not None and question.strip() != run_log.started.request.question:
        raise UsageError(
            f"--replay: {path} contains a run of another question; leave the question out to see it"
        )
    if output.events:
        print_events(events)
    else:
        show(run_log, output)
    if output.plot is not None:
        plot(run_log, output.plot)
    return _ended(run_log, "the saved run is not finished")


def show(run_log: LiteratureLog, output: Output) -> None:
    """Write the answer, or as much of it as there is, to stdout."""
    if run_log.started is None:
        return
    if (back := run_log.asked_back) is not None:
        if output.form == "json":
            told = {"schema": 2, "pipeline": "literature", "asked_back": back}
            question = {"question": run_log.started.request.question}
            streams.write(json.dumps(told | question, ensure_ascii=False) + "\n")
        return
    answer, finished = styled(run_log, output.style), "answer" in run_log
    if output.form in ("text", "markdown") and not (finished or answer.counts.fetched):
        return
    if output.form == "text":
        streams.write(_page(answer, run_log.articles, finished, output))
    else:
        form = next(form for form in forms() if form.name == output.form)
        streams.write(form.write(run_log, output.include.value, output.style))


def plot(run_log: LiteratureLog, path: Path) -> None:
    """Draw effects with intervals, a file a scale and outcome: ``plot.svg``, ``plot-2.svg``, on;
    where there are none, say so.
    """
    from clinfo.evidence.forest import drawable, effects_plot
    from clinfo.evidence.plot import image

    appraisal = run_log.appraisal
    groups = drawable(appraisal.rows) if appraisal else ()
    if not groups:
        streams.complain(
            "no plot was drawn: fewer than two abstracts state an effect with its interval on the "
            "same scale"
        )
    for place, group in enumerate(groups, 1):
        to = path if place == 1 else path.with_name(f"{path.stem}-{place}{path.suffix}")
        with file_errors(f"--plot: {to} cannot be written", RecordError):
            to.write_bytes(
                image(effects_plot(group), "png" if path.suffix.lower() == ".png" else "svg")
            )
        scale = f" ({group.title})" if len(groups) > 1 else ""
        streams.complain(f"{number(len(group.rows), 'effect')} drawn in {to}{scale}")


def _page(answer: Answer, articles: Sequence[Article], finished: bool, output: Output) -> str:
    from clinfo.render.text import WIDTH, text

    terminal = streams.is_terminal(sys.stdout)
    columns = shutil.get_terminal_size((WIDTH, 24)).columns  # COLUMNS, else the terminal's
    width = max(NARROWEST, min(columns, WIDEST) if terminal else columns)
    bold = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return text(
        answer,
        articles,
        finished=finished,
        width=width,
        bold=bold,
        extent=output.extent,
        all_rows=output.all_rows,
    )


def _ended(run_log: LiteratureLog, interrupted: str, again: str = "") -> int:
    """The exit status; why there is no answer, and how a run can go on ``again``, is said on
    stderr.
    """
    answered = run_log.all(Answered)
    if answered:
        answer = build_answer(run_log)
        if answer.synthesis:
            return 0
        streams.complain(unanswered(answer).heading.lower())
        return NOTHING_FOUND
    return stopped(run_log, interrupted, again)
