"""From settings and a request to a chain with its models, source, cache and budget. Command line, web and benchmark call this."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache as once
from typing import TYPE_CHECKING

from clinfo.cache import Cache
from clinfo.chain import Chain
from clinfo.errors import UsageError
from clinfo.events import Event
from clinfo.llm.spending import MemoryBudget
from clinfo.prompts import Prompt, default_prompts, parse
from clinfo.protocols import MAX_OUTPUT_TOKENS, ArticleSource, ChatModel, Message, ModelRequest
from clinfo.records import MODEL_STAGES, RunRequest
from clinfo.transcript import Transcript

if TYPE_CHECKING:
    from clinfo.settings import Settings

EXTRACTIVE = "extractive"


class SystemClock:
    """The clock of this machine, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def assemble(settings: Settings, request: RunRequest, after: Iterable[Event] = ()) -> Chain:
    """The chain for a request. ``after``: saved events whose spending counts against ``max_cost``.

    Raises UsageError for an unknown model or source, a model of unknown price under a budget, and PromptError for a
    prompt that cannot be used: all of it before any call.
    """
    prompts = checked_prompts(request)
    cache = Cache(settings.cache_dir / "cache.sqlite") if settings.cache == "on" else None
    models = _models(settings, request, cache)
    if request.max_cost is not None:
        _refuse_unknown_prices(models)
    budget = MemoryBudget(request.max_cost, spent=Transcript(after).spent_usd)
    source = article_source(settings, request.source, cache)
    return Chain(models, source, prompts, budget, SystemClock(), settings.concurrency)


def checked_prompts(request: RunRequest) -> dict[str, Prompt]:
    """The default prompts with the request's own laid over them. Raises PromptError."""
    return {name: parse(name, text) for name, text in {**default_prompts(), **request.prompts}.items()}


def article_source(settings: Settings, name: str, cache: Cache | None) -> ArticleSource:
    """The source of this name. Raises UsageError, and RecordError for a file that cannot be read."""
    if name == "demo":
        return _demo()
    if name == "pubmed":
        from clinfo.sources.pubmed import PubMed

        key = settings.ncbi_api_key
        return PubMed(
            base_url=settings.eutils_url,
            api_key=key.get_secret_value() if key else None,
            email=settings.ncbi_email,
            rate=settings.eutils_rate,
            cache=cache,
            clock=SystemClock(),
        )
    if name.endswith((".xml", ".xml.gz")):
        from clinfo.sources.memory import Memory

        return Memory.from_files([name], name=name)
    raise UsageError(f"the source {name!r} is not known; choose pubmed, demo or a citation XML file")


@once
def _demo() -> ArticleSource:
    from clinfo.sources import demo
    from clinfo.sources.memory import Memory

    return Memory(demo.load(), name="demo", notices=(demo.NOTICE,))


def _models(settings: Settings, request: RunRequest, cache: Cache | None) -> dict[str, ChatModel]:
    by_name = {name: _model(settings, name, cache) for name in dict.fromkeys(request.models[stage] for stage in MODEL_STAGES)}
    return {stage: by_name[request.models[stage]] for stage in MODEL_STAGES}


def _model(settings: Settings, name: str, cache: Cache | None) -> ChatModel:
    if name == EXTRACTIVE:
        from clinfo.llm.extractive import ExtractiveModel

        return ExtractiveModel()
    from clinfo.llm.litellm_model import LiteLLMModel
    from clinfo.llm.model_names import known_model_problem

    if problem := known_model_problem(name):
        raise UsageError(problem)
    return LiteLLMModel(
        name,
        cache=cache,
        slots=settings.concurrency,
        timeout=settings.model_timeout,
        first_token_timeout=settings.model_first_token_timeout,
    )


def _refuse_unknown_prices(models: Mapping[str, ChatModel]) -> None:
    for stage, model in models.items():
        trial = ModelRequest(stage, (Message("user", "price"),), max_tokens=MAX_OUTPUT_TOKENS)
        if model.worst_cost(trial) is None:
            raise UsageError(f"the price of the model {model.name} is not known, so --max-cost cannot be kept; leave it off")
