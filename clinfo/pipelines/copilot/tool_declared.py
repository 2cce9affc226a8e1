"""How a tool is declared, offered to a model, and called with checked arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal

from clinfo.lazy_dataclass import dataclass, field
from clinfo.retrieval.rerankers import NONE
from clinfo.runs.protocols import Tool

LONGEST: Final = 2_000
"""Characters of a text argument."""
Type = Literal["string", "integer", "number", "boolean"]


@dataclass(frozen=True)
class Argument:
    """A typed argument of a tool; ``about`` tells the model what it is."""

    type: Type
    about: str = ""
    required: bool = True
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class ToolDeclared:
    """A tool as its file declares it. ``kind`` is the module that does it, ``silo`` where it looks
    (``*`` gives one tool for each silo that no other tool names), ``output`` what it gives,
    ``route`` under which name the router knows it (else its silo, or its name), ``top_k`` how many
    by meaning and in the end, ``sparse_k`` how many by words; ``timeout`` is in
    seconds. ``rerank`` names a reranker (`clinfo.retrieval.rerankers`) that orders what was found;
    with ``refine`` a model keeps of it the sentences that bear on the call. ``purpose`` tells a
    model what the tool is for, ``reader`` a reader. ``options`` are of the kind.
    """

    name: str
    kind: str
    purpose: str
    arguments: Mapping[str, Argument]
    silo: str = ""
    output: str = "passages"
    route: str = ""
    top_k: int = 10
    sparse_k: int = 20
    timeout: float = 20.0
    rerank: str = NONE
    refine: bool = False
    reader: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def routed(self) -> str:
        """The name by which the router names the tool."""
        return self.route or self.silo or self.name

    @property
    def told(self) -> str:
        """What the tool is for, in words for a reader."""
        return " ".join((self.reader or self.purpose).split())

    def offered(self) -> Tool:
        """The tool as a model is told of it."""
        fields = {
            name: {"type": one.type, "description": one.about}
            | ({"enum": list(one.choices)} if one.choices else {})
            for name, one in self.arguments.items()
        }
        needed = [name for name, one in self.arguments.items() if one.required]
        schema = {"type": "object", "properties": fields, "required": needed}
        where = f" Silo: {self.silo}." if self.silo else ""
        return Tool(
            self.name, f"{self.purpose.strip()}{where}", schema | {"additionalProperties": False}
        )

    def read(self, written: str) -> dict[str, Any]:
        """The arguments that a model wrote. Raises ValueError, in words for the model."""
        try:
            given = json.loads(written or "{}")
        except (ValueError, RecursionError):
            raise ValueError("the arguments are not JSON") from None
        if not isinstance(given, dict):
            raise ValueError("the arguments are not a JSON object")
        if unknown := sorted(set(given) - set(self.arguments)):
            raise ValueError(f"unknown arguments: {', '.join(map(_short, unknown))}")
        return {
            name: _checked(name, one, given[name])
            for name, one in self.arguments.items()
            if _given(name, one, given)
        }


def _given(name: str, argument: Argument, given: Mapping[str, Any]) -> bool:
    if given.get(name) is None and argument.required:
        raise ValueError(f"the argument {name} is missing")
    return given.get(name) is not None


_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def _checked(name: str, argument: Argument, value: Any) -> Any:
    fits = isinstance(value, _TYPES[argument.type])
    if not fits or (isinstance(value, bool) and argument.type != "boolean"):
        raise ValueError(f"the argument {name} must be a {argument.type}")
    if isinstance(value, str):
        value = " ".join(value.split())
        if not value or len(value) > LONGEST:
            raise ValueError(f"the argument {name} must have 1 to {LONGEST:,} characters")
    if argument.choices and value not in argument.choices:
        raise ValueError(f"the argument {name} must be one of: {', '.join(argument.choices)}")
    return value


def _short(text: str) -> str:
    return text[:40]
