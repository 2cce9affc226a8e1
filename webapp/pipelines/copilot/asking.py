"""From what somebody asks to a request of the copilot: the host's models and tools, and what is
needed to hand over a patient's case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
from clinfo.records import CopilotAnswer, CopilotRequest, called
from clinfo.settings import Settings
from webapp.fields import converted, known, of_flag, one_of, seconds
from webapp.openapi_schemas import Json, answer_schemas, fields_schema, schemas_of
from webapp.records import Visitor
from webapp.settings import WebSettings

SELECTS: Final = ("gene", "variant", "disease", "drug")
"""The fields by which evidence is selected without a language model."""
FIELDS: Final = (
    "question", *SELECTS, "case", "case_report", "tools", "max_steps", "max_tokens", "model",
    "max_seconds",
)  # fmt: skip
MOST_STEPS: Final = 20
"""Rounds of calls that a visitor may ask for."""
TEXTS: Final = {"question": LONGEST_QUESTION, "case": LONGEST_CASE} | dict.fromkeys(
    SELECTS, LONGEST_FIELD
)
"""The fields that are texts, with the characters they may have."""


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
    asked = known(given, FIELDS)
    for name, most in TEXTS.items():
        if not isinstance(asked.get(name, ""), str):
            raise FieldError(name, "must be text")
        if len(asked.get(name, "")) > most:
            raise FieldError(name, f"must be at most {most:,} characters")
        refuse_controls(name, asked.get(name, ""))
    question, case = asked.pop("question", "").strip(), asked.pop("case", "").strip()
    if not question:
        raise FieldError("question", "must not be empty")
    model = one_of(web.offered_models(chain), asked.pop("model", None))
    if case:
        _refuse_outside(model, chain)
    longest = seconds(asked.pop("max_seconds", None), web)
    selected = {name: asked[name] for name in SELECTS if asked.get(name)}
    refuse_texts({"question": question} | selected, "Nothing was sent or stored.")
    plain = converted(CopilotRequest, {"question": question, **asked}, {})
    if not 1 <= plain.max_steps <= MOST_STEPS:
        raise FieldError("max_steps", f"must be a whole number from 1 to {MOST_STEPS}")
    _refuse_unknown_tools(plain.tools, chain)
    chosen = {name: getattr(plain, name) for name in asked}
    try:
        return request_of(chain, question, model, case=case, max_seconds=longest, **chosen)
    except UsageError as error:
        raise of_flag(error, FIELDS, "question") from None


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


def schemas(web: WebSettings, chain: Settings) -> dict[str, Json]:
    """What is sent and answered, for the OpenAPI document."""
    declared = schemas_of(CopilotRequest)["CopilotRequest"]["properties"]
    apart: dict[str, Json] = {
        name: {"type": "string", "maxLength": most} for name, most in TEXTS.items()
    }
    for name in SELECTS:
        apart[name]["description"] = "Selects evidence without a language model."
    apart["case"] |= {
        "description": "A patient's case; an access token or a login is needed, and a model that "
        "the host declared for patients."
    }
    apart |= {
        "tools": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Only these tools may be called; not given: all.",
        },
        "max_steps": {"type": "integer", "minimum": 1, "maximum": MOST_STEPS},
        "max_tokens": {"type": "integer", "minimum": 1},
        "model": {},
        "max_seconds": {},
    }
    fields = fields_schema(
        "copilot",
        "A question to the copilot.",
        {name: apart.get(name, declared.get(name)) for name in FIELDS},
        web.offered_models(chain),
        web,
    )
    return {"CopilotFields": fields, **answer_schemas("copilot", CopilotAnswer)}
