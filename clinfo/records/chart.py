"""The values of the chart pipeline: what is asked of one patient's record, and what was found.
Offsets are code points in a note's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from clinfo.records.answer import Usage
from clinfo.records.articles import Verdict

Combined = Literal["union", "intersection"]
STAGES: Final = ("types", "entities", "dense", "recovery", "rerank")
"""The stages of the retrieval, in order."""
NOT_DOCUMENTED: Final = "not documented"
Order = Literal["", "first", "last"]


@dataclass(frozen=True)
class ChartRequest:
    """Everything a run of the chart pipeline is asked.

    ``record`` are files and folders of notes, ``patient`` whose of them ("" where they are of one
    patient). ``visits`` and ``categories`` restrict the notes, ``since`` and ``until`` (ISO 8601 or
    the beginning of it, both included) their days. ``k`` notes are given. ``stage`` is
    ``ordered``, ``published`` or the stage after which the published retrieval stops. ``combined``
    says how the filters of types and entities go together, ``threshold`` how many chunks must name
    an entity of the hypothetical note. ``embedder`` and ``reranker`` are named as in
    `clinfo.retrieval`; "" stands for the settings' embedder, and for no second reranking.
    """

    question: str
    record: tuple[str, ...]
    patient: str = ""
    visits: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    k: int = 20
    stage: str = "ordered"
    combined: Combined = "intersection"
    threshold: int = 2
    across_visits: bool = False
    embedder: str = ""
    reranker: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    max_cost: float | None = None
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
    """What a stage was given and kept, as ids of chunks in order, why each was kept or dropped
    (``reasons`` by id), and its measures.
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
    ``unit``, for other kinds the status. ``note`` is the id of the text that holds it.
    """

    kind: str
    text: str
    value: str
    unit: str
    start: str
    end: str
    note: str


@dataclass(frozen=True)
class ChartAnswer:
    """What was found on a question about a record: notes with quotations and coded entries, and
    with a model its answer.

    ``answer`` are the ``claims`` of a model, a line each; without a model the nearest quotations;
    `NOT_DOCUMENTED` where there are neither. ``notes`` are from the best on. ``established`` says
    what was looked for and what was read. ``stages`` count chunks; the trace holds their ids.
    ``status`` and ``unrecognised`` stand in runs of older versions only.
    """

    question: str
    answer: str
    claims: tuple[Claim, ...] = ()
    coded: tuple[CodedFact, ...] = ()
    notes: tuple[FoundNote, ...] = ()
    status: str = ""
    unrecognised: tuple[str, ...] = ()
    established: str = ""
    stages: tuple[StageTrace, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    timings: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
