"""What a pipeline declares of itself: its stages, its events and what a run that goes on may change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from clinfo.runs.events import Event, EventTypes
from clinfo.runs.run_log import RunLog

Request = TypeVar("Request")
Log = TypeVar("Log", bound=RunLog)


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


@dataclass(frozen=True)
class Pipeline(Generic[Request, Log]):
    """A system that the engine can run. ``name`` is its command's and its folder's.

    ``log`` makes a run log of recorded events; ``same_run`` says whether a run of the first request may go on with the second;
    ``resumed`` is the request with which a recorded run goes on when it is asked to with another (older defaults stay).
    """

    name: str
    stages: tuple[Stage, ...]
    events: EventTypes
    log: Callable[[Iterable[Event]], Log]
    same_run: Callable[[Request, Request], bool]
    resumed: Callable[[Log, Request], Request] = lambda log, request: request
