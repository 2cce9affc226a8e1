"""JSON schemas of what is declared, as makers of clients read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from webapp.settings import WebSettings

Json = dict[str, Any]


def or_null(schema: Json) -> Json:
    """A field of a request: null counts as not given. An enumeration needs no type beside it, of
    which makers of clients would make several types.
    """
    if "enum" not in schema:
        return schema | {"type": [schema["type"], "null"]}
    bare = {name: value for name, value in schema.items() if name != "type"}
    return bare | {"enum": [*schema["enum"], None]}


def fields_schema(
    pipeline: str,
    told: str,
    declared: Mapping[str, Json | None],
    models: Sequence[str],
    web: WebSettings,
    required: Sequence[str] = ("question",),
) -> Json:
    """What may be sent to a pipeline, by name; the model and the deadline are as this host has
    them.
    """
    longest = {"type": "number", "exclusiveMinimum": 0, "maximum": web.longest_seconds}
    here: dict[str, Json] = {
        "model": {"enum": list(models), "description": "The model of every stage."},
        "max_seconds": longest,
    }
    properties: Json = {"pipeline": {"const": pipeline}}
    for name, field in declared.items():
        kind = field or here[name]
        properties[name] = kind if name in required or "anyOf" in kind else or_null(kind)
    return {
        "type": "object",
        "description": f"{told} null counts as not given.",
        "properties": properties,
        "required": ["pipeline", *required],
        "additionalProperties": False,
    }


def answer_schemas(pipeline: str, kind: type, prefix: str = "") -> dict[str, Json]:
    """The schemas of a pipeline's JSON answer, those within it begin with ``prefix``."""
    prefix = prefix or pipeline.capitalize()
    found = schemas_of(kind, prefix=prefix)
    answer = found.pop(f"{prefix}{kind.__name__}")
    own = {"schema": {"type": "integer"}, "pipeline": {"const": pipeline}}
    return {kind.__name__: answer | {"properties": own | answer["properties"] | own}, **found}


def schemas_of(*kinds: type, prefix: str = "") -> dict[str, Json]:
    """The schemas of dataclasses and of those within them, by name, which ``prefix`` begins."""

    def anything(kind: Any) -> Json:
        return {"description": "Any JSON value."}

    _, schemas = msgspec.json.schema_components(
        kinds, ref_template=f"#/components/schemas/{prefix}{{name}}", schema_hook=anything
    )
    for name, schema in schemas.items():
        schema["title"] = prefix + name
        schema.pop("required", None)  # all that an answer may hold is there
        for one in schema["properties"].values():
            one.pop("default", None)
            _open_tuples(one)
    return {prefix + name: schema for name, schema in schemas.items()}


def _open_tuples(schema: Json) -> None:
    """Describe a tuple as an array of so many items, each of one of its kinds: makers of clients
    read no ``"items": false``, and openapi-fetch takes tuples for arrays.
    """
    if kinds := schema.pop("prefixItems", None):
        different = [kind for n, kind in enumerate(kinds) if kind not in kinds[:n]]
        schema["items"] = {"anyOf": different} if len(different) > 1 else different[0]
    elif isinstance(schema.get("items"), dict):
        _open_tuples(schema["items"])
    for one in schema.get("anyOf", ()):
        _open_tuples(one)
