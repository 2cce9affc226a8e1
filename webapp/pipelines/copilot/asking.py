"""From what somebody asks to a request of the copilot: the host's models and tools, and what is
needed to hand over a patient's case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints

from clinfo.errors import FieldError, NotForPatients, UsageError
from clinfo.patients import require_allowed
from clinfo.pipelines.copilot import (
    LONGEST_CASE,
    LONGEST_FIELD,
    LONGEST_QUESTION,
    RECORDS,
    Host,
    OpenTool,
    open_silos,
    request_of,
    silos_folder,
)
from clinfo.pipelines.copilot import declared_tools as declared
from clinfo.pipelines.copilot import opened_tools as opened
from clinfo.pipelines.literature import refuse_controls
from clinfo.privacy import refuse_texts
from clinfo.records import CopilotRequest, called
from clinfo.settings import Settings
from webapp.fields import Fields, Model, Seconds, Texts, of_flag, one_of, read, seconds
from webapp.records import Visitor
from webapp.settings import WebSettings

SELECTS: Final = ("gene", "variant", "disease", "drug")
"""The fields by which evidence is selected without a language model."""
MOST_STEPS: Final = 20
"""Rounds of calls that a visitor may ask for."""
TEXTS: Final = {"question": LONGEST_QUESTION, "case": LONGEST_CASE} | dict.fromkeys(
    SELECTS, LONGEST_FIELD
)
"""The fields that are texts, with the characters they may have."""
_Text = Annotated[str, StringConstraints(strip_whitespace=True)]
_Selects = Annotated[
    str,
    Field(max_length=LONGEST_FIELD, description="Selects evidence without a language model."),
]


class CopilotFields(Fields):
    """A question to the copilot."""

    question: Annotated[_Text, Field(max_length=LONGEST_QUESTION)]
    gene: _Selects = ""
    variant: _Selects = ""
    disease: _Selects = ""
    drug: _Selects = ""
    case: Annotated[_Text, Field(max_length=LONGEST_CASE)] = Field(
        "",
        description="A patient's case; an access token or a login is needed, and a model that the "
        "host declared for patients.",
    )
    case_report: bool = False
    tools: Texts = Field((), description="Only these tools may be called; not given: all.")
    max_steps: int = Field(8, ge=1, le=MOST_STEPS)
    max_tokens: int | None = Field(None, ge=1)
    model: Model = None
    max_seconds: Seconds = None


def without_records(chain: Settings) -> Settings:
    """The settings of a run that a visitor asked for: no tool reads the records of this house."""
    return chain.model_copy(update={"copilot_allow": ""})


def offered_tools(chain: Settings) -> tuple[Mapping[str, OpenTool], Mapping[str, str]]:
    """The tools that visitors may have called, by name, and why others cannot be had. Raises
    UsageError, RecordError.
    """
    silos = open_silos(silos_folder(chain))
    try:
        every = [one for one in declared(chain.copilot_tools) if one.kind not in RECORDS]
        return opened(every, Host(without_records(chain), silos))
    finally:
        silos.close()


def examples(chain: Settings) -> list[str]:
    """What the silos are called that are no more than built-in examples."""
    silos = open_silos(silos_folder(chain))
    try:
        about = {name: silos.about(name) for name in silos.names()}
        return [called(name, one) for name, one in about.items() if one.get("version") == "demo"]
    finally:
        silos.close()


def why_no_case(who: Visitor, web: WebSettings) -> str:
    """Why this visitor cannot hand over a case, "" where that is possible."""
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
    asked = read(CopilotFields, given)
    for name in TEXTS:
        refuse_controls(name, getattr(asked, name))
    if not asked.question:
        raise FieldError("question", "must not be empty")
    model = one_of(web.offered_models(chain), asked.model)
    if asked.case:
        _refuse_outside(model, chain)
    longest = seconds(asked.max_seconds, web)
    selected = {name: text for name in SELECTS if (text := getattr(asked, name))}
    refuse_texts({"question": asked.question} | selected, "Nothing was sent or stored.")
    _refuse_unknown_tools(asked.tools, chain)
    chosen = asked.chosen("question", "model", "max_seconds")
    try:
        return request_of(chain, asked.question, model, max_seconds=longest, **chosen)
    except UsageError as error:
        raise of_flag(error, CopilotFields.names(), "question") from None


def _refuse_outside(model: str, chain: Settings) -> None:
    """Raise FieldError for a case that would go to a model or an embedder that may not see it."""
    try:
        require_allowed("model", model, chain)
        if chain.embedder:
            require_allowed("embedder", chain.embedder, chain)
    except NotForPatients as error:
        raise FieldError("case", f"was neither sent nor stored: {error}") from None


def _refuse_unknown_tools(wanted: tuple[str, ...], chain: Settings) -> None:
    tools, missing = offered_tools(chain) if wanted else ({}, {})
    for name in wanted:
        if name not in tools:
            why = missing.get(name, f"choose among: {', '.join(tools)}")
            raise FieldError("tools", f"{name[:60]} is not available here: {why}")
