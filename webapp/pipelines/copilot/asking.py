"""The request of the copilot of what somebody asks: the host's models and tools, and what is needed
to hand over a patient's case.
"""

from collections.abc import Mapping
from typing import Any, Final

from clinfo.errors import FieldError, NotForPatients, UsageError
from clinfo.patients import require_allowed
from clinfo.pipelines.copilot import (
    OPTIONS,
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
from clinfo.settings import Settings
from webapp.fields import Fields, Json, Model, Seconds, asked_of, of_flag, one_of, seconds
from webapp.records import Visitor
from webapp.settings import WebSettings

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
