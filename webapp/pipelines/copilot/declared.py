"""The copilot in the web app, and a run of it while it goes on."""

from collections.abc import Iterator
from typing import Final

from clinfo.pipelines.copilot import CopilotAnswer, CopilotLog, CopilotRequest
from clinfo.render import step_views
from clinfo.runs import named
from clinfo.views import Step, number
from webapp.pipelines import Asked, WebPipeline
from webapp.pipelines.copilot import asking
from webapp.records import Head
from webapp.watch.page import NOTES, Listed, LivePipeline, Shown, Status, ending, state_at, told


def _rounds(run_log: CopilotLog) -> int:
    """The number of steps that are done, of two."""
    return 0 if run_log.ended is None else 1 if run_log.written is None else 2


def _steps(run_log: CopilotLog, request: CopilotRequest) -> list[Step]:
    now, calls, written = _rounds(run_log), len(run_log.calls), run_log.written
    looked = number(calls, "call") if calls else ""
    claims = number(len(written.claims), "claim") if written else ""
    return [
        Step("trace", "Searches", "trace-part", state_at(0, now), looked),
        Step("claims", "Answer", "claims-part", state_at(1, now), claims),
    ]


def _parts(run_log: CopilotLog, request: CopilotRequest, run_id: str) -> Iterator[Shown | Listed]:
    written = run_log.written
    yield Listed("trace", "round", {f"round-{one.step}": one for one in step_views(run_log)})
    claims = None
    if written is not None:
        claims = (*((written.bottom_line,) if written.bottom_line else ()), *written.claims)
    yield Shown("claims", "claims", claims)
    yield from told(run_log)


def _status(run_log: CopilotLog, request: CopilotRequest, head: Head) -> Status:
    now = _rounds(run_log)
    rounds = len({one.step for one in run_log.calls})
    share = (5 + 65 * min(rounds, request.max_steps) // request.max_steps, 75, 98)[now]
    kept = f"Kept so far: {number(len(run_log.calls), 'call')}." if run_log.calls else ""
    if (said := ending(head, kept, share, run_log)) is not None:
        return said
    doing = "Writing and checking the answer" if now else "Searching"
    if not now and rounds:
        doing += f", round {rounds} of at most {request.max_steps}"
    return Status("running", f"{doing} …", done=share)


LIVE: Final = LivePipeline(
    "copilot",
    "copilot/watch.html",
    "copilot/watch_parts.html",
    {"trace": ("ol", "copilot-trace"), **NOTES},
    _steps,
    _parts,
    _status,
    style="copilot.css",
)


_HERE = "webapp.pipelines.copilot"

WEB = WebPipeline(
    name="copilot",
    asks=lambda fields, web, chain, again_of: Asked(asking.checked_fields(fields, web, chain)),
    live=LIVE,
    page=named(f"{_HERE}.pages:ended"),
    sent=asking.CopilotFields,
    answers=CopilotAnswer,
    within="Copilot",
    described=asking.described,
    pages=(f"{_HERE}.pages:pages",),
    form="copilot.form",
    title="Copilot",
    does="An agent that asks sources which are kept apart, each claim with its source. A case that "
    "is handed over goes only to models declared for patients and is seen by whoever asked only. "
    "Not for care.",
    after="after GeneSilico Copilot, 2024",
    of_patients=True,
    listed=lambda request: "copilot, with a case" if request.case else "copilot",
    offered=lambda web: web.copilot,
    private=lambda request: bool(request.case),
    needs_login=lambda fields: bool(fields.get("case")),
    hosted=lambda run, packed, web, chain: (chain, {}),
)
