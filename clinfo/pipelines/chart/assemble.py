"""From settings and a request to a chart pipeline with its models, prompts and budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib.util import find_spec
from secrets import token_hex
from typing import TYPE_CHECKING

from clinfo.cache import Cache
from clinfo.patients.access import require_allowed
from clinfo.patients.collecting import Records
from clinfo.patients.keeping import PatientStore, read_logged
from clinfo.patients.lexicon import Lexicon, standard, with_terms
from clinfo.pipelines.chart.declared import CHART
from clinfo.pipelines.chart.run import Chart, Run
from clinfo.pipelines.chart.run_log import ChartLog
from clinfo.pipelines.chart.stages import PROMPTS
from clinfo.pipelines.models import priced, stage_models
from clinfo.records.chart import ChartRequest
from clinfo.retrieval.embedders import STATIC, Embedder, embedder_named
from clinfo.retrieval.rerankers import reranker_named
from clinfo.runs.clock import SystemClock
from clinfo.runs.engine import Runner
from clinfo.runs.events import Event
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget

if TYPE_CHECKING:
    from clinfo.llm.prices import Price
    from clinfo.settings import Settings


def assemble(
    settings: Settings,
    request: ChartRequest,
    after: Iterable[Event] = (),
    *,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    api_key: str | None = None,
    owner: str | None = None,
    read: Callable[[ChartRequest], Records] | None = None,
    models: Mapping[str, ChatModel] | None = None,
    clock: Clock | None = None,
    lexicon: Callable[[], Lexicon] = standard,
) -> Runner[ChartRequest, ChartLog]:
    """What carries out a request; `clinfo.runs.pipeline.Assemble` says what the
    others are.

    ``read`` takes the place of reading files, and then logs what is asked itself. Nothing of a run
    goes into a cache that is not the patient's. Raises UsageError, PromptError, and NotForPatients
    before anything is read where a model, the embedder or the reranker may not see a patient's
    record.
    """
    for name in dict.fromkeys(request.models.values()):
        require_allowed("model", name, settings)
    if embedder := request.embedder or settings.embedder:
        require_allowed("embedder", embedder, settings)
    if request.reranker:
        require_allowed("reranker", request.reranker, settings)
    own = lexicon is standard
    if own and settings.patient_terms is not None:
        with_terms(settings.patient_terms)  # refused here, before anything is read
        lexicon = partial(with_terms, settings.patient_terms)
    prompts = PROMPTS.checked(request.prompts)
    if models is None:
        models = stage_models(settings, CHART, request.models, None, prices, api_key)
    if request.max_cost is not None:
        priced(models)
    started = ChartLog(after).started
    known = started.settings.get("run") if started else None
    run = "" if read else str(known or token_hex(8))
    budget = budget or MemoryBudget(request.max_cost, spent=RunLog(after).spent_usd)
    clock = clock or SystemClock()
    parts = Chart(
        models,
        prompts,
        clock,
        read or partial(from_files, settings, run),
        lexicon,
        _embedder(embedder),
        reranker_named(request.reranker, budget) if request.reranker else None,
        settings.context_tokens,
        partial(_cache, settings if own else None),
        run,
    )
    return Runner(
        CHART, lambda recorder, asked: Run(parts, asked, recorder).answer(), models, budget, clock
    )


def _cache(settings: Settings | None, patient: str) -> Cache | None:
    """The patient's cache, None without settings or where they switch caches off."""
    if settings is None or settings.cache == "off":
        return None
    return PatientStore.of(settings).cache(patient)


def _embedder(name: str | None) -> Embedder | None:
    """The embedder of this name; without one wordllama's where it is installed."""
    if name:
        return embedder_named(name)
    return embedder_named(STATIC) if find_spec(STATIC) else None


def from_files(settings: Settings, run: str, request: ChartRequest) -> Records:
    """The records in the files of a request, once it is logged that ``run`` asks them. Raises
    UsageError, also where it cannot be logged.
    """
    asked = request.question
    return read_logged(settings, request.record, request.patient, asked, run, "ask")
