"""Typed replies: from one pydantic class what a model is asked for, the lenient reading of what it
wrote, and what of it stands in the text that it read.

    class Relevance(Reply):
        relevant: Literal["yes", "no"]
        reason: Annotated[str, Field(description="one short sentence")] = ""

Every field is asked for. A field without a default must be given, else the reply is unreadable; one
that may be None is None where nothing is stated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Final, Generic, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from clinfo.runs.protocols import Ask, Message, ModelRequest
from clinfo.text.stated_numbers import numbers_in, stated_numbers
from clinfo.text.structured import json_values
from clinfo.text.thought import without_thought

Locate = Callable[[str, str], tuple[int, int] | None]
"""Where a quotation stands in a text, None where it does not."""


class Reply(BaseModel):
    """A reply of a model. ``form`` is its name where that is not its stage's; ``prose`` names the
    field that a reply in words alone fills, where one does.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)
    form: ClassVar[str] = ""
    prose: ClassVar[str] = ""


Kind = TypeVar("Kind", bound=BaseModel)


@dataclass(frozen=True)
class Figure:
    """Marks a field that holds figures: its digits must stand in the text that was read."""


@dataclass(frozen=True)
class Quotation:
    """Marks a field that holds words of the text that was read."""


@dataclass(frozen=True)
class Listed:
    """Marks a list whose items a model may write as one text, parted by commas, semicolons or
    lines.
    """


@dataclass(frozen=True)
class AlsoCalled:
    """Marks a field that models know by these names too."""

    names: tuple[str, ...]


NOT_GIVEN: Final = frozenset(
    ("", "null", "none", "n/a", "na", "unknown", "not reported", "not stated", "not given", "-")
)
"""What stands in a field that says nothing, in lower case."""
UNREADABLE: Final = "Your reply could not be read. "


# ---- what is asked for


