"""From what somebody asks to a request of the copilot: the host's models and tools, and what is
needed to hand over a patient's case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from clinfo.errors import FieldError, NotForPatients, UsageError
from clinfo.learned_types import learned
from clinfo.patients.access import require_allowed
from clinfo.pipelines.copilot.assemble import RECORDS
from clinfo.pipelines.copilot.request import (
    LONGEST_CASE,
    LONGEST_FIELD,
    LONGEST_QUESTION,
    request_of,
)
from clinfo.pipelines.copilot.tools import Host, OpenTool, declared, opened
from clinfo.pipelines.literature.request import refuse_controls
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.records.copilot import CopilotRequest, called
from clinfo.retrieval.silos.store import open_silos, silos_folder
from clinfo.settings import Settings
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
_FLAGS: Final = {"--max-tokens": "max_tokens", "--case-report": "case_report"}
"""What a message of the command line begins with, and the field that is meant."""


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
    asked = {name: value for name, value in given.items() if value is not None}
    for name in asked:
        if name == "api_key":
            raise FieldError(name, "is not taken here: a tool may ask other models than yours")
        if name not in FIELDS:
            raise FieldError(name[:60], "unknown field")
    for name, most in TEXTS.items():
        if not isinstance(asked.get(name, ""), str):
            raise FieldError(name, "must be text")
        if len(asked.get(name, "")) > most:
            raise FieldError(name, f"must be at most {most:,} characters")
        refuse_controls(name, asked.get(name, ""))
    question, case = asked.pop("question", "").strip(), asked.pop("case", "").strip()
    if not question:
        raise FieldError("question", "must not be empty")
    model = asked.pop("model", None) or web.offered_models(chain)[0]
    if model not in (offered := web.offered_models(chain)):
        raise FieldError("model", f"is not available here; choose one of: {', '.join(offered)}")
    if case:
        _refuse_outside(model, chain)
    seconds = asked.pop("max_seconds", None) or web.longest_seconds
    if type(seconds) not in (int, float) or not 0 < seconds <= web.longest_seconds:
        longest = f"{web.longest_seconds:,g}"
        raise FieldError("max_seconds", f"must be a number above 0 and at most {longest}")
    selected = {name: asked[name] for name in SELECTS if asked.get(name)}
    refuse_texts({"question": question} | selected, "Nothing was sent or stored.")
    try:
        plain = msgspec.convert({"question": question, **asked}, learned(CopilotRequest))
    except msgspec.ValidationError as error:
        told, _, where = str(error).partition(" - at `$.")
        raise FieldError(where.partition("[")[0].strip("`.…") or "question", told) from None
    if not 1 <= plain.max_steps <= MOST_STEPS:
        raise FieldError("max_steps", f"must be a whole number from 1 to {MOST_STEPS}")
    _refuse_unknown_tools(plain.tools, chain)
    chosen = {name: getattr(plain, name) for name in asked}
    try:
        return request_of(chain, question, model, case=case, max_seconds=seconds, **chosen)
    except UsageError as error:
        said = str(error)
        field = next((name for flag, name in _FLAGS.items() if said.startswith(flag)), "question")
        raise FieldError(field, said.removeprefix("--")) from None


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
