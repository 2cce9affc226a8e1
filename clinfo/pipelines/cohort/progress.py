"""The lines that tell of a run of the cohort pipeline while it goes on."""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.pipelines.cohort.events import CohortFound, CriteriaRead, IndexOpened, PatientRead
from clinfo.runs.events import Event
from clinfo.runs.run_log import RunLog
from clinfo.text.wording import number


def told(run_log: RunLog, event: Event) -> Iterator[str]:
    """The lines that tell of an event."""
    match event:
        case IndexOpened():
            yield f"{_counted(event.patients, 'patient')}, {_counted(event.notes, 'note')}"
        case CriteriaRead():
            yield f"read as: {event.text}"
        case PatientRead():
            yield f"{event.done:,} of {number(event.of, 'patient')} read"
        case CohortFound():
            yield f"{_counted(event.counts['members'], 'patient')} found"


def _counted(count: int | str, name: str) -> str:
    """A number of things; ``count`` may be a range in words."""
    return f"{count} {name}s" if isinstance(count, str) else number(count, name)
