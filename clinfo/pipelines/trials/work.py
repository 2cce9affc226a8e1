"""One run of the trials pipeline: papers read and grouped to studies, then each study by itself.

    papers ─► studies ─► passages of each paper ─► clusters ─► extraction ─► conclusion ─► answer

The baselines that URCA was published with leave some of it out (`Method`). Without a model the run
ends with the passages, which are quoted; nobody says what they conclude. Studies are read at the
same time; the order of the answer is that of the papers. Papers are read in a process of their own
(`clinfo.runs.apart`), which ends with the run.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from clinfo.errors import UsageError
from clinfo.evidence.meta_analysis.values import Better
from clinfo.pipelines.trials.concluding import UNREADABLE, Concluder
from clinfo.pipelines.trials.events import (
    PaperRefused,
    PassagesChosen,
    QuestionUnderstood,
    StudiesGrouped,
    StudyConcluded,
)
from clinfo.pipelines.trials.papers import TrialsRun, cut_up, grouped, read_all
from clinfo.pipelines.trials.quoting import bearing, chosen
from clinfo.pipelines.trials.records import Conclusion, Quote, StudyPapers
from clinfo.pipelines.trials.request import asked_in, reported_as
from clinfo.pipelines.trials.stages import CONCLUDE, MODEL_STAGES, PICO, TrialQuestion
from clinfo.retrieval.documents import Asked, Document, Passage
from clinfo.runs.apart import Apart
from clinfo.runs.recorder import DEADLINE
from clinfo.runs.replies import typed
from clinfo.runs.tasks import all_of

NOBODY: Final = "no language model was named: passages on the outcome, judged by nobody"
NOT_NAMED: Final = "no passage names the outcome"
T = TypeVar("T")


async def work(run: TrialsRun) -> None:
    """Carry out one run."""
    await Work(run).answer()


class Work:
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(self, run: TrialsRun) -> None:
        self.run, self.request = run, run.request
        self.recorder, self.run_log, self.emit = run.recorder, run.run_log, run.emit
        self._slots = asyncio.Semaphore(run.settings.concurrency)
        self._processor = asyncio.Lock()
        self._cut: dict[str, tuple[Passage, ...]] = {}
        self._apart = Apart()
        self._concluder = Concluder(run, self._worked)

    async def answer(self) -> None:
        """Carry out the run to its answer, at the deadline to one of what was read by then."""
        self._start()
        left = self.run.deadline.left
        try:
            if left == 0:
                raise TimeoutError
            async with asyncio.timeout(left):
                await self._read_all()
        except TimeoutError:
            self._tell_late()
        finally:
            self._apart.close()

    def _tell_late(self) -> None:
        """Name what was not read by the deadline. Raises UsageError where that is everything."""
        late = f"not read by the deadline{self.run.deadline.told}"
        for name in dict.fromkeys(self.request.papers):
            if f"paper {name}" not in self.run_log:
                self.emit(PaperRefused(name=name, reason=f"{name}: {late}"))
        if not self.run_log.studies:
            raise UsageError(f"none of the papers could be read: {late}")
        names = [one.name for one in self.run_log.studies if one.name not in self.run_log.concluded]
        if names:
            self.recorder.warn(DEADLINE, f"{', '.join(names)}: {late}", "reading")

    async def _read_all(self) -> None:
        first: tuple[Awaitable[Any], ...] = (
            self.recorder.timed("pico", self._understand()),
            self.recorder.timed("papers", self._prepared_papers()),
        )
        understood, papers = await all_of(first)
        if not self.run_log.studies:
            self.emit(StudiesGrouped(studies=grouped(tuple(papers.values()), self.request.studies)))
        await self.recorder.timed(
            "reading",
            all_of(self._study(study, papers, understood.asked) for study in self.run_log.studies),
        )
        reasons = [one.conclusion.reason for one in self.run_log.all(StudyConcluded)]
        self.recorder.warn_unread("conclude", reasons.count(UNREADABLE), len(reasons))

    def _start(self) -> None:
        request = self.request
        self.run.start(
            self.run.noted(MODEL_STAGES),
            method=request.method,
            k=request.k,
            beta=request.beta,
            n_max=request.most,
            order=request.order,
            clusters=request.clusters,
            retriever=self.run.parts.reranker.name,
            temperature=CONCLUDE.temperature,
            seed=request.seed,
        )

    async def _prepared_papers(self) -> Mapping[str, Document]:
        """The papers by their ids, read, looked up and cut. Raises UsageError where there are
        none.
        """
        papers = await read_all(self.run, self._apart)
        self._apart.close()
        for paper in papers.values():
            self._cut[paper.id] = await self._worked(partial(cut_up, paper))
        return papers

    async def _worked(self, work: Callable[[], T]) -> T:
        """The result of ``work``, in a thread, one after the other: threads that share the
        interpreter would all end late, and the models' calls that wait for the first begin late.
        """
        async with self._processor:
            return await asyncio.to_thread(work)

    async def _understand(self) -> QuestionUnderstood:
        if (known := self.run_log.understood) is not None:
            return known
        request = self.request
        read, better = Asked(), "unknown"
        if not (request.intervention and request.outcome):
            read, better = await self._read_question()
        asked = Asked(
            request.question,
            request.outcome or read.outcome,
            request.intervention or read.intervention,
            request.comparator or read.comparator,
        )
        if not asked.outcome or not asked.intervention:
            missing = "outcome" if not asked.outcome else "intervention"
            raise UsageError(
                f"no {missing} could be read from the question; give it with --{missing}"
            )
        told: dict[str, Better] = {"lower": "lower", "higher": "higher"}
        event = QuestionUnderstood(asked=asked, better=request.better or told.get(better))
        self.emit(event)
        return event

    async def _read_question(self) -> tuple[Asked, str]:
        """The parts of the question, and which way is better."""
        question = self.request.question
        if not self.run.asks("pico"):
            return await self._worked(partial(asked_in, question)), "unknown"
        messages = self.run.prompts["pico"].fill(question=question)
        asking = PICO.request(messages, {"question": question})
        said = (await typed(self.recorder.ask, "pico", asking, TrialQuestion)).value
        if said is None:
            return Asked(), "unknown"
        return Asked(question, said.outcome, said.intervention, said.comparator), said.better

    async def _study(
        self, study: StudyPapers, papers: Mapping[str, Document], asked: Asked
    ) -> None:
        """Conclude what one study says, as far as that is not recorded."""
        if f"concluded {study.name}" in self.run_log:
            return
        own = {one: papers[one] for one in study.papers}
        async with self._slots:
            name = await self._worked(partial(reported_as, tuple(own.values()), asked.outcome))
            there = replace(asked, outcome=name)
            found = await self._chosen(study, there, "" if there == asked else name)
            conclusion, reading = Conclusion(None, (), NOBODY), None
            if self.run.asks("conclude"):
                conclusion, reading = await self._concluder.concluded(study, own, found, there)
            candidates: tuple[Quote, ...] = ()
            if conclusion.direction in (None, "not_stated"):
                work = partial(bearing, found.passages, own, there.outcome)
                candidates = await self._worked(work)
            if conclusion.direction is None and not candidates:
                conclusion = Conclusion(None, (), NOT_NAMED)
        self.emit(
            StudyConcluded(
                study=study.name, conclusion=conclusion, candidates=candidates, reading=reading
            )
        )

    async def _chosen(self, study: StudyPapers, asked: Asked, outcome: str) -> PassagesChosen:
        known = self.run_log.get(PassagesChosen, f"passages {study.name}")
        if known is not None:
            return known
        cut = {one: self._cut[one] for one in study.papers}
        scored = await self._worked(
            partial(chosen, self.request, asked, cut, self.run.parts.reranker)
        )
        event = PassagesChosen(
            study=study.name,
            passages=tuple(one for one, _ in scored),
            scores=tuple(round(score, 6) for _, score in scored),
            found=sum(map(len, cut.values())),
            outcome=outcome,
        )
        self.emit(event)
        return event
