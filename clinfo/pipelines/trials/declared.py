"""The declaration of the trials pipeline: its stages with their prompts, and its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypedDict

from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.trials import by_rule
from clinfo.pipelines.trials.events import EVENTS
from clinfo.pipelines.trials.replies import Concluding, TrialQuestion
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.records.trials import TrialsRequest
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Passage
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Carrier, Pipeline, Stage, StagePrompt, Step
from clinfo.runs.spending import StagePlan

if TYPE_CHECKING:
    from clinfo.settings import Settings


class Understood(TypedDict):
    """A question to be taken apart."""

    question: str


class Extracted(TypedDict):
    """A group of passages of which to keep what bears on the question."""

    asked: Asked
    passages: tuple[Passage, ...]


class Concluded(TypedDict):
    """What a study's conclusion is to rest on."""

    asked: Asked
    passages: tuple[Passage, ...]


_QUESTION = {"question": "the question as asked"}
_CONCLUDED = _QUESTION | {
    "intervention": "what is tried",
    "comparator": "what it is compared with",
    "outcome": "the outcome asked about",
    "evidence": "what the study's papers say, delimited",
}
PASSAGE_TOKENS = 160
"""A passage of 620 characters, in tokens."""
INSTRUCTION_TOKENS = 400


def _once(request: TrialsRequest) -> StagePlan:
    given = request.intervention and request.outcome
    return StagePlan(0 if given else 1, INSTRUCTION_TOKENS, 60)


def _by_cluster(request: TrialsRequest) -> StagePlan:
    clusters = 4 if request.method in ("urca", "numbers", "raptor") else 0
    return StagePlan(clusters * len(request.papers), INSTRUCTION_TOKENS + 4 * PASSAGE_TOKENS, 200)


def _by_study(request: TrialsRequest) -> StagePlan:
    return StagePlan(len(request.papers), INSTRUCTION_TOKENS + request.k * PASSAGE_TOKENS, 120)


PICO = Stage(
    "pico",
    "reading the question",
    "papers",
    variables=Understood,
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
    by_rule=by_rule.pico,
    max_tokens=300,
)
EXTRACT = Stage(
    "extract",
    "extracting",
    "reading",
    variables=Extracted,
    prompts=(
        StagePrompt(
            "extract",
            _QUESTION | {"passages": "the passages of one group, delimited"},
            "Extraction",
            "Keeps what bears on the question. Called once for each group of passages.",
        ),
    ),
    calls=_by_cluster,
    by_rule=by_rule.extract,
)
CONCLUDE = Stage(
    "conclude",
    "concluding",
    "reading",
    variables=Concluded,
    reply=Concluding,
    prompts=(
        StagePrompt(
            "conclude",
            _CONCLUDED,
            "Conclusion",
            "Says where the outcome went. Called once for each study.",
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
    by_rule=by_rule.conclude,
    max_tokens=500,
)
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
MODEL_STAGES = (PICO.name, EXTRACT.name, CONCLUDE.name)
PROMPTS = PromptSet(
    "trials",
    {
        prompt.name: tuple(prompt.variables)
        for stage in (PICO, EXTRACT, CONCLUDE)
        for prompt in stage.prompts
    },
)


def _assembled(
    settings: Settings, request: TrialsRequest, after: Iterable[Event] = (), **given: Any
) -> Carrier[TrialsRequest]:
    from clinfo.pipelines.trials.assemble import assemble

    return assemble(settings, request, after, **given)


def _answer(run_log: TrialsLog) -> dict[str, Any] | None:
    from clinfo.pipelines.trials.answer import answer_json, build_answer

    return answer_json(build_answer(run_log)) if run_log.started else None


TRIALS: Pipeline[TrialsRequest, TrialsLog] = Pipeline(
    "trials", STEPS, EVENTS, TrialsRequest, _assembled, TrialsLog, _answer
)
