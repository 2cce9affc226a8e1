"""JSON schemas of types, as makers of clients read them."""

from __future__ import annotations

from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from webapp.api_types import Alive, Problem
from webapp.fields import Fields, Json, or_null

REF: Final = "#/components/schemas/"
"""The beginning of a reference to a schema."""


class Schemas(GenerateJsonSchema):
    """Schemas as makers of clients read them: all that an answer may hold is there, a tuple is an
    array of so many items, and an enumeration has no type beside it, of which they would make
    several types.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        return self.mode == "serialization" or super().field_is_required(field, total)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        made = super().literal_schema(schema)
        return {name: value for name, value in made.items() if name != "type"}

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return or_null(self.generate_inner(schema["schema"]))

    def tuple_schema(self, schema: core_schema.TupleSchema) -> JsonSchemaValue:
        made = super().tuple_schema(schema)
        if kinds := made.pop("prefixItems", None):
            different = [kind for n, kind in enumerate(kinds) if kind not in kinds[:n]]
            made["items"] = {"anyOf": different} if len(different) > 1 else different[0]
        return made


def schemas_of(*kinds: Any, prefix: str = "") -> tuple[dict[Any, Json], dict[str, Json]]:
    """A reference to each type, and the schemas of them and of all within them by name, which
    ``prefix`` begins. What is sent may lack what has a default, what is answered lacks nothing, but
    for a problem and a sign of life.
    """

    def sent(kind: Any) -> bool:
        return kind in (Alive, Problem) or (isinstance(kind, type) and issubclass(kind, Fields))

    refs, made = TypeAdapter.json_schemas(
        [
            (kind, "validation" if sent(kind) else "serialization", TypeAdapter(kind))
            for kind in kinds
        ],
        schema_generator=Schemas,
        ref_template=f"{REF}{prefix}{{model}}",
    )
    named = {prefix + name: one for name, one in made.get("$defs", {}).items()}
    for name, one in named.items():
        one["title"] = name
    return {kind: ref for (kind, _), ref in refs.items()}, named
