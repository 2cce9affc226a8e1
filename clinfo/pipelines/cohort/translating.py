"""Criteria that the rules refuse → a logical form, by a language model held to the form's schema.

The model is shown the criteria alone. Each single criterion of its form is then said in words and
read by the rules, so that names are the same whoever read them; what the rules do not read back as
it was is asked back.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from clinfo.errors import ModelError, UsageError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import PromptSet
from clinfo.llm.schemas import TEXT, Schema, closed, list_of
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.form import Form, Gene, Has, mapped
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.shapes import definitions, from_json
from clinfo.pipelines.cohort.wording import text_of
from clinfo.pipelines.models import chat_model, priced
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.runs.clock import SystemClock
from clinfo.runs.events import CostIncurred
from clinfo.runs.protocols import Message, ModelRequest
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget
from clinfo.runs.usage import usage_of
from clinfo.settings import Settings
from clinfo.text.structured import json_object, texts_of

STAGE: Final = "translate"
PROMPTS = PromptSet("cohort", {STAGE: ("criteria", "words")})
SCHEMA: Final[Schema] = {
    **closed(
        form={"anyOf": [{"$ref": "#/$defs/form"}, {"type": "null"}]}, not_understood=list_of(TEXT)
    ),
    "$defs": definitions(every=True),
}
_MOST_TOKENS = 2_000


class Translator:
    """The model ``name`` as a translator of criteria, within ``max_cost`` US dollars.

    Raises UsageError where it cannot be asked or its price is needed and unknown.
    """

    def __init__(self, settings: Settings, name: str, max_cost: float | None = None) -> None:
        model = chat_model(settings, name, None)
        if max_cost is not None:
            priced({STAGE: model})
        self._log = RunLog()
        self._recorder: Recorder[RunLog] = Recorder(
            {STAGE: model}, MemoryBudget(max_cost), SystemClock(), 0, self._log, lambda _: None
        )
        self._name = name
        self._prompt = PROMPTS.parse(STAGE, PROMPTS.defaults()[STAGE])

    def translated(self, criteria: str, refused: Sequence[str]) -> tuple[Form | None, list[str]]:
        """The form that the model gives, and the words that it does not understand.

        Raises IdentifiersFound before anything is sent, BudgetReached, and ModelError where no form
        came.
        """
        refuse_texts({"criteria": criteria})
        (*before, last) = self._prompt.fill(
            criteria=fenced(criteria, "criteria"), words=json.dumps(list(refused))
        )
        wanted = f"Reply with one JSON object and nothing else, of this schema:\n{_SCHEMA_TEXT}"
        messages = (*before, Message("user", f"{last.content}\n\n{wanted}"))
        request = ModelRequest(
            STAGE, messages, schema=SCHEMA, temperature=0.0, max_tokens=_MOST_TOKENS
        )
        reply = json_object(asyncio.run(self._recorder.ask(STAGE, request)).text) or {}
        unclear = texts_of(reply.get("not_understood"))
        if reply.get("form") is None and unclear:
            return None, unclear
        try:
            return from_json(reply.get("form")), unclear
        except UsageError as error:
            raise ModelError(f"{self._name} gave no form that can be read: {error}") from None

    def told(self) -> dict[str, Any]:
        """What an answer tells of a translation: the model, the prompt's hash, the usage."""
        return {
            "model": self._name,
            "prompts": {STAGE: self._prompt.sha256},
            "usage": asdict(usage_of(self._log.all(CostIncurred))),
        }


_SCHEMA_TEXT = json.dumps(SCHEMA, separators=(",", ":"))


def as_rules_say(form: Form, concepts: Concepts) -> tuple[Form, tuple[str, ...]]:
    """The form with each single criterion as the rules read its words, and the names and criteria
    that they do not read back as the same.
    """
    unknown: list[str] = []

    def one(leaf: Form) -> Form:
        if isinstance(leaf, Has):
            names = [(name, concepts.named(name)) for name in (leaf.concept, *leaf.other_than)]
            if strange := [name for name, found in names if found is None]:
                unknown.extend(strange)
                return leaf
            if (kind := names[0][1]) is not None and kind.kind and leaf.kind != "allergy":
                leaf = replace(leaf, kind="")  # what the name is says more than the model
        read = parse(text_of(leaf), concepts)
        if isinstance(read, NotUnderstood) or _without_names(read) != _without_names(leaf):
            unknown.append(text_of(leaf))
            return leaf
        return read

    return mapped(form, one), tuple(dict.fromkeys(unknown))


def _without_names(form: Form) -> Form:
    """A criterion without what names it, which rules say in their own way."""
    if isinstance(form, Has):
        return replace(form, concept="", kind="", other_than=())
    return replace(form, genes=(), other_than=()) if isinstance(form, Gene) else form
