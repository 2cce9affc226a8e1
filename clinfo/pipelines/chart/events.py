"""Events of a run of the chart pipeline, besides those of every run (`clinfo.runs.events`), and the
log of them.
"""

from collections.abc import Mapping

from clinfo.pipelines.chart.records import (
    ChartRequest,
    Claim,
    CodedFact,
    FoundNote,
    StageTrace,
    Window,
)
from clinfo.runs.events import Event, EventTypes
from clinfo.runs.run_log import Held, RunLog


class RecordRead(Event, stage="record", key="record"):
    """The record as it was read: ``sha256`` of the notes that are searched, how many of what was
    found and left out, and what a reader has to know.
    """

    sha256: str
    counts: Mapping[str, int]
    problems: tuple[str, ...] = ()


class QuestionRead(Event, stage="types", key="question"):
    """The question as it is matched: semantic types, concepts it names, those of a hypothetical
    note (before they are held against the record), and the days it asks about.
    """

    types: tuple[str, ...]
    concepts: tuple[str, ...]
    hypothetical: tuple[str, ...] = ()
    window: Window = Window()


class NotesFound(Event, stage="retrieve", key="found"):
    """The notes found, best first, with the trace of the stages and the coded entries; ``told`` is
    the answer where no model gives one, the others as in `ChartAnswer`.
    """

    notes: tuple[FoundNote, ...]
    trace: tuple[StageTrace, ...]
    told: str = ""
    coded: tuple[CodedFact, ...] = ()
    status: str = ""
    unrecognised: tuple[str, ...] = ()
    established: str = ""


class AnswerWritten(Event, stage="answer", key="written"):
    """The answer in words, the notes with what it quotes of each, a model's claims, and what it
    read.
    """

    text: str
    notes: tuple[FoundNote, ...]
    claims: tuple[Claim, ...] = ()
    established: str = ""


EVENTS = EventTypes(ChartRequest, (RecordRead, QuestionRead, NotesFound, AnswerWritten))


class ChartLog(RunLog):
    """The events of one run, each key once."""

    record = Held(RecordRead, "record")
    question = Held(QuestionRead, "question")
    found = Held(NotesFound, "found")
    written = Held(AnswerWritten, "written")
