"""Declarations of the operations of the HTTP API, beside the views that carry them out."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from clinfo.pipelines import DEFAULT
from webapp.fields import Fields, Json

View = TypeVar("View", bound=Callable[..., Any])


def parameter(name: str, told: str, pattern: str = "", example: Any = "", **more: Any) -> Json:
    """A parameter of an operation, of the query unless ``more`` says otherwise."""
    schema = {"type": "string", "pattern": pattern} if pattern else {}
    shown = {"example": example} if example != "" else {}
    return {"name": name, "in": "query", "description": told, "schema": schema} | shown | more


_OF_PATH: Final[Json] = {"in": "path", "required": True}
IN_PATH: Final = {
    "run_id": parameter(
        "run_id",
        "The id that `POST /api/v1/runs` gave.",
        "^[A-Za-z0-9_-]{16,128}$",
        "dGhlIHJ1biBvZiBhbiBleGFtcGxl",
        **_OF_PATH,
    ),
    "edit": parameter(
        "edit",
        "The `seq` of the edit.",
        example=42,
        schema={"type": "integer", "minimum": 0, "maximum": 1_000_000},
        **_OF_PATH,
    ),
}
"""Parts of addresses."""


@dataclass(frozen=True)
class Reply:
    """An answer of an operation: ``kind`` is its type, None where there is no body, or a schema;
    ``headers`` are some of those that `webapp.openapi` describes.
    """

    told: str
    kind: Any = None
    media: str = "application/json"
    headers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Operation:
    """An operation as its view declares it. ``problems`` are statuses of which the reply is a
    problem object, or with ``pages`` a page too; ``body`` is the type of what is sent, `Fields` for
    that of any pipeline. It is described where the host offers its ``pipeline``.
    """

    name: str
    tag: str
    replies: Mapping[int, Reply]
    problems: tuple[int, ...] = ()
    body: type[Fields] | None = None
    optional: bool = False
    parameters: tuple[Json, ...] = ()
    pages: bool = False
    pipeline: str = DEFAULT
    told: str = ""


def operation(
    name: str, tag: str, replies: Mapping[int, Reply], *problems: int, **more: Any
) -> Callable[[View], View]:
    """Declare the operation that a view carries out; its docstring (or ``told``) says in its first
    line what it does, and then more. ``more`` are fields of `Operation`.
    """

    def declared(view: View) -> View:
        told = more.get("told") or inspect.getdoc(view) or ""
        made = Operation(name, tag, replies, problems, **more | {"told": told})
        view.operation = made  # type: ignore[attr-defined]
        return view

    return declared
