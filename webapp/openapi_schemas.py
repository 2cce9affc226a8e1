"""JSON schemas of what is declared, as makers of clients read them."""

from __future__ import annotations

from typing import Any

import msgspec

Json = dict[str, Any]


def or_null(schema: Json) -> Json:
    """A field of a request: null counts as not given. An enumeration needs no type beside it, of
    which makers of clients would make several types.
    """
    if "enum" not in schema:
        return schema | {"type": [schema["type"], "null"]}
    bare = {name: value for name, value in schema.items() if name != "type"}
    return bare | {"enum": [*schema["enum"], None]}


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
