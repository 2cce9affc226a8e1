"""One run of the cohort pipeline: an index opened, criteria read, the set of those who match.

criteria ─► model ─► logical form ─► SQL ─► cohort
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import ModelError, RecordError, UsageError
from clinfo.pipelines.cohort.answer import SYSTEM, Cohort, small_cell_suppression
from clinfo.pipelines.cohort.form import Form, from_json, to_json
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.query_text import query_text
from clinfo.pipelines.cohort.records import CohortFound, CohortRequest, CriteriaRead, IndexOpened
from clinfo.pipelines.cohort.stages import TRANSLATE
from clinfo.pipelines.cohort.store import index_errors, opened
from clinfo.pipelines.cohort.translating import (
    AskedBack,
    OnIndex,
    checked,
    translated,
    without_model,
)
from clinfo.runs import engine
from clinfo.runs.events import Event
from clinfo.runs.run_log import RunLog
from clinfo.terms.naming import known

if TYPE_CHECKING:
    from clinfo.settings import Settings

logger = logging.getLogger(__name__)
UNUSABLE = "these records cannot be asked now: their index is not finished, out of date or damaged"
"""The words for an index whose folder is nobody's business."""


@dataclass(frozen=True)
class Parts:
    """The pipeline's own needs: the index's ``folder``, ``titled`` where the request has a title
    for it, so that no message may name it; ``log`` writes down that a request is asked and raises
    UsageError where it cannot.
    """

    folder: Path
    titled: bool
    log: Callable[[CohortRequest], None]


def parts(
    opened: engine.Opened,
    request: CohortRequest,
    *,
    folder: Path | None = None,
    log: Callable[[CohortRequest], None] | None = None,
    earlier: Iterable[Event] = (),
) -> Parts:
    """The parts of a request's runs; ``folder`` is the index's where the request has a title for
    it.
    """
    log = log or partial(log_use, opened.settings)
    return Parts(folder or Path(request.index), folder is not None, log)


def log_use(settings: Settings, request: CohortRequest) -> None:
    """Log that this user asks an index, with the SHA-256 of what is asked. Raises UsageError."""
    from clinfo.patients.keeping import PatientStore, this_user

    asked = request.criteria or request.query or str(request.form)
    PatientStore.of(settings).audit(
        user=this_user(), run="", patient=f"cohort {request.index}", question=asked, did="cohort"
    )


Run = engine.Run[CohortRequest, RunLog, Parts]


async def work(run: Run) -> None:
    """Carry out one run: from the request, or from where the record of it ends, to the answer."""
    request = run.request
    run.start(run.noted(request.models), system=SYSTEM, as_of=request.as_of, seed=request.seed)
    if "cohort" in run.run_log:
        return
    # SQLite wants to be closed by the thread that opened it; a run that is cancelled does not wait
    # for that.
    thread, held = ThreadPoolExecutor(1), ExitStack()

    async def done(work: Callable[..., Any], *given: Any) -> Any:
        with index_errors(run.parts.folder):
            return await asyncio.get_running_loop().run_in_executor(thread, work, *given)

    try:
        run.parts.log(request)
        base = await run.timed("index", _opened(run, held, done))
        run.emit(await run.timed("cohort", _found(run, base, done)))
    except RecordError as error:
        if not run.parts.titled:
            raise
        logger.warning("a cohort cannot be found", extra={"error": str(error)})
        raise RecordError(UNUSABLE) from None
    finally:
        thread.submit(held.close)
        thread.shutdown(wait=False)


async def _opened(run: Run, held: ExitStack, done: OnIndex) -> sqlite3.Connection:
    """The index, opened again where a run goes on: it must be the same then."""
    base: sqlite3.Connection = await done(held.enter_context, opened(run.parts.folder))
    event: IndexOpened = await done(_about, base, run.request.least)
    before = run.run_log.get(IndexOpened, "index")
    if before is not None and before.about != event.about:
        raise UsageError("the index has changed since the saved run; begin a new one")
    run.emit(event)
    if (mesh := event.about.get("mesh")) != known().name:
        told = f"the index was made with {mesh}, now there is {known().name}: build it again"
        run.warn("vocabulary", told, "index")
    return base


def _about(base: sqlite3.Connection, least: int) -> IndexOpened:
    about = dict(base.execute("SELECT name, value FROM about WHERE name != 'form'"))
    ((patients, notes),) = base.execute("SELECT count(*), coalesce(sum(notes), 0) FROM patients")
    return IndexOpened(
        about=about,
        patients=small_cell_suppression(patients, least),
        notes=small_cell_suppression(notes, least),
    )


async def _found(run: Run, base: sqlite3.Connection, done: OnIndex) -> CohortFound:
    """The members by facts."""
    request = run.request
    index: Index = await done(Index, base, known(), request.as_of, request.least)
    read = run.run_log.get(CriteriaRead, "criteria")
    form = from_json(read.form) if read is not None else await _understood(run, index, done)
    cohort: Cohort = await done(Cohort, index, form, request.least)
    found: CohortFound = await done(cohort.found, request.explain, request.shown)
    return found


async def _understood(run: Run, index: Index, done: OnIndex) -> Form:
    """The form of what was asked: given, or of the criteria by the model. Raises UsageError where
    it has to be asked back, and ModelError where the model's comes too late.
    """
    request, model, by = run.request, run.models.get(TRANSLATE.name), ""
    form: Form
    taken: tuple[str, ...] = ()
    try:
        if request.form is not None:
            form = await done(checked, index.concepts, from_json(request.form))
        elif model is None:
            raise await done(without_model, index.concepts, request.criteria)
        else:
            by = model.name
            async with asyncio.timeout(run.deadline.left):
                form, taken = await translated(
                    run.recorder, run.prompts, request.criteria,
                    lambda work, *given: done(work, index.concepts, *given),
                )  # fmt: skip
    except AskedBack as asked:
        run.emit(asked.refused)
        raise UsageError(str(asked)) from None
    except TimeoutError:
        late = f"{by} gave no form within the time limit{run.deadline.told}"
        raise ModelError(late, retryable=True) from None
    text = query_text(form)
    run.emit(CriteriaRead(form=to_json(form), text=text, translated_by=by, assumptions=taken))
    return form
