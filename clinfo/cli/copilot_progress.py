"""Progress of a run of the copilot on stderr: a line a thought, a call and its result."""

from __future__ import annotations

from clinfo.pipelines.copilot.events import (
    AnswerWritten,
    PlanMade,
    Thought,
    ToolCalled,
    ToolObserved,
)
from clinfo.runs.events import Event, Warned
from clinfo.views.wording import number, seconds


def line(event: Event) -> str:
    """What is said of an event, "" for nothing."""
    match event:
        case PlanMade():
            return f"plan: {number(len(event.parts), 'part')}"
        case Thought():
            return f"{event.step}. {event.text}" if event.text else ""
        case ToolCalled():
            given = "; ".join(map(str, event.arguments.values()))
            return f"{event.call} {event.tool}: {given[:120]}"
        case ToolObserved():
            seen = event.observation
            told = seen.problem or number(len(seen.passages), "passage")
            return f"{event.call} → {told} in {seconds(event.seconds)}"
        case AnswerWritten():
            if event.by_rule:
                return f"{number(len(event.claims), 'passage')} quoted"
            left = f", {number(len(event.left_out), 'claim')} left out" if event.left_out else ""
            return f"{number(len(event.claims), 'claim')}{left}"
        case Warned():
            return event.text
    return ""
