"""The declaration of the chart pipeline: its steps, the stages at which a model is asked with their
prompts and replies, and what carries out a run.
"""

from typing import Annotated, Final, Literal

from pydantic import Field

from clinfo.claims.model_judge import STAGE as JUDGE
from clinfo.pipelines.chart.packing import L_MAX
from clinfo.pipelines.chart.records import EVENTS, ChartLog, ChartRequest
from clinfo.runs.pipeline import Pipeline, Stage, Step, named
from clinfo.runs.replies import AlsoCalled, Quotation, Reply
from clinfo.runs.spending import StagePlan

SemanticType = Literal[
    "anatomy", "behaviour", "care", "device", "diagnostic procedure", "diet", "disease",
    "drug class", "drug or substance", "finding", "injury", "mental", "mental disorder",
    "organism", "procedure", "surgery", "treatment",
]  # fmt: skip
_DAY = "YYYY, YYYY-MM or YYYY-MM-DD"


class QuestionTypes(Reply):
    """The types that notes which answer a question name, and the days that it asks about."""

    direct: tuple[SemanticType, ...] = ()
    complementary: tuple[SemanticType, ...] = ()
    since: Annotated[str | None, Field(description=_DAY)] = None
    until: Annotated[str | None, Field(description=_DAY)] = None
    order: Literal["first", "last"] | None = None


class Quoted(Reply):
    """Words of a note, by its number."""

    prose = "quotation"
    note: int = 0
    quotation: Annotated[
        str, Quotation(), Field(description="exact words"), AlsoCalled(("quote", "words"))
    ] = ""


class WrittenClaim(Quoted):
    """A statement about the patient, with the number of a note and its words; ``also`` are further
    notes that it rests on.
    """

    prose = "text"
    text: Annotated[str, AlsoCalled(("claim", "statement"))]
    also: Annotated[tuple[Quoted, ...], Field(description="further notes it rests on")] = ()


class Claims(Reply):
    """The answer to a question in claims; none where the notes do not answer it."""

    claims: tuple[WrittenClaim, ...]


INSTRUCTION_TOKENS: Final = 900


TYPES: Final = Stage(
    "types",
    "reading the question",
    "question",
    reply=QuestionTypes,
    prompts=("types",),
    max_tokens=300,
)
HYDE: Final = Stage(
    "hyde",
    "imagining a note",
    "question",
    prompts=("hyde",),
    max_tokens=300,
)
ANSWER: Final = Stage(
    "answer",
    "answering",
    "answer",
    reply=Claims,
    prompts=("answer", "rewrite"),
)
VERIFY: Final = Stage(
    JUDGE.name,
    "checking the answer",
    "answer",
    prompts=JUDGE.prompts,
    required=False,
)
STEPS: Final[tuple[Step, ...]] = (
    Step("run", "preparing", "record"),
    Step("record", "reading the record", "record"),
    TYPES,
    HYDE,
    Step("retrieve", "finding notes", "retrieve"),
    ANSWER,
    VERIFY,
)

_HERE = "clinfo.pipelines.chart"
_folded = named(f"{_HERE}.answer:folded")
CHART: Pipeline[ChartRequest, ChartLog] = Pipeline(
    "chart",
    STEPS,
    EVENTS,
    ChartRequest,
    named(f"{_HERE}.work:work"),
    _folded,
    ChartLog,
    named(f"{_HERE}.work:parts"),
    of_patients=lambda settings, request: True,
    recorded=lambda run_log, answer: _folded(run_log),
    requested=named(f"{_HERE}.request:request_of"),
    declared=f"{_HERE}.request:OPTIONS",
    plans=lambda asked: {
        "types": StagePlan(1, INSTRUCTION_TOKENS + 200, 300),
        "hyde": StagePlan(1, INSTRUCTION_TOKENS + 200, 300),
        "answer": StagePlan(2, INSTRUCTION_TOKENS + asked.k * L_MAX // 4, 300),
        "verify": StagePlan(3, INSTRUCTION_TOKENS + 4_000, 300),
    },
    handed_out=named(f"{_HERE}.answer:ChartAnswer"),
)
