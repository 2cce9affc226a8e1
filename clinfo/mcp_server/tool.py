"""A tool: its name, what it is for, its arguments and results as types, and how it is
called.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from clinfo.errors import UsageError
from clinfo.records.articles import Verdict
from clinfo.runs.options import as_given
from clinfo.text.printable import one_line

if TYPE_CHECKING:
    from clinfo.mcp_server.host import Host

Report = Callable[[float, str], Awaitable[None]]
"""Takes how far a call is, a number that grows, and what it does in words."""
_SHOWN = 60
_WORDS: Final = {
    "should be": "must be",
    "a valid tuple": "a list",
    "a valid list": "a list",
    "a valid dictionary": "an object",
    "an object or instance of": "an object, as",
    "a valid string": "a string",
    "extra inputs are not permitted": "this tool has no such argument",
    "field required": "is missing",
}
"""Pydantic's words for what JSON calls otherwise."""


class Arguments(BaseModel):
    """The arguments of a tool; unknown ones are refused, the others taken `as_given`."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _as_given(cls, sent: Any) -> Any:
        if not isinstance(sent, dict):
            return sent
        given = dict(sent)
        for name, field in cls.model_fields.items():
            key = field.alias or name
            if key not in given:
                continue
            value = as_given(given[key], field.annotation)
            if value is not None:
                given[key] = value
            elif not field.is_required():
                del given[key]
        return given


class Result(BaseModel):
    """The result of a tool."""

    model_config = ConfigDict(frozen=True)


class Checked(Result):
    """A sentence with its verdict."""

    text: str
    cites: list[int] = Field(description="Numbers of references.")
    verdict: Verdict = Field(
        description="Only “supported” means that a check confirmed it; “not_verified” does not."
    )
    reason: str


@dataclass(frozen=True)
class Tool:
    """A tool as a caller is offered it, its arguments as a JSON schema.

    ``call`` gets the host, the arguments as they were given, and whom to tell of progress. It
    raises UsageError for arguments that do not fit.
    """

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    result: type[Result]
    call: Callable[[Host, dict[str, Any], Report], Awaitable[Result]]


Given = TypeVar("Given", bound=Arguments)


def typed(
    name: str,
    title: str,
    description: str,
    arguments: type[Given],
    result: type[Result],
    call: Callable[[Host, Given, Report], Awaitable[Result]],
) -> Tool:
    """A tool whose arguments are a type."""

    async def called(host: Host, given: dict[str, Any], report: Report) -> Result:
        try:
            read = arguments.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = one_line(".".join(map(str, first["loc"])))[:_SHOWN] or "arguments"
            told = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
            told = told[:1].lower() + told[1:]
            if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
                names = (field.alias or name for name, field in arguments.model_fields.items())
                told = f"{told}; it takes {', '.join(names)}"
            for theirs, ours in _WORDS.items():
                told = told.replace(theirs, ours)
            raise UsageError(f"{where}: {told}") from None
        return await call(host, read, report)

    schema = arguments.model_json_schema()
    given = _written_out(schema, schema.pop("$defs", {}))
    return Tool(name, title, description, given, result, called)


def _written_out(node: Any, known: dict[str, Any]) -> Any:
    """A schema with what it refers to in its place: some clients follow no reference."""
    if isinstance(node, list):
        return [_written_out(one, known) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _written_out(known[node["$ref"].rpartition("/")[2]], known)
    return {name: _written_out(one, known) for name, one in node.items()}
