"""How runs of the chart pipeline are shown while they go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clinfo.pipelines.chart.run_log import ChartLog
from clinfo.records.chart import ChartRequest
from clinfo.runs.events import CostIncurred, Warned
from clinfo.runs.usage import usage_of
from clinfo.views import counts
from clinfo.views.steps import Step, StepState
from webapp.records import Head
from webapp.watch.shown import Listed, LivePipeline, Shown, Status, ending

_STEPS: Final = (
    ("record", "Record", "reading the record"),
    ("question", "Question", "reading the question"),
    ("found", "Notes", "finding notes"),
    ("written", "Answer", "writing the answer"),
)


def _done(run_log: ChartLog) -> int:
    """How many steps are done."""
    events = (run_log.record, run_log.question, run_log.found, run_log.written)
    return next((place for place, one in enumerate(events) if one is None), len(events))


def _steps(run_log: ChartLog, request: ChartRequest) -> list[Step]:
    done = _done(run_log)

    def state(place: int) -> StepState:
        return "done" if place < done else "now" if place == done else "to come"

    return [
        Step(name, title, "chart-part", state(place), "")
        for place, (name, title, _) in enumerate(_STEPS)
    ]


def _parts(run_log: ChartLog, request: ChartRequest, run_id: str) -> Iterator[Shown | Listed]:
    told = [event.text for event in run_log.all(Warned)]
    yield Listed("notes", "note", {f"note-{n}": text for n, text in enumerate(told)})
    calls = run_log.all(CostIncurred)
    yield Shown("used", "used", counts.used(usage_of(calls)) if calls else "")
    yield Shown("notices", "plain_notices", run_log.started.notices if run_log.started else ())


def _status(run_log: ChartLog, request: ChartRequest, head: Head) -> Status:
    done = _done(run_log)
    share = 100 * done // len(_STEPS)
    if (said := ending(head, "", share)) is not None:
        return said
    if done == len(_STEPS):
        return Status("done", "The answer is ready", done=100)
    return Status("running", f"{_STEPS[done][2].capitalize()} …", done=share)


LIVE: Final = LivePipeline(
    "chart",
    "watch/chart.html",
    "watch/trials_parts.html",
    {"notes": ("ul", "notes")},
    _steps,
    _parts,
    _status,
    lambda run_log: None,
)
