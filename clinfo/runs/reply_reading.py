"""The lenient reading of typed replies: what a model wrote in the form of a class, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError

from clinfo.runs.reply_types import (
    AlsoCalled,
    AlsoSaid,
    Kind,
    Listed,
    OutOf,
    is_model,
    item_of,
    plain_type,
)
from clinfo.text.stated_numbers import numbers_in
from clinfo.text.structured import json_values
from clinfo.text.thought import without_thought

NOT_GIVEN: Final = frozenset(
    (
        *("", "null", "none", "n/a", "n.a", "na", "nr", "unknown", "unspecified", "-", "–", "?"),
        *("not reported", "not stated", "not given", "not specified", "not mentioned"),
        *("not provided", "not available", "not applicable", "none reported", "none stated"),
    )
)
"""Contents of a field that says nothing, in lower case."""


def read(kind: type[Kind], text: str) -> Kind | None:
    """The reply that ``text`` holds, None where it holds none.

    The last whole object with a field of ``kind`` counts; one in a wrapper or in a list of one
    counts too. Keys and choices are taken however they are spelled, one value for a list of one, a
    number for its text; what a field cannot hold is not given.
    """
    text = without_thought(text)
    for value in _candidates(kind, text):
        if (fitted := _fitted(kind, value)) is not None:
            with suppress(ValidationError):  # of a rule that the class has of its own
                return kind.model_validate(fitted)
    return None


def _candidates(kind: type[BaseModel], text: str) -> Iterator[Any]:
    """Yield what may be the reply, likely ones first; last what its list of objects, or else its
    first list of texts, holds where the rest is left out.
    """
    found = json_values(text)
    backwards = found[::-1]
    for value, _ in sorted(backwards, key=lambda one: not one[1]):
        if (inner := _unwrapped(kind, value)) is not None:
            yield inner
    items = {
        name: plain_type(item_of(plain_type(field.annotation)[0]))[0]
        for name, field in kind.model_fields.items()
    }
    needed = sorted(items, key=lambda name: not kind.model_fields[name].is_required())
    listed = next((name for name in needed if is_model(items[name])), next(iter(items)))
    item = items[listed]
    if found and (is_model(item) or (item is str and isinstance(backwards[0][0], list))):
        objects = [value for value, _ in found if isinstance(value, dict)]
        lists = [value for value, _ in found if isinstance(value, list)]
        if (
            len(objects) == 1
            and not lists
            and _spellings(item).keys().isdisjoint(map(_key, objects[0]))
        ):  # by a name of the model's own
            lists = [one for one in objects[0].values() if isinstance(one, list)]
        yield {listed: lists[-1] if lists else objects[0] if len(objects) == 1 else objects}
    plain = "" if found else _FENCE.sub("", text).strip()
    if plain and plain[0] not in "{[":  # half an object is no text
        lines = (
            (_spellings(kind).get(_key(one[1])), one[2].strip()) for one in _LINE.finditer(plain)
        )
        if fields := {name: told for name, told in lines if name}:
            yield fields
        if prose := getattr(kind, "prose", ""):
            yield {prose: plain}


_FENCE: Final = re.compile(r"```\w*")
_LINE: Final = re.compile(
    r"^[ \t>*#-]*\**[\"']?([A-Za-z][\w ]{0,40}?)[\"']?\**[ \t]*[:=]\**[ \t]*(.+)$", re.M
)
"""A field as "name: value" on a line of its own."""


def _unwrapped(kind: type[BaseModel], value: Any, depth: int = 0) -> dict[str, Any] | None:
    """The object with fields of ``kind`` in a value: itself, or what an object or a list of one
    holds.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and value.strip().startswith("{"):
        value = next((inner for inner, _ in json_values(value)), None)
    if not isinstance(value, dict) or depth > 3:
        return None
    spellings = _spellings(kind)
    own = [key for key in value if spellings.get(_key(key)) is not None]
    inner = [one for one in value.values() if isinstance(one, (dict, list, str))]
    if own and not (len(value) == 1 and isinstance(value[own[0]], dict)):
        return value
    for one in inner:
        if (deeper := _unwrapped(kind, one, depth + 1)) is not None:
            return deeper
    return value if own else None


@cache
def _spellings(kind: type[BaseModel]) -> dict[str, str]:
    """The fields of ``kind`` by the names that a reply may call them, as `_key` writes them."""
    names: dict[str, str] = {}
    for name, field in kind.model_fields.items():
        also = [
            one for mark in field.metadata if isinstance(mark, AlsoCalled) for one in mark.names
        ]
        for one in (name, *also):
            names.setdefault(_key(one), name)
    return names


def _key(name: object) -> str:
    """A name without regard to case, blanks, hyphens and underscores."""
    return "".join(filter(str.isalnum, str(name))).lower()


