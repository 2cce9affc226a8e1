"""The run log of the trials pipeline: papers, studies, passages, conclusions."""

from __future__ import annotations

from clinfo.pipelines.trials.events import (
    EditUndone,
    NumbersRead,
    PaperRead,
    PapersChecked,
    QuestionUnderstood,
    RunStarted,
    StudiesGrouped,
    StudyConcluded,
    StudyEdited,
)
from clinfo.records.appraisal import Notice
from clinfo.records.trials import Edit, StudyNumbers, StudyPapers
from clinfo.retrieval.documents import Document
from clinfo.runs.run_log import Held, RunLog


class TrialsLog(RunLog):
    """The events of one run, each key once."""

    started = Held(RunStarted, "run")
    understood = Held(QuestionUnderstood, "understood")

    @property
    def papers(self) -> dict[str, Document]:
        """The papers that could be read, by id, in the order of the request."""
        started = self.started
        names = started.request.papers if started else ()
        read = {event.name: event.document for event in self.all(PaperRead)}
        return {read[name].id: read[name] for name in names if name in read}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return what is to be known of the papers."""
        checked = self.get(PapersChecked, "checked")
        return checked.notices if checked else ()

    @property
    def studies(self) -> tuple[StudyPapers, ...]:
        grouped = self.get(StudiesGrouped, "grouped")
        return grouped.studies if grouped else ()

    @property
    def concluded(self) -> dict[str, StudyConcluded]:
        """Conclusion by the study's name."""
        return {event.study: event for event in self.all(StudyConcluded)}

    @property
    def numbers(self) -> dict[str, StudyNumbers]:
        """The numbers that were read, by the study's name: by the model that concluded, or by rules
        of an older version.
        """
        by_rules = {event.study: event.numbers for event in self.all(NumbersRead)}
        read = {name: event.reading for name, event in self.concluded.items() if event.reading}
        found = by_rules | {name: one.numbers for name, one in read.items()}
        return {name: numbers for name, numbers in found.items() if numbers is not None}

    def edits(self, study: str) -> tuple[Edit, ...]:
        """Return what people changed of a study, from the first change on."""
        undone = {event.edit for event in self.all(EditUndone)}
        return tuple(
            Edit(
                event.seq,
                event.why,
                event.who,
                event.made_at,
                event.numbers,
                event.excluded,
                event.seq in undone,
            )
            for event in self.all(StudyEdited)
            if event.study == study
        )
