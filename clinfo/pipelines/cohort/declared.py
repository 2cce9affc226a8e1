"""The declaration of the cohort pipeline: its stages with their prompts, and its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypedDict

from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.cohort.events import EVENTS
from clinfo.pipelines.cohort.run_log import CohortLog
from clinfo.records.cohort import CohortRequest
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Carrier, Pipeline, Stage, StagePrompt, Step
from clinfo.runs.spending import StagePlan

if TYPE_CHECKING:
    from clinfo.settings import Settings

_SCHEMA_TOKENS = 3_000


class Translating(TypedDict):
    """Criteria, and the words in them that the rules do not understand."""

    criteria: str
    words: tuple[str, ...]


class Reading(TypedDict):
    """Criteria, and pieces of one patient's notes."""

    criteria: str
    notes: tuple[str, ...]


def _translated(request: CohortRequest) -> StagePlan | None:
    return StagePlan(1, _SCHEMA_TOKENS, 300) if TRANSLATE.name in request.models else None


TRANSLATE = Stage(
    "translate",
    "translating the criteria",
    "criteria",
    variables=Translating,
    prompts=(
        StagePrompt(
            "translate",
            {
                "criteria": "the criteria, delimited",
                "words": "the words that rules did not understand",
            },
            "Translation",
            "Puts criteria into the logical form. Called once.",
            "where the rules do not understand the criteria",
        ),
    ),
    required=False,
    calls=_translated,
    max_tokens=2_000,
)
READ = Stage(
    "read",
    "reading patients' notes",
    "cohort",
    variables=Reading,
    prompts=(
        StagePrompt(
            "read",
            {"criteria": "the criteria as asked", "notes": "pieces of notes, delimited, numbered"},
            "Reading",
            "Says whether a patient matches. Called at most three times a patient.",
            "where a model reads what was retrieved",
        ),
    ),
    required=False,
    max_tokens=300,
)
STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "index"),
    Step("index", "opening the index", "index"),
    Step("criteria", "reading the criteria", "criteria"),
    TRANSLATE,
    Step("cohort", "finding patients", "cohort"),
    READ,
)
PROMPTS = PromptSet(
    "cohort",
    {
        prompt.name: tuple(prompt.variables)
        for stage in (TRANSLATE, READ)
        for prompt in stage.prompts
    },
)


def _assembled(
    settings: Settings, request: CohortRequest, after: Iterable[Event] = (), **given: Any
) -> Carrier[CohortRequest]:
    from clinfo.pipelines.cohort.assemble import assemble

    return assemble(settings, request, after, **given)


COHORT: Pipeline[CohortRequest, CohortLog] = Pipeline(
    "cohort", STEPS, EVENTS, CohortRequest, _assembled, CohortLog
)
