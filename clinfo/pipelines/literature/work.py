"""One run of the chain: the stages wired, with what runs at once, the deadline, and what is done
already. No stage logic.

Its first half, from the question to the articles, is
`clinfo.pipelines.literature.search.search_stage`. An article is summarised the moment it is judged
relevant, unless the relevant ones are reranked first.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from clinfo import __version__
from clinfo.errors import FieldError, ModelError, UsageError
from clinfo.evidence.table import appraise
from clinfo.integrity.retractions import settings_form, told
from clinfo.pipelines.literature import writing
from clinfo.pipelines.literature.answer import CHECKS, judged_by_older_checks
from clinfo.pipelines.literature.at_work import AtWork, LiteratureRun
from clinfo.pipelines.literature.events import (
    AnswerRated,
    ArticlesNotAssessed,
    ContextCut,
    EvidenceAppraised,
    FollowUpResolved,
    LinesCounted,
    QueryRelaxed,
    QuestionFlagged,
    QuestionsLeft,
    SeedStudiesChecked,
    StudiesLeftToTable,
    SynthesisReset,
    SynthesisText,
    TermsCounted,
    TldrText,
)
from clinfo.pipelines.literature.judging_stage import JudgingStage
from clinfo.pipelines.literature.reading_stage import ReadingStage, Reuse
from clinfo.pipelines.literature.replies import Doubts, StandsAlone
from clinfo.pipelines.literature.request import OPTIONS, checked_question
from clinfo.pipelines.literature.search import search_report
from clinfo.pipelines.literature.search.search_stage import SearchStage
from clinfo.pipelines.literature.spending_plan import tldr_first, wanted
from clinfo.pipelines.literature.stages import RESOLVE
from clinfo.privacy import phi_guard as guard
from clinfo.pubmed.strategy import read_strategy
from clinfo.records.answer import Resolved
from clinfo.records.articles import Sentence, Study
from clinfo.runs.events import plain
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, TEMPERATURE, ModelRequest
from clinfo.runs.replies import typed
from clinfo.runs.tasks import cancelled
from clinfo.sources.registry import AddressedSource
from clinfo.text.languages import other_language
from clinfo.text.structured import prose

LANGUAGE = (
    "The question seems to be written in {}: articles are searched and sentences compared in "
    "English, so ask it in English."
)
MOST_DOUBTS = 4
MOST_READ = 12
"""Studies that a synthesis reads; the others stand in the evidence table."""
MOST_ASSUMED = 4
"""Assumptions of a follow-up that are told; a line holds no more."""
_WRITING = ("synthesis", "tldr")
"""The stages whose models' notices are of the answer as a whole."""
_RECORDED_APART = frozenset(
    {"question", "follows", "model", "models", "source", "query", "prompts", "documents"}
)
"""Options of which the settings hold something else than what was asked."""


async def work(run: LiteratureRun) -> None:
    """Carry out one run."""
    await Work(run).answer()


