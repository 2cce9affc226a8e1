"""The models of a run by their names: the extractive one, or any that litellm knows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from clinfo.cache import Cache
from clinfo.errors import UsageError
from clinfo.extractive.model import UNREAD, ExtractiveModel
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.pipeline import Pipeline
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, ChatModel, Message, ModelRequest

if TYPE_CHECKING:
    from clinfo.llm.prices import Price
    from clinfo.settings import Settings


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


def noted(
    models: Mapping[str, ChatModel], stages: Iterable[str], edited: Collection[str]
) -> tuple[str, ...]:
    """What the models of some stages have to be told of in an answer, each once; of prompts that
    were ``edited`` where one of the stages reads none.
    """
    own = [models[stage] for stage in stages]
    found = [note for model in own for note in model.notices]
    if edited and any(model.name == EXTRACTIVE for model in own):
        found.append(UNREAD)
    return tuple(dict.fromkeys(found))


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
