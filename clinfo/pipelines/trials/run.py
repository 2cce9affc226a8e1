"""One run of the trials pipeline: papers read and grouped to studies, then each study by itself.

    papers ─► studies ─► passages of each paper ─► clusters ─► extraction ─► conclusion ─► answer

The baselines that URCA was published with leave some of it out (`Method`). Studies are read at the
same time; the order of the answer is that of the papers. While a model is waited for, what needs
no reply is done: papers are read and cut while the question is understood, numbers read while
passages are. Both are read in a process of their own (`clinfo.runs.apart`), which ends with the
run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from clinfo import __version__
from clinfo.errors import ClinfoError, RecordError, SourceError, UsageError
from clinfo.lazy_dataclass import replace
from clinfo.llm.delimiting import fenced
from clinfo.pipelines.models import noted
from clinfo.pipelines.trials.answer import answer_json, build_answer
from clinfo.pipelines.trials.applies import NOT_NAMED, by_cluster, names_intervention
from clinfo.pipelines.trials.asked_sentences import with_short_forms
from clinfo.pipelines.trials.by_rule import NOTHING
from clinfo.pipelines.trials.clustering import clusters, ordered
from clinfo.pipelines.trials.concluding import candidates_in, favoured
from clinfo.pipelines.trials.declared import (
    CONCLUDE,
    EXTRACT,
    MODEL_STAGES,
    PICO,
    Concluded,
    Extracted,
    Understood,
)
from clinfo.pipelines.trials.events import (
    EvidenceExtracted,
    NumbersRead,
    PaperRead,
    PaperRefused,
    PapersChecked,
    PassagesChosen,
    PassagesClustered,
    QuestionUnderstood,
    RunStarted,
    StudiesGrouped,
    StudyConcluded,
)
from clinfo.pipelines.trials.grouping import grouped
from clinfo.pipelines.trials.integrity import checked
from clinfo.pipelines.trials.numbers import numbers_of
from clinfo.pipelines.trials.outcome_names import names_in
from clinfo.pipelines.trials.quoting import located
from clinfo.pipelines.trials.reading import read_paper
from clinfo.pipelines.trials.replies import Concluding, TrialQuestion
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.pipelines.trials.selecting import share, together, uniform
from clinfo.records.request import EXTRACTIVE
from clinfo.records.trials import (
    Better,
    Conclusion,
    Quote,
    StudyPapers,
    TrialsRequest,
)
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.rerankers import best
from clinfo.retrieval.rerankers.results import prepare
from clinfo.runs.apart import Apart
from clinfo.runs.deadline import DEADLINE, Deadline
from clinfo.runs.events import Answered
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import typed
from clinfo.runs.tasks import all_of, cancelled
from clinfo.sources.full_texts import read_pmcid

if TYPE_CHECKING:
    from clinfo.pipelines.trials.assemble import Trials

TEMPERATURE: Final = 0.0
"""The paper's setting."""
CLUSTERED: Final = frozenset(("numbers", "urca", "raptor"))
UNREADABLE = "the model's answer could not be read"
UNQUOTED = "the model quoted nothing that stands in the papers"
Groups = tuple[tuple[int, ...], ...]
T = TypeVar("T")


