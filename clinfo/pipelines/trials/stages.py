"""The declaration of the trials pipeline: its steps, the stages at which a model is asked with
their prompts and typed replies, and what carries out a run.
"""

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from clinfo.evidence.meta_analysis.values import Direction
from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.trials.events import EVENTS, TrialsLog
from clinfo.pipelines.trials.quoting import TABLES
from clinfo.pipelines.trials.records import TrialsRequest
from clinfo.runs.pipeline import Pipeline, Stage, Step, named, stages_of
from clinfo.runs.replies import AlsoCalled, Figure, Quotation, Reply
from clinfo.runs.spending import StagePlan


class TrialQuestion(Reply):
    """A question about trials, taken apart; "" for what it does not name."""

    intervention: str = ""
    comparator: str = ""
    outcome: str = ""
    better: Literal["lower", "higher", "unknown"] = "unknown"


class Concluding(Reply):
    """The direction of an outcome in one study."""

    direction: Direction
    quotes: tuple[Annotated[str, Quotation(), Field(description="word for word")], ...] = ()
    reason: Annotated[str, Field(description="one short sentence")] = ""


Printed = Annotated[str | None, Figure()]


class Arm(Reply):
    """The numbers of one group as they are printed."""

    name: str | None = None
    n: Annotated[Printed, Field(description="people analysed"), AlsoCalled(("total",))] = None
    events: Annotated[Printed, Field(description="people with the event")] = None
    percent: Printed = None
    mean: Printed = None
    sd: Printed = None
    se: Printed = None
    ci_low: Printed = None
    ci_high: Printed = None
    median: Printed = None
    q1: Printed = None
    q3: Printed = None


class Arms(Reply):
    """Both groups that are compared."""

    intervention: Arm | None = None
    comparator: Annotated[Arm | None, AlsoCalled(("control",))] = None


class Stated(Reply):
    """The effect between the groups as the paper states it."""

    measure: Annotated[str | None, Field(description="RR, OR, HR, RD, MD, SMD …")] = None
    estimate: Printed = None
    low: Printed = None
    high: Printed = None
    level: Annotated[str | None, Field(description="of the interval, per cent")] = None
    p: Printed = None


class StudyReply(Concluding):
    """The direction of an outcome in one study, with the numbers of both arms."""

    form: ClassVar[str] = "conclude"

    outcome: Annotated[str | None, Field(description="as the papers call it")] = None
    timepoint: str | None = None
    unit: str | None = None
    scores: Literal["final", "change", "fall"] | None = None
    arms: Arms | None = None
    effect: Stated | None = None
    number_quotes: tuple[
        Annotated[str, Quotation(), Field(description="a sentence, row or header, word for word")],
        ...,
    ] = ()
    cluster_randomised: bool | None = None
    about_people: bool | None = None
    one_trial: bool | None = None


PASSAGE_TOKENS: Final = 160
"""A passage of 620 characters, in tokens."""
TABLE_TOKENS: Final = 400
INSTRUCTION_TOKENS: Final = 400


def _planned(asked: TrialsRequest) -> dict[str, StagePlan]:
    """The calls of a run by stage."""
    clusters = 4 if asked.method in ("urca", "urca-global", "raptor") else 0
    papers, known = len(asked.papers), asked.intervention and asked.outcome
    tokens, reply = INSTRUCTION_TOKENS + asked.k * PASSAGE_TOKENS, 120
    if asked.method == "numbers":
        tokens, reply = 2 * tokens + TABLES * TABLE_TOKENS, 500
    return {
        "pico": StagePlan(0 if known else 1, INSTRUCTION_TOKENS, 60),
        "extract": StagePlan(clusters * papers, INSTRUCTION_TOKENS + 4 * PASSAGE_TOKENS, 200),
        "conclude": StagePlan(papers, tokens, reply),
    }


PICO: Final = Stage(
    "pico",
    "reading the question",
    "papers",
    reply=TrialQuestion,
    prompts=("pico",),
    max_tokens=300,
)
EXTRACT: Final = Stage(
    "extract",
    "extracting",
    "reading",
    prompts=("extract",),
)
CONCLUDE: Final = Stage(
    "conclude",
    "concluding",
    "reading",
    reply=Concluding,
    prompts=("conclude", "study", "instruct"),
    max_tokens=1_500,
)
STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "papers"),
    Step("papers", "reading papers", "papers"),
    PICO,
    Step("retrieve", "choosing passages", "reading"),
    Step("cluster", "grouping passages", "reading"),
    EXTRACT,
    CONCLUDE,
)
MODEL_STAGES: Final = tuple(stage.name for stage in stages_of(STEPS))
PROMPTS: Final = PromptSet.of("trials", STEPS)

_HERE = "clinfo.pipelines.trials"
TRIALS: Pipeline[TrialsRequest, TrialsLog] = Pipeline(
    "trials",
    STEPS,
    EVENTS,
    TrialsRequest,
    named(f"{_HERE}.work:work"),
    named(f"{_HERE}.answer:folded"),
    TrialsLog,
    named(f"{_HERE}.papers:shelf"),
    recorded=named(f"{_HERE}.answer:recorded"),
    requested=named(f"{_HERE}.request:request_of"),
    declared=f"{_HERE}.request:OPTIONS",
    plans=_planned,
    told=named("clinfo.pipelines.trials.events:told"),
    handed_out=named(f"{_HERE}.answer:TrialsAnswer"),
)
