"""From settings and a request to a chart pipeline with its models, prompts and budget."""

from __future__ import annotations

from collections.abc import Callable
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
from clinfo.pipelines.chart.run import Chart
from clinfo.pipelines.chart.run_log import ChartLog
from clinfo.records.chart import ChartRequest
from clinfo.retrieval.embedders import STATIC, Embedder, embedder_named
from clinfo.retrieval.rerankers import reranker_named
from clinfo.runs.engine import Opened

if TYPE_CHECKING:
    from clinfo.settings import Settings


def parts(
    opened: Opened,
    request: ChartRequest,
    *,
    read: Callable[[ChartRequest], Records] | None = None,
    lexicon: Callable[[], Lexicon] = standard,
) -> Chart:
    """What the runs of a request need. ``read`` takes the place of reading files, and then logs
    what is asked itself. Nothing of a run goes into a cache that is not the patient's. Raises
    UsageError, and NotForPatients before anything is read where the embedder or the reranker may
    not see a patient's record.
    """
    settings = opened.settings
    if embedder := request.embedder or settings.embedder:
        require_allowed("embedder", embedder, settings)
    if request.reranker:
        require_allowed("reranker", request.reranker, settings)
    own = lexicon is standard
    if own and settings.patient_terms is not None:
        with_terms(settings.patient_terms)  # refused here, before anything is read
        lexicon = partial(with_terms, settings.patient_terms)
    started = ChartLog(opened.after).started
    known = started.settings.get("run") if started else None
    run = "" if read else str(known or token_hex(8))
    return Chart(
        read or partial(from_files, settings, run),
        lexicon,
        _embedder(embedder),
        reranker_named(request.reranker, opened.budget) if request.reranker else None,
        partial(_cache, settings if own else None),
        run,
    )


assemble = CHART.assemble


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
