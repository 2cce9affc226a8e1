"""The values of the chart pipeline: what is asked of one patient's record, and what was found.
Offsets are code points in a note's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from clinfo.lazy_dataclass import dataclass, field
from clinfo.records.answer import Usage

Combined = Literal["union", "intersection"]
STAGES: Final = ("types", "entities", "dense", "recovery", "rerank")
"""The stages of the retrieval, in order."""
NOT_DOCUMENTED: Final = "not documented"
Status = Literal[
    "documented", "history", "uncertain", "negated", "family", "partly", "outside", "absent",
    "not as written", "not recognised",
]  # fmt: skip
"""What a record holds of what is asked: the patient has it, had it; it is only suspected; denied;
said of the family only; found without a word that qualifies it; at another time than is asked for;
nothing ("not documented"); not as written, and other names of it are not known here; or the
question names what cannot be looked for.
"""


@dataclass(frozen=True)
class ChartRequest:
    """Everything a run of the chart pipeline is asked.

    ``record`` are files and folders of notes, ``patient`` whose of them ("" where they are of one
    patient). ``visits`` and ``categories`` restrict the notes, ``since`` and ``until`` (ISO 8601 or
    the beginning of it, both included) their days. ``k`` notes are given. ``stage`` is
    ``ordered``, ``published`` or the stage after which the published retrieval stops. ``combined``
    says how the filters of types and entities go together, ``threshold`` how many chunks must name
    an entity of the hypothetical note.
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
    models: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    max_cost: float | None = None
    max_seconds: float | None = None


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
class ChartAnswer:
    """The answer to a question about a record: words with the notes they rest on, or
    `NOT_DOCUMENTED`.

    ``notes`` are from the best on. ``stages`` count chunks; the trace holds their ids. ``status``
    is what the rules find ("" in older runs), ``unrecognised`` are the words of the question that
    no table knows: they are looked for as written only. ``established`` says what "not documented"
    rests on.
    """

    question: str
    answer: str
    notes: tuple[FoundNote, ...] = ()
    status: Status | Literal[""] = ""
    unrecognised: tuple[str, ...] = ()
    established: str = ""
    stages: tuple[StageTrace, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    usage: Usage = Usage()
    timings: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
