"""A request of the copilot from what a person gives: a question, a case, tools, a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clinfo.claims import registry as judges
from clinfo.errors import FieldError, UsageError
from clinfo.pipelines.copilot.records import DIRECTIONS, LEVELS, CopilotRequest
from clinfo.pipelines.copilot.stages import COPILOT, JUDGE, NOBODY
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.options import Options, one_of

if TYPE_CHECKING:
    from clinfo.settings import Settings


def _levels(given: str) -> str:
    """Letters of levels. Raises FieldError."""
    if set(levels := given.upper()) - set(LEVELS):
        raise FieldError("levels", "must be letters from A to E, such as AB")
    return levels


OPTIONS: Final = Options(
    CopilotRequest,
    {
        "direction": (lambda given: one_of("direction", given, ("", *DIRECTIONS)), {}),
        "levels": (_levels, {}),
    },
)


def request_of(
    settings: Settings,
    question: str,
    model: str | None = None,
    judge: str | None = None,
    **fields: Any,
) -> CopilotRequest:
    """The request; ``fields`` are those of `CopilotRequest`. ``model`` holds for every stage,
    whatever the settings say; without one named anywhere the extractive one answers.

    Raises UsageError, FieldError.
    """
    models = {
        stage: name or EXTRACTIVE for stage, name in COPILOT.chosen_models(settings, model).items()
    }
    judge = _judge(settings, judge, models["write"])
    if judge != NOBODY and judges.spec(judge).model:
        single = {} if model is not None else COPILOT.stage_models(settings)
        models[JUDGE.name] = single.get(JUDGE.name, model or settings.model or EXTRACTIVE)
    made: CopilotRequest = OPTIONS.request(question=question, models=models, judge=judge, **fields)
    if made.case_report and not made.case.strip():
        raise UsageError("--case-report needs a case: --case FILE")
    return made


def _judge(settings: Settings, judge: str | None, model: str) -> str:
    """The judge of claims: the one named, else CLINFO_JUDGE, else the model where a language model
    writes. Without a language model nothing is judged: what is shown are quotations.
    """
    if judge not in (None, NOBODY, "rules"):
        if judges.spec(judge).model and model == EXTRACTIVE:
            raise UsageError(f"--judge {judge} needs a language model: --model NAME")
        judges.learned_judge(settings, judge)
    named = judge or settings.judge or "model"
    return NOBODY if model == EXTRACTIVE or named in (NOBODY, "rules") else named
