"""Arguments and fields as people, forms and models give them: how they are taken, and what is said,
in the words of JSON, of those that cannot be used.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, model_validator

from clinfo.text.wording import did_you_mean

if TYPE_CHECKING:
    from pydantic import ValidationError


class Given(BaseModel):
    """Fields taken `as_given`; one that may be left out and is left empty is not given."""

    @model_validator(mode="before")
    @classmethod
    def _as_given(cls, sent: Any) -> Any:
        if not isinstance(sent, Mapping):
            return sent
        needed = {name for name, field in _fields(cls).items() if field.is_required()}
        given = taken(cls, sent)
        return {name: one for name, one in given.items() if one is not None or name in needed}


def taken(kind: type[BaseModel], sent: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that were sent, each `as_given`: one left empty that may be is None."""
    known, given = _fields(kind), {}
    for name, value in sent.items():
        field = known.get(name)
        read = as_given(value, field.annotation if field is not None else None)
        needed = field is not None and field.is_required()
        empty = "" if isinstance(value, str) and not bare(value) else value
        given[name] = empty if read is None and needed else read
    return given


_FEW: Final = 12
_NEEDED: Final = {
    "int": "a whole number", "float": "a number", "decimal": "a number", "string": "text",
    "bool": "true or false", "tuple": "a list", "list": "a list", "set": "a list",
    "dict": "an object", "model": "an object", "date": "a date, YYYY-MM-DD",
}  # fmt: skip
_RANGE: Final = {
    "greater_than_equal": "ge", "less_than_equal": "le", "greater_than": "gt", "less_than": "lt",
}  # fmt: skip
_BOUNDS: Final = {
    "ge": "from {:,.10g}", "gt": "above {:,.10g}", "le": "to {:,.10g}", "lt": "below {:,.10g}",
}  # fmt: skip


def fault(error: ValidationError, kind: type[BaseModel], unknown_name: str) -> tuple[str, str]:
    """The place of what cannot be used in fields of ``kind``, and what is wrong with it, in the
    words of JSON. Names that there are none of are told first and all: ``unknown_name``.
    """
    faults = error.errors(include_url=False)
    known = _fields(kind)
    strange = [str(one["loc"][0]) for one in faults if one["type"] == "extra_forbidden"]
    if strange:
        near = next(filter(None, (did_you_mean(name, known) for name in strange)), "")
        takes = f"; it takes {', '.join(known)}" if len(known) <= _FEW else ""
        return ", ".join(name[:40] for name in strange[:5]), f"{unknown_name}{near}{takes}"
    first = faults[0]
    place, value = ".".join(map(str, first["loc"])) or "arguments", first.get("input")
    own = all(isinstance(at, int) for at in first["loc"][1:])  # of the field, or in its list
    field = known.get(str(first["loc"][0])) if first["loc"] and own else None
    told, how = str(first["type"]), first.get("ctx", {})
    if told == "missing" or (told in ("string_too_short", "too_short") and not value):
        return place, "is missing" if told == "missing" else "is empty"
    if told == "literal_error":
        choices = _choices(field.annotation) if field else []
        return place, unknown(value, choices or [str(how.get("expected", "")).replace("'", "")])
    needed = _NEEDED.get(told.split("_")[0]) if not told.startswith("string_too") else None
    if needed is None and told in _RANGE:
        kinds = [*_parts(field.annotation)] if field else [type(value)]
        needed = "a whole number" if float not in kinds else "a number"
    if needed is None:
        beside = r"^(?:Value error,|[A-Z][a-z]+(?= should)) | after validation"
        return place, re.sub(beside, "", first["msg"]).replace("should ", "must ", 1)
    every = (*field.metadata, *_parts(field.annotation)) if field else ()
    held = ((name, one) for mark in every for one in getattr(mark, "metadata", (mark,))
            for name in _BOUNDS if hasattr(one, name))  # fmt: skip
    marks = {name: getattr(one, name) for name, one in held}
    marks = marks or {_RANGE[told]: how.get(_RANGE[told])} if told in _RANGE else marks
    limits = "".join(f" {_BOUNDS[one].format(marks[one])}" for one in _BOUNDS if one in marks)
    limits = limits.replace(" to ", " and at most ") if "gt" in marks else limits
    shows = needed != "text" and not isinstance(value, (dict, list, tuple))
    return place, f"must be {needed}{limits}" + (f", not {shown(value)}" if shows else "")


