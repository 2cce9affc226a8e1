"""The steps of a run of the cohort pipeline, and the prompts of those at which a model is asked."""

from __future__ import annotations

from typing import TypedDict

from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.cohort.replies import PatientMatch, ReadBack, Translation
from clinfo.records.cohort import CohortRequest
from clinfo.runs.pipeline import Stage, StagePrompt, Step
from clinfo.runs.spending import StagePlan

_SCHEMA_TOKENS = 6_000
_CRITERIA = "the criteria, delimited"


class Shown(TypedDict):
    """Criteria, with what is shown beside them: names that stand in them, a form as a query, or
    pieces of one patient's notes.
    """

    criteria: str
    beside: tuple[str, ...]


def _translated(request: CohortRequest) -> StagePlan | None:
    return StagePlan(1, _SCHEMA_TOKENS, 400) if TRANSLATE.name in request.models else None


def _held(request: CohortRequest) -> StagePlan | None:
    return StagePlan(1, 1_000, 150) if READBACK.name in request.models else None


TRANSLATE = Stage(
    "translate",
    "translating the criteria",
    "criteria",
    variables=Shown,
    reply=Translation,
    prompts=(
        StagePrompt(
            "translate",
            {
                "criteria": _CRITERIA,
                "names": "names of the index and the vocabularies that stand in them",
                "codes": "the codes of values, each with what it is and its unit",
                "again": "what was wrong with the last form, empty the first time",
            },
            "Translation",
            "Puts criteria into the logical form. Called once, and again for each kind of fault.",
            "where a model is named",
        ),
    ),
    required=False,
    calls=_translated,
    max_tokens=3_000,
)
READBACK = Stage(
    "readback",
    "holding the form against the criteria",
    "criteria",
    variables=Shown,
    reply=ReadBack,
    prompts=(
        StagePrompt(
            "readback",
            {
                "criteria": _CRITERIA,
                "query": "the form, as a query",
                "assumptions": "what the form took for granted",
            },
            "Reading back",
            "Names what a form leaves out of the criteria, adds or assumes. Called once a form.",
            "where a model is named",
        ),
    ),
    required=False,
    calls=_held,
    max_tokens=1_000,
)
READ = Stage(
    "read",
    "reading patients' notes",
    "cohort",
    variables=Shown,
    reply=PatientMatch,
    prompts=(
        StagePrompt(
            "read",
            {"criteria": "the criteria as asked", "notes": "pieces of notes, delimited, numbered"},
            "Reading",
            "Says whether a patient matches. Called at most three times a patient.",
            "where a model reads the notes",
        ),
    ),
    required=False,
    max_tokens=300,
)
ASKED = (TRANSLATE, READBACK, READ)
STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "index"),
    Step("index", "opening the index", "index"),
    Step("criteria", "reading the criteria", "criteria"),
    TRANSLATE,
    READBACK,
    Step("cohort", "finding patients", "cohort"),
    READ,
)
PROMPTS = PromptSet(
    "cohort",
    {prompt.name: tuple(prompt.variables) for stage in ASKED for prompt in stage.prompts},
)
