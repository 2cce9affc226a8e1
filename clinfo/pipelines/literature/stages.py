"""The declaration of the literature chain: its stages with their prompts, its events, and when a
run of it is the same run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from clinfo.claims.checks_version import judged_by_older_checks
from clinfo.claims.model_judge import STAGE as VERIFY
from clinfo.errors import UsageError
from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.literature.events import EVENTS, LiteratureLog
from clinfo.pipelines.literature.replies import Finding, Relevance, StandsAlone
from clinfo.records.articles import Article, RunRequest, Study
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.pipeline import Pipeline, Stage, Step, named, stages_of
from clinfo.runs.protocols import TEMPERATURE
from clinfo.sources.registry import refuse_unusable

if TYPE_CHECKING:
    from clinfo.settings import Settings


class Asked(TypedDict, total=False):
    """``previous``: queries that the new one is to differ from. ``form``: "keywords" for plain
    words in the place of PubMed's language, "kinds" and "pico" for the replies of these names, as
    JSON (`clinfo.pipelines.literature.replies`)."""

    question: str
    previous: tuple[str, ...]
    form: str


class FollowUp(TypedDict):
    """The words of a question, and the question before it."""

    earlier: str
    words: str


class Read(TypedDict):
    """One article to be judged or summarised."""

    question: str
    article: Article


class Synthesised(TypedDict):
    """The studies to be put together."""

    question: str
    studies: Sequence[Study]


class Distilled(TypedDict):
    """A synthesis to be put in a sentence or two, with the studies that it stands on."""

    question: str
    synthesis: str
    studies: Sequence[Study]


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
    calls=named(f"{_HERE}.spending_plan:resolve"),
    max_tokens=400,
)
QUERY = Stage(
    "question2query",
    "writing queries",
    "search",
    temperature=TEMPERATURE,
    prompts=("question2query", "kinds", "pico", "keywords"),
    calls=named(f"{_HERE}.spending_plan:queries"),
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
    calls=named(f"{_HERE}.spending_plan:relevance"),
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
    calls=named(f"{_HERE}.spending_plan:summary"),
    by_rule=named(f"{_HERE}.by_rule:summary"),
)
SYNTHESIS = Stage(
    "synthesis",
    "writing the synthesis",
    "writing",
    temperature=TEMPERATURE,
    prompts=("synthesis", "doubts", REWRITE),
    calls=named(f"{_HERE}.spending_plan:synthesis"),
    by_rule=named(f"{_HERE}.by_rule:synthesis"),
)
TLDR = Stage(
    "tldr",
    "writing the TL;DR",
    "writing",
    temperature=TEMPERATURE,
    prompts=("tldr",),
    calls=named(f"{_HERE}.spending_plan:tldr"),
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
    replace(VERIFY, calls=named(f"{_HERE}.spending_plan:verify")),
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


def _resumed(run_log: LiteratureLog, request: RunRequest) -> RunRequest:
    """A run that older checks began keeps its strictness and judge, whatever is default now."""
    started = run_log.started
    if (
        started is None
        or "judge" not in started.settings
        or not judged_by_older_checks(started.settings)
    ):
        return request
    begun = started.request
    models = {
        stage: name
        for stage, name in request.models.items()
        if stage != JUDGE_STAGE or stage in begun.models
    }
    return replace(request, strict=begun.strict, judge=begun.judge, models=models)


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
    requested=named(f"{_HERE}.request:request_of"),
    declared=f"{_HERE}.request:OPTIONS",
    resumed=_resumed,
    told=named("clinfo.views.steps:told"),
    doing=named("clinfo.views.steps:doing"),
    tools=("clinfo.pipelines.literature.tool:KIND",),
    handed_out=named(f"{_HERE}.api:Answer"),
)
