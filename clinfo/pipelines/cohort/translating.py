"""Criteria that the rules refuse → a logical form, by a language model held to the form's schema.

The model is shown the criteria alone. Each single criterion of its form is then said in words and
read by the rules, so that names are the same whoever read them; what the rules do not read back as
it was is asked back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from clinfo.errors import ModelError, UsageError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.llm.schemas import TEXT, Schema, closed, list_of
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.declared import TRANSLATE, Translating
from clinfo.pipelines.cohort.form import Form, Gene, Has, mapped
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.shapes import definitions, from_json
from clinfo.pipelines.cohort.wording import text_of
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.runs.protocols import Message
from clinfo.runs.recorder import Recorder
from clinfo.text.structured import json_object, texts_of

_TRIES = 2
SCHEMA: Final[Schema] = {
    **closed(
        form={"anyOf": [{"$ref": "#/$defs/form"}, {"type": "null"}]}, not_understood=list_of(TEXT)
    ),
    "$defs": definitions(every=True),
}


async def translated(
    recorder: Recorder[Any], prompt: Prompt, criteria: str, refused: Sequence[str]
) -> tuple[Form | None, list[str]]:
    """The form that the recorder's model gives, and the words that it does not understand. A reply
    that holds no form is asked for once more.

    Raises IdentifiersFound before anything is sent, BudgetReached, and ModelError where no form
    came.
    """
    refuse_texts({"criteria": criteria})
    (*before, last) = prompt.fill(
        criteria=fenced(criteria, "criteria"), words=json.dumps(list(refused))
    )
    wanted = f"Reply with one JSON object and nothing else, of this schema:\n{_SCHEMA_TEXT}"
    messages = (*before, Message("user", f"{last.content}\n\n{wanted}"))
    variables, problem = Translating(criteria=criteria, words=tuple(refused)), ""
    for attempt in range(_TRIES):
        request = TRANSLATE.request(
            messages, variables, schema=SCHEMA, temperature=0.0, attempt=attempt
        )
        reply = await recorder.ask(f"{TRANSLATE.name} {attempt}", request)
        said = json_object(reply.text) or {}
        unclear = texts_of(said.get("not_understood"))
        if said.get("form") is None and unclear:
            return None, unclear
        try:
            return from_json(said.get("form")), unclear
        except UsageError as error:
            problem = f"{reply.model} gave no form that can be read: {error}"
    raise ModelError(problem)


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
