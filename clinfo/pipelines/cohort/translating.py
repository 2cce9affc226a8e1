"""Criteria in words → a logical form, by the model that was named.

The model is shown the criteria alone, with the names of index and vocabularies that stand in them.
Names of its form that neither has are offered to it once more with the nearest; a second call holds
the form, written as a query, against the criteria and names what it leaves out, adds or assumes:
the model mends it once, or stays with it, which is said.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clinfo.errors import ModelError, UsageError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.llm.schemas import TEXT, Schema, closed, list_of
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.contradictions import contradictions
from clinfo.pipelines.cohort.form import Form
from clinfo.pipelines.cohort.query import EXAMPLE
from clinfo.pipelines.cohort.query_text import query_text, quoted
from clinfo.pipelines.cohort.shapes import CODES, definitions, from_json
from clinfo.pipelines.cohort.stages import READBACK, TRANSLATE, Shown
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.runs.protocols import Message
from clinfo.runs.recorder import Recorder
from clinfo.text.structured import json_object, texts_of

_TRIES = 4
"""The first form, and one more for each of three kinds of fault."""
SCHEMA: Final[Schema] = {
    **closed(
        form={"anyOf": [{"$ref": "#/$defs/form"}, {"type": "null"}]},
        not_understood=list_of(closed(words=TEXT, reason=TEXT)),
        assumptions=list_of(TEXT),
    ),
    "$defs": definitions(every=True),
}
_TRANSLATION = (
    'Reply with one JSON object and nothing else: {"form": FORM or null, "not_understood": '
    '[{"words": text, "reason": text}], "assumptions": [text]}'
)
READ_BACK: Final[Schema] = closed(missing=list_of(TEXT), added=list_of(TEXT), assumed=list_of(TEXT))
_READBACK = (
    "Reply with one JSON object and nothing else: "
    '{"missing": [text], "added": [text], "assumed": [text]}'
)


OnIndex = Callable[..., Awaitable[Any]]
"""Does some work with the index's `Concepts` and further arguments, in the thread of the index."""


class AskedBack(UsageError):
    """Criteria or a form that have to be said otherwise. ``words`` are what is not understood, each
    with the reason where one was given, ``near`` names that each may be meant by: to be offered,
    never taken; ``query`` is what the rest was read as.
    """

    def __init__(
        self,
        told: str,
        words: Iterable[str] | Mapping[str, str] = (),
        near: Mapping[str, tuple[str, ...]] | None = None,
        query: str = "",
    ) -> None:
        self.words, self.reasons = tuple(words), dict(words) if isinstance(words, Mapping) else {}
        self.told, self.near, self.query = told, dict(near or {}), query
        super().__init__(f"{told}. Read so far: {query}" if query else told)


@dataclass(frozen=True, slots=True)
class Translated:
    """A form with what the model took for granted."""

    form: Form
    assumptions: tuple[str, ...] = ()


def checked(concepts: Concepts, form: Form) -> Form:
    """A form whose names are known and that somebody can match. Raises AskedBack."""
    if unknown := concepts.unknown(form):
        raise AskedBack(f"no note and no vocabulary names {_offered(unknown)}", [*unknown], unknown)
    if impossible := contradictions(form):
        raise AskedBack(f"nobody can match {'; '.join(impossible)}", impossible)
    return form


def _named_in(concepts: Concepts, criteria: str) -> tuple[str, ...]:
    """The names that stand in criteria, as queries write them."""
    found = (
        f"{kind} {name if kind == 'value' else quoted(name)}"
        for kind, name in concepts.in_words(criteria)
    )
    return tuple(dict.fromkeys(found))


def without_model(concepts: Concepts, criteria: str) -> AskedBack:
    """What is said of criteria in words where no model was named."""
    found = _named_in(concepts, criteria)
    names = f". Names in these words: {'; '.join(found)}" if found else ""
    return AskedBack(
        "criteria in words want a model (--model NAME); without one write a query, as --query "
        f"'{EXAMPLE}' (docs/cohort.md has the language on a page){names}"
    )


