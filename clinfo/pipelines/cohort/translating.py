"""Criteria in words → a logical form, by the model that was named.

The model is shown the criteria alone, with the names of index and vocabularies that stand in them.
Names of its form that neither has are offered to it once more with the nearest; a second call holds
the form, written as a query, against the criteria and names what it leaves out, adds or assumes:
the model mends it once, or stays with it, which is said.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from clinfo.errors import ModelError, UsageError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.form import CODES, Form
from clinfo.pipelines.cohort.query import EXAMPLE
from clinfo.pipelines.cohort.query_text import query_text, quoted
from clinfo.pipelines.cohort.replies import ReadBack, Translation
from clinfo.pipelines.cohort.shapes import from_json
from clinfo.pipelines.cohort.stages import READBACK, TRANSLATE, Shown
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import typed
from clinfo.text.words import key

_TRIES = 4
"""The first form, and one more for each of three kinds of fault."""
OnIndex = Callable[..., Awaitable[Any]]
"""Does some work with the index's `Concepts` and further arguments, in the thread of the index."""


class AskedBack(UsageError):
    """Criteria or a form that have to be said otherwise. ``words`` are what is not understood, each
    with the reason where one was given, ``near`` names that each may be meant by: to be offered,
    never taken; ``query`` is what the rest was read as, ``assumptions`` what was taken for granted.
    """

    def __init__(
        self,
        told: str,
        words: Iterable[str] | Mapping[str, str] = (),
        near: Mapping[str, tuple[str, ...]] | None = None,
        query: str = "",
        assumptions: tuple[str, ...] = (),
    ) -> None:
        self.words, self.reasons = tuple(words), dict(words) if isinstance(words, Mapping) else {}
        self.told, self.near, self.query = told, dict(near or {}), query
        self.assumptions = assumptions
        super().__init__(f"{told}. Read so far: {query}" if query else told)


@dataclass(frozen=True, slots=True)
class Translated:
    """A form with what the model took for granted."""

    form: Form
    assumptions: tuple[str, ...] = ()


def checked(concepts: Concepts, form: Form, taken: tuple[str, ...] = ()) -> Form:
    """A form whose names are known. Raises AskedBack, with what was ``taken`` for granted."""
    if unknown := concepts.unknown(form):
        told = f"no note and no vocabulary names {_offered(unknown)}"
        raise AskedBack(told, [*unknown], unknown, assumptions=taken)
    return form


def _named_in(concepts: Concepts, criteria: str) -> tuple[str, ...]:
    """The names that stand in criteria, as queries write them, each with what it is known as."""
    found = (
        f"{kind} {name}" if kind in ("value", "gene")
        else f"{kind} {quoted(said)}" + (f" ({name})" if key(name) != key(said) else "")
        for kind, said, name in concepts.in_words(criteria)
    )  # fmt: skip
    return tuple(dict.fromkeys(found))


def without_model(concepts: Concepts, criteria: str) -> AskedBack:
    """Return what is said of criteria in words where no model was named."""
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
        unclear = {one.words: one.reason for one in said.not_understood}
        try:
            given = said.logical_form
            form = None if given is None and unclear else from_json(given)
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
            raise AskedBack(
                f"not understood: {words}", unclear, query=rest, assumptions=said.assumptions
            )
        unknown = await on_index(Concepts.unknown, form)
        if unknown and "names" not in told:
            told.add("names")
            again = (
                f"Nothing has these names of your form {query_text(form)}: {_offered(unknown)}. "
                "Take one of the names near to it where it means the same, or a usual one."
            )
            continue
        await on_index(checked, form, said.assumptions)
        if form == doubted:  # the model stays with it: the reader's doubts go to the user
            recorder.warn("readback", f"a reader of the query says: {'; '.join(wrong)}", "criteria")
            return Translated(form, said.assumptions)
        held = await _read_back(recorder, prompts["readback"], criteria, form, said.assumptions,
                                attempt)  # fmt: skip
        wrong = [f"it leaves out: {one}" for one in held.missing]
        wrong += [f"it adds: {one}" for one in held.added]
        assumed = tuple(dict.fromkeys((*said.assumptions, *held.assumed)))
        if not wrong:
            return Translated(form, assumed)
        if doubted is not None:
            raise AskedBack(
                "; ".join(wrong), (*held.missing, *held.added), None, query_text(form), assumed
            )
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
) -> tuple[Translation, str]:  # fmt: skip
    """The model's reply, and its name."""
    messages = prompt.fill(
        criteria=fenced(criteria, "criteria"), names="; ".join(names) or "none", codes=CODES,
        again=again,
    )  # fmt: skip
    shown = Shown(criteria=criteria, beside=names)
    request = TRANSLATE.request(messages, shown, temperature=0.0, attempt=attempt)
    call = f"{TRANSLATE.name} {attempt}"
    reply = await typed(recorder.ask, call, request, Translation, again=False)
    return reply.value or Translation(), reply.model


async def _read_back(
    recorder: Recorder[Any], prompt: Prompt, criteria: str, form: Form, taken: tuple[str, ...],
    attempt: int,
) -> ReadBack:  # fmt: skip
    """What a form leaves out of the criteria, adds to them and assumes; a reply that cannot be read
    finds nothing, which is said.
    """
    query = query_text(form)
    messages = prompt.fill(
        criteria=fenced(criteria, "criteria"),
        query=query,
        assumptions="; ".join(taken) or "nothing",
    )
    shown = Shown(criteria=criteria, beside=(query, *taken))
    request = READBACK.request(messages, shown, temperature=0.0, attempt=attempt)
    said = (await typed(recorder.ask, f"{READBACK.name} {attempt}", request, ReadBack)).value
    if said is None:
        told = "the form could not be held against the criteria: no reply could be read"
        recorder.warn("readback", told, "criteria")
    return said or ReadBack()
