"""JSON schemas of replies, in the closed form that providers hold a model to: every field required,
none besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Schema = Mapping[str, Any]

TEXT: Final[Schema] = {"type": "string"}


def closed(**fields: Schema) -> Schema:
    """An object with exactly these fields."""
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def one_of(choices: Sequence[str]) -> Schema:
    """One of these texts."""
    return {"type": "string", "enum": list(choices)}


def list_of(item: Schema) -> Schema:
    """Any number of these."""
    return {"type": "array", "items": item}
