"""Typed replies: from one pydantic class what a model is asked for, the lenient reading of what it
wrote, and what of it stands in the text that it read.

    class Relevance(Reply):
        relevant: Literal["yes", "no"]
        reason: Annotated[str, Field(description="one short sentence")] = ""

Every field is asked for. A field without a default must be given, else the reply is unreadable; one
that may be None is None where nothing is stated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Generic

from pydantic import BaseModel

from clinfo.runs.protocols import Ask, Message, ModelRequest
from clinfo.runs.reply_reading import read
from clinfo.runs.reply_types import (
    AlsoCalled,
    AlsoSaid,
    Figure,
    Kind,
    Listed,
    OutOf,
    Quotation,
    Reply,
    item_of,
    layout_of,
    plain_type,
    schema_of,
)
from clinfo.text.stated_numbers import numbers_in, stated_numbers

__all__ = [
    "AlsoCalled",
    "AlsoSaid",
    "Figure",
    "Kind",
    "Listed",
    "OutOf",
    "Quotation",
    "Reply",
    "Typed",
    "grounded",
    "layout_of",
    "read",
    "recorded",
    "schema_of",
    "typed",
]

if TYPE_CHECKING:
    from clinfo.runs.run_log import RunLog

Locate = Callable[[str, str], tuple[int, int] | None]
"""The place of a quotation in a text, None where it does not stand there."""
UNREADABLE: Final = "Your reply could not be read. "
_EMPTIED: Final = object()


@dataclass(frozen=True)
class Typed(Generic[Kind]):
    """A reply that was asked for: what it says, None where it could not be read, and who wrote it;
    where nothing was written, why it was ``withheld``.
    """

    value: Kind | None
    model: str
    text: str
    withheld: str = ""


async def typed(
    ask: Ask, call: str, request: ModelRequest, kind: type[Kind], *, again: bool = True
) -> Typed[Kind]:
    """The reply that ``ask`` brings, read as ``kind``. One that cannot be read is asked for
    ``again`` once, as "CALL again"; one without a word is not. Raises what ``ask`` raises.
    """
    reply = await ask(call, request)
    value = read(kind, reply.text)
    if value is None and again and reply.text.strip():
        wrong = Message("user", f"{UNREADABLE}{layout_of(kind)}")
        messages = (*request.messages, Message("assistant", reply.text), wrong)
        request = replace(request, messages=messages, attempt=1, layout="")
        reply = await ask(f"{call} again", request)
        value = read(kind, reply.text)
    withheld = reply.warnings[-1] if reply.warnings and not reply.text.strip() else ""
    return Typed(value, reply.model, reply.text, withheld.removeprefix(f"{reply.model}: "))


def recorded(log: RunLog, call: str, kind: type[Kind]) -> Kind | None:
    """What the recorded reply that `typed` got for ``call`` says; None without a readable one."""
    replies = (log.reply(f"{call} again"), log.reply(call))
    return next((said for one in replies if one and (said := read(kind, one.reply))), None)


def grounded(reply: Kind, text: str, locate: Locate | None = None) -> tuple[Kind, int]:
    """The reply with those of its fields emptied whose figures or quotations do not stand in
    ``text``, and how many these were.

    A figure stands there where each of its numbers does, with its sign; words where ``locate``
    finds them, which without it are left as they are.
    """
    emptied = 0

    def held(value: Any, marks: Sequence[Any]) -> bool:
        if any(isinstance(mark, Figure) for mark in marks):
            return all(number in stated for number in _numbers(value))
        if locate is not None and any(isinstance(mark, Quotation) for mark in marks):
            return locate(str(value), text) is not None
        return True

    def checked(value: Any, annotation: Any, marks: Sequence[Any]) -> Any:
        """The value, or `_EMPTIED`."""
        nonlocal emptied
        annotation, own, _ = plain_type(annotation)
        marks = (*marks, *own)
        if isinstance(value, BaseModel):
            return within(value)
        if isinstance(value, (list, tuple)):
            item = item_of(annotation)
            kept = [one for each in value if (one := checked(each, item, marks)) is not _EMPTIED]
            return type(value)(kept)
        if value is None or value == "" or held(value, marks):
            return value
        emptied += 1
        return _EMPTIED

    def within(one: BaseModel) -> BaseModel:
        changed: dict[str, Any] = {}
        for name, field in type(one).model_fields.items():
            value = getattr(one, name)
            kept = checked(value, field.annotation, field.metadata)
            if kept is _EMPTIED:
                given = "" if field.is_required() else field.get_default(call_default_factory=True)
                changed[name] = None if plain_type(field.annotation)[2] else given
            elif kept != value:
                changed[name] = kept
        return one.model_copy(update=changed) if changed else one

    stated = stated_numbers(text)
    return within(reply), emptied  # type: ignore[return-value]


def _numbers(value: Any) -> list[Decimal]:
    if isinstance(value, (int, float)):
        return [Decimal(str(value))]
    return numbers_in(str(value))
