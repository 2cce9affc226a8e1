"""What a tool is: its name, what it is for, its arguments and results as types, and how it is
called.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

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
    """What a tool gives."""

    model_config = ConfigDict(frozen=True)


class Offered(Protocol):
    """What a caller is offered."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def input_schema(self) -> dict[str, Any]:
        """The arguments as JSON schema."""

    @property
    def result(self) -> type[Result]: ...

    async def called(self, host: Host, arguments: dict[str, Any], report: Report) -> Result:
        """The result. Raises UsageError for arguments that do not fit, and what the call raises."""


Given = TypeVar("Given", bound=Arguments)


@dataclass(frozen=True)
class Tool(Generic[Given]):
    """A tool whose arguments are a type. ``call`` gets the host, the arguments and whom to tell of
    progress.
    """

    name: str
    title: str
    description: str
    arguments: type[Given]
    result: type[Result]
    call: Callable[[Host, Given, Report], Awaitable[Result]]

    @property
    def input_schema(self) -> dict[str, Any]:
        """The arguments as JSON schema."""
        return self.arguments.model_json_schema()

    async def called(self, host: Host, arguments: dict[str, Any], report: Report) -> Result:
        """As `Offered.called`."""
        return await self.call(host, self._read(arguments), report)

    def _read(self, arguments: dict[str, Any]) -> Given:
        try:
            return self.arguments.model_validate(arguments)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = one_line(".".join(map(str, first["loc"])))[:_SHOWN] or "arguments"
            told = first["msg"].removeprefix("Value error, ")
            raise UsageError(f"{where}: {told[:1].lower()}{told[1:]}") from None
