"""A tool: its name, what it is for, its arguments and results as types, and how it is
called.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clinfo.errors import UsageError
from clinfo.mcp_server.host import Host
from clinfo.records.articles import Verdict
from clinfo.runs.given import Given, fault
from clinfo.text.printable import one_line

Report = Callable[[float, str], Awaitable[None]]
"""Takes how far a call is, a number that grows, and what it does in words."""


class Arguments(Given):
    """The arguments of a tool; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


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


Taken = TypeVar("Taken", bound=Arguments)


def typed(
    name: str,
    title: str,
    description: str,
    arguments: type[Taken],
    result: type[Result],
    call: Callable[[Host, Taken, Report], Awaitable[Result]],
) -> Tool:
    """A tool whose arguments are a type."""

    async def called(host: Host, given: dict[str, Any], report: Report) -> Result:
        try:
            read = arguments.model_validate(given)
        except ValidationError as error:
            where, told = fault(error, arguments, "this tool has no such argument")
            raise UsageError(f"{one_line(where)}: {told}") from None
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
