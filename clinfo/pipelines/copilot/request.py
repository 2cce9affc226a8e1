"""A request of the copilot from what a person gives: a question, a case, tools, a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clinfo.claims import registry as judges
from clinfo.errors import UsageError
from clinfo.pipelines.copilot.declared import COPILOT
from clinfo.pipelines.copilot.evidence_items import DIRECTIONS, LEVELS
from clinfo.pipelines.copilot.stages import JUDGE, MODEL_STAGES, NOBODY
from clinfo.records.copilot import CopilotRequest
from clinfo.records.request import EXTRACTIVE

if TYPE_CHECKING:
    from clinfo.settings import Settings

MOST_STEPS: Final = 50
LONGEST_QUESTION, LONGEST_CASE = 4_000, 60_000
LONGEST_FIELD: Final = 200
"""Characters."""


def request_of(
    settings: Settings,
    question: str,
    model: str | None = None,
    judge: str | None = None,
    **fields: Any,
) -> CopilotRequest:
    """The request; ``fields`` are those of `CopilotRequest`. ``model`` holds for every stage,
    whatever the settings say; without one named anywhere the extractive one answers.

    Raises UsageError.
    """
    if not question.strip():
        raise UsageError("a question is missing")
    single = {} if model is not None else COPILOT.stage_models(settings)
    everywhere = model or settings.model or EXTRACTIVE
    models = {stage: single.get(stage, everywhere) for stage in MODEL_STAGES}
    judge = _judge(settings, judge, models["write"])
    if judge != NOBODY and judges.asks_model(judge):
        models[JUDGE.name] = single.get(JUDGE.name, everywhere)
    try:
        request = CopilotRequest(question.strip(), models=models, judge=judge, **fields)
    except TypeError:
        unknown = sorted(set(fields) - set(CopilotRequest.__dataclass_fields__))
        raise UsageError(f"unknown options: {', '.join(unknown)}") from None
    if len(request.question) > LONGEST_QUESTION or len(request.case) > LONGEST_CASE:
        raise UsageError(
            f"a question has at most {LONGEST_QUESTION:,} characters, a case {LONGEST_CASE:,}"
        )
    if request.case_report and not request.case.strip():
        raise UsageError("--case-report needs a case: --case FILE")
    for name in ("gene", "variant", "disease", "drug"):
        if len(getattr(request, name)) > LONGEST_FIELD:
            raise UsageError(f"--{name} has at most {LONGEST_FIELD} characters")
    if request.direction not in ("", *DIRECTIONS):
        raise UsageError(f"--direction is one of: {', '.join(DIRECTIONS)}")
    if set(request.levels) - set(LEVELS):
        raise UsageError("--levels are letters from A to E, such as AB")
    if not 1 <= request.max_steps <= MOST_STEPS:
        raise UsageError(f"--max-steps needs 1 to {MOST_STEPS}")
    for name, limit in (("seconds", request.max_seconds), ("tokens", request.max_tokens)):
        if limit is not None and not 0 < limit < float("inf"):
            raise UsageError(f"--max-{name} needs a number above 0")
    return request


def _judge(settings: Settings, judge: str | None, model: str) -> str:
    """Who judges claims: the one named, else CLINFO_JUDGE, else the model where a language model
    writes. Without a language model nothing is judged: what is shown are quotations.
    """
    if judge not in (None, NOBODY, "rules"):
        if judges.asks_model(judge) and model == EXTRACTIVE:
            raise UsageError(f"--judge {judge} needs a language model: --model NAME")
        judges.learned_judge(settings, judge)
    named = judge or settings.judge or "model"
    return NOBODY if model == EXTRACTIVE or named in (NOBODY, "rules") else named
