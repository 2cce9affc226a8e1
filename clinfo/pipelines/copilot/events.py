"""Events of a run of the copilot, besides those of every run (`clinfo.runs.events`)."""

from __future__ import annotations

from typing import Any

from clinfo.records.copilot import (
    Claim,
    Conflict,
    CopilotRequest,
    End,
    LeftOut,
    NotIn,
    Observation,
    Planned,
    Source,
)
from clinfo.runs import events
from clinfo.runs.events import Event, EventTypes


class RunStarted(events.RunStarted):
    """The beginning of a run of the copilot."""

    request: CopilotRequest


class PlanMade(Event, stage="plan", key="plan"):
    """The questions that the case is taken apart into, each with tools."""

    parts: tuple[Planned, ...]


class Thought(Event, stage="act", key="thought {0.step}"):
    """What the agent thinks before the calls of a step, counted from 1."""

    step: int
    text: str


class ToolCalled(Event, stage="act", key="call {0.call}"):
    """A call, ``STEP.PLACE``, with its arguments as they were read."""

    call: str
    step: int
    tool: str
    arguments: dict[str, Any]
    silo: str = ""


class ToolObserved(Event, stage="tools", key="observed {0.call}"):
    """What a call brought, after so many seconds."""

    call: str
    observation: Observation
    seconds: float = 0.0


class ToolProgressed(Event, stage="tools", key="progress {0.call} {0.n}"):
    """An event of a run that a tool carries out itself: a resumed run pays nothing of it twice."""

    call: str
    n: int
    form: dict[str, Any]


class LookingUpEnded(Event, stage="act", key="ended"):
    """The end of looking up, after so many steps."""

    end: End
    steps: int


class AnswerWritten(Event, stage="write", key="written"):
    """The bottom line and the claims as they were judged, the sources by number, and all that does
    not stand in the answer, with the reason.
    """

    claims: tuple[Claim, ...]
    sources: tuple[Source, ...]
    not_in: tuple[NotIn, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    by_rule: bool = False
    bottom_line: Claim | None = None


class FoundSoFar(AnswerWritten, stage="write", key="so far {0.after}"):
    """What was found when a run could not go on: quotations, in the place of an answer until the
    run is resumed. ``after`` is the number of events before this one.
    """

    after: int


EVENTS = EventTypes(
    (
        RunStarted,
        PlanMade,
        Thought,
        ToolCalled,
        ToolObserved,
        ToolProgressed,
        LookingUpEnded,
        AnswerWritten,
        FoundSoFar,
    )
)
