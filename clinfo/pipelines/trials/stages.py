"""The declaration of the trials pipeline: its steps, the stages at which a model is asked with
their prompts and replies, and what carries out a run.
"""

from __future__ import annotations

from typing import Final, TypedDict

from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.trials.events import EVENTS
from clinfo.pipelines.trials.replies import Concluding, TrialQuestion
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.pipelines.trials.selecting import TABLES
from clinfo.records.request import EXTRACTIVE
from clinfo.records.trials import TrialsRequest
from clinfo.runs.pipeline import Pipeline, Stage, StagePrompt, Step, named
from clinfo.runs.spending import StagePlan


class Asking(TypedDict):
    """What a model that reads no messages is told."""

    question: str


TEMPERATURE: Final = 0.0
"""The paper's setting."""
PASSAGE_TOKENS: Final = 160
"""A passage of 620 characters, in tokens."""
TABLE_TOKENS: Final = 400
INSTRUCTION_TOKENS: Final = 400
_QUESTION: Final = {"question": "the question as asked"}
_CONCLUDED: Final = _QUESTION | {
    "intervention": "what is tried",
    "comparator": "what it is compared with",
    "outcome": "the outcome asked about",
    "evidence": "what the study's papers say, delimited",
}


def _once(request: TrialsRequest) -> StagePlan | None:
    given = request.intervention and request.outcome
    return _plan(request, "pico", 0 if given else 1, 0, 60)


def _by_cluster(request: TrialsRequest) -> StagePlan | None:
    clusters = 4 if request.method in ("urca", "urca-global", "raptor") else 0
    return _plan(request, "extract", clusters * len(request.papers), 4 * PASSAGE_TOKENS, 200)


def _by_study(request: TrialsRequest) -> StagePlan | None:
    if request.method == "numbers":
        tokens = 2 * request.k * PASSAGE_TOKENS + TABLES * TABLE_TOKENS + INSTRUCTION_TOKENS
        return _plan(request, "conclude", len(request.papers), tokens, 500)
    return _plan(request, "conclude", len(request.papers), request.k * PASSAGE_TOKENS, 120)


def _plan(
    request: TrialsRequest, stage: str, calls: int, tokens: int, reply: int
) -> StagePlan | None:
    if request.models.get(stage, EXTRACTIVE) == EXTRACTIVE:
        return None
    return StagePlan(calls, INSTRUCTION_TOKENS + tokens, reply)


PICO: Final = Stage(
    "pico",
    "reading the question",
    "papers",
    variables=Asking,
    reply=TrialQuestion,
    prompts=(
        StagePrompt(
            "pico",
            _QUESTION,
            "Question",
            "Reads intervention, comparator and outcome from the question. Called once.",
            "where they are not given",
        ),
    ),
    calls=_once,
    max_tokens=300,
)
EXTRACT: Final = Stage(
    "extract",
    "extracting",
    "reading",
    variables=Asking,
    prompts=(
        StagePrompt(
            "extract",
            _QUESTION | {"passages": "the passages of one group, delimited"},
            "Extraction",
            "Keeps what bears on the question. Called once for each group of passages.",
        ),
    ),
    calls=_by_cluster,
)
CONCLUDE: Final = Stage(
    "conclude",
    "concluding",
    "reading",
    variables=Asking,
    reply=Concluding,
    prompts=(
        StagePrompt(
            "conclude",
            _CONCLUDED,
            "Conclusion",
            "Says where the outcome went. Called once for each study.",
            "with the published methods",
        ),
        StagePrompt(
            "study",
            _CONCLUDED,
            "Conclusion with numbers",
            "Says where the outcome went and copies the numbers of both groups. Called once for "
            "each study.",
            "with the method numbers",
            added=True,
        ),
        StagePrompt(
            "instruct",
            _CONCLUDED,
            "Conclusion after weighing",
            "Says where the outcome went after telling which passages help.",
            "with the method instruct-rag",
        ),
    ),
    calls=_by_study,
    max_tokens=1_500,
)
STAGES: Final = (PICO, EXTRACT, CONCLUDE)
MODEL_STAGES: Final = tuple(stage.name for stage in STAGES)
PROMPTS: Final = PromptSet.of("trials", STAGES)

_HERE = "clinfo.pipelines.trials"
STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "papers"),
    Step("papers", "reading papers", "papers"),
    PICO,
    Step("numbers", "reading numbers", "reading"),
    Step("retrieve", "choosing passages", "reading"),
    Step("cluster", "grouping passages", "reading"),
    EXTRACT,
    CONCLUDE,
)


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
    told=named("clinfo.pipelines.trials.progress:told"),
)
