"""Opens a pipeline for a request: its models by their names, its prompts, its budget, its cache."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from clinfo.cache import Cache
from clinfo.errors import UsageError
from clinfo.extractive.model import ExtractiveModel
from clinfo.llm.prompts import PromptSet
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.clock import SystemClock
from clinfo.runs.engine import Opened, Runner
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Pipeline
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, Budget, ChatModel, Clock, Message, ModelRequest
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget

if TYPE_CHECKING:
    from clinfo.llm.prices import Price
    from clinfo.settings import Settings


def assemble(
    pipeline: Pipeline[Any, Any],
    settings: Settings,
    request: Any,
    after: Iterable[Event] = (),
    *,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    api_key: str | None = None,
    owner: str | None = None,
    models: Mapping[str, ChatModel] | None = None,
    clock: Clock | None = None,
    **own: Any,
) -> Runner[Any, Any, Any]:
    """Return what carries out a request. ``after``: saved events, whose spending counts against
    ``max_cost``.

    ``budget`` takes the place of one kept in memory for this run alone, and must itself keep to
    ``max_cost``; ``prices`` (by model) go before known ones; ``api_key`` is used for the request's
    models and kept in them only. What the run puts into the cache is noted under ``owner``, so that
    it can be forgotten with the run. Ready ``models`` (by stage) take the place of those that the
    request names, ``clock`` that of this machine's; what is the pipeline's ``own`` its ``parts``
    know.

    Raises UsageError for a model that cannot be asked or has no known price under a budget,
    PromptError, NotForPatients, and what ``parts`` raises, all of it before any call.
    """
    after = tuple(after)
    if pipeline.refuse is not None:
        pipeline.refuse(settings, request)
    patients = pipeline.of_patients(settings, request)
    if patients:
        from clinfo.patients.access import require_allowed

        for name in dict.fromkeys(request.models.values()):
            require_allowed("model", name, settings)
    prompts = PromptSet.of(pipeline.name, pipeline.stages).checked(getattr(request, "prompts", {}))
    cache = open_cache(settings, owner) if pipeline.cached and not patients else None
    if models is None:
        effort = getattr(request, "reasoning_effort", None)
        models = stage_models(settings, pipeline, request.models, cache, prices, api_key, effort)
    if request.max_cost is not None:
        priced(models)
    budget = budget or MemoryBudget(request.max_cost, spent=RunLog(after).spent_usd)
    opened = Opened(settings, models, prompts, budget, clock or SystemClock(), cache, after)
    parts = pipeline.parts(opened, request, **own) if pipeline.parts is not None else None
    return Runner(pipeline, opened, parts)


def open_cache(settings: Settings, owner: str | None = None) -> Cache | None:
    """The cache of replies and source answers, or None where it is switched off."""
    if settings.cache != "on":
        return None
    return Cache(settings.cache_dir / "cache.sqlite", owner=owner)


def stage_models(
    settings: Settings,
    pipeline: Pipeline[Any, Any],
    names: Mapping[str, str],
    cache: Cache | None = None,
    prices: Mapping[str, Price] | None = None,
    api_key: str | None = None,
    effort: str | None = None,
) -> dict[str, ChatModel]:
    """The models of a run of ``pipeline`` by stage, of these ``names`` by stage, each made once.

    Raises UsageError for one that cannot be asked.
    """
    known = prices or {}
    by_name = {
        name: ExtractiveModel(pipeline.stages)
        if name == EXTRACTIVE
        else chat_model(settings, name, cache, known.get(name), api_key, effort)
        for name in dict.fromkeys(names.values())
    }
    return {stage: by_name[name] for stage, name in names.items()}


def chat_model(
    settings: Settings,
    name: str,
    cache: Cache | None,
    price: Price | None = None,
    api_key: str | None = None,
    effort: str | None = None,
) -> ChatModel:
    """The language model of this name, any that litellm knows; ``effort`` is that of its reasoning,
    low, medium or high.

    Raises UsageError for one that cannot be asked.
    """
    from clinfo.llm.litellm_model import LiteLLMModel
    from clinfo.llm.model_names import known_model_problem

    if problem := known_model_problem(name, api_key=api_key):
        raise UsageError(problem)
    return LiteLLMModel(
        name,
        cache=cache,
        api_key=api_key,
        price=price,
        slots=settings.concurrency,
        timeout=settings.model_timeout,
        first_token_timeout=settings.model_first_token_timeout,
        max_output_tokens=settings.max_output_tokens,
        context_tokens=settings.context_tokens,
        reasoning_effort=effort,
    )


def priced(models: Mapping[str, ChatModel]) -> None:
    """Raise UsageError where the price of one of the models is not known: a limit of spending could
    not be kept.
    """
    for stage, model in models.items():
        trial = ModelRequest(stage, (Message("user", "price"),), max_tokens=MAX_OUTPUT_TOKENS)
        if model.worst_cost(trial) is None:
            raise UsageError(
                f"the price of the model {model.name} is unknown, so --max-cost cannot be "
                "enforced; leave it out"
            )