class Work(AtWork):
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(self, run: LiteratureRun) -> None:
        super().__init__(run)
        self.searching = SearchStage(run)
        self.judging = JudgingStage(run)
        self.reading = ReadingStage(run, self.searching)
        self.tldr_first = tldr_first(run.request)

    async def answer(self) -> None:
        self._start()
        self._guard()
        await self._resolve()
        self.reading.reuse = Reuse(self.chain.earlier, self.run_log)
        await self.run.timed("retrieve", self.searching.retrieve())
        proving = asyncio.create_task(self._prove())
        try:
            await self.run.timed("read", self.reading.read())
            await self._appraise()
            studies = self._studies()
            if studies:
                await self._written(studies)
            await self._proved(proving)
        finally:
            await cancelled([proving])

    def _start(self) -> None:
        request, source = self.request, self.chain.source
        settings: dict[str, Any] = {
            "source": source.name,
            **{
                name: plain(getattr(request, one.field))
                for name, one in OPTIONS.items()
                if name not in _RECORDED_APART
            },
            "own_queries": len(request.own_queries),
            "queries": wanted(request),
            **({"documents": len(request.documents)} if request.documents else {}),
            "learned_judge": self.chain.learned.name if self.chain.learned else None,
            "checks": CHECKS,
            "retractions": settings_form(self.chain.retractions),
            "temperature": TEMPERATURE,
            "max_tokens": MAX_OUTPUT_TOKENS,
            "read_in_one_call": self.reading.in_one_call,
            "tldr_first": self.tldr_first,
        }
        self._refuse_older()
        self._compare_lists(settings["retractions"])
        address = source.address if isinstance(source, AddressedSource) else None
        language = other_language(request.question)
        told = (LANGUAGE.format(language),) if language else ()
        self.run.start(
            (*told, *source.notices, *self.run.noted(_WRITING)),
            re.sub(r"(?<=//)[^/@]*@", "", address) if address else None,
            **settings,
        )

    def _refuse_older(self) -> None:
        """Raise UsageError where a version began the run that read and judged otherwise: its
        verdicts and today's would stand in one text.
        """
        started = self.run_log.started
        if started is not None and judged_by_older_checks(started.settings):
            begun = started.settings.get("version", "of unknown version")
            raise UsageError(
                f"this run cannot be resumed: clinfo {begun} began it, and clinfo {__version__} "
                "reads and judges otherwise; ask again"
            )

    def _compare_lists(self, present: Mapping[str, object] | None) -> None:
        """Warn where a run goes on with another list of retractions than the one its settings
        name.
        """
        started = self.run_log.started
        if started is None or (before := started.settings.get("retractions")) == present:
            return
        self.warn(
            f"list {told(present)}",
            f"This run started with {told(before)} and continued with {told(present)}; its "
            "settings record the first.",
            "run",
        )

    def _guard(self) -> None:
        """Record what seems to identify a patient; raise IdentifiersFound where that would leave
        this machine unasked.
        """
        remote = self.chain.source.remote or self.run.opened.remote
        for where, found in guard.in_request(self.request).items() if remote else ():
            self.emit(
                QuestionFlagged(
                    where=where, identifiers=found, allowed=self.request.allow_identifiers
                )
            )
        if remote:
            guard.refuse(self.request)

    async def _resolve(self) -> None:
        """Find what a follow-up asks, and ask that alone from here on."""
        request = self.request
        if request.follows is None:
            return
        if self.run_log.resolved is None:
            self.emit(FollowUpResolved(resolved=await self._stands_alone(request.follows)))
        self.run.request = replace(request, question=self.run_log.question)

    async def _stands_alone(self, earlier: str) -> Resolved:
        """The question of a follow-up in words that need no other; as typed without a language
        model, and where its reply is unusable.
        """
        words = self.request.question
        if not self.run.asks(RESOLVE.name):
            return Resolved(earlier, words, "no model")
        asked = writing.resolve_request(earlier, words, self.prompts[RESOLVE.name])
        told = (await typed(self.ask, RESOLVE.name, asked, StandsAlone)).value
        if told is not None and told.stands_alone == "yes":
            return Resolved(earlier, words, "alone")
        try:
            question = checked_question(" ".join(told.question.split()) if told else "")
        except FieldError:
            return Resolved(earlier, words, "unusable")
        return Resolved(
            earlier, question, "rewritten", told.assumptions[:MOST_ASSUMED] if told else ()
        )

    # ---- synthesis

    async def _appraise(self) -> None:
        """Record the evidence table of all relevant articles, with what it says as a whole."""
        run_log = self.run_log
        numbers, summaries, judged = run_log.numbers, run_log.summaries, run_log.judgements
        studies = [
            Study(
                numbers[one.id], one, summaries.get(one.id), unread=judged[one.id].relevant is None
            )
            for one in run_log.relevant
        ]
        if studies and run_log.appraisal is None:
            self.emit(EvidenceAppraised(appraisal=appraise(studies, run_log.notices)))

    def _studies(self) -> list[Study]:
        """The studies that the synthesis stands on: the most useful, cut by rank to what the
        model's context holds.
        """
        studies = self._most_useful(self.run_log.studies)
        if not studies:
            return []
        if left_out := self.run_log.context_cut:
            return [study for study in studies if study.article.id not in left_out]
        model = self.models["synthesis"]
        window = model.context_tokens
        if window is not None and self.tldr_first:
            window -= model.count_tokens(writing.FORM)
        kept, cut = writing.fitting(
            self.request.question,
            studies,
            self.prompts["synthesis"],
            window,
            model.count_tokens,
        )
        if not kept:
            raise ModelError(
                f"the context of {model.name} ({model.context_tokens} tokens) cannot hold even one "
                "study"
            )
        if cut:
            self.emit(ContextCut(ids=tuple(study.article.id for study in cut)))
        return kept

    def _most_useful(self, studies: Sequence[Study]) -> list[Study]:
        """The `MOST_READ` most useful studies as their model read them, in their order; all where
        usefulness is not known.
        """
        told = [study.summary.usefulness if study.summary else None for study in studies]
        if len(studies) <= MOST_READ or all(useful is None for useful in told):
            return list(studies)
        places = sorted(range(len(studies)), key=lambda place: (-(told[place] or 0), place))
        kept = sorted(places[:MOST_READ])
        rest = tuple(studies[place].article.id for place in sorted(places[MOST_READ:]))
        self.emit(StudiesLeftToTable(ids=rest))
        return [studies[place] for place in kept]

    async def _written(self, studies: Sequence[Study]) -> None:
        """Write TL;DR and synthesis, have both judged in one go, and record what stands."""
        tldr = await self.run.timed("synthesis", self._judged(studies))
        if tldr is not None:
            await self.run.timed("tldr", self.judging.record(tldr))

    async def _judged(self, studies: Sequence[Study]) -> list[Sentence] | None:
        """The sentences of the TL;DR that stand, those of the synthesis recorded; None where there
        is no answer.
        """
        question, prompts, extent = self.request.question, self.prompts, self._extent(len(studies))
        doubting = asyncio.create_task(self._doubts(studies))
        try:
            tldr, synthesis = await self._drafted(
                writing.synthesis_request(question, studies, prompts["synthesis"], extent)
            )
            if not synthesis.strip():
                return None
            doubts = await doubting
        finally:
            await cancelled([doubting])
        asked = writing.tldr_request(question, synthesis, studies, prompts["tldr"], extent)
        tldr = tldr or writing.unlabelled(prose((await self.ask("tldr", asked)).text))
        self.emit(TldrText(text=tldr))
        return await self.judging.texts(synthesis, tldr, doubts, asked, studies)

    def _extent(self, shown: int) -> str:
        """How much of what was found the writer is shown."""
        run_log = self.run_log
        unread = {id for event in run_log.all(ArticlesNotAssessed) for id in event.ids}
        read = run_log.judgements.keys() - run_log.excluded.keys()
        unread -= run_log.excluded.keys() | read
        return (
            f"Articles found: {len(read) + len(unread):,}. Read: {len(read):,}. Not read: "
            f"{len(unread):,}. Relevant: {len(run_log.relevant):,}, of which shown here: {shown:,}."
        )

    async def _doubts(self, studies: Sequence[Study]) -> tuple[str, ...]:
        """Why the studies leave the question uncertain, as the writer of the synthesis says; none
        without a language model or a judge, and where the model failed.
        """
        if not self.run.asks("synthesis") or not self.judging.judges.any:
            return ()
        prompt = self.prompts["doubts"]
        request = writing.doubts_request(self.request.question, studies, prompt)
        try:
            told = await typed(self.ask, "doubts", request, Doubts, again=False)
        except ModelError as error:
            self.warn("doubts", f"Doubts could not be written: {error}", "synthesis")
            return ()
        if told.value is None:
            return ()
        self.emit(QuestionsLeft(questions=writing.questions_in(told.value.next)))
        best, numbers = told.value.best_source, {study.n for study in studies}
        rated = AnswerRated(
            certainty=told.value.certainty, best_source=best if best in numbers else None
        )
        self.emit(rated)
        return told.value.doubts[:MOST_DOUBTS]

    async def _drafted(self, request: ModelRequest) -> tuple[str, str]:
        """(TL;DR, synthesis) as written, the first empty where the call brings none."""
        ask, kinds = self.recorder.ask_streaming, (SynthesisText, SynthesisReset)
        if not self.tldr_first:
            return "", prose((await ask("synthesis", request, *kinds)).text)

        def shown(text: str) -> str:
            tldr, synthesis = writing.parted(text)
            if tldr:
                self.emit(TldrText(text=tldr))
            return synthesis

        reply = await ask("synthesis", writing.both(request), *kinds, shown)
        return writing.parted(prose(reply.text), whole=True)

    # ---- what shows how the search worked

    async def _prove(self) -> None:
        """Ask for the hits of the terms and look for the seed studies, where the request wants
        that.
        """
        request, run_log, source = self.request, self.run_log, self.chain.source
        if request.term_counts and not self.searching.reads_pubmed:
            self.warn(
                "terms",
                f"Hits of single terms were not requested: {source.name} does not read PubMed's "
                "query language.",
                "proof",
            )
        elif request.term_counts and "terms" not in run_log:
            answered = run_log.results
            texts = {
                one.query.index + 1: one.query.text
                for one in run_log.queries
                if one.query.index in answered
            }
            terms, left_out = await search_report.term_counts(texts, source.search, request.fresh)
            self.emit(TermsCounted(terms=terms, left_out=left_out))
        if (
            self.searching.reads_pubmed
            and "lines" not in run_log
            and any(map(read_strategy, request.own_queries))
        ):
            lines = await search_report.line_counts(
                request.own_queries, source.search, request.fresh
            )
            self.emit(LinesCounted(lines=lines))
        if request.known and "known" not in run_log:
            results = run_log.results
            searched = [
                search_report.Searched(index + 1, text, results[index], request.per_query)
                for index, text in self._sent().items()
            ]
            search = source.search if self.searching.reads_pubmed else None
            self.emit(
                SeedStudiesChecked(
                    seed_studies=await search_report.seed_studies(request, searched, search)
                )
            )

    def _sent(self) -> dict[int, str]:
        """The queries as they were last sent, by index."""
        texts = {event.query.index: event.query.text for event in self.run_log.queries}
        texts |= {
            event.index: event.query
            for event in sorted(self.run_log.all(QueryRelaxed), key=lambda one: one.step)
        }
        return {index: texts[index] for index in sorted(self.run_log.results) if index in texts}

    async def _proved(self, proving: asyncio.Task[None]) -> None:
        await asyncio.wait([proving], timeout=self.deadline.left)
        if proving.done():
            await proving
        else:
            self.warn(
                "proof",
                "The deadline passed before the hits of the terms and the seed studies were "
                "requested.",
                "proof",
            )