def _fitted(kind: type[BaseModel], value: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of ``kind`` as far as ``value`` gives them, None where one is missing that must be
    given.
    """
    spellings = _spellings(kind)
    given: dict[str, Any] = {}
    for key, one in value.items():
        if (name := spellings.get(_key(key))) is not None and (
            name not in given or str(key) == name
        ):
            given[name] = one
    fitted: dict[str, Any] = {}
    for name, field in kind.model_fields.items():
        held = _fit(given.get(name), field.annotation, field.metadata)
        if held is not _MISSING:
            fitted[name] = held
        elif field.is_required():
            return None
    return fitted


_MISSING: Final = object()


def _fit(value: Any, annotation: Any, marks: Sequence[Any] = ()) -> Any:
    """A value as a field of this type holds it; `_MISSING` where it cannot, or says nothing and
    None is no value of the field.
    """
    annotation, own, maybe = plain_type(annotation)
    nothing = None if maybe else _MISSING
    marks = (*marks, *own)
    if (item := item_of(annotation)) is not None:
        return nothing if value is None else _list(value, item, marks, nothing)
    if is_model(annotation):
        return _object(value, annotation, nothing)
    if annotation is Any:
        return value
    value = _sole(value)
    held: Any
    if get_origin(annotation) is Literal:
        also = [pair for mark in marks if isinstance(mark, AlsoSaid) for pair in mark.words]
        held = _choice(value, get_args(annotation), dict(also))
    elif annotation is bool:
        held = value if isinstance(value, bool) else _BOOLEANS.get(str(value).strip().lower())
    elif annotation in (int, float):
        out_of = next((mark.most for mark in marks if isinstance(mark, OutOf)), None)
        held = _number(value, annotation is int, out_of)
    else:
        held = _text(value)
    return nothing if held is None else held


_HELD: Final = ("value", "answer", "verdict", "label", "text")
_BOOLEANS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _sole(value: Any) -> Any:
    """The one value that stands where one was asked for: in a list of one, in an object such as
    {"value": 40, "unit": "people"}.
    """
    if isinstance(value, dict):
        given = [one for one in value.values() if _text(one)]
        sole = given[0] if len(given) == 1 else None
        value = next((value[name] for name in _HELD if name in value), sole)
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _object(value: Any, kind: type[BaseModel], nothing: Any) -> Any:
    if isinstance(value, dict):
        inner: Mapping[str, Any] | None = value
    elif (inner := _unwrapped(kind, value)) is None:
        needed = [name for name, field in kind.model_fields.items() if field.is_required()]
        prose = getattr(kind, "prose", "") or (needed[0] if len(needed) == 1 else "")
        inner = {prose: value} if prose and _text(value) is not None else None
    fitted = _fitted(kind, inner) if inner is not None else None
    return nothing if fitted is None else fitted


def _list(value: Any, item: Any, marks: Sequence[Any], nothing: Any) -> Any:
    if isinstance(value, str) and value.strip()[:1] in ("[", "{") and (held := json_values(value)):
        value = held[-1][0]
    if isinstance(value, str) and any(isinstance(mark, Listed) for mark in marks):
        value = [part.strip(" \t\"'*•-") for part in re.split(r"[;,\n]", value)]
    if isinstance(value, dict):
        value = _listed(value, plain_type(item)[0])
    given = value if isinstance(value, list) else [value]
    fitted = [_fit(one, item) for one in given]
    held = [one for one in fitted if one is not _MISSING and one is not None]
    if not held and any(isinstance(one, dict) and any(one.values()) for one in given):
        return nothing  # objects of which none could be read are no empty list
    return held or (nothing if nothing is None else [])


def _listed(value: dict[str, Any], model: Any) -> list[Any]:
    """An object in the place of a list: one item, or items by the name that is their first
    field, of which the other that must be given may stand alone.
    """
    if not is_model(model):
        return list(value.values())
    if not _spellings(model).keys().isdisjoint(map(_key, value)):
        return [value]
    first = next(iter(model.model_fields))
    rest = [name for name, field in model.model_fields.items() if field.is_required()][1:]
    return [
        {first: key, **one} if isinstance(one, dict) else {first: key, rest[0]: one}
        for key, one in value.items()
        if isinstance(one, dict) or len(rest) == 1
    ]


def _choice(value: Any, choices: Sequence[Any], also: Mapping[str, str] = {}) -> Any:
    """The choice that a value names, however it is written, or in other words (``also``); one that
    says two names none.
    """
    told = _folded(value)
    by_word = dict(also) | {_folded(one): one for one in choices}
    told = _AS_WORDS.get(told, told) if told not in by_word else told  # true for yes
    if told in by_word:
        return by_word[told]
    # "Yes, it does", "**yes** (see above)": a choice set off from what follows it.
    said = str(value or "").strip(" \"'*`([.")
    end = _SET_OFF.search(said)
    if end is None or _OR.match(said, end.start()):
        return None
    return by_word.get(_folded(said[: end.start()]))


_SET_OFF: Final = re.compile(r"[^\w\s/|_-]|\n|\s[-–—]\s")
_OR: Final = re.compile(r"[\W_]*(?:or|and)\b", re.IGNORECASE)
_JOINTS: Final = str.maketrans("_–-", "   ")
_AS_WORDS: Final = dict.fromkeys(("true", "y", "1"), "yes") | dict.fromkeys(
    ("false", "n", "0"), "no"
)


def _folded(value: Any) -> str:
    told = str("" if value is None else value).translate(_JOINTS)
    return " ".join(told.lower().split()).strip(" .*\"'`")


def _number(value: Any, whole: bool, out_of: int | None) -> int | float | None:
    """412 from 412, "412", "n = 1,412" or "412 people"; None from anything that holds no number or
    more than one, but for what it is ``out_of``.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        number = value
    else:
        found = numbers_in(str(value)[:200])
        if len(found) != 1 and found[1:] != [out_of]:
            return None
        number = float(found[0])
    if number != number or abs(number) >= 1e10:
        return None
    return (int(number) if number == int(number) else None) if whole else float(number)


def _text(value: Any) -> str | None:
    """A value as one line of text, None where it says nothing."""
    if isinstance(value, list):
        return "; ".join(text for one in value if (text := _text(one))) or None
    if value is None or isinstance(value, bool | dict):
        return None
    text = " ".join(str(value).split())
    return None if text.lower().rstrip(".") in NOT_GIVEN else text
