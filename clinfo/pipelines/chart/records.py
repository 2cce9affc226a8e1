"""The values of the chart pipeline: what is asked of one patient's record, what was found, and
the events of a run with their log. Offsets are code points in a note's text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from clinfo.records.answer import RunAnswer
from clinfo.records.articles import Verdict
from clinfo.records.request import MAX_NAME, MAX_QUESTION, Option
from clinfo.runs.events import Event, EventTypes
from clinfo.runs.run_log import Held, RunLog

Combined = Literal["union", "intersection"]
Mode = Literal["ordered", "published", "types", "entities", "dense", "recovery", "rerank"]
STAGES: Final = ("types", "entities", "dense", "recovery", "rerank")
"""The stages of the retrieval, in order."""
NOT_DOCUMENTED: Final = "not documented"
Order = Literal["", "first", "last"]
READ: Final = "What is read"
FOUND: Final = "How notes are found"


@dataclass(frozen=True)
class ChartRequest:
    """Everything a run of the chart pipeline is asked.

    ``record`` are files and folders of notes, ``patient`` whose of them ("" where they are of one
    patient). ``since`` and ``until`` (ISO 8601 or the beginning of it) are both included. ``stage``
    is ``ordered``, ``published`` or the stage after which the published retrieval stops.
    ``embedder`` is named as in `clinfo.retrieval`; "" stands for the settings' one.
    """

    question: Annotated[str, Option("The question.", READ, longest=MAX_QUESTION, places=("http",))]
    record: tuple[str, ...]
    patient: Annotated[
        str,
        Option(
            "Whose notes, where there are several patients'.",
            READ, metavar="ID", longest=MAX_NAME, places=("cli", "http"),
        ),
    ] = ""  # fmt: skip
    visits: Annotated[
        tuple[str, ...], Option("Notes of this visit only; repeat it.", READ, "visit", "ID")
    ] = ()
    categories: Annotated[
        tuple[str, ...], Option("Notes of this category only; repeat it.", READ, "category", "NAME")
    ] = ()
    since: Annotated[str, Option("Notes of this day or later.", READ, "from", "DATE")] = ""
    until: Annotated[str, Option("Notes of this day or before.", READ, "to", "DATE")] = ""
    k: Annotated[int, Option("Notes to give.", FOUND, metavar="N", least=1, most=1000)] = 20
    stage: Annotated[
        Mode,
        Option(
            "ordered (nothing is lost), published (drops as the paper does), or a stage of it to "
            "stop after: types, entities, dense, recovery, rerank.",
            FOUND, metavar="NAME",
        ),
    ] = "ordered"  # fmt: skip
    combined: Annotated[
        Combined,
        Option("How types and entities go together.", FOUND, "filter", places=("cli",)),
    ] = "intersection"
    threshold: Annotated[
        int,
        Option(
            "Chunks that must name an entity of HyDE's note.",
            FOUND, metavar="N", least=1, most=1000, places=("cli",),
        ),
    ] = 2  # fmt: skip
    embedder: Annotated[
        str,
        Option(
            "The embedder.",
            FOUND, metavar="NAME", default="CLINFO_EMBEDDER, else wordllama", places=("cli",),
        ),
    ] = ""  # fmt: skip
    models: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    seed: Annotated[
        int,
        Option("Seed of the models' calls.", FOUND, metavar="N", most=2**31 - 1, places=("cli",)),
    ] = 0
    max_cost: Annotated[
        float | None, Option("Most US dollars to spend.", FOUND, metavar="USD", places=("cli",))
    ] = None
    max_seconds: float | None = None


@dataclass(frozen=True)
class Window:
    """The days that a question asks about (ISO 8601 or the beginning of it, both included), and
    whether it is after the first or the last of what was noted.
    """

    since: str = ""
    until: str = ""
    order: Order = ""

    def __bool__(self) -> bool:
        return bool(self.since or self.until or self.order)


@dataclass(frozen=True)
class StageTrace:
    """A stage told: what it was given and kept, as ids of chunks in order, why each was kept or
    dropped (``reasons`` by id), and its measures.
    """

    name: str
    given: tuple[str, ...]
    kept: tuple[str, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class NoteSpan:
    """Code points [start, end) of a note, and what stands there."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class FoundNote:
    """A note that was found, with the places that bear on the question; ``date`` is its time as
    recorded ("" unknown), ``score`` goes from 0 to 1.
    """

    id: str
    date: str
    spans: tuple[NoteSpan, ...]
    category: str = ""
    visit: str = ""
    score: float = 0.0


@dataclass(frozen=True)
class Quoted:
    """Words of a note."""

    note: str
    date: str
    quotation: NoteSpan


@dataclass(frozen=True)
class Claim:
    """A statement of a model about the patient, with the words of the note that it rests on, and of
    further ones in ``also``.

    ``verdict`` is that of the ``judge`` ("" where none gave one), ``reason`` why.
    """

    text: str
    note: str
    date: str
    quotation: NoteSpan
    verdict: Verdict = "not_verified"
    reason: str = ""
    judge: str = ""
    also: tuple[Quoted, ...] = ()

    @property
    def quoted(self) -> tuple[Quoted, ...]:
        """All that it quotes."""
        return (Quoted(self.note, self.date, self.quotation), *self.also)


@dataclass(frozen=True)
class CodedFact:
    """A coded entry that bears on a question, as it was recorded: ``value`` is a result with its
    ``unit`` and recorded ``interpretation``, for other kinds the status. ``note`` is the id of the
    text that holds it.
    """

    kind: str
    text: str
    value: str
    unit: str
    start: str
    end: str
    note: str
    interpretation: str = ""


@dataclass(frozen=True)
class ChartAnswer(RunAnswer):
    """The answer to a question about a record: notes with quotations and coded entries, and
    with a model its answer.

    ``answer`` are the ``claims`` of a model, a line each; without a model the nearest quotations;
    `NOT_DOCUMENTED` where there are neither. ``notes`` are from the best on. ``established`` says
    what was looked for and what was read. ``stages`` count chunks; the trace holds their ids.
    ``status`` and ``unrecognised`` stand in runs of older versions only.
    """

    answer: str
    claims: tuple[Claim, ...] = ()
    coded: tuple[CodedFact, ...] = ()
    notes: tuple[FoundNote, ...] = ()
    status: str = ""
    unrecognised: tuple[str, ...] = ()
    established: str = ""
    stages: tuple[StageTrace, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


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
