"""The declaration of the copilot: the stages at which a model is asked, with prompts and replies,
and what carries out a run.
"""

from typing import Annotated, Final

from pydantic import Field

from clinfo.claims.model_judge import STAGE as VERIFY
from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.copilot.records import EVENTS, CopilotLog, CopilotRequest
from clinfo.runs.pipeline import Pipeline, Stage, Step, named
from clinfo.runs.replies import Reply
from clinfo.runs.spending import StagePlan

Numbers = Annotated[tuple[int, ...], Field(description="numbers of passages")]


class Part(Reply):
    """A part of the question, with the tools that should answer it."""

    prose = "question"
    question: str
    tools: tuple[str, ...] = ()


class Plan(Reply):
    """The parts of the question."""

    parts: tuple[Part, ...]


class BottomLine(Reply):
    """The answer in one or two sentences."""

    prose = "text"
    text: Annotated[str, Field(description="one or two sentences")]
    sources: Numbers = ()


class Stated(Reply):
    """A claim of one sentence; ``part`` is the part of the question that it answers."""

    prose = "text"
    text: Annotated[str, Field(description="one sentence")]
    sources: Numbers = ()
    part: str = ""


class Missing(Reply):
    """A gap: something that a silo does not say."""

    silo: str
    what: str


class Opposed(Reply):
    """Passages that contradict each other."""

    about: str
    sources: Numbers = ()


class Answer(Reply):
    """The answer, as far as the passages carry it."""

    bottom_line: BottomLine | None = None
    claims: tuple[Stated, ...]
    not_found: tuple[Missing, ...] = ()
    conflicts: tuple[Opposed, ...] = ()


NOBODY: Final = "none"
"""The judge where nobody judges: what is no quotation is not verified."""
_INSTRUCTIONS, _OBSERVED = 700, 1_500
"""Tokens of a prompt's instructions, and of what a step of calls brings."""


def _planned(request: CopilotRequest) -> dict[str, StagePlan]:
    """The calls of a run by stage, where they are not one of the usual size."""
    steps, case = request.max_steps, _INSTRUCTIONS + len(request.case) // 4
    return {
        "act": StagePlan(steps, case + _OBSERVED * (steps // 2), 150),
        "write": StagePlan(1, case + _OBSERVED * steps, 500),
        "verify": StagePlan(1, _INSTRUCTIONS + 3_000, 500),
    }


PLAN: Final = Stage(
    "plan",
    "planning",
    "plan",
    prompts=("plan", "case_report"),
    max_tokens=600,
    reply=Plan,
)
ACT: Final = Stage(
    "act",
    "looking up",
    "act",
    prompts=("act",),
)
WRITE: Final = Stage(
    "write",
    "answering",
    "write",
    prompts=("write",),
    max_tokens=2_000,
    reply=Answer,
)
JUDGE: Final = Stage(
    VERIFY.name,
    "checking claims",
    "write",
    prompts=VERIFY.prompts,
    required=False,
)
STEPS: Final[tuple[Step, ...]] = (
    Step("run", "preparing", "plan"),
    PLAN,
    ACT,
    Step("tools", "calling tools", "act"),
    WRITE,
    JUDGE,
)
PROMPTS: Final = PromptSet.of("copilot", STEPS)

_HERE = "clinfo.pipelines.copilot"
COPILOT: Pipeline[CopilotRequest, CopilotLog] = Pipeline(
    "copilot",
    STEPS,
    EVENTS,
    CopilotRequest,
    named(f"{_HERE}.work:work"),
    named(f"{_HERE}.answer:folded"),
    CopilotLog,
    named(f"{_HERE}.work:parts"),
    of_patients=named(f"{_HERE}.work:of_patients"),
    recorded=lambda run_log, answer: COPILOT.fold(run_log) or {},
    requested=named(f"{_HERE}.request:request_of"),
    declared=f"{_HERE}.request:OPTIONS",
    plans=_planned,
    told=named(f"{_HERE}.records:told"),
    tools=tuple(f"{_HERE}.kinds:{name}" for name in ("SILO", "GENE_DRUGS", "DOCUMENT", "REGISTRY")),
    handed_out=named(f"{_HERE}.answer:CopilotAnswer"),
)
