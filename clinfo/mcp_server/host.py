"""The host of every tool: its settings, source, model and limits; and what a tool is: its name,
what it is for, its arguments and results as types, and how it is called.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clinfo.errors import ServiceError, UsageError
from clinfo.pipelines.literature.request import request_of
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pipelines.opening import open_cache
from clinfo.records.articles import RunRequest, Verdict
from clinfo.runs.given import Given, fault
from clinfo.runs.pipeline import Carrier
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings
from clinfo.sources.registry import PUBMED_LANGUAGE, ArticleSource, article_source
from clinfo.text.wording import one_line

MINUTE = 60.0


class TooManyCalls(ServiceError):
    """The host's limit of calls is reached; a later call may be taken."""


class Gate:
    """Lets in so many calls a minute, and so many at a time; a call that is not let in waits for
    nothing.
    """

    def __init__(
        self, a_minute: int, at_once: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._a_minute, self._at_once, self._clock = a_minute, at_once, clock
        self._begun: deque[float] = deque()
        self.running = 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        """A place for a call. Raises TooManyCalls."""
        now = self._clock()
        while self._begun and self._begun[0] <= now - MINUTE:
            self._begun.popleft()
        if len(self._begun) >= self._a_minute:
            wait = int(self._begun[0] + MINUTE - now) + 1
            raise TooManyCalls(
                f"this server takes {self._a_minute:,} calls a minute; call again in {wait} s",
                retryable=True,
            )
        if self.running >= self._at_once:
            raise TooManyCalls(
                f"this server works on {self._at_once:,} calls at a time; call again when one has "
                "ended",
                retryable=True,
            )
        self._begun.append(now)
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1


@dataclass(frozen=True)
class Host:
    """The one who answers calls. ``model`` None is what the settings say, by stage."""

    settings: Settings
    model: str | None
    source: ArticleSource
    gate: Gate
    max_seconds: float | None = None

    @property
    def reads_pubmed(self) -> bool:
        """Return whether the source is PubMed, or as PubMed: its language, its records."""
        return self.source.query_prompt == PUBMED_LANGUAGE

    def request(self, **fields: Any) -> RunRequest:
        """The request of a question, with the host's own model, source and limits.

        Raises UsageError that names the field.
        """
        return request_of(
            self.settings,
            self.model,
            source=self.source.name,
            max_cost=self.settings.mcp_max_cost,
            max_seconds=self.max_seconds,
            **fields,
        )

    def chain(self, request: RunRequest) -> Carrier[RunRequest]:
        """The carrier of a request. Raises ClinfoError before any call where that cannot be
        done.
        """
        budget = MemoryBudget(request.max_cost)
        return LITERATURE.assemble(self.settings, request, source=self.source, budget=budget)


def open_host(
    settings: Settings, model: str | None, source: str | None, max_seconds: float | None
) -> Host:
    """The host of these settings. Raises UsageError where no question could be answered with
    them.
    """
    host = Host(
        settings,
        model,
        article_source(settings, source or settings.source, open_cache(settings)),
        Gate(settings.mcp_calls_a_minute, settings.mcp_at_once),
        max_seconds,
    )
    host.chain(host.request(question="Is this server set up?"))
    return host


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
