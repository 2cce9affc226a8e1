"""What a pipeline declares of itself: its stages, its events, its request and how a run of it is carried out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from clinfo.runs.events import Answered, Event, EventTypes
from clinfo.runs.protocols import Budget, ChatModel
from clinfo.runs.run_log import RunLog

if TYPE_CHECKING:
    from clinfo.settings import Settings


class AnyRequest(Protocol):
    """What every pipeline's request holds; it is a frozen dataclass that msgspec can write and read.

    ``models`` maps a stage to a model's name, ``max_cost`` is US dollars and ``max_seconds`` seconds, None for no limit.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def models(self) -> Mapping[str, str]: ...

    @property
    def seed(self) -> int: ...

    @property
    def max_cost(self) -> float | None: ...

    @property
    def max_seconds(self) -> float | None: ...


Request = TypeVar("Request", bound=AnyRequest)
Asked = TypeVar("Asked", bound=AnyRequest, contravariant=True)
Log = TypeVar("Log", bound=RunLog)


class Carrier(Protocol[Asked]):
    """A pipeline with what its runs need: models by stage, a budget, a clock."""

    @property
    def models(self) -> Mapping[str, ChatModel]: ...

    def run(self, request: Asked, after: Iterable[Event] = (), cancel: asyncio.Event | None = None) -> AsyncIterator[Event]:
        """The new events of a run, as `clinfo.runs.engine.Runner.run` gives them."""


class Assemble(Protocol[Asked]):
    """How a pipeline gets ready for a request."""

    def __call__(
        self,
        settings: Settings,
        request: Asked,
        after: Iterable[Event] = (),
        *,
        budget: Budget | None = None,
        prices: Mapping[str, Any] | None = None,
        api_key: str | None = None,
        owner: str | None = None,
    ) -> Carrier[Asked]:
        """What carries out the request. Raises ClinfoError before any call where that cannot be done.

        ``after``: saved events, whose spending counts; ``budget`` takes the place of one in memory and keeps to ``max_cost``
        itself; ``prices`` (`clinfo.llm.prices.Price` by model) go before known ones; ``api_key`` is for the request's models;
        what goes into caches is noted under ``owner``.
        """


@dataclass(frozen=True)
class Stage:
    """A step at which a model is asked.

    ``variables`` types what `clinfo.runs.protocols.ModelRequest.variables` holds there; ``prompts`` maps the name of each prompt
    that
    may be filled for it (a file ``NAME.md``) to the placeholders that the prompt must hold. Without ``required`` the stage has a
    model in some runs only.
    """

    name: str
    variables: type
    prompts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    required: bool = True


def recorded_answer(log: RunLog) -> dict[str, Any] | None:
    """The JSON answer that a run recorded, or None."""
    return next((event.answer for event in log.all(Answered)), None)


@dataclass(frozen=True)
class Pipeline(Generic[Request, Log]):
    """A system that the engine can run. ``name`` is its command's and its folder's.

    ``request`` is the class of its requests and ``log`` makes a run log of recorded events; ``answer`` is the JSON answer that a
    log holds, None where there is none yet; ``resumed`` is the request with which a recorded run is resumed when it is asked to
    with another (older defaults stay).
    """

    name: str
    stages: tuple[Stage, ...]
    events: EventTypes
    request: type[Request]
    assemble: Assemble[Request]
    log: Callable[[Iterable[Event]], Log]
    answer: Callable[[Log], dict[str, Any] | None] = recorded_answer
    resumed: Callable[[Log, Request], Request] = lambda log, request: request

    def same_run(self, first: Request, second: Request) -> bool:
        """Whether a run of one request can be resumed with the other: only the limits of money and time may differ."""
        return _without_limits(first) == _without_limits(second)


def _without_limits(request: Request) -> Request:
    return replace(request, max_cost=None, max_seconds=None)
