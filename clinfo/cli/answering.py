"""From a run to what stands on stdout, and the exit status that says how it ended."""

import json
import os
import shutil
import sys
from pathlib import Path

from clinfo.cli.flags import Include
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, RecordError
from clinfo.files import file_errors
from clinfo.pipelines.literature.answer import build_answer
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.render.forms import forms, styled
from clinfo.render.page import Extent
from clinfo.render.text import WIDTH, text
from clinfo.text.wording import number
from clinfo.views.queries import unanswered

WIDEST = 110
"""Columns of a terminal that are used; longer lines are hard to read."""
NARROWEST = 40
"""Columns, whatever COLUMNS says."""


def show(
    run_log: LiteratureLog,
    events: bool,
    *,
    form: str,
    include: Include,
    style: str,
    plot_to: Path | None,
    extent: Extent,
    all_rows: bool,
) -> int:
    """Write the answer, or as much of it as there is, to stdout, unless events are, and draw what
    is to be drawn. The exit status is given back; why there is no synthesis is said on stderr.
    """
    if events or run_log.started is None:
        pass
    elif (back := run_log.asked_back) is not None:
        if form == "json":
            told = {"schema": 2, "pipeline": "literature", "asked_back": back}
            question = {"question": run_log.started.request.question}
            streams.write(json.dumps(told | question, ensure_ascii=False) + "\n")
    elif form != "text":
        writer = next(one for one in forms() if one.name == form)
        if form != "markdown" or _has_page(run_log):
            streams.write(writer.write(run_log, include, style))
    elif _has_page(run_log):
        streams.write(_page(run_log, style, extent, all_rows))
    if plot_to is not None:
        plot(run_log, plot_to)
    answer = build_answer(run_log) if "answer" in run_log else None
    if answer is None or answer.synthesis:
        return 0
    streams.complain(unanswered(answer).heading.lower())
    return NOTHING_FOUND


def _has_page(run_log: LiteratureLog) -> bool:
    """Return whether the run came so far that a page tells something."""
    return "answer" in run_log or bool(build_answer(run_log).counts.fetched)


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


def _page(run_log: LiteratureLog, style: str, extent: Extent, all_rows: bool) -> str:
    terminal = streams.is_terminal(sys.stdout)
    columns = shutil.get_terminal_size((WIDTH, 24)).columns  # COLUMNS, else the terminal's
    width = max(NARROWEST, min(columns, WIDEST) if terminal else columns)
    bold = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return text(
        styled(run_log, style),
        run_log.articles,
        finished="answer" in run_log,
        width=width,
        bold=bold,
        extent=extent,
        all_rows=all_rows,
    )
