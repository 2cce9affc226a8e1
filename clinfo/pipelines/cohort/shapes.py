"""The JSON of logical forms: read, written, and as a schema."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

from pydantic import ConfigDict, TypeAdapter, ValidationError

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.form import SHAPES, Form

Schema: TypeAlias = dict[str, Any]
_SHOWN = 60
_FORM = {"$ref": "#/$defs/form"}
_HOLDS_FORMS = ("and", "or", "not", "before", "of")
_TOLD = {
    "union_tag_not_found": f"no object with one of {', '.join(SHAPES)}",
    "unexpected_keyword_argument": "there is no such member",
    "missing": "it is missing",
    "string_pattern_mismatch": "no year, month or day (2022-01-31), nor a span (2 years)",
}
"""What is said of a fault where the library's words are of its own things."""


@cache
def _adapter() -> TypeAdapter[Form]:
    return TypeAdapter(Form, config=ConfigDict(extra="forbid"))


def to_json(form: Form) -> dict[str, Any]:
    """The JSON of a form; what is as by default is left out."""
    made: dict[str, Any] = _adapter().dump_python(
        form, mode="json", by_alias=True, exclude_defaults=True
    )
    return made


def from_json(data: object) -> Form:
    """The form of its JSON. Members that are null are as by default. Raises UsageError that names
    the first place where it is none.
    """
    try:
        return _adapter().validate_python(data, context=[])
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        place, given = _place(wrong["loc"]), wrong["input"]
        told = _TOLD.get(
            wrong["type"], wrong["msg"].removeprefix("Value error, ").removeprefix("Input ")
        )
        told = "is empty" if given == "" else f"{given!r:.{_SHOWN}}: {told}"
        raise UsageError(f"not a logical form: {place}: {told}") from None


def _place(loc: Sequence[int | str]) -> str:
    """The place in the JSON, which has no word for the shape of a form unless that stands alone."""
    told, is_form = "", True
    for one in loc:
        if isinstance(one, int):
            told += f"[{one}]"
            continue
        told += f".{one}" if not is_form or one == "age" else ""
        is_form = not is_form and one in _HOLDS_FORMS
    return told.lstrip(".") or "the whole"


def form_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a form, as ``clinfo cohort schema`` prints it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Logical form of criteria of clinfo cohort",
        **_FORM,
        "$defs": definitions(every=False),
    }


def definitions(every: bool) -> dict[str, Any]:
    """The schemas of the shapes by name, and "form", any of them; with ``every`` no member may be
    left out, as providers that hold a model to a schema want it: null says what is as by default.
    """
    known = _adapter().json_schema()["$defs"]
    made: dict[str, Any] = {"form": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in SHAPES]}}
    for name, kind in SHAPES.items():
        own = known[kind.__name__]
        needed = own.get("required", [])
        members = {
            member: schema if member in needed else {"anyOf": [schema, {"type": "null"}]}
            for member, whole in own["properties"].items()
            for schema in [_plain(whole)]
        }
        made[name] = _closed(members, [*members] if every else needed)
    made["age"] = _closed({"age": made["age"]}, ["age"])
    return made


def _closed(members: Schema, needed: Sequence[str]) -> Schema:
    return {"type": "object", "properties": members, "required": needed,
            "additionalProperties": False}  # fmt: skip


def _plain(schema: Schema) -> Schema:
    """A member's schema without what is said twice, and a form where one stands."""
    if "oneOf" in schema:
        return _FORM
    kept = {name: one for name, one in schema.items() if name not in ("title", "default", "anyOf")}
    if "items" in kept:
        kept["items"] = _plain(kept["items"])
    return {**schema["anyOf"][0], **kept} if "anyOf" in schema else kept
