"""From settings and a request to a trials pipeline with its models, prompts and budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.cache import Cache
from clinfo.errors import RecordError
from clinfo.integrity.retractions import Retractions, loaded_list
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.models import priced, stage_models
from clinfo.pipelines.trials.declared import PROMPTS, TRIALS
from clinfo.pipelines.trials.run import Run
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.records.trials import TrialsRequest
from clinfo.retrieval.readers import MOST_BYTES
from clinfo.retrieval.rerankers import Reranker
from clinfo.retrieval.rerankers.results import ResultReranker
from clinfo.runs.clock import SystemClock
from clinfo.runs.engine import Runner
from clinfo.runs.events import Event
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.runs.recorder import Recorder
from clinfo.runs.spending import MemoryBudget
from clinfo.sources.full_texts import FullTexts, open_full_texts

if TYPE_CHECKING:
    from clinfo.llm.prices import Price
    from clinfo.settings import Settings

Read = Callable[[str], bytes]


@dataclass(frozen=True)
class Trials:
    """The pipeline with what its runs need; ``read`` gives the bytes of a paper by its name and
    raises ClinfoError where it cannot. ``full_texts`` gives those named by a PMCID. Where runs are
    ``guarded``, a paper that seems to identify a patient is not read.
    """

    models: Mapping[str, ChatModel]
    prompts: Mapping[str, Prompt]
    budget: Budget
    clock: Clock
    read: Read
    reranker: Reranker
    full_texts: FullTexts
    retractions: Retractions | None = None
    concurrency: int = 32
    guarded: bool = False

    def run(
        self,
        request: TrialsRequest,
        after: Iterable[Event] = (),
        cancel: asyncio.Event | None = None,
    ) -> AsyncIterator[Event]:
        """The run's new events, as `clinfo.runs.engine.Runner.run` gives them."""

        async def work(recorder: Recorder[TrialsLog], request: TrialsRequest) -> None:
            await Run(self, request, recorder).answer()

        return Runner(TRIALS, work, self.models, self.budget, self.clock).run(
            request, after, cancel
        )


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
) -> Trials:
    """The pipeline for a request; `clinfo.runs.pipeline.Assemble` says what the others are.

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
    return Trials(
        models,
        prompts,
        budget or MemoryBudget(request.max_cost, spent=TrialsLog(after).spent_usd),
        clock or SystemClock(),
        read or (handed_over(request) if request.texts else read_file),
        ResultReranker(),
        open_full_texts(settings, cache),
        loaded_list(settings.data_dir),
        settings.concurrency,
        guarded or any(model.remote for model in models.values()),
    )


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
