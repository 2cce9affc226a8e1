"""The declaration of the chart pipeline: its stages with their prompts, and its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypedDict

from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.chart import by_rule
from clinfo.pipelines.chart.events import EVENTS
from clinfo.pipelines.chart.packing import L_MAX
from clinfo.pipelines.chart.run_log import ChartLog, answer_json, build_answer
from clinfo.records.chart import ChartRequest, FoundNote
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Carrier, Pipeline, Stage, StagePrompt, Step
from clinfo.runs.spending import StagePlan

if TYPE_CHECKING:
    from clinfo.settings import Settings


class Asking(TypedDict):
    """A question, and the concepts that the dictionary finds in it."""

    question: str
    concepts: tuple[str, ...]


class Answering(TypedDict):
    """A question with the notes that it is answered from, and the answer by rule."""

    question: str
    notes: tuple[FoundNote, ...]
    told: str


_QUESTION = {"question": "the question as asked"}
INSTRUCTION_TOKENS = 500


def _once(request: ChartRequest) -> StagePlan:
    return StagePlan(1, INSTRUCTION_TOKENS, 200)


def _answered(request: ChartRequest) -> StagePlan:
    return StagePlan(1, INSTRUCTION_TOKENS + request.k * L_MAX // 4, 300)


TYPES = Stage(
    "types",
    "reading the question",
    "question",
    variables=Asking,
    prompts=(
        StagePrompt(
            "types",
            _QUESTION | {"types": "the semantic types there are"},
            "Types",
            "Names the semantic types that answer the question. Called once.",
        ),
    ),
    calls=_once,
    by_rule=by_rule.types,
    max_tokens=300,
)
HYDE = Stage(
    "hyde",
    "imagining a note",
    "question",
    variables=Asking,
    prompts=(
        StagePrompt(
            "hyde",
            _QUESTION,
            "Hypothetical note",
            "Writes a note that would answer the question; its entities widen the search. Called "
            "once.",
        ),
    ),
    calls=_once,
    by_rule=by_rule.hyde,
    max_tokens=300,
)
ANSWER = Stage(
    "answer",
    "answering",
    "answer",
    variables=Answering,
    prompts=(
        StagePrompt(
            "answer",
            _QUESTION | {"notes": "the notes found, delimited and numbered"},
            "Answer",
            "Answers from the notes, quoting them. Called once.",
        ),
    ),
    calls=_answered,
    by_rule=by_rule.answer,
)
STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "record"),
    Step("record", "reading the record", "record"),
    TYPES,
    HYDE,
    Step("retrieve", "finding notes", "retrieve"),
    ANSWER,
)
MODEL_STAGES = (TYPES.name, HYDE.name, ANSWER.name)
PROMPTS = PromptSet(
    "chart",
    {
        prompt.name: tuple(prompt.variables)
        for stage in (TYPES, HYDE, ANSWER)
        for prompt in stage.prompts
    },
)


def _assembled(
    settings: Settings, request: ChartRequest, after: Iterable[Event] = (), **given: Any
) -> Carrier[ChartRequest]:
    from clinfo.pipelines.chart.assemble import assemble

    return assemble(settings, request, after, **given)


def _answer(run_log: ChartLog) -> dict[str, Any] | None:
    return answer_json(build_answer(run_log)) if run_log.started else None


CHART: Pipeline[ChartRequest, ChartLog] = Pipeline(
    "chart", STEPS, EVENTS, ChartRequest, _assembled, ChartLog, _answer
)
