"""One run of the cohort pipeline: an index opened, criteria read, the set of those who match.

criteria ─► model ─► logical form ─► set algebra ─► cohort    or: pieces of notes ─► (model) ─► cohort
"""  # noqa: E501

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from clinfo.errors import ModelError, RecordError, UsageError
from clinfo.pipelines.cohort.answer import Cohort, shown
from clinfo.pipelines.cohort.caveats import caveats
from clinfo.pipelines.cohort.events import (
    CohortFound,
    CriteriaRead,
    CriteriaRefused,
    IndexOpened,
)
from clinfo.pipelines.cohort.form import Form
from clinfo.pipelines.cohort.likeness import Candidate, Retriever, Verdict, cohort_of, read
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.query_text import boxes, query_text
from clinfo.pipelines.cohort.shapes import from_json, to_json
from clinfo.pipelines.cohort.store import index_errors, opened
from clinfo.pipelines.cohort.translating import (
    AskedBack,
    Translated,
    checked,
    translated,
    without_model,
)
from clinfo.records.cohort import CohortRequest
from clinfo.retrieval.embedders import Embedder
from clinfo.runs import engine
from clinfo.runs.run_log import RunLog
from clinfo.terms.naming import known

Result = TypeVar("Result")


@dataclass(frozen=True)
class Cohorts:
    """What runs of the pipeline need; ``folder`` is the index's, ``log`` writes down that a request
    is asked and raises UsageError where it cannot. ``embedder`` None: BM25.
    """

    folder: Path
    embedder: Embedder | None
    log: Callable[[CohortRequest], None]
    titled: bool = False
    """Whether the request has a title for the folder, which no message may name."""


logger = logging.getLogger(__name__)
UNUSABLE = "these records cannot be asked now: their index is not finished, out of date or damaged"
"""What is said of an index whose folder is nobody's business."""


async def work(run: engine.Run[CohortRequest, RunLog, Cohorts]) -> None:
    """Carry out one run."""
    try:
        await Work(run).answer()
    except RecordError as error:
        if not run.parts.titled:
            raise
        logger.warning("a cohort cannot be found", extra={"error": str(error)})
        raise RecordError(UNUSABLE) from None


