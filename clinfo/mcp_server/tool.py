"""A tool: its name, what it is for, its arguments and results as types, and how it is
called.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from clinfo.errors import UsageError
from clinfo.text.printable import one_line

if TYPE_CHECKING:
    from clinfo.mcp_server.host import Host

Report = Callable[[float, str], Awaitable[None]]
"""Takes how far a call is, a number that grows, and what it does in words."""
_SHOWN = 60


class Arguments(BaseModel):
    """The arguments of a tool; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Result(BaseModel):
    """The result of a tool."""

    model_config = ConfigDict(frozen=True)


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
            told = first["msg"].removeprefix("Value error, ")
            raise UsageError(f"{where}: {told[:1].lower()}{told[1:]}") from None
        return await call(host, read, report)

    return Tool(name, title, description, arguments.model_json_schema(), result, called)
