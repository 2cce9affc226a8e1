"""What the literature chain declares of itself: its stages with their prompts, its events, and when a run of it is the same run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from clinfo.claims.edition import judged_by_older_checks
from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.literature.events import EVENTS
from clinfo.pipelines.literature.run_log import Transcript
from clinfo.records.articles import Article, RunRequest, Study
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Carrier, Pipeline, Stage

if TYPE_CHECKING:
    from clinfo.settings import Settings


class Asked(TypedDict, total=False):
    """``previous``: queries that the new one is to differ from. ``form``: "keywords" for plain words in the place of PubMed's
    language, "pico" for what the question is about, as JSON (`clinfo.pipelines.literature.search.pico.FORMAT`)."""

    question: str
    previous: tuple[str, ...]
    form: str


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


class Verified(TypedDict):
    """Sentences to be judged against the articles that they cite."""

    sentences: str
    articles: str


STAGES = (
    Stage(
        "question2query",
        Asked,
        {"question2query": ("question",), "pico": ("question",), "keywords": ("question",)},
    ),
    Stage("relevance", Read, {"relevance": ("question", "title", "abstract")}),
    Stage("summary", Read, {"summary": ("question", "title", "abstract")}),
    Stage("synthesis", Synthesised, {"synthesis": ("question", "studies")}),
    Stage("tldr", Distilled, {"tldr": ("question", "synthesis")}),
    Stage("verify", Verified, {"verify": ("sentences", "articles")}, required=False),
)

MODEL_STAGES = tuple(stage.name for stage in STAGES if stage.required)
"""The stages at which every run has a model."""
JUDGE_STAGE = STAGES[-1].name
"""The stage at which a model judges sentences, in runs that want one."""

_MAIN = {name: variables for stage in STAGES if stage.required for name, variables in list(stage.prompts.items())[:1]}
_OTHERS = {name: variables for stage in STAGES for name, variables in stage.prompts.items() if name not in _MAIN}
PROMPTS = PromptSet("literature", _MAIN | _OTHERS, tuple(_OTHERS))


def _resumed(transcript: Transcript, request: RunRequest) -> RunRequest:
    """A run that older checks began keeps its strictness and judge, whatever is default now."""
    started = transcript.started
    if started is None or "judge" not in started.settings or not judged_by_older_checks(started.settings):
        return request
    begun = started.request
    models = {stage: name for stage, name in request.models.items() if stage != JUDGE_STAGE or stage in begun.models}
    return replace(request, strict=begun.strict, judge=begun.judge, models=models)


def _assembled(settings: Settings, request: RunRequest, after: Iterable[Event] = (), **given: Any) -> Carrier[RunRequest]:
    from clinfo.pipelines.literature.assemble import assemble

    return assemble(settings, request, after, **given)


def _answer(transcript: Transcript) -> dict[str, Any] | None:
    """As the run recorded it, or the fold of the events of a run that stopped before its end."""
    from clinfo.pipelines.literature.fold import recorded_json

    return recorded_json(transcript) if transcript.started else None


LITERATURE: Pipeline[RunRequest, Transcript] = Pipeline(
    "literature", STAGES, EVENTS, RunRequest, _assembled, Transcript, _answer, _resumed
)
