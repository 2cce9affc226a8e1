"""Events of a run of the chart pipeline, besides those of every run (`clinfo.runs.events`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from clinfo.records.chart import ChartRequest, FoundNote, StageTrace, Status
from clinfo.runs import events
from clinfo.runs.events import Event, EventTypes


class RunStarted(events.RunStarted):
    """The beginning of a run of the chart pipeline."""

    request: ChartRequest


class RecordRead(Event, stage="record", key="record"):
    """The record as it was read: ``sha256`` of the notes that are searched, how many of what was
    found and left out, and what a reader has to know.
    """

    sha256: str
    counts: Mapping[str, int]
    problems: tuple[str, ...] = ()


class QuestionRead(Event, stage="types", key="question"):
    """What the question is matched by: semantic types, concepts it names, and those of a
    hypothetical note (before they are held against the record).
    """

    types: tuple[str, ...]
    concepts: tuple[str, ...]
    hypothetical: tuple[str, ...] = ()


class NotesFound(Event, stage="retrieve", key="found"):
    """The notes found, best first, with the trace of the stages; ``told`` is the answer by rule,
    ``status``, ``unrecognised`` and ``established`` as in `ChartAnswer`.
    """

    notes: tuple[FoundNote, ...]
    trace: tuple[StageTrace, ...]
    told: str = ""
    status: Status | Literal[""] = ""
    unrecognised: tuple[str, ...] = ()
    established: str = ""


class AnswerWritten(Event, stage="answer", key="written"):
    """The answer in words, and the notes with what it quotes of each."""

    text: str
    notes: tuple[FoundNote, ...]


EVENTS = EventTypes((RunStarted, RecordRead, QuestionRead, NotesFound, AnswerWritten))
