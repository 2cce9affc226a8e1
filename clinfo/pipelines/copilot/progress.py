"""The lines that tell of a run of the copilot while it goes on."""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.pipelines.copilot.events import (
    AnswerWritten,
    CopilotLog,
    FoundSoFar,
    PlanMade,
    Thought,
    ToolCalled,
    ToolObserved,
)
from clinfo.runs.events import Event
from clinfo.text.wording import number, seconds


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
