"""From settings and a request to a chain with its models, source, cache and budget. Command line,
web and benchmark call this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from clinfo.cache import Cache
from clinfo.claims import registry as judges
from clinfo.errors import UsageError
from clinfo.integrity.retractions import loaded_list
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.chain import Chain
from clinfo.pipelines.literature.declared import JUDGE_STAGE, LITERATURE, PROMPTS
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.pipelines.models import priced, stage_models
from clinfo.privacy.phi_guard import refuse
from clinfo.records.articles import JudgeChoice, RunRequest
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.clock import SystemClock
from clinfo.runs.events import Event
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.runs.spending import MemoryBudget
from clinfo.sources.mesh_lookup import mesh_lookup
from clinfo.sources.protocols import ArticleSource
from clinfo.sources.registry import article_source, refuse_unusable

if TYPE_CHECKING:
    from clinfo.llm.prices import Price
    from clinfo.settings import Settings


def assemble(
    settings: Settings,
    request: RunRequest,
    after: Iterable[Event] = (),
    *,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    api_key: str | None = None,
    owner: str | None = None,
    source: ArticleSource | None = None,
    clock: Clock | None = None,
    models: Mapping[str, ChatModel] | None = None,
    earlier: Iterable[Event] = (),
) -> Chain:
    """The chain for a request. ``after``: saved events whose spending counts against ``max_cost``.

    ``budget`` takes the place of one kept in memory for this run alone, and must itself keep to
    ``max_cost``; ``prices`` (by model) go before litellm's. ``api_key`` is used for the request's
    models and kept in them only. What the run puts into the cache is noted under ``owner``, so that
    it can be forgotten with the run. A ready ``source`` takes the place of the one that the request
    names, and ready ``models`` (by stage) that of those it names; ``clock`` that of this machine's,
    for the run and for a source on this machine (a service on the network is asked at a pace and
    remembered for a day, so it keeps the real one). ``earlier`` are events of another run.

    Raises UsageError for an unknown model or source, a model of unknown price under a budget, and
    PromptError for a prompt that cannot be used, and IdentifiersFound for a question that seems to
    identify a patient and would leave this machine: all of it before any call.
    """
    refuse_unusable(request.source, request.filter)
    prompts = checked_prompts(request)
    cache = open_cache(settings, owner)
    if models is None:
        if request.models.get(JUDGE_STAGE) == EXTRACTIVE:
            raise UsageError(
                "the extractive model cannot judge sentences; leave out "
                "--judge, or name a language model for it (CLINFO_MODEL_VERIFY)"
            )
        models = stage_models(
            settings, LITERATURE, request.models, cache, prices, api_key, request.reasoning_effort
        )
    if request.max_cost is not None:
        priced(models)
    budget = budget or MemoryBudget(request.max_cost, spent=LiteratureLog(after).spent_usd)
    source = source or article_source(settings, request.source, cache, clock)
    permit(settings, request.allow_identifiers)
    if source.remote or any(model.remote for model in models.values()):
        refuse(request)
    mesh, retractions = mesh_lookup(settings, source, cache), loaded_list(settings.data_dir)
    learned = judges.learned_judge(settings, request.judge)
    return Chain(
        models,
        source,
        prompts,
        budget,
        clock or SystemClock(),
        settings.concurrency,
        mesh,
        retractions,
        learned,
        tuple(earlier),
    )


def request_of(settings: Settings, model: str | None, **fields: Any) -> RunRequest:
    """The request of ``fields`` over the settings; ``model`` holds for every stage, whatever the
    environment says.

    Raises `clinfo.pipelines.literature.request.FieldError`.
    """
    from clinfo.pipelines.literature.request import checked

    of_stages = {} if model is not None else LITERATURE.stage_models(settings)
    everywhere = model if model is not None else settings.model
    if fields.get("judge") is None:
        fields["judge"] = default_judge(settings, of_stages.get(JUDGE_STAGE, everywhere))
    if fields.get("source") is None:
        fields["source"] = settings.source
    return checked(files=True, model=everywhere, models=of_stages, **fields)


def default_judge(settings: Settings, model: str | None) -> JudgeChoice:
    """Return who judges where nobody says: CLINFO_JUDGE as far as it can be had; ``model`` is the
    one that would be the model judge.

    Without CLINFO_JUDGE: a language model where one is named, else the entailment model where there
    is one, else nobody.
    """
    named = settings.judge
    if named is not None and named not in (*judges.names(), *judges.RENAMED):
        raise UsageError(
            "the environment variable CLINFO_JUDGE cannot be used: it must be one of: "
            f"{', '.join(judges.names())}"
        )
    named = judges.spec(named).name if named is not None else None
    if named is not None and not judges.asks_model(named):
        return named
    if model is not None and model != EXTRACTIVE:
        return named or "model"
    return "nli" if settings.nli_model else "none"


def permit(settings: Settings, allow_identifiers: bool) -> None:
    """Raise UsageError where somebody allows what identifies a patient to be sent, and this
    installation forbids that.
    """
    if allow_identifiers and settings.identifiers == "refuse":
        raise UsageError(
            "this installation never sends patient identifiers, so allow_identifiers cannot be used"
        )


def open_cache(settings: Settings, owner: str | None = None) -> Cache | None:
    """The cache of replies and source answers, or None where it is switched off."""
    return (
        Cache(settings.cache_dir / "cache.sqlite", owner=owner) if settings.cache == "on" else None
    )


def checked_prompts(request: RunRequest) -> dict[str, Prompt]:
    """The default prompts with the request's own laid over them. Raises PromptError."""
    return PROMPTS.checked(request.prompts)
