"""The declaration of the cohort pipeline: from settings and a request to what carries out a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.pipelines.cohort.events import EVENTS
from clinfo.pipelines.cohort.stages import READ, STEPS
from clinfo.records.cohort import CohortRequest
from clinfo.runs.engine import Opened
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Pipeline, named
from clinfo.runs.run_log import RunLog

if TYPE_CHECKING:
    from clinfo.pipelines.cohort.run import Cohorts
    from clinfo.retrieval.embedders import Embedder
    from clinfo.settings import Settings


def parts(
    opened: Opened,
    request: CohortRequest,
    *,
    folder: Path | None = None,
    log: Callable[[CohortRequest], None] | None = None,
    earlier: Iterable[Event] = (),
) -> Cohorts:
    """What the runs of a request need. ``folder`` is the index's where the request has a title for
    it: no message names the folder then. Raises UsageError, and before anything is read
    NotForPatients where the embedder may not see a patient's record.
    """
    from clinfo.pipelines.cohort.run import Cohorts

    settings = opened.settings
    embedder = embedder_of(settings) if request.system != "symbolic" else None
    place = folder or Path(request.index)
    log = log or partial(log_use, settings)
    return Cohorts(place, embedder, log, folder is not None)


def refuse(settings: Settings, request: CohortRequest) -> None:
    """Raise NotForPatients where the model that reads notes may not see a patient's record."""
    from clinfo.patients.access import require_allowed

    if (reading := request.models.get(READ.name)) is not None:
        require_allowed("model", reading, settings)


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
    "cohort",
    STEPS,
    EVENTS,
    CohortRequest,
    named("clinfo.pipelines.cohort.run:work"),
    named("clinfo.pipelines.cohort.run_log:folded"),
    RunLog,
    parts,
    refuse,
    cached=False,
    requested=named("clinfo.pipelines.cohort.request:request_of"),
    tools=("clinfo.pipelines.cohort.tool:KIND",),
)
assemble = COHORT.assemble
