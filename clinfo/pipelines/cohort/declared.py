"""The declaration of the cohort pipeline: from settings and a request to what carries out a run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.errors import RecordError
from clinfo.pipelines.cohort.events import EVENTS
from clinfo.pipelines.cohort.stages import PROMPTS, READ, STEPS
from clinfo.records.cohort import CohortRequest
from clinfo.runs.clock import SystemClock
from clinfo.runs.engine import Runner
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Pipeline
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget

if TYPE_CHECKING:
    from clinfo.llm.prices import Price
    from clinfo.retrieval.embedders import Embedder
    from clinfo.settings import Settings

logger = logging.getLogger(__name__)

UNUSABLE = "these records cannot be asked now: their index is not finished, out of date or damaged"
"""What is said of an index whose folder is nobody's business."""


def assemble(
    settings: Settings,
    request: CohortRequest,
    after: Iterable[Event] = (),
    *,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    api_key: str | None = None,
    owner: str | None = None,
    earlier: Iterable[Event] = (),
    models: Mapping[str, ChatModel] | None = None,
    clock: Clock | None = None,
    folder: Path | None = None,
    log: Callable[[CohortRequest], None] | None = None,
) -> Runner[CohortRequest, RunLog]:
    """The pipeline for a request; `clinfo.runs.pipeline.Assemble` says what the others are. Nothing
    of a run goes into a cache. ``folder`` is the index's where the request has a title for it: no
    message names the folder then.

    Raises UsageError, and before anything is read NotForPatients where the model that reads notes
    or the embedder may not see a patient's record.
    """
    from clinfo.patients.access import require_allowed
    from clinfo.pipelines.cohort.run import Cohorts, Run
    from clinfo.pipelines.models import priced, stage_models

    if (reading := request.models.get(READ.name)) is not None:
        require_allowed("model", reading, settings)
    if models is None:
        models = stage_models(settings, COHORT, request.models, None, prices, api_key)
    if request.max_cost is not None:
        priced(models)
    clock = clock or SystemClock()
    embedder = embedder_of(settings) if request.system != "symbolic" else None
    place = folder or Path(request.index)
    log = log or partial(log_use, settings)
    parts = Cohorts(place, models, PROMPTS.checked({}), clock, embedder, log)

    async def work(recorder: Recorder[RunLog], request: CohortRequest) -> None:
        try:
            await Run(parts, request, recorder).answer()
        except RecordError as error:
            if folder is None:
                raise
            logger.warning("a cohort cannot be found", extra={"error": str(error)})
            raise RecordError(UNUSABLE) from None

    budget = budget or MemoryBudget(request.max_cost, spent=RunLog(after).spent_usd)
    return Runner(COHORT, work, models, budget, clock)


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that the settings name, None without one: BM25. Raises NotForPatients."""
    if not settings.embedder:
        return None
    from clinfo.patients.access import require_allowed
    from clinfo.retrieval.embedders import embedder_named

    require_allowed("embedder", settings.embedder, settings)
    return embedder_named(settings.embedder)


def log_use(settings: Settings, request: CohortRequest) -> None:
    """Log that this user asks an index, with the SHA-256 of what is asked. Raises UsageError."""
    from clinfo.patients.keeping import PatientStore, this_user

    PatientStore.of(settings).audit(
        user=this_user(),
        run="",
        patient=f"cohort {request.index}",
        question=request.criteria or request.query or str(request.form),
        did="cohort",
    )


COHORT: Pipeline[CohortRequest, RunLog] = Pipeline(
    "cohort", STEPS, EVENTS, CohortRequest, assemble, RunLog
)
