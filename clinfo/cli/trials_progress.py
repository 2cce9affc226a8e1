"""Progress of a run of the trials pipeline on stderr: a line a milestone."""

from __future__ import annotations

from clinfo.cli.progress import Progress
from clinfo.console import streams
from clinfo.pipelines.trials.events import (
    PaperRead,
    PaperRefused,
    QuestionUnderstood,
    StudiesGrouped,
    StudyConcluded,
)
from clinfo.runs.events import Event, Warned
from clinfo.text.printable import one_line
from clinfo.views.wording import number


def progress(quiet: bool) -> Progress:
    """The display of a run; nothing where it is to be ``quiet``."""
    return Progress() if quiet else _Milestones()


class _Milestones(Progress):
    def __init__(self) -> None:
        self._papers = self._studies = self._done = 0

    def see(self, event: Event) -> None:
        """Take in an event of the run."""
        if isinstance(event, PaperRead):
            self._papers += 1
        elif isinstance(event, PaperRefused):
            streams.complain(one_line(event.reason))
        elif isinstance(event, QuestionUnderstood):
            asked = event.asked
            parts = f"{asked.intervention} against {asked.comparator or '?'} for {asked.outcome}"
            streams.say(one_line(f"asked: {parts}"))
        elif isinstance(event, StudiesGrouped):
            self._studies = len(event.studies)
            read = number(self._papers, "paper")
            streams.say(f"{read} read, {number(self._studies, 'study', 'studies')}")
        elif isinstance(event, StudyConcluded):
            self._done += 1
            said = (event.conclusion.direction or "passages quoted").replace("_", " ")
            streams.say(one_line(f"{self._done}/{self._studies} {event.study}: {said}"))
        elif isinstance(event, Warned):
            streams.complain(one_line(event.text))