class Work:
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(self, run: engine.Run[CohortRequest, RunLog, Cohorts]) -> None:
        self.run, self.request = run, run.request

    async def answer(self) -> None:
        """Carry out the run to its answer."""
        request = self.request
        kept = request.share if request.chunks is None else request.chunks
        embedder = self.run.parts.embedder
        likeness: dict[str, Any] = {
            "pieces": request.pieces if request.system == "reader" else kept,
            "embedder": embedder.name if embedder else "BM25",
        }
        self.run.start(
            self.run.noted(request.models),
            system=request.system,
            as_of=request.as_of,
            **(likeness if request.system != "symbolic" else {}),
            seed=request.seed,
        )
        if "cohort" not in self.run.run_log:
            # SQLite wants to be closed by the thread that opened it; a run that is cancelled does
            # not wait for that.
            self._thread = ThreadPoolExecutor(1)
            with ExitStack() as ended:
                held = ExitStack()
                ended.callback(self._thread.shutdown, wait=False)
                ended.callback(self._thread.submit, held.close)
                await self.run.timed("index", self._open(held))
                await self.run.timed("cohort", self._find())

    async def _do(self, work: Callable[..., Result], *given: Any) -> Result:
        with index_errors(self.run.parts.folder):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work, *given)

    async def _open(self, held: ExitStack) -> None:
        """Open the index, again where a run goes on: it must be the same then."""
        self.run.parts.log(self.request)
        self._base = await self._do(held.enter_context, opened(self.run.parts.folder))
        event = await self._do(self._about)
        if (
            before := self.run.run_log.get(IndexOpened, "index")
        ) is not None and before.about != event.about:
            raise UsageError("the index has changed since the saved run; begin a new one")
        self.run.emit(event)
        if (mesh := event.about.get("mesh")) != known().name:
            told = f"the index was made with {mesh}, now there is {known().name}: build it again"
            self.run.warn("vocabulary", told, "index")

    def _about(self) -> IndexOpened:
        about = dict(self._base.execute("SELECT name, value FROM about WHERE name != 'form'"))
        ((patients, notes),) = self._base.execute("SELECT count(*), sum(notes) FROM patients")
        least = self.request.least
        return IndexOpened(
            about=about, patients=shown(patients, least), notes=shown(notes or 0, least)
        )

    async def _find(self) -> None:
        if self.request.system != "symbolic":
            self.run.emit(await self._by_likeness())
            return
        request = self.request
        index = Index, self._base, known(), request.as_of, request.least
        self._index = await self._do(*index)
        if (read := self.run.run_log.get(CriteriaRead, "criteria")) is not None:
            form = from_json(read.form)
        else:
            form = await self._understood()
        self.run.emit(await self._do(self._members, form))

    async def _understood(self) -> Form:
        """The form of what was asked: given, or of the criteria by the model. Raises UsageError
        where it has to be asked back.
        """
        request, model = self.request, self.run.models.get("translate")
        by, concepts = "", self._index.concepts
        try:
            if request.form is not None:
                found = Translated(await self._do(checked, concepts, from_json(request.form)))
            elif model is None:
                raise await self._do(without_model, concepts, request.criteria)
            else:
                found, by = await self._translated(model.name), model.name
        except AskedBack as asked:
            self.run.emit(
                CriteriaRefused(
                    words=asked.words, near=asked.near, query=asked.query,
                    reasons=asked.reasons, told=asked.told, assumptions=asked.assumptions,
                )
            )  # fmt: skip
            raise UsageError(str(asked)) from None
        self.run.emit(
            CriteriaRead(
                form=to_json(found.form), text=query_text(found.form), translated_by=by,
                assumptions=found.assumptions,
            )
        )  # fmt: skip
        return found.form

    async def _translated(self, by: str) -> Translated:
        """The form of a model. Raises AskedBack, and ModelError where it comes too late."""
        criteria = self.request.criteria
        try:
            async with asyncio.timeout(self.run.deadline.left):
                return await translated(
                    self.run.recorder, self.run.prompts, criteria,
                    lambda work, *given: self._do(work, self._index.concepts, *given),
                )  # fmt: skip
        except TimeoutError:
            late = f"{by} gave no form within the time limit{self.run.deadline.told}"
            raise ModelError(late, retryable=True) from None

    def _members(self, form: Form) -> CohortFound:
        cohort, least = Cohort(self._index, form), self.request.least
        most = self.request.shown if least <= 1 else 0
        others = None
        if self.request.explain and least <= 1:
            # Of each value so many: who does not match, and of whom it is not documented.
            numbers = sorted((*cohort.refused[:most], *cohort.unknown[:most]))
            others = tuple(cohort.told(number) for number in numbers)
        return CohortFound(
            members=tuple(cohort.told(number) for number in cohort.members[:most]),
            not_documented=tuple(cohort.ids[number] for number in cohort.unknown[:most]),
            attrition=tuple(
                row | {name: shown(row[name], least) for name in ("alone", "left")}
                for row in cohort.attrition()
            ),
            counts={name: shown(count, least) for name, count in cohort.counts().items()},
            others=others,
            boxes=boxes(form, lambda part: shown(cohort.count(part), least)),
            caveats=tuple(caveats(cohort, form, least)),
        )

    async def _by_likeness(self) -> CohortFound:
        """The members by likeness, read by the model where one is to read."""
        everyone, found = await self._do(self._likest)
        said = [Verdict(True)] * len(found)
        if self.request.system == "reader":
            prompt = self.run.prompts["read"]
            said = await read(self.run.recorder, prompt, self.request.criteria, found)
        if unread := sum(verdict.match is None for verdict in said):
            told = f"for {unread} of {len(said)} patients no reply of the model could be read"
            self.run.warn("unread", told, "read")
        return cohort_of(self.request.criteria, everyone, found, said)

    def _likest(self) -> tuple[list[str], tuple[Candidate, ...]]:
        """All patients with a note by then, and those of the likest chunks."""
        request = self.request
        retriever = Retriever(self._base, self.run.parts.embedder, request.as_of)
        until = f"{request.as_of}\uffff" if request.as_of else "\uffff"
        rows = self._base.execute("SELECT id FROM patients WHERE first <= ? ORDER BY id", (until,))
        everyone = [id for (id,) in rows]
        if request.system == "reader":
            return everyone, retriever.of_each(request.criteria, request.pieces)
        return everyone, retriever.found(request.criteria, request.share, request.chunks)
