"""The lines that tell of a run of the trials pipeline while it goes on."""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.pipelines.trials.events import (
    PaperRefused,
    QuestionUnderstood,
    StudiesGrouped,
    StudyConcluded,
    TrialsLog,
)
from clinfo.runs.events import Event
from clinfo.text.wording import number


def told(run_log: TrialsLog, event: Event) -> Iterator[str]:
    """The lines that tell of an event."""
    match event:
        case PaperRefused():
            yield event.reason
        case QuestionUnderstood(asked=asked):
            yield (
                f"asked: {asked.intervention} against {asked.comparator or '?'} for {asked.outcome}"
            )
        case StudiesGrouped():
            read = number(len(run_log.papers), "paper")
            yield f"{read} read, {number(len(event.studies), 'study', 'studies')}"
        case StudyConcluded():
            found = (event.conclusion.direction or "passages quoted").replace("_", " ")
            place = f"{len(run_log.concluded)}/{len(run_log.studies)}"
            yield f"{place} {event.study}: {found}"