class Run:
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(
        self, trials: Trials, request: TrialsRequest, recorder: Recorder[TrialsLog]
    ) -> None:
        self.trials = trials
        self.request = request
        self.recorder = recorder
        self.run_log = recorder.run_log
        self._slots = asyncio.Semaphore(trials.concurrency)
        self._processor = asyncio.Lock()
        self._cut: dict[str, tuple[Passage, ...]] = {}
        self._apart = Apart()
        self._deadline = Deadline(request.max_seconds, recorder)

    async def answer(self) -> None:
        """Carry out the run to its answer, at the deadline to one of what was read by then."""
        self._start()
        left = self._deadline.left
        try:
            if left == 0:
                raise TimeoutError
            async with asyncio.timeout(left):
                await self._read_all()
        except TimeoutError:
            self._tell_late()
        finally:
            self._apart.close()
        self.recorder.emit(Answered(answer=answer_json(build_answer(self.run_log))))

    def _tell_late(self) -> None:
        """Name what was not read by the deadline. Raises UsageError where that is everything."""
        late = f"not read by the deadline{self._deadline.told}"
        for name in dict.fromkeys(self.request.papers):
            if f"paper {name}" not in self.run_log:
                self.recorder.emit(PaperRefused(name=name, reason=f"{name}: {late}"))
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
            self.recorder.emit(
                StudiesGrouped(studies=grouped(tuple(papers.values()), self.request.studies))
            )
        await self.recorder.timed(
            "reading",
            all_of(
                self._study(study, papers, understood.asked, understood.better)
                for study in self.run_log.studies
            ),
        )
        reasons = [one.conclusion.reason for one in self.run_log.all(StudyConcluded)]
        self.recorder.warn_unread("conclude", reasons.count(UNREADABLE), len(reasons))

    def _start(self) -> None:
        request, trials = self.request, self.trials
        settings: dict[str, Any] = {
            "version": __version__,
            "pipeline": "trials",
            "models": {stage: trials.models[stage].name for stage in MODEL_STAGES},
            "method": request.method,
            "k": request.k,
            "beta": request.beta,
            "n_max": request.most,
            "order": request.order,
            "retriever": trials.reranker.name,
            "temperature": TEMPERATURE,
            "seed": request.seed,
            "prompts": {name: prompt.sha256 for name, prompt in sorted(trials.prompts.items())},
            "prompts_edited": sorted(request.prompts),
        }
        self.recorder.emit(
            RunStarted(
                request=request,
                settings=settings,
                notices=noted(trials.models, MODEL_STAGES, request.prompts),
                started_at=trials.clock.now().isoformat(timespec="seconds"),
            )
        )

    async def _prepared_papers(self) -> Mapping[str, Document]:
        """The papers by their ids, read, looked up and cut. Raises UsageError where there are
        none.
        """
        await self._read_papers()
        papers = self.run_log.papers
        if not papers:
            refused = "; ".join(event.reason for event in self.run_log.all(PaperRefused))
            raise UsageError(f"none of the papers could be read: {refused}")
        if "checked" not in self.run_log:
            notices = checked(tuple(papers.values()), self.trials.retractions)
            self.recorder.emit(PapersChecked(notices=notices))
        for paper in papers.values():
            self._cut[paper.id] = await self._worked(partial(cut_up, paper))
        return papers

    async def _read_papers(self) -> None:
        """Read every paper that is not recorded; one that cannot be read is told and left out."""
        ids = {paper.id: name for name, paper in self._read().items()}
        asked = dict.fromkeys(self.request.papers)
        names = [name for name in asked if f"paper {name}" not in self.run_log]
        works = [asyncio.ensure_future(self._read_paper(name)) for name in names]
        try:
            for name, work in zip(names, works, strict=True):
                self.recorder.emit(await self._told(name, work, ids))
        finally:
            await cancelled(works)

    async def _told(
        self, name: str, work: Awaitable[Document], ids: dict[str, str]
    ) -> PaperRead | PaperRefused:
        try:
            document = await work
        except SourceError:
            raise  # PubMed Central may answer the next time the run is resumed
        except ClinfoError as error:
            return PaperRefused(name=name, reason=str(error))
        if (same := ids.setdefault(document.id, name)) != name:
            return PaperRefused(name=name, reason=f"{name}: the same paper as {same}")
        return PaperRead(name=name, document=document)

    async def _read_paper(self, name: str) -> Document:
        if name in self.request.texts or name != (pmcid := read_pmcid(name)):
            raw = await self._worked(partial(self.trials.read, name))
            return await self._apart.do(name, read_paper, raw, name, self.trials.guarded)
        async with self._slots:
            raw = await self.trials.full_texts.article(pmcid)
        document = await self._apart.do(name, read_paper, raw, name, False)
        return replace(document, id=f"pmcid:{pmcid}")

    async def _worked(self, work: Callable[[], T]) -> T:
        """What ``work`` gives, in a thread, one after the other: threads that share the interpreter
        would all end late, and the models' calls that wait for the first would begin late.
        """
        async with self._processor:
            return await asyncio.to_thread(work)

    def _read(self) -> dict[str, Document]:
        return {event.name: event.document for event in self.run_log.all(PaperRead)}

    async def _understand(self) -> QuestionUnderstood:
        if (known := self.run_log.understood) is not None:
            return known
        request = self.request
        parts: dict[str, str] = {}
        if not (request.intervention and request.outcome):
            messages = self.trials.prompts["pico"].fill(question=request.question)
            asking = Understood(question=request.question)
            question = PICO.request(messages, asking, temperature=TEMPERATURE)
            said = await typed(self.recorder.ask, "pico", question, TrialQuestion)
            parts = said.value.model_dump() if said.value is not None else {}
        asked = Asked(
            request.question,
            request.outcome or parts.get("outcome", ""),
            request.intervention or parts.get("intervention", ""),
            request.comparator or parts.get("comparator", ""),
        )
        if not asked.outcome or not asked.intervention:
            missing = "outcome" if not asked.outcome else "intervention"
            raise UsageError(
                f"no {missing} could be read from the question; give it with --{missing}"
            )
        told: dict[str, Better] = {"lower": "lower", "higher": "higher"}
        better = request.better or told.get(parts.get("better", ""))
        understood = QuestionUnderstood(asked=asked, better=better)
        self.recorder.emit(understood)
        return understood

    async def _study(
        self,
        study: StudyPapers,
        papers: Mapping[str, Document],
        asked: Asked,
        better: Better | None,
    ) -> None:
        """Conclude what one study says, as far as that is not recorded."""
        if f"concluded {study.name}" in self.run_log:
            return
        async with self._slots:
            own = [papers[one] for one in study.papers]
            named = await self._worked(lambda: names_intervention(own, asked))
            if not named and self.trials.models["conclude"].name == EXTRACTIVE:
                nothing = Conclusion("not_stated", (), NOT_NAMED)
                self.recorder.emit(
                    StudyConcluded(study=study.name, conclusion=nothing, favours=None)
                )
                return
            names = await self._worked(lambda: names_in(own, asked.outcome))
            there = replace(asked, outcome=names[0])
            chosen = await self._chosen(study, there, "" if there == asked else names[0])
            groups = await self._clustered(study, chosen)
            works: list[Awaitable[Any]] = [self._concluded(study, there, chosen, groups)]
            if self.request.method == "numbers" and named and not any(map(by_cluster, own)):
                works.append(self._numbers(study, own, asked, names))
            conclusion, *_ = await all_of(works)
            candidates: tuple[Quote, ...] = ()
            if conclusion.direction == "not_stated":
                candidates = await self._worked(lambda: candidates_in(there, chosen.passages))
        self.recorder.emit(
            StudyConcluded(
                study=study.name,
                conclusion=conclusion,
                favours=favoured(conclusion.direction, better),
                candidates=candidates,
            )
        )

    async def _numbers(
        self, study: StudyPapers, papers: Sequence[Document], asked: Asked, names: Sequence[str]
    ) -> None:
        """Read the numbers, by the first of the outcome's ``names`` that the papers have any of."""
        if f"numbers {study.name}" not in self.run_log:
            numbers = None
            for name in names:
                there = replace(asked, outcome=name)
                try:
                    numbers = await self._apart.do(
                        f"numbers of {study.name}", numbers_of, papers, there
                    )
                except RecordError as error:
                    self.recorder.warn(f"numbers {study.name}", str(error), "reading")
                    break
                if numbers is not None:
                    break
            self.recorder.emit(NumbersRead(study=study.name, numbers=numbers))

    async def _chosen(self, study: StudyPapers, asked: Asked, outcome: str) -> PassagesChosen:
        key = f"passages {study.name}"
        if (known := self.run_log.get(PassagesChosen, key)) is not None:
            return known
        event = await self._worked(lambda: replace(self._choose(study, asked), outcome=outcome))
        self.recorder.emit(event)
        return event

    def _choose(self, study: StudyPapers, asked: Asked) -> PassagesChosen:
        request, reranker = self.request, self.trials.reranker
        cut = {one: self._cut[one] for one in study.papers}
        found = sum(map(len, cut.values()))
        match request.method:
            case "no-rag":
                scored = []
            case "abstracts":
                abstracts = {
                    id: [one for one in own if one.section[:1] == ("Abstract",)]
                    for id, own in cut.items()
                }
                scored = [(one, 0.0) for own in abstracts.values() for one in own]
            case "rag" | "instruct-rag":
                scored = together(asked, cut, reranker, request.k)
            case "raptor":
                scored = together(asked, cut, reranker, found)
            case _:
                each = share(request.k, request.beta, len(cut), request.most)
                scored = uniform(asked, cut, reranker, each)
        return PassagesChosen(
            study=study.name,
            passages=tuple(one for one, _ in scored),
            scores=tuple(round(score, 6) for _, score in scored),
            found=found,
        )

    async def _evidence(
        self, study: StudyPapers, chosen: PassagesChosen, groups: Groups, asked: Asked
    ) -> str:
        """What the conclusion is drawn from, as text for a model."""
        passages = chosen.passages
        if not groups:
            return "\n\n".join(one.text for one in passages)
        if self.request.method == "raptor":
            return await self._tree(study, passages, groups, asked)
        texts = await all_of(
            self._extracted(study, number, tuple(passages[place] for place in group), asked)
            for number, group in enumerate(groups)
        )
        return "\n\n".join(text for text in texts if text)

    async def _tree(
        self,
        study: StudyPapers,
        passages: Sequence[Passage],
        groups: Sequence[Sequence[int]],
        asked: Asked,
    ) -> str:
        """The k best of all passages and of what their groups, and groups of these, hold in short:
        RAPTOR's collapsed tree.
        """
        nodes = layer = list(passages)
        number = 0
        while len(groups) < len(layer):
            joined = [tuple(layer[place] for place in group) for group in groups if len(group) > 1]
            texts = await all_of(
                self._extracted(study, number + place, own, asked)
                for place, own in enumerate(joined)
            )
            number += len(joined)
            layer = [
                replace(own[0], text=text) for own, text in zip(joined, texts, strict=True) if text
            ]
            nodes = nodes + layer
            groups = await self._worked(partial(clusters, [one.text for one in layer]))
        scores = await self._worked(lambda: self.trials.reranker.scores(asked, nodes))
        return "\n\n".join(nodes[place].text for place in best(scores, self.request.k))

    async def _clustered(self, study: StudyPapers, chosen: PassagesChosen) -> Groups:
        """The groups of the passages chosen; none where the method has none."""
        if self.request.method not in CLUSTERED or not chosen.passages:
            return ()
        key = f"clusters {study.name}"
        if (known := self.run_log.get(PassagesClustered, key)) is not None:
            return known.clusters
        groups = await self._worked(partial(clusters, [one.text for one in chosen.passages]))
        order = ordered(groups, chosen.scores, self.request.order, self.request.seed)
        event = PassagesClustered(study=study.name, clusters=tuple(map(tuple, order)))
        self.recorder.emit(event)
        return event.clusters

    async def _extracted(
        self, study: StudyPapers, number: int, passages: tuple[Passage, ...], asked: Asked
    ) -> str:
        key = f"extracted {study.name} {number}"
        if (known := self.run_log.get(EvidenceExtracted, key)) is not None:
            return known.text
        shown = "\n\n".join(fenced(one.text, "passage") for one in passages)
        messages = self.trials.prompts["extract"].fill(
            question=self.request.question, passages=shown
        )
        reply = await self.recorder.ask(
            f"extract {study.name} {number}",
            EXTRACT.request(
                messages, Extracted(asked=asked, passages=passages), temperature=TEMPERATURE
            ),
        )
        text = "" if reply.text.strip().rstrip(".") == NOTHING else reply.text.strip()
        self.recorder.emit(EvidenceExtracted(study=study.name, cluster=number, text=text))
        return text

    async def _concluded(
        self, study: StudyPapers, asked: Asked, chosen: PassagesChosen, groups: Groups
    ) -> Conclusion:
        evidence = await self._evidence(study, chosen, groups, asked)
        if not evidence and self.request.method != "no-rag":
            return Conclusion("not_stated", (), "no passage bears on the question")
        name = "instruct" if self.request.method == "instruct-rag" else "conclude"
        messages = self.trials.prompts[name].fill(
            question=self.request.question,
            intervention=asked.intervention,
            comparator=asked.comparator or "not named",
            outcome=asked.outcome,
            evidence=fenced(evidence, "evidence") if evidence else "(nothing is given)",
        )
        own = [self.run_log.papers[one] for one in study.papers]
        asking = Concluded(asked=with_short_forms(asked, own), passages=chosen.passages)
        request = CONCLUDE.request(messages, asking, temperature=TEMPERATURE)
        said = await typed(self.recorder.ask, f"conclude {study.name}", request, Concluding)
        return conclusion(said.value, chosen.passages, quoted=self.request.method != "no-rag")


def cut_up(paper: Document) -> tuple[Passage, ...]:
    """The passages of a paper, ready to be ranked."""
    passages = by_section(paper)
    prepare(passages)
    return passages


def conclusion(
    said: Concluding | None, passages: Sequence[Passage], quoted: bool = True
) -> Conclusion:
    """The conclusion of a reply. Where it must be ``quoted``, one whose quotations do not stand in
    the passages is "not_stated".
    """
    if said is None:
        return Conclusion("not_stated", (), UNREADABLE)
    quotes: tuple[Quote, ...] = located(said.quotes, passages)
    if said.direction != "not_stated" and quoted and not quotes:
        return Conclusion("not_stated", (), UNQUOTED)
    return Conclusion(said.direction, quotes, said.reason)