def _fields(kind: type[BaseModel]) -> dict[str, Any]:
    """The fields of a class by the names that they are given by."""
    return {field.alias or name: field for name, field in kind.model_fields.items()}


def _parts(kind: Any) -> Iterator[Any]:
    """Yield a type, the types in it and what they say of their values."""
    yield kind
    for one in get_args(kind):
        yield from _parts(one)


def _choices(kind: Any) -> list[Any]:
    return [one for part in _parts(kind) if get_origin(part) is Literal for one in get_args(part)]


def as_given(value: Any, kind: Any) -> Any:
    """A value that may be left out as its type has it, None where it is left empty.

    Forms and models fill what they do not mean with "" or [], write one value for a list of one, a
    number for a text, a text for a number, a choice in capitals; programs give a day as a date and
    a list as a set. What fits nothing stays.
    """
    value = value.tolist() if hasattr(value, "tolist") else value  # of numpy or pandas
    if isinstance(value, date):  # one with a time of day is one too
        value = value.isoformat()[:10]
    elif isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if kind in (None, Any):
        return None if isinstance(value, str) and not bare(value) else value
    kind = getattr(kind, "__origin__", kind) if hasattr(kind, "__metadata__") else kind
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    lists = [one for one in kinds if get_origin(one) in (tuple, list) or one in (tuple, list)]
    item = next(iter(get_args(lists[0])), Any) if lists else None
    if lists and (not isinstance(value, dict) or hasattr(item, "model_fields")):
        if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        elif isinstance(value, str) and get_origin(item) is Literal:
            value = [one.strip() for one in value.split(",")]
        every = value if isinstance(value, (list, tuple)) else [value]
        return [read for one in every if (read := as_given(one, item)) is not None] or None
    if isinstance(value, str):
        return _out_of_text(value, kinds) if bare(value) not in ("", "null") else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        whole = isinstance(value, int) or value.is_integer()
        if str in kinds or date in kinds:
            return str(int(value) if whole else value)
        if int in kinds and whole:
            return int(value)
    return value


def bare(text: str) -> str:
    """A text without white space and without signs of no width around it; bytes of no text stay."""
    unseen = (sign.isspace() or unicodedata.category(sign) == "Cf" for sign in text)
    seen = [place for place, none in enumerate(unseen) if not none]
    return text[seen[0] : seen[-1] + 1] if seen else ""


def _out_of_text(value: str, kinds: Sequence[Any]) -> Any:
    if str in kinds:
        return value
    told = value.strip().lower()
    if bool in kinds and told in ("true", "false"):
        return told == "true"
    for number in (int, float):
        with suppress(ValueError):
            if number in kinds:
                return number(told)
    choices = {str(one).lower(): one for kind in kinds for one in get_args(kind)}
    return choices.get(told, value)


def unknown(value: object, choices: Sequence[Any], offered: str = "") -> str:
    """The fault of a value that is not among the choices, which ``offered`` may name in words."""
    near = did_you_mean(str(value), map(str, choices))
    return f"{shown(value)} is unknown{near}; choose one of: {offered or ', '.join(choices)}"


def shown(value: object) -> str:
    """A short, printable form of a value that was refused."""
    told = value if isinstance(value, str) else repr(value)
    clean = "".join(character if character.isprintable() else "�" for character in told)
    return f"“{clean[:40]}…”" if len(clean) > 40 else f"“{clean}”"
