"""The stages of the copilot at which a model is asked, with their prompts."""

from __future__ import annotations

from typing import Final, TypedDict

from clinfo.claims.model_judge import STAGE as VERIFY
from clinfo.claims.registry import asks_model
from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.copilot.replies import Answer, Plan
from clinfo.records.copilot import CopilotRequest
from clinfo.runs.pipeline import Stage, StagePrompt, Step
from clinfo.runs.spending import StagePlan


class Asking(TypedDict):
    """A question."""

    question: str


NOBODY: Final = "none"
"""The judge where nobody judges: what is no quotation is not verified."""
_QUESTION = {"question": "the question as asked", "case": "the case, delimited"}
_INSTRUCTIONS, _OBSERVED = 700, 1_500
"""Tokens of a prompt's instructions, and of what a step of calls brings."""


def _acting(request: CopilotRequest) -> StagePlan:
    steps = request.max_steps
    held = _INSTRUCTIONS + len(request.case) // 4 + _OBSERVED * (steps // 2)
    return StagePlan(steps, held, 150)


def _writing(request: CopilotRequest) -> StagePlan:
    return StagePlan(1, _INSTRUCTIONS + len(request.case) // 4 + _OBSERVED * request.max_steps, 500)


def _verifying(request: CopilotRequest) -> StagePlan | None:
    asked = request.judge != NOBODY and asks_model(request.judge)
    return StagePlan(1, _INSTRUCTIONS + 3_000, 500) if asked else None


PLAN: Final = Stage(
    "plan",
    "planning",
    "plan",
    variables=Asking,
    prompts=(
        StagePrompt(
            "plan",
            _QUESTION | {"tools": "the tools there are, with what they are for"},
            "Plan",
            "Takes the question apart and names tools. Called once.",
            "Used only for a model that cannot call tools by its provider's own protocol.",
        ),
        StagePrompt(
            "case_report",
            {"question": "the question as asked"},
            "Case report",
            "The questions asked of a case.",
            "Used only with --case-report.",
        ),
    ),
    max_tokens=600,
    reply=Plan,
)
ACT: Final = Stage(
    "act",
    "looking up",
    "act",
    variables=Asking,
    prompts=(
        StagePrompt(
            "act",
            _QUESTION | {"plan": "the plan", "steps": "the most rounds of calls"},
            "Step",
            "Thinks and calls tools. Called once for each step.",
        ),
    ),
    calls=_acting,
)
WRITE: Final = Stage(
    "write",
    "answering",
    "write",
    variables=Asking,
    prompts=(
        StagePrompt(
            "write",
            _QUESTION
            | {
                "parts": "the parts of the question",
                "passages": "the passages observed, delimited and numbered",
                "asked": "what was asked of which silo",
            },
            "Answer",
            "Writes a bottom line and claims with their passages. Called once.",
        ),
    ),
    calls=_writing,
    max_tokens=2_000,
    reply=Answer,
)
JUDGE: Final = Stage(
    VERIFY.name,
    "checking claims",
    "write",
    variables=VERIFY.variables,
    prompts=VERIFY.prompts,
    required=False,
    calls=_verifying,
)
STEPS: Final[tuple[Step, ...]] = (
    Step("run", "preparing", "plan"),
    PLAN,
    ACT,
    Step("tools", "calling tools", "act"),
    WRITE,
    JUDGE,
)
MODEL_STAGES: Final = (PLAN.name, ACT.name, WRITE.name)
PROMPTS: Final = PromptSet(
    "copilot",
    {
        prompt.name: tuple(prompt.variables)
        for stage in (PLAN, ACT, WRITE, JUDGE)
        for prompt in stage.prompts
    },
)
