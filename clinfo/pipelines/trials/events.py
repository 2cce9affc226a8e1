"""Events of a run of the trials pipeline, besides those of every run (`clinfo.runs.events`), and
their log.
"""

from collections.abc import Iterator

from clinfo.evidence.meta_analysis.values import Better
from clinfo.pipelines.trials.records import (
    Conclusion,
    Edit,
    GivenNumbers,
    Quote,
    StudyNumbers,
    StudyPapers,
    StudyReading,
    TrialsRequest,
)
from clinfo.records.appraisal import Notice
from clinfo.retrieval.documents import Asked, Document, Passage
from clinfo.runs.events import Event, EventTypes
from clinfo.runs.run_log import By, Field, Held, RunLog
from clinfo.text.wording import number


class PaperRead(Event, stage="papers", key="paper {0.name}"):
    """A paper as it was read; ``name`` is what the request calls it."""

    name: str
    document: Document


class PaperRefused(Event, stage="papers", key="paper {0.name}"):
    """A paper that could not be read, or that was read already, and why."""

    name: str
    reason: str


class PapersChecked(Event, stage="papers", key="checked"):
    """Notices on the papers that were read: retractions and the like."""

    notices: tuple[Notice, ...]


class QuestionUnderstood(Event, stage="pico", key="understood"):
    """The comparison, its outcome, and which way is better for the patient."""

    asked: Asked
    better: Better | None


class StudiesGrouped(Event, stage="papers", key="grouped"):
    """The studies with the papers that tell of each."""

    studies: tuple[StudyPapers, ...]


class PassagesChosen(Event, stage="retrieve", key="passages {0.study}"):
    """The passages that a study's conclusion may rest on, with their scores, of ``found``.

    ``outcome`` is what the papers call the outcome, "" where they call it as it was asked.
    """

    study: str
    passages: tuple[Passage, ...]
    scores: tuple[float, ...]
    found: int
    outcome: str = ""


class PassagesClustered(Event, stage="cluster", key="clusters {0.study}"):
    """The passages in groups, by their places, in the order in which they are read."""

    study: str
    clusters: tuple[tuple[int, ...], ...]


class StudyConcluded(Event, stage="conclude", key="concluded {0.study}"):
    """A model's conclusion of a study's papers; where it says nothing, or none was asked, the
    passages that are likeliest to be about the outcome.
    """

    study: str
    conclusion: Conclusion
    candidates: tuple[Quote, ...] = ()
    reading: StudyReading | None = None


class StudyEdited(Event, stage="edit", key="edit {0.seq}"):
    """A person's change of a study after the run had ended; `records.Edit` says
    what the fields are. ``t`` stays at the run's end.
    """

    study: str
    why: str
    who: str
    made_at: str
    numbers: GivenNumbers | None = None
    excluded: bool | None = None


class EditUndone(Event, stage="edit", key="undone {0.edit}"):
    """An edit, by its sequence number, that does not hold any more."""

    edit: int
    who: str
    made_at: str


EVENTS = EventTypes(
    TrialsRequest,
    (
        PaperRead,
        PaperRefused,
        PapersChecked,
        QuestionUnderstood,
        StudiesGrouped,
        PassagesChosen,
        PassagesClustered,
        StudyConcluded,
        StudyEdited,
        EditUndone,
    ),
)


class TrialsLog(RunLog):
    """The events of one run, each key once."""

    understood = Held(QuestionUnderstood, "understood")
    readings = By[StudyReading](StudyConcluded, "study", "reading")
    notices = Field[tuple[Notice, ...]](PapersChecked, "checked", "notices", ())
    studies = Field[tuple[StudyPapers, ...]](StudiesGrouped, "grouped", "studies", ())

    @property
    def papers(self) -> dict[str, Document]:
        """The papers that could be read, by id, in the order of the request."""
        started = self.started
        names = started.request.papers if started else ()
        read = {event.name: event.document for event in self.all(PaperRead)}
        return {read[name].id: read[name] for name in names if name in read}

    @property
    def concluded(self) -> dict[str, StudyConcluded]:
        """Conclusion by the study's name."""
        return {event.study: event for event in self.all(StudyConcluded)}

    @property
    def numbers(self) -> dict[str, StudyNumbers]:
        """The numbers that the model read that concluded, by the study's name."""
        return {
            name: reading.numbers
            for name, reading in self.readings.items()
            if reading.numbers is not None
        }

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
