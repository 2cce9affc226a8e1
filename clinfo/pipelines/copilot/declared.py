"""The declaration of the copilot: its stages with their prompts, and its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from clinfo.claims.model_judge import STAGE as VERIFY
from clinfo.claims.registry import asks_model
from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.copilot import by_rule
from clinfo.pipelines.copilot.events import EVENTS
from clinfo.pipelines.copilot.run_log import CopilotLog, answer_json, build_answer
from clinfo.records.copilot import CopilotRequest, Planned
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Carrier, Pipeline, Stage, StagePrompt, Step
from clinfo.runs.spending import StagePlan

if TYPE_CHECKING:
    from clinfo.settings import Settings


class Planning(TypedDict):
    """A question, and the plan by rule."""

    question: str
    routed: tuple[Planned, ...]


class Acting(TypedDict):
    """A question, and the calls by rule: name and arguments."""

    question: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...]


class Refining(TypedDict):
    """What a tool was asked for."""

    looked_for: str


class Writing(TypedDict):
    """A question, and the claims by rule: text and the numbers of its passages."""

    question: str
    quoted: tuple[tuple[str, tuple[int, ...]], ...]


_QUESTION = {"question": "the question as asked", "case": "the case, delimited"}
_INSTRUCTIONS, _OBSERVED = 700, 1_500
"""Tokens of a prompt's instructions, and of what a step of calls brings."""


def _once(request: CopilotRequest) -> StagePlan:
    return StagePlan(1, _INSTRUCTIONS + len(request.case) // 4, 200)


def _acting(request: CopilotRequest) -> StagePlan:
    steps = request.max_steps
    held = _INSTRUCTIONS + len(request.case) // 4 + _OBSERVED * (steps // 2)
    return StagePlan(steps, held, 150)


def _writing(request: CopilotRequest) -> StagePlan:
    return StagePlan(1, _INSTRUCTIONS + len(request.case) // 4 + _OBSERVED * request.max_steps, 500)


def _verifying(request: CopilotRequest) -> StagePlan | None:
    return StagePlan(1, _INSTRUCTIONS + 3_000, 500) if asks_model(request.judge) else None


PLAN = Stage(
    "plan",
    "planning",
    "plan",
    variables=Planning,
    prompts=(
        StagePrompt(
            "plan",
            _QUESTION | {"tools": "the tools there are, with what they are for"},
            "Plan",
            "Takes the question apart and names tools. Called once.",
        ),
        StagePrompt(
            "case_report",
            {"question": "the question as asked"},
            "Case report",
            "The questions asked of a case.",
            "Used only with --case-report.",
        ),
    ),
    calls=_once,
    by_rule=by_rule.plan,
    max_tokens=600,
)
ACT = Stage(
    "act",
    "looking up",
    "act",
    variables=Acting,
    prompts=(
        StagePrompt(
            "act",
            _QUESTION | {"plan": "the plan", "steps": "the most rounds of calls"},
            "Step",
            "Thinks and calls tools. Called once for each step.",
        ),
    ),
    calls=_acting,
    by_rule=by_rule.act,
)
REFINE = Stage(
    "refine",
    "refining",
    "act",
    variables=Refining,
    prompts=(
        StagePrompt(
            "refine",
            {
                "looked_for": "what the tool was asked for",
                "passages": "the passages found, delimited, their sentences numbered",
            },
            "Refine",
            "Names the sentences that bear on it. Called once a call of such a tool.",
            "Used only by tools with refine = true.",
            added=True,
        ),
    ),
    required=False,
    max_tokens=500,
)
WRITE = Stage(
    "write",
    "answering",
    "write",
    variables=Writing,
    prompts=(
        StagePrompt(
            "write",
            _QUESTION
            | {
                "parts": "the parts of the plan",
                "passages": "the passages observed, delimited and numbered",
                "asked": "what was asked of which silo",
            },
            "Answer",
            "Writes claims with their passages. Called once.",
        ),
    ),
    calls=_writing,
    by_rule=by_rule.write,
    max_tokens=2_000,
)
JUDGE = Stage(
    VERIFY.name,
    "checking claims",
    "write",
    variables=VERIFY.variables,
    prompts=VERIFY.prompts,
    required=False,
    calls=_verifying,
)
STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "plan"),
    PLAN,
    ACT,
    Step("tools", "calling tools", "act"),
    REFINE,
    WRITE,
    JUDGE,
)
MODEL_STAGES = (PLAN.name, ACT.name, WRITE.name)
PROMPTS = PromptSet(
    "copilot",
    {
        prompt.name: tuple(prompt.variables)
        for stage in (PLAN, ACT, REFINE, WRITE, JUDGE)
        for prompt in stage.prompts
    },
    added=tuple(prompt.name for prompt in REFINE.prompts),
)


def _assembled(
    settings: Settings, request: CopilotRequest, after: Iterable[Event] = (), **given: Any
) -> Carrier[CopilotRequest]:
    from clinfo.pipelines.copilot.assemble import assemble

    return assemble(settings, request, after, **given)


def _answer(run_log: CopilotLog) -> dict[str, Any] | None:
    return answer_json(build_answer(run_log)) if run_log.started else None


COPILOT: Pipeline[CopilotRequest, CopilotLog] = Pipeline(
    "copilot", STEPS, EVENTS, CopilotRequest, _assembled, CopilotLog, _answer
)
