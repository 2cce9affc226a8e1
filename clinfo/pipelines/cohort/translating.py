"""Criteria in words → a logical form, by the model that was named.

The model is shown the criteria alone, with the names of index and vocabularies that stand in them.
Names of its form that neither has are offered to it once more with the nearest; a second call holds
the form, written as a query, against the criteria and names what it leaves out, adds or assumes:
the model mends it once, or stays with it, which is said.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from clinfo.errors import ModelError, UsageError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.form import CODES, Form, from_json
from clinfo.pipelines.cohort.query import EXAMPLE
from clinfo.pipelines.cohort.query_text import query_text, quoted
from clinfo.pipelines.cohort.records import CriteriaRefused
from clinfo.pipelines.cohort.stages import READBACK, TRANSLATE, ReadBack, Translation
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.runs.pipeline import Stage
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import Reply, Typed, typed
from clinfo.text.words import key

_TRIES = 4
"""The first form, and one more for each of three kinds of fault."""
OnIndex = Callable[..., Awaitable[Any]]
"""Does some work with the index's `Concepts` and further arguments, in the thread of the index."""


class AskedBack(UsageError):
    """Criteria or a form that have to be said otherwise, ``refused`` for the reasons it holds."""

    def __init__(
        self, told: str, words: tuple[str, ...] = (), query: str = "", **more: Any
    ) -> None:
        self.refused = CriteriaRefused(
            told=told, words=words, query=query, **{"near": {}, "reasons": {}, **more}
        )
        super().__init__(f"{told}. Read so far: {query}" if query else told)


def checked(concepts: Concepts, form: Form, taken: tuple[str, ...] = ()) -> Form:
    """A form whose names are known. Raises AskedBack, with what was ``taken`` for granted."""
    if unknown := concepts.unknown(form):
        told = f"no note and no vocabulary names {_offered(unknown)}"
        raise AskedBack(told, (*unknown,), near=unknown, assumptions=taken)
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
) -> tuple[Form, tuple[str, ...]]:
    """The form that the recorder's model gives, and what it took for granted. A reply that holds no
    form, names that nothing has and what the form was found to leave out or add are each told to it
    once.

    Raises IdentifiersFound before anything is sent, AskedBack, BudgetReached, and ModelError where
    no form came.
    """

    async def asked(
        stage: Stage, kind: type[Reply], at: int, beside: tuple[str, ...], **filled: str
    ) -> Typed[Any]:
        messages = prompts[stage.name].fill(criteria=fenced(criteria, "criteria"), **filled)
        shown = {"criteria": criteria, "beside": beside}
        request = stage.request(messages, shown, attempt=at)
        mended = stage is READBACK  # a translation is asked for again in words of its own
        return await typed(recorder.ask, f"{stage.name} {at}", request, kind, again=mended)

    refuse_texts({"criteria": criteria})
    names = await on_index(_named_in, criteria)
    told, wrong, again, doubted = set[str](), list[str](), "", None
    for attempt in range(_TRIES):
        reply = await asked(TRANSLATE, Translation, attempt, names, codes=CODES, again=again,
                            names="; ".join(names) or "none")  # fmt: skip
        said = reply.value or Translation()
        unclear = {one.words: one.reason for one in said.not_understood}
        try:
            none = said.logical_form is None and unclear
            form = None if none else from_json(said.logical_form)
        except UsageError as error:
            if "form" in told:
                none_read = f"{reply.model} gave no form that can be read: {error}"
                raise ModelError(none_read) from None
            told.add("form")
            again = f"Your last reply held no form that can be read: {error}."
            continue
        if form is None or unclear:
            why = [f"{one} ({why.rstrip('.')})" if why else one for one, why in unclear.items()]
            query = "" if form is None else query_text(form)
            raise AskedBack(f"not understood: {'; '.join(why)}", (*unclear,), query,
                            reasons=unclear, assumptions=said.assumptions)  # fmt: skip
        query = query_text(form)
        unknown = await on_index(Concepts.unknown, form)
        if unknown and "names" not in told:
            told.add("names")
            again = (
                f"Nothing has these names of your form {query}: {_offered(unknown)}. "
                "Take one of the names near to it where it means the same, or a usual one."
            )
            continue
        await on_index(checked, form, said.assumptions)
        if form == doubted:  # the model stays with it: the reader's doubts go to the user
            recorder.warn("readback", f"a reader of the query says: {'; '.join(wrong)}", "criteria")
            return form, said.assumptions
        taken = said.assumptions
        held: ReadBack | None = (
            await asked(READBACK, ReadBack, attempt, (query, *taken), query=query,
                        assumptions="; ".join(taken) or "nothing")
        ).value  # fmt: skip
        if held is None:
            unread = "the form could not be held against the criteria: no reply could be read"
            recorder.warn("readback", unread, "criteria")
            held = ReadBack()
        wrong = [f"it leaves out: {one}" for one in held.missing]
        wrong += [f"it adds: {one}" for one in held.added]
        assumed = tuple(dict.fromkeys((*taken, *held.assumed)))
        if not wrong:
            return form, assumed
        if doubted is not None:
            words = (*held.missing, *held.added)
            raise AskedBack("; ".join(wrong), words, query, assumptions=assumed)
        doubted = form
        again = (
            f"A reader held your form, {query}, against the criteria: "
            f"{'; '.join(wrong)}. Mend it where the reader is right; else give it again."
        )
    raise AskedBack(again)


def _offered(unknown: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(
        f"{quoted(name)} (near: {', '.join(map(quoted, near))})" if near else quoted(name)
        for name, near in unknown.items()
    )
