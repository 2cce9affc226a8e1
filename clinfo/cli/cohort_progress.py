"""What is said of a run of the cohort pipeline on stderr while it goes on."""

from __future__ import annotations

from clinfo.pipelines.cohort.events import (
    CohortFound,
    CriteriaRead,
    IndexOpened,
    PatientRead,
)
from clinfo.runs.events import Event
from clinfo.views.wording import number


def line(event: Event) -> str:
    """What is said of an event, "" for nothing."""
    match event:
        case IndexOpened():
            return f"{_number(event.patients, 'patient')}, {_number(event.notes, 'note')}"
        case CriteriaRead():
            return f"read as: {event.text}"
        case PatientRead():
            return f"{event.done:,} of {number(event.of, 'patient')} read"
        case CohortFound():
            return f"{_number(event.counts['members'], 'patient')} found"
    return ""


def _number(count: int | str, name: str) -> str:
    """A number of things; ``count`` may be a range in words."""
    return f"{count} {name}s" if isinstance(count, str) else number(count, name)
