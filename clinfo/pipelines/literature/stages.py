"""The declaration of the literature chain: its stages with their prompts, its events, and when a
run of it is the same run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinfo.claims.model_judge import STAGE as VERIFY
from clinfo.errors import UsageError
from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.literature.events import EVENTS, LiteratureLog
from clinfo.pipelines.literature.replies import Finding, Relevance, StandsAlone
from clinfo.records.articles import RunRequest
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.pipeline import Pipeline, Stage, Step, named, stages_of
from clinfo.runs.protocols import TEMPERATURE
from clinfo.sources.registry import refuse_unusable

if TYPE_CHECKING:
    from clinfo.settings import Settings


_HERE = "clinfo.pipelines.literature"

REWRITE = "rewrite"
"""The prompt for one sentence that the judge rejected."""

RESOLVE = Stage(
    "resolve",
    "understanding the follow-up",
    "search",
    temperature=TEMPERATURE,
    reply=StandsAlone,
    prompts=("resolve",),
    required=False,
    max_tokens=400,
)
QUERY = Stage(
    "question2query",
    "writing queries",
    "search",
    temperature=TEMPERATURE,
    prompts=("question2query", "kinds", "pico", "keywords"),
    by_rule=named(f"{_HERE}.by_rule:query"),
    max_tokens=600,  # a long Boolean query takes some 300
    variable="QUERY",
)
RELEVANCE = Stage(
    "relevance",
    "judging",
    "reading",
    temperature=TEMPERATURE,
    reply=Relevance,
    prompts=("relevance", "reading"),
    by_rule=named(f"{_HERE}.by_rule:relevance"),
    max_tokens=200,  # a yes or no and a short sentence take some 80
)
SUMMARY = Stage(
    "summary",
    "summarising",
    "reading",
    temperature=TEMPERATURE,
    reply=Finding,
    prompts=("summary",),
    by_rule=named(f"{_HERE}.by_rule:summary"),
)
SYNTHESIS = Stage(
    "synthesis",
    "writing the synthesis",
    "writing",
    temperature=TEMPERATURE,
    prompts=("synthesis", "doubts", REWRITE),
    by_rule=named(f"{_HERE}.by_rule:synthesis"),
)
TLDR = Stage(
    "tldr",
    "writing the TL;DR",
    "writing",
    temperature=TEMPERATURE,
    prompts=("tldr",),
    by_rule=named(f"{_HERE}.by_rule:tldr"),
)
STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "search"),
    Step("guard", "looking for what identifies a patient", "search"),
    RESOLVE,
    QUERY,
    Step("keywords", "ranking", "search"),
    Step("retrieve", "searching and fetching", "search"),
    Step("read", "judging and summarising", "reading"),
    Step("integrity", "looking for retractions", "reading"),
    RELEVANCE,
    Step("chase", "following links", "reading"),
    Step("rerank", "ranking", "reading"),
    SUMMARY,
    Step("evidence", "appraising", "reading"),
    Step("proof", "reporting the search", "reading"),
    SYNTHESIS,
    TLDR,
    VERIFY,
)

MODEL_STAGES = tuple(stage.name for stage in stages_of(STEPS) if stage.required)
"""The stages at which every run has a model."""
JUDGE_STAGE = VERIFY.name
"""The stage at which a model judges sentences, in runs that want one."""
SINGLE_STAGES = (*MODEL_STAGES, RESOLVE.name, JUDGE_STAGE)
"""The stages for which a model may be named."""

PROMPTS = PromptSet.of("literature", STEPS)


def _refuse(settings: Settings, request: RunRequest) -> None:
    """Raise UsageError for what cannot be asked of the source, or judged."""
    refuse_unusable(request.source, request.filter)
    if request.models.get(JUDGE_STAGE) == EXTRACTIVE:
        raise UsageError(
            "the extractive model cannot judge sentences; leave out "
            "--judge, or name a language model for it (CLINFO_MODEL_VERIFY)"
        )


LITERATURE: Pipeline[RunRequest, LiteratureLog] = Pipeline(
    "literature",
    STEPS,
    EVENTS,
    RunRequest,
    named(f"{_HERE}.work:work"),
    named(f"{_HERE}.answer:folded"),
    LiteratureLog,
    named(f"{_HERE}.at_work:chain"),
    _refuse,
    recorded=named(f"{_HERE}.answer:recorded"),
    plans=named(f"{_HERE}.spending_plan:planned"),
    requested=named(f"{_HERE}.request:request_of"),
    declared=f"{_HERE}.request:OPTIONS",
    told=named("clinfo.views.steps:told"),
    doing=named("clinfo.views.steps:doing"),
    tools=("clinfo.pipelines.literature.tool:KIND",),
    handed_out=named(f"{_HERE}.api:Answer"),
)
