"""Events of a run of the copilot, besides those of every run (`clinfo.runs.events`), and their
log.
"""

from collections.abc import Iterator
from typing import Any

from clinfo.pipelines.copilot.records import CopilotRequest, End, Planned, Written
from clinfo.records.observations import Observation, Observed
from clinfo.runs.events import CostIncurred, Event, EventTypes
from clinfo.runs.run_log import Held, RunLog
from clinfo.text.wording import number, seconds


class PlanMade(Event, stage="plan", key="plan"):
    """The questions that the case is taken apart into, each with tools."""

    parts: tuple[Planned, ...]


class Thought(Event, stage="act", key="thought {0.step}"):
    """The agent's thought before the calls of a step, counted from 1."""

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
    """The result of a call, after so many seconds."""

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


class AnswerWritten(Written, Event, stage="write", key="written"):
    """The answer as it was written."""


class FoundSoFar(AnswerWritten, stage="write", key="so far {0.after}"):
    """The finds of a run that could not go on: quotations, in the place of an answer until the
    run is resumed. ``after`` is the number of events before this one.
    """

    after: int


EVENTS = EventTypes(
    CopilotRequest,
    (
        PlanMade,
        Thought,
        ToolCalled,
        ToolObserved,
        ToolProgressed,
        LookingUpEnded,
        AnswerWritten,
        FoundSoFar,
    ),
)


def _place(one: Observed) -> tuple[str, str, int, int]:
    return one.silo, one.document, one.start, one.end


class CopilotLog(RunLog):
    """The events of one run, each key once."""

    _numbered: tuple[int, dict[tuple[str, str, int, int], tuple[int, Observed]]] = (-1, {})
    """The number of each passage by its place, as of so many events."""

    plan = Held(PlanMade, "plan")
    ended = Held(LookingUpEnded, "ended")
    written = Held(AnswerWritten, "written")

    @property
    def so_far(self) -> FoundSoFar | None:
        """The finds when the run last could not go on; None where an answer was written."""
        stops = self.all(FoundSoFar) if self.written is None else []
        return max(stops, key=lambda one: one.after, default=None)

    @property
    def calls(self) -> list[ToolCalled]:
        """The calls in the order in which they were asked for, whenever they came back."""
        return sorted(self.all(ToolCalled), key=lambda one: tuple(map(int, one.call.split("."))))

    def observed(self, call: str) -> ToolObserved | None:
        """Return what a call brought, None while it is under way."""
        return self.get(ToolObserved, f"observed {call}")

    def passages(self) -> dict[int, Observed]:
        """All passages by number, counted from 1 in the order of calls; the same passage of a
        document has one number however often it is found.
        """
        return dict(self._counted().values())

    def brought(self, call: str) -> tuple[int, ...]:
        """The numbers of the passages that a call brought."""
        event, places = self.observed(call), self._counted()
        found = event.observation.passages if event else ()
        return tuple(dict.fromkeys(places[_place(one)][0] for one in found))

    def _counted(self) -> dict[tuple[str, str, int, int], tuple[int, Observed]]:
        if self._numbered[0] != len(self):
            seen = (event for call in self.calls if (event := self.observed(call.call)))
            every = {_place(one): one for event in seen for one in event.observation.passages}
            places = {place: (n, one) for n, (place, one) in enumerate(every.items(), 1)}
            self._numbered = len(self), places
        return self._numbered[1]

    @property
    def tokens(self) -> int:
        """Tokens read and written so far."""
        return sum(one.prompt_tokens + one.completion_tokens for one in self.all(CostIncurred))


def told(run_log: CopilotLog, event: Event) -> Iterator[str]:
    """The lines that tell of an event."""
    match event:
        case PlanMade():
            yield f"plan: {number(len(event.parts), 'part')}"
        case Thought() if event.text:
            yield f"{event.step}. {event.text}"
        case ToolCalled():
            asked = "; ".join(map(str, event.arguments.values()))[:120]
            yield f"{event.call} {event.tool}: {asked}"
        case ToolObserved(observation=seen):
            brought = seen.problem or number(len(seen.passages), "passage")
            yield f"{event.call} → {brought} in {seconds(event.seconds)}"
        case FoundSoFar():
            pass
        case AnswerWritten(by_rule=True):
            yield f"{number(len(event.claims), 'passage')} quoted"
        case AnswerWritten():
            left = number(len(event.left_out), "claim") if event.left_out else ""
            yield number(len(event.claims), "claim") + (f", {left} left out" if left else "")
