"""How runs of the copilot are shown while they go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clinfo.pipelines.copilot.run_log import CopilotLog
from clinfo.records.copilot import CopilotRequest
from clinfo.runs.events import CostIncurred, Warned
from clinfo.runs.usage import usage_of
from clinfo.views import counts
from clinfo.views.copilot import step_views
from clinfo.views.steps import Step, StepState
from clinfo.views.wording import number
from webapp.records import Head
from webapp.watch.shown import Listed, LivePipeline, Shown, Status, ending

_DOING: Final = ("looking up", "writing and checking the answer")


def _done(run_log: CopilotLog) -> int:
    """How many of the steps are done."""
    events = (run_log.ended, run_log.written)
    return next((place for place, one in enumerate(events) if one is None), len(events))


def _steps(run_log: CopilotLog, request: CopilotRequest) -> list[Step]:
    done, calls, written = _done(run_log), len(run_log.calls), run_log.written
    said = (
        number(calls, "call") if calls else "",
        number(len(written.claims), "claim") if written else "",
    )

    def state(place: int) -> StepState:
        return "done" if place < done else "now" if place == done else "to come"

    names = (("trace", "Looking up"), ("claims", "Answer"))
    return [
        Step(name, title, f"{name}-part", state(place), said[place])
        for place, (name, title) in enumerate(names)
    ]


def _parts(run_log: CopilotLog, request: CopilotRequest, run_id: str) -> Iterator[Shown | Listed]:
    written = run_log.written
    yield Listed("trace", "round", {f"round-{one.step}": one for one in step_views(run_log)})
    claims = None
    if written is not None:
        claims = (*((written.bottom_line,) if written.bottom_line else ()), *written.claims)
    yield Shown("claims", "claims", claims)
    told = [event.text for event in run_log.all(Warned)]
    yield Listed("notes", "note", {f"note-{n}": text for n, text in enumerate(told)})
    calls = run_log.all(CostIncurred)
    yield Shown("used", "used", counts.used(usage_of(calls)) if calls else "")
    yield Shown("notices", "plain_notices", run_log.started.notices if run_log.started else ())


def _status(run_log: CopilotLog, request: CopilotRequest, head: Head) -> Status:
    done = _done(run_log)
    rounds = len({one.step for one in run_log.calls})
    share = (5 + 65 * min(rounds, request.max_steps) // request.max_steps, 75, 98)[done]
    kept = f"Kept so far: {number(len(run_log.calls), 'call')}." if run_log.calls else ""
    if (said := ending(head, kept, share)) is not None:
        return said
    if "answer" in run_log:
        return Status("done", "The answer is ready", done=100)
    if run_log.started is None:
        return Status("running", "Starting …", done=0)
    doing = _DOING[min(done, len(_DOING) - 1)]
    if not done and rounds:
        doing += f", round {rounds} of at most {request.max_steps}"
    return Status("running", f"{doing.capitalize()} …", done=share)


LIVE: Final = LivePipeline(
    "copilot",
    "watch/copilot.html",
    "watch/copilot_parts.html",
    {"trace": ("ol", "copilot-trace"), "notes": ("ul", "notes")},
    _steps,
    _parts,
    _status,
    lambda run_log: None,
)