@cache
def schema_of(kind: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a reply in the closed form that providers hold a model to: every field
    required, none besides. What is not recursive is written out in its place.
    """
    whole = kind.model_json_schema(by_alias=False)
    known = whole.pop("$defs", {})
    if "$ref" in whole:  # of one that holds itself
        whole = known[whole["$ref"].rpartition("/")[2]]
    recursive = {name for name in known if _reaches(known, name, name)}
    schema: dict[str, Any] = _closed(whole, known, recursive)
    if recursive:
        schema["$defs"] = {
            name: _closed(known[name], known, recursive) for name in sorted(recursive)
        }
    return schema


def _reaches(known: Mapping[str, Any], start: str, goal: str) -> bool:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        named = set(re.findall(r"#/\$defs/([^\"]+)", json.dumps(known[waiting.pop()])))
        if goal in named:
            return True
        waiting += named - seen
        seen |= named
    return False


def _closed(node: Any, known: Mapping[str, Any], recursive: set[str]) -> Any:
    if isinstance(node, list):
        return [_closed(one, known, recursive) for one in node]
    if not isinstance(node, dict):
        return node
    node = {key: value for key, value in node.items() if key not in ("title", "default")}
    if "$ref" in node and (name := node["$ref"].rpartition("/")[2]) not in recursive:
        del node["$ref"]
        node = {**known[name], **node}
        node.pop("title", None)
    if isinstance(fields := node.get("properties"), dict):
        node["properties"] = {name: _closed(one, known, recursive) for name, one in fields.items()}
        node |= {"required": list(fields), "additionalProperties": False}
        node.pop("description", None)  # a class's docstring is for its readers here
    for key in ("items", "anyOf", "oneOf", "allOf", "prefixItems"):
        if key in node:
            node[key] = _closed(node[key], known, recursive)
    if "const" in node:
        node["enum"] = [node.pop("const")]
    match node.get("anyOf"):
        case [{"type": str(one), **rest}, {"type": "null"}] if one not in ("object", "array"):
            del node["anyOf"]
            node = {"type": [one, "null"], **rest, **node}
            if "enum" in node:
                node["enum"] = [*node["enum"], None]
    return node


@cache
def layout_of(kind: type[BaseModel]) -> str:
    """The form of a reply in words, for a model that is held to no schema."""
    schema = schema_of(kind)
    example = _drawn(schema, schema.get("$defs", {}), ())
    return (
        "Reply with one JSON object and nothing else, in this form (null where nothing is stated):"
        f"\n{example}"
    )


def _drawn(node: Mapping[str, Any], known: Mapping[str, Any], above: tuple[str, ...]) -> str:
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        return "{…}" if name in above else _drawn(known[name], known, (*above, name))
    if "anyOf" in node:
        return " or ".join(_drawn(one, known, above) for one in node["anyOf"])
    if "enum" in node:
        return " | ".join(json.dumps(one, ensure_ascii=False) for one in node["enum"])
    kind = node.get("type")
    maybe = isinstance(kind, list)
    first = kind[0] if isinstance(kind, list) else kind
    told = node.get("description", "…")
    if first == "object":
        fields = node.get("properties", {})
        return (
            "{"
            + ", ".join(f'"{name}": {_drawn(one, known, above)}' for name, one in fields.items())
            + "}"
        )
    if first == "array":
        return f"[{_drawn(node.get('items', {}), known, above)}]"
    if first in ("integer", "number"):
        drawn = told if "description" in node else "number"
    elif first == "boolean":
        drawn = "true | false"
    elif first == "null":
        drawn = "null"
    else:
        drawn = f'"{told}"'
    return f"{drawn} or null" if maybe else drawn


def form_of(kind: type[BaseModel]) -> str:
    """The name of a reply where that is not its stage's, else ""."""
    return str(getattr(kind, "form", ""))


# ---- asking


@dataclass(frozen=True)
class Typed(Generic[Kind]):
    """A reply that was asked for: what it says, None where it could not be read, and who wrote
    it.
    """

    value: Kind | None
    model: str
    text: str


async def typed(
    ask: Ask, call: str, request: ModelRequest, kind: type[Kind], *, again: bool = True
) -> Typed[Kind]:
    """What ``ask`` brings, read as ``kind``. One that cannot be read is asked for ``again`` once,
    as "CALL again"; one without a word is not. Raises what ``ask`` raises.
    """
    reply = await ask(call, request)
    value = read(kind, reply.text)
    if value is None and again and reply.text.strip():
        wrong = Message("user", f"{UNREADABLE}{layout_of(kind)}")
        messages = (*request.messages, Message("assistant", reply.text), wrong)
        request = replace(request, messages=messages, attempt=1, layout="")
        reply = await ask(f"{call} again", request)
        value = read(kind, reply.text)
    return Typed(value, reply.model, reply.text)


# ---- what was written


def read(kind: type[Kind], text: str) -> Kind | None:
    """The reply that ``text`` holds, None where it holds none.

    The last whole object with a field of ``kind`` counts; one in a wrapper, in a list of one or
    with its fields on lines of their own counts too. Keys and choices are taken however they are
    spelled, one value for a list of one, a number for its text; what a field cannot hold is not
    given.
    """
    text = without_thought(text)
    for value in _candidates(kind, text):
        if (fitted := _fitted(kind, value)) is not None:
            with suppress(ValidationError):  # of a rule that the class has of its own
                return kind.model_validate(fitted)
    return None


def _candidates(kind: type[BaseModel], text: str) -> Iterator[Any]:
    """What may be the reply, likely ones first."""
    found = json_values(text)
    for wanted_whole in (True, False):
        for value, whole in reversed(found):
            if whole is wanted_whole and (inner := _unwrapped(kind, value)) is not None:
                yield inner
    if found:
        objects = [value for value, _ in found if isinstance(value, dict)]
        lists = [value for value, _ in found if isinstance(value, list)]
        if (sole := _sole_list(kind)) is not None:
            yield {sole: lists[-1] if lists else objects[0] if len(objects) == 1 else objects}
        return
    if fields := _on_lines(kind, text):
        yield fields
    prose = getattr(kind, "prose", "")
    if prose and (plain := _FENCE.sub("", text).strip()) and plain[0] not in "{[":
        yield {prose: plain}


_FENCE: Final = re.compile(r"```\w*")


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


def _sole_list(kind: type[BaseModel]) -> str | None:
    """The one field of ``kind`` that holds a list of objects, None where there are none or more."""
    lists = [
        name
        for name, field in kind.model_fields.items()
        if (item := _item_of(_plain(field.annotation)[0])) is not None
        and _is_model(_plain(item)[0])
    ]
    return lists[0] if len(lists) == 1 else None


def _on_lines(kind: type[BaseModel], text: str) -> dict[str, str]:
    """Fields as "name: value" on lines of their own, or in tags of their names."""
    fields: dict[str, str] = {}
    spellings = _spellings(kind)
    for found in _LINE.finditer(text):
        if (name := spellings.get(_key(found[1]))) is not None:
            fields.setdefault(name, found[2].strip())
    for found in _TAG.finditer(text):
        if (name := spellings.get(_key(found[1]))) is not None:
            fields.setdefault(name, found[2].strip())
    return fields


_LINE: Final = re.compile(
    r"^[ \t>*#-]*\**[\"']?([A-Za-z][\w ]{0,40}?)[\"']?\**[ \t]*[:=]\**[ \t]*(.+)$", re.M
)
_TAG: Final = re.compile(r"<([A-Za-z]\w{0,40})>(.*?)</\1>", re.DOTALL)


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
    return re.sub(r"[\W_]+", "", str(name)).lower()


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
    annotation, own, maybe = _plain(annotation)
    nothing = None if maybe else _MISSING
    marks = (*marks, *own)
    if (item := _item_of(annotation)) is not None:
        return nothing if value is None else _list(value, item, marks, nothing)
    if _is_model(annotation):
        return _object(value, annotation, nothing)
    if annotation is Any:
        return value
    if get_origin(annotation) is Literal:
        choice = _choice(value, get_args(annotation))
        return nothing if choice is None else choice
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if annotation is bool:
        told = value if isinstance(value, bool) else _BOOLEANS.get(str(value).strip().lower())
        return nothing if told is None else told
    if annotation in (int, float):
        number = _number(value, whole=annotation is int)
        return nothing if number is None else number
    text = _text(value)
    return nothing if text is None else text


_BOOLEANS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _object(value: Any, kind: type[BaseModel], nothing: Any) -> Any:
    if isinstance(value, dict):
        inner: Mapping[str, Any] | None = value
    elif (inner := _unwrapped(kind, value)) is None and (prose := getattr(kind, "prose", "")):
        inner = {prose: value} if _text(value) is not None else None
    fitted = _fitted(kind, inner) if inner is not None else None
    return nothing if fitted is None else fitted


def _list(value: Any, item: Any, marks: Sequence[Any], nothing: Any) -> Any:
    model = _plain(item)[0]
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        found = json_values(value)
        value = found[-1][0] if found else value
    if isinstance(value, str) and any(isinstance(mark, Listed) for mark in marks):
        value = [part.strip(" \t\"'*•-") for part in re.split(r"[;,\n]", value)]
    if isinstance(value, dict):
        value = _listed(value, model)
    if not isinstance(value, list):
        value = [value]
    fitted = [_fit(one, item) for one in _flat(value)]
    held = [one for one in fitted if one is not _MISSING and one is not None]
    return held or (nothing if nothing is None else [])


def _flat(items: list[Any]) -> Iterator[Any]:
    for one in items:
        if isinstance(one, list):
            yield from _flat(one)
        else:
            yield one


def _listed(value: dict[str, Any], model: Any) -> list[Any]:
    """An object in the place of a list: one item, or items by the name that is their first field,
    or by any name.
    """
    if not _is_model(model):
        return [one for inner in value.values() for one in _flat([inner])]
    spellings = _spellings(model)
    if any(spellings.get(_key(key)) is not None for key in value):
        return [value]
    first = next(iter(model.model_fields))
    return [{first: key, **one} for key, one in value.items() if isinstance(one, dict)]


def _choice(value: Any, choices: Sequence[Any]) -> Any:
    """The choice that a value names, however it is written; one that says two names none."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    told = _folded(value)
    by_word = {_folded(one): one for one in choices}
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
_AS_WORDS: Final = {"true": "yes", "false": "no"}


def _folded(value: Any) -> str:
    return " ".join(
        re.sub(r"[\s_–-]+", " ", str("" if value is None else value)).lower().split()
    ).strip(" .*\"'`")


def _number(value: Any, *, whole: bool) -> int | float | None:
    """412 from 412, "412", "n = 1,412" or "412 people"; None from anything that holds no number or
    more than one.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        number = value
    else:
        found = numbers_in(str(value)[:200])
        if len(found) != 1:
            return None
        number = float(found[0])
    if number != number or abs(number) >= 1e10:
        return None
    return (int(number) if number == int(number) else None) if whole else float(number)


def _text(value: Any) -> str | None:
    """A value as one line of text, None where it says nothing."""
    if isinstance(value, dict):
        texts = [text for one in value.values() if (text := _text(one))]
        return texts[0] if len(texts) == 1 else None
    if isinstance(value, list):
        return "; ".join(text for one in value if (text := _text(one))) or None
    if value is None or isinstance(value, bool):
        return None
    text = " ".join(str(value).split())
    return None if text.lower().rstrip(".") in NOT_GIVEN else text


def _plain(annotation: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """A type without what is said of it: the type, its marks, whether it may be None."""
    if hasattr(annotation, "__metadata__"):
        inner, own, maybe = _plain(annotation.__origin__)
        return inner, (*annotation.__metadata__, *own), maybe
    if get_origin(annotation) in (Union, UnionType):
        kinds = [one for one in get_args(annotation) if one is not NoneType]
        if len(kinds) == 1:
            inner, own, _ = _plain(kinds[0])
            return inner, own, True
    return annotation, (), False


def _item_of(annotation: Any) -> Any:
    """The type of a list's items, None of what is no list."""
    if get_origin(annotation) in (list, tuple, Sequence):
        return get_args(annotation)[0]
    return None


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


# ---- what of it stands in the text that was read


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
        """The value, or `_MISSING` where it must be emptied."""
        nonlocal emptied
        annotation, own, _ = _plain(annotation)
        marks = (*marks, *own)
        if isinstance(value, BaseModel):
            return within(value)
        if isinstance(value, (list, tuple)):
            item = _item_of(annotation)
            kept = [one for each in value if (one := checked(each, item, marks)) is not _MISSING]
            return type(value)(kept)
        if value is None or value == "" or held(value, marks):
            return value
        emptied += 1
        return _MISSING

    def within(one: BaseModel) -> BaseModel:
        changed: dict[str, Any] = {}
        for name, field in type(one).model_fields.items():
            value = getattr(one, name)
            kept = checked(value, field.annotation, field.metadata)
            if kept is _MISSING:
                changed[name] = _empty(field)
            elif kept != value:
                changed[name] = kept
        return one.model_copy(update=changed) if changed else one

    stated = stated_numbers(text)
    return within(reply), emptied  # type: ignore[return-value]


def _numbers(value: Any) -> list[Decimal]:
    if isinstance(value, (int, float)):
        return [Decimal(str(value))]
    return numbers_in(str(value))


def _empty(field: FieldInfo) -> Any:
    """What a field holds where nothing is given."""
    if _plain(field.annotation)[2]:
        return None
    return "" if field.is_required() else field.get_default(call_default_factory=True)
