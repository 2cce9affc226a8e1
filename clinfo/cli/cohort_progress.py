"""Progress of a run of the cohort pipeline on stderr: a line a milestone."""

from __future__ import annotations

from clinfo.cli.progress import Progress
from clinfo.console import streams
from clinfo.pipelines.cohort.events import (
    CohortFound,
    CriteriaRead,
    CriteriaRefused,
    IndexOpened,
    PatientRead,
)
from clinfo.runs.events import Event
from clinfo.text.printable import one_line
from clinfo.views.wording import number


def progress(quiet: bool) -> Progress:
    """The display of a run; nothing where it is to be ``quiet``."""
    return Progress() if quiet else _Milestones()


class _Milestones(Progress):
    def __init__(self) -> None:
        self._read = 0

    def see(self, event: Event) -> None:
        """Take in an event of the run."""
        if isinstance(event, PatientRead):
            self._read += 1
        if line := _line(event, self._read):
            streams.say(one_line(line))


def _line(event: Event, read: int) -> str:
    match event:
        case IndexOpened():
            return f"{number(event.patients, 'patient')}, {number(event.notes, 'note')}"
        case CriteriaRefused():
            return f"not understood by {event.by}: {'; '.join(event.words)}"
        case CriteriaRead():
            return f"read as: {event.text}"
        case PatientRead():
            return f"{number(read, 'patient')} read by the model"
        case CohortFound():
            return f"{number(event.counts['members'], 'patient')} found"
    return ""
