"""The copilot in the web app: from what somebody asks to a request, with the host's models and
tools and what is needed to hand over a patient's case; and a run of it while it goes on.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clinfo.errors import FieldError, NotForPatients, UsageError
from clinfo.patients import require_allowed
from clinfo.pipelines.copilot import (
    OPTIONS,
    CopilotAnswer,
    CopilotLog,
    CopilotRequest,
    Host,
    OpenTool,
    called,
    declared_tools,
    open_silos,
    opened_tools,
    request_of,
    silos_folder,
)
from clinfo.privacy import refuse_texts
from clinfo.render import rounds
from clinfo.runs import named
from clinfo.settings import Settings
from clinfo.views import Step, number
from webapp.fields import Fields, Json, Model, Seconds, asked_of, of_flag, one_of, seconds
from webapp.pipelines import Asked, WebPipeline
from webapp.records import Visitor
from webapp.settings import WebSettings
from webapp.watch.page import NOTES, LivePipeline, Shown, Status, state_at, told

DECLARED: Final = OPTIONS.at("http")
"""The options that a request may set here."""
SELECTS: Final = ("gene", "variant", "disease", "drug")
"""The fields by which evidence is selected without a language model."""
MOST_STEPS: Final = 20
"""Rounds of calls that a visitor may ask for."""


class CopilotFields(Fields):
    """A question to the copilot."""

    model: Model = None
    max_seconds: Seconds = None


def offered_tools(
    chain: Settings,
) -> tuple[Mapping[str, OpenTool], Mapping[str, str], Mapping[str, Mapping[str, Any]]]:
    """The tools that visitors may have called, by name, why others cannot be had, and what the
    silos are. Raises UsageError, RecordError.
    """
    silos = open_silos(silos_folder(chain))
    try:
        about = {name: silos.about(name) for name in silos.names()}
        return *opened_tools(declared_tools(chain), Host(chain, silos)), about
    finally:
        silos.close()


def examples(about: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The names of the silos that are no more than built-in examples."""
    return [called(name, one) for name, one in about.items() if one.get("version") == "demo"]


def why_no_case(who: Visitor, web: WebSettings) -> str:
    """The reason why this visitor cannot hand over a case, "" where that is possible."""
    if web.for_this_machine or who.user is not None:
        return ""
    return "A patient’s case can be handed over only with a login or an access token."


def checked_fields(given: Mapping[str, Any], web: WebSettings, chain: Settings) -> CopilotRequest:
    """The request that ``given`` makes at this host; nothing is stored or sent.

    Raises FieldError, NotForPatients for a case that the model may not see, IdentifiersFound for a
    question that seems to identify a patient.
    """
    if given.get("api_key") is not None:
        raise FieldError("api_key", "is not taken here: a tool may ask other models than yours")
    asked, chosen = asked_of(CopilotFields, "copilot", given)
    if chosen.get("max_steps", 1) > MOST_STEPS:
        raise FieldError("max_steps", f"must be a whole number from 1 to {MOST_STEPS}")
    model = one_of(web.offered_models(chain), asked.model)
    if chosen.get("case"):
        _refuse_outside(model, chain)
    longest = seconds(asked.max_seconds, web)
    texts: tuple[str, ...] = ("question", *SELECTS)
    refuse_texts(
        {name: chosen[name] for name in texts if name in chosen}, "Nothing was sent or stored."
    )
    _refuse_unknown_tools(chosen.get("tools", ()), chain)
    try:
        return request_of(chain, model=model, max_seconds=longest, **chosen)
    except UsageError as error:
        raise of_flag(error, DECLARED, "question") from None


def _refuse_outside(model: str, chain: Settings) -> None:
    """Raise FieldError for a case that would go to a model or an embedder that may not see it."""
    try:
        require_allowed("model", model, chain)
        if chain.embedder:
            require_allowed("embedder", chain.embedder, chain)
    except NotForPatients as error:
        raise FieldError("case", f"was neither sent nor stored: {error}") from None


def _refuse_unknown_tools(wanted: tuple[str, ...], chain: Settings) -> None:
    tools, missing, _ = offered_tools(chain) if wanted else ({}, {}, {})
    for name in wanted:
        if name not in tools:
            why = missing.get(name, f"choose among: {', '.join(tools)}")
            raise FieldError("tools", f"{name[:60]} is not available here: {why}")


def described(schemas: dict[str, Json], web: WebSettings, chain: Settings) -> None:
    """Say how many rounds a visitor may ask for."""
    schemas["CopilotFields"]["properties"]["max_steps"]["maximum"] = MOST_STEPS


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


def _parts(run_log: CopilotLog, request: CopilotRequest, run_id: str) -> Iterator[Shown]:
    written = run_log.written
    yield Shown(
        "trace", "round", {f"round-{one[0].step}": one for one in rounds(run_log)}, each=True
    )
    claims = None
    if written is not None:
        claims = (*((written.bottom_line,) if written.bottom_line else ()), *written.claims)
    yield Shown("claims", "claims", claims)
    yield from told(run_log)


def _status(run_log: CopilotLog, request: CopilotRequest) -> Status:
    now = _rounds(run_log)
    rounds = len({one.step for one in run_log.calls})
    share = (5 + 65 * min(rounds, request.max_steps) // request.max_steps, 75, 98)[now]
    kept = f"Kept so far: {number(len(run_log.calls), 'call')}." if run_log.calls else ""
    doing = "Writing and checking the answer" if now else "Searching"
    if not now and rounds:
        doing += f", round {rounds} of at most {request.max_steps}"
    return Status("running", f"{doing} …", kept, share)


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
    asks=lambda fields, web, chain: Asked(checked_fields(fields, web, chain)),
    live=LIVE,
    page=named(f"{_HERE}.pages:ended"),
    sent=CopilotFields,
    answers=CopilotAnswer,
    within="Copilot",
    described=described,
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
)