async def translated(
    recorder: Recorder[Any], prompts: Mapping[str, Prompt], criteria: str, on_index: OnIndex
) -> Translated:
    """The form that the recorder's model gives. A reply that holds no form, names that nothing has
    and what the form was found to leave out or add are each told to it once.

    Raises IdentifiersFound before anything is sent, AskedBack, BudgetReached, and ModelError where
    no form came.
    """
    refuse_texts({"criteria": criteria})
    told, again, names = set[str](), "", await on_index(_named_in, criteria)
    doubted: Form | None = None
    wrong: list[str] = []
    for attempt in range(_TRIES):
        said, by = await _translation(recorder, prompts["translate"], criteria, names, again,
                                      attempt)  # fmt: skip
        unclear = _not_understood(said.get("not_understood"))
        try:
            form = None if said.get("form") is None and unclear else from_json(said.get("form"))
        except UsageError as error:
            if "form" in told:
                raise ModelError(f"{by} gave no form that can be read: {error}") from None
            told.add("form")
            again = f"Your last reply held no form that can be read: {error}."
            continue
        if form is None or unclear:
            rest = "" if form is None else query_text(form)
            words = "; ".join(
                f"{one} ({reason.rstrip('.')})" if reason else one
                for one, reason in unclear.items()
            )
            raise AskedBack(f"not understood: {words}", unclear, query=rest)
        unknown = await on_index(Concepts.unknown, form)
        if unknown and "names" not in told:
            told.add("names")
            again = (
                f"Nothing has these names of your form {query_text(form)}: {_offered(unknown)}. "
                "Take one of the names near to it where it means the same, or a usual one."
            )
            continue
        await on_index(checked, form)
        taken = tuple(_listed(said.get("assumptions")))
        if form == doubted:  # the model stays with it: the reader's doubts go to the user
            recorder.warn("readback", f"a reader of the query says: {'; '.join(wrong)}", "criteria")
            return Translated(form, taken)
        missing, added, assumed = await _read_back(recorder, prompts["readback"], criteria, form,
                                                   taken, attempt)  # fmt: skip
        wrong = [f"it leaves out: {one}" for one in missing] + [f"it adds: {one}" for one in added]
        if not wrong:
            return Translated(form, tuple(dict.fromkeys((*taken, *assumed))))
        if doubted is not None:
            raise AskedBack("; ".join(wrong), (*missing, *added), query=query_text(form))
        doubted = form
        again = (
            f"A reader held your form, {query_text(form)}, against the criteria: "
            f"{'; '.join(wrong)}. Mend it where the reader is right; else give it again."
        )
    raise AskedBack(again)


def _offered(unknown: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(
        f"{quoted(name)} (near: {', '.join(map(quoted, near))})" if near else quoted(name)
        for name, near in unknown.items()
    )


async def _translation(
    recorder: Recorder[Any], prompt: Prompt, criteria: str, names: tuple[str, ...], again: str,
    attempt: int,
) -> tuple[dict[str, Any], str]:  # fmt: skip
    """The model's reply, and its name."""
    (*before, last) = prompt.fill(
        criteria=fenced(criteria, "criteria"), names="; ".join(names) or "none", codes=CODES,
        again=again,
    )  # fmt: skip
    messages = (*before, Message("user", f"{last.content.rstrip()}\n\n{_TRANSLATION}"))
    request = TRANSLATE.request(
        messages, Shown(criteria=criteria, beside=names), schema=SCHEMA, temperature=0.0,
        attempt=attempt,
    )  # fmt: skip
    reply = await recorder.ask(f"{TRANSLATE.name} {attempt}", request)
    return json_object(reply.text) or {}, reply.model


async def _read_back(
    recorder: Recorder[Any], prompt: Prompt, criteria: str, form: Form, taken: tuple[str, ...],
    attempt: int,
) -> tuple[list[str], ...]:  # fmt: skip
    """What a form leaves out of the criteria, adds to them and assumes; a reply that cannot be read
    finds nothing, which is said.
    """
    query = query_text(form)
    (*before, last) = prompt.fill(
        criteria=fenced(criteria, "criteria"),
        query=query,
        assumptions="; ".join(taken) or "nothing",
    )
    messages = (*before, Message("user", f"{last.content.rstrip()}\n\n{_READBACK}"))
    request = READBACK.request(
        messages, Shown(criteria=criteria, beside=(query, *taken)), schema=READ_BACK,
        temperature=0.0, attempt=attempt,
    )  # fmt: skip
    said = json_object((await recorder.ask(f"{READBACK.name} {attempt}", request)).text)
    if said is None:
        told = "the form could not be held against the criteria: no reply could be read"
        recorder.warn("readback", told, "criteria")
    return tuple(_listed((said or {}).get(name)) for name in ("missing", "added", "assumed"))


def _not_understood(value: object) -> dict[str, str]:
    """What the model says that the form cannot say, each with its reason, "" without one."""
    found: dict[str, str] = {}
    for one in value if isinstance(value, list) else [value]:
        words, reason = (
            (one.get("words"), one.get("reason")) if isinstance(one, dict) else (one, None)
        )
        found |= dict.fromkeys(_listed(words), "; ".join(_listed(reason)))
    return found


def _listed(value: object) -> list[str]:
    """A list of sentences, none of which says that there is nothing."""
    return [
        text for one in (value if isinstance(value, list) else [value]) for text in texts_of([one])
    ]
