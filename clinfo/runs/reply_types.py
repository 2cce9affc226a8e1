"""The makings of typed replies: the class of all, marks of their fields, and their form as a model
is told it, a JSON schema or the same in words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict

Kind = TypeVar("Kind", bound=BaseModel)


class Reply(BaseModel):
    """A reply of a model. ``form`` is its name where that is not its stage's; ``prose`` names the
    field that a reply in words alone fills, where one does.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)
    form: ClassVar[str] = ""
    prose: ClassVar[str] = ""


@dataclass(frozen=True)
class OutOf:
    """A field that is a number of so many, which may be written behind it ("8/10")."""

    most: int


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


@dataclass(frozen=True)
class AlsoSaid:
    """Marks a field whose choices models know by other words too: (words, choice)."""

    words: tuple[tuple[str, str], ...]


def plain_type(annotation: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """A type without what is said of it: the type, its marks, whether it may be None."""
    if hasattr(annotation, "__metadata__"):
        inner, own, maybe = plain_type(annotation.__origin__)
        return inner, (*annotation.__metadata__, *own), maybe
    if get_origin(annotation) in (Union, UnionType):
        kinds = [one for one in get_args(annotation) if one is not NoneType]
        if len(kinds) == 1:
            inner, own, _ = plain_type(kinds[0])
            return inner, own, True
    return annotation, (), False


def item_of(annotation: Any) -> Any:
    """The type of a list's items, None of what is no list."""
    if get_origin(annotation) in (list, tuple, Sequence):
        return get_args(annotation)[0]
    return None


def is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


@cache
def schema_of(kind: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a reply in the closed form that providers hold a model to: every field
    required, none besides. What is not recursive is written out in its place.
    """
    whole = kind.model_json_schema(by_alias=False)
    known = whole.pop("$defs", {})
    if "$ref" in whole:  # of one that holds itself
        whole = known[whole["$ref"].rpartition("/")[2]]
    recursive = _recursive(known)
    schema: dict[str, Any] = _closed(whole, known, recursive)
    if recursive:
        schema["$defs"] = {
            name: _closed(known[name], known, recursive) for name in sorted(recursive)
        }
    return schema


def _recursive(known: Mapping[str, Any]) -> set[str]:
    """The names of those definitions that hold themselves, however deep."""
    reached = {
        name: set(re.findall(r"#/\$defs/([^\"]+)", json.dumps(form)))
        for name, form in known.items()
    }
    for _ in known:
        reached = {name: held.union(*map(reached.get, held)) for name, held in reached.items()}  # type: ignore[arg-type]
    return {name for name, held in reached.items() if name in held}


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
    number = node.get("description", "number")
    others = {"boolean": "true | false", "null": "null", "integer": number, "number": number}
    drawn = others.get(str(first), f'"{told}"')
    return f"{drawn} or null" if maybe else drawn
