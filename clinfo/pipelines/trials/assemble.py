"""From settings and a request to a trials pipeline with its models, prompts and budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.cache import Cache
from clinfo.errors import RecordError
from clinfo.integrity.retractions import loaded_list
from clinfo.pipelines.models import priced, stage_models
from clinfo.pipelines.trials.declared import TRIALS
from clinfo.pipelines.trials.papers import Shelf
from clinfo.pipelines.trials.run import Run, Trials
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.pipelines.trials.stages import PROMPTS
from clinfo.records.trials import TrialsRequest
from clinfo.retrieval.readers import MOST_BYTES
from clinfo.retrieval.rerankers import Reranker
from clinfo.retrieval.rerankers.results import ResultReranker
from clinfo.runs.clock import SystemClock
from clinfo.runs.engine import Runner
from clinfo.runs.events import Event
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget
from clinfo.sources.full_texts import open_full_texts

if TYPE_CHECKING:
    from clinfo.llm.prices import Price
    from clinfo.settings import Settings

Read = Callable[[str], bytes]


def assemble(
    settings: Settings,
    request: TrialsRequest,
    after: Iterable[Event] = (),
    *,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    api_key: str | None = None,
    owner: str | None = None,
    read: Read | None = None,
    models: Mapping[str, ChatModel] | None = None,
    clock: Clock | None = None,
    guarded: bool = False,
) -> Runner[TrialsRequest, TrialsLog]:
    """What carries out a request; `clinfo.runs.pipeline.Assemble` says what the
    others are.

    ``read`` takes the place of reading files. Papers are ``guarded`` too where a model is
    elsewhere. Raises UsageError, PromptError, and RecordError for a retraction list that cannot be
    used.
    """
    prompts = PROMPTS.checked(request.prompts)
    kept = settings.cache == "on"
    cache = Cache(settings.cache_dir / "cache.sqlite", owner=owner) if kept else None
    if models is None:
        models = stage_models(settings, TRIALS, request.models, cache, prices, api_key)
    if request.max_cost is not None:
        priced(models)
    shelf = Shelf(
        read or (handed_over(request) if request.texts else read_file),
        open_full_texts(settings, cache),
        loaded_list(settings.data_dir),
        guarded or any(model.remote for model in models.values()),
    )
    budget = budget or MemoryBudget(request.max_cost, spent=RunLog(after).spent_usd)
    clock = clock or SystemClock()
    parts = Trials(
        models,
        prompts,
        clock,
        shelf,
        _ranking(request.embedder, cache, budget) if request.embedder else ResultReranker(),
        settings.context_tokens,
        settings.concurrency,
    )
    return Runner(
        TRIALS, lambda recorder, asked: Run(parts, asked, recorder).answer(), models, budget, clock
    )


def _ranking(name: str, cache: Cache | None, budget: Budget) -> Reranker:
    """What ranks passages by the meaning that an embedder gives them. Raises UsageError."""
    from clinfo.retrieval.embedders import embedder_named
    from clinfo.retrieval.rerankers.meaning import MeaningReranker

    return MeaningReranker(embedder_named(name, cache, budget))


def handed_over(request: TrialsRequest) -> Read:
    """Return what reads the papers that came with the request, and no file."""

    def read(name: str) -> bytes:
        if name not in request.texts:
            raise RecordError(f"{name}: was not handed over")
        return request.texts[name].encode()

    return read


def read_file(name: str) -> bytes:
    """The bytes of a file. Raises RecordError where it is not there, or too large."""
    path = Path(name)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise RecordError(f"{name}: larger than {MOST_BYTES // 1_000_000} MB, not read")
        return path.read_bytes()
    except OSError as error:
        raise RecordError(f"{name}: {error.strerror or error}") from None
