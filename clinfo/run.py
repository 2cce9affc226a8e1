"""One run of the chain: the stages wired, with what runs at once, the deadline, and what is done already. No stage logic.

An article is summarised the moment it is judged relevant, unless the relevant ones are reranked first.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any

from clinfo import __version__, question2query, relevance, rerank, retrieve, summarize, synthesize
from clinfo.errors import BudgetReached, ClinfoError, ModelError, SourceError
from clinfo.events import (
    Answered,
    ArticleJudged,
    ArticlesFetched,
    ArticlesReranked,
    ArticlesScreened,
    ArticleSummarised,
    ArticleWithheld,
    ContextCut,
    QueryGenerated,
    QuerySearched,
    RunStarted,
    SentenceChecked,
    StageTimed,
    TldrText,
    Warned,
)
from clinfo.fold import answer_json, fold
from clinfo.prompts import Prompt
from clinfo.protocols import MAX_OUTPUT_TOKENS, TEMPERATURE, ArticleSource, ChatModel, Clock, ModelRequest
from clinfo.recorder import Recorder
from clinfo.records import MODEL_STAGES, Article, Part, Query, RunRequest, SearchResult, Study
from clinfo.transcript import Transcript
from clinfo.verify import CheckedText, check, overclaims

DEADLINE = "deadline"
FETCH_SECONDS = 5.0
"""The fetch has at least this long, whatever the deadline: without it nothing at all could be shown."""


class Run:
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(
        self,
        models: Mapping[str, ChatModel],
        source: ArticleSource,
        prompts: Mapping[str, Prompt],
        clock: Clock,
        concurrency: int,
        request: RunRequest,
        recorder: Recorder,
    ) -> None:
        self.models = models
        self.source = source
        self.prompts = prompts
        self.clock = clock
        self.concurrency = concurrency
        self.request = request
        self.recorder = recorder
        self.emit = recorder.emit
        self.ask = recorder.ask
        self.unsummarised: dict[str, ModelError] = {}

    @property
    def transcript(self) -> Transcript:
        return self.recorder.transcript

    async def answer(self) -> None:
        self._start()
        await self._timed("retrieve", self._retrieve())
        await self._timed("read", self._read())
        studies = self._studies()
        if studies:
            synthesis = await self._timed("synthesis", self._synthesise(studies))
            if synthesis:
                await self._timed("tldr", self._distil(synthesis, studies))
        self.emit(Answered(answer=answer_json(fold(self.transcript))))

    def _start(self) -> None:
        request = self.request
        models = {stage: self.models[stage].name for stage in MODEL_STAGES}
        notices = [*self.source.notices, *(notice for stage in MODEL_STAGES for notice in self.models[stage].notices)]
        settings: dict[str, Any] = {
            "version": __version__,
            "models": models,
            "source": self.source.name,
            "regime": request.regime,
            "before": request.before.isoformat() if request.before else None,
            "drop": list(request.drop),
            "from": request.published_from.isoformat() if request.published_from else None,
            "to": request.published_to.isoformat() if request.published_to else None,
            "filter": request.filter,
            "queries": len(request.own_queries) or request.queries,
            "per_query": request.per_query,
            "max_articles": request.max_articles,
            "rerank": request.rerank,
            "seed": request.seed,
            "strict": request.strict,
            "repair": request.repair,
            "fresh": request.fresh,
            "max_cost": request.max_cost,
            "max_seconds": request.max_seconds,
            "temperature": TEMPERATURE,
            "max_tokens": MAX_OUTPUT_TOKENS,
            "prompts": {name: prompt.sha256 for name, prompt in sorted(self.prompts.items())},
            "prompts_edited": sorted(request.prompts),
        }
        started_at = self.clock.now().isoformat(timespec="seconds")
        self.emit(
            RunStarted(request=request, settings=settings, notices=tuple(dict.fromkeys(notices)), started_at=started_at)
        )

    # ---- queries and search

    async def _retrieve(self) -> None:
        if self.transcript.fetched is None:
            rankings = await self._search_all()
            ids = retrieve.fuse(rankings)
            if ids:
                await self._fetch(ids)
            else:
                self.emit(ArticlesFetched(articles=()))
        for article in self.transcript.articles:
            if reason := retrieve.withhold_reason(article, self.request):
                self.emit(ArticleWithheld(id=article.id, reason=reason))
        withheld = self.transcript.withheld
        usable = [article.id for article in self.transcript.articles if article.id not in withheld]
        if len(usable) > (most := self.request.max_articles):
            reason = f"ranked below the {most:,} articles that are judged"
            self.emit(ArticlesScreened(ids=tuple(usable[most:]), cause="rank", reason=reason))

    async def _search_all(self) -> list[Sequence[str]]:
        """Ids by query, in query order. A query that fails is reported; where none brought an answer, its error is raised."""
        count = len(self.request.own_queries) or self.request.queries
        finals: list[asyncio.Task[Query | None]] = []
        written = [asyncio.create_task(self._written(index)) for index in range(count)]
        for index in range(count):
            finals.append(asyncio.create_task(self._final(index, written, tuple(finals))))
        searches = [asyncio.create_task(self._searched(final)) for final in finals]
        tasks = [*written, *finals, *searches]
        try:
            await asyncio.wait(searches, timeout=self._left)
        finally:
            await cancelled(tasks)
        problems: dict[int, ClinfoError] = {}
        late: dict[int, ClinfoError] = {}
        for index, task in enumerate(searches):
            if task.cancelled():
                late[index] = SourceError(f"the deadline passed before {self.source.name} answered", retryable=True)
            elif error := task.exception():
                if not isinstance(error, (ModelError, SourceError)):
                    raise error
                problems[index] = error
        if problems and not any(search.result for search in self.transcript.searches):
            raise problems[min(problems)]
        if late:
            self._cut_off()
        for index, problem in {**problems, **late}.items():
            if f"query {index}" in self.transcript:
                asked, source = self.request.per_query, self.source.name
                self.emit(QuerySearched(index=index, asked=asked, source=source, problem=str(problem)))
            else:
                text = f"Query {index + 1} could not be written: {problem}"
                self.emit(Warned(about=f"query {index}", text=text, where="question2query"))
        return [search.result.ids for search in self.transcript.searches if search.result is not None]

    async def _written(self, index: int) -> Query:
        """The query as first written, before it is compared with the others."""
        if known := self.transcript.get(QueryGenerated, f"query {index}"):
            return known.query
        if self.request.own_queries:
            return Query(index, self.request.own_queries[index])
        return await self._write(index)

    async def _write(self, index: int, previous: Sequence[str] = ()) -> Query:
        request = self.request
        prompt = self.prompts[self.source.query_prompt]
        return await question2query.write_query(
            request.question, index, request.seed + index, prompt, self.ask, previous=previous, repair=request.repair
        )

    async def _final(
        self, index: int, written: Sequence[asyncio.Task[Query]], finals: Sequence[asyncio.Task[Query | None]]
    ) -> Query | None:
        """The query to search: asked again once when an earlier one is the same; None when it still is, or is empty."""
        if known := self.transcript.get(QueryGenerated, f"query {index}"):
            return known.query if known.same_as is None and known.query.text else None
        query = await written[index]
        earlier: list[Query] = []
        for other in (*written[:index], *finals):
            with contextlib.suppress(ModelError):
                if (one := await asyncio.shield(other)) is not None:
                    earlier.append(one)
        same = question2query.same_as_earlier(query, earlier)
        if same is not None and not self.request.own_queries and query.text:
            query = await self._write(index, tuple(dict.fromkeys(other.text for other in earlier)))
            same = question2query.same_as_earlier(query, earlier)
        self.emit(QueryGenerated(query=query, same_as=same if query.text else None))
        return query if same is None and query.text else None

    async def _searched(self, final: asyncio.Task[Query | None]) -> None:
        query = await asyncio.shield(final)
        if query is None or f"searched {query.index}" in self.transcript:
            return
        result: SearchResult = await self.source.search(retrieve.search_request(query.text, self.request))
        self.emit(QuerySearched(index=query.index, asked=self.request.per_query, source=self.source.name, result=result))

    async def _fetch(self, ids: Sequence[str]) -> None:
        try:
            left = None if self._left is None else max(self._left, FETCH_SECONDS)
            fetched = await asyncio.wait_for(self.source.fetch(ids, fresh=self.request.fresh), left)
        except TimeoutError:
            self._cut_off()
            self.emit(ArticlesFetched(articles=(), missing=tuple(ids)))
            return
        if not fetched.articles:
            raise SourceError(f"{self.source.name} found {len(ids):,} articles and returned none of them", retryable=True)
        articles = {article.id: article for article in fetched.articles}
        ranked = tuple(articles[id] for id in ids if id in articles)
        self.emit(ArticlesFetched(articles=ranked, missing=fetched.missing, unreadable=fetched.unreadable))

    # ---- reading

    async def _read(self) -> None:
        """Judge and summarise, until done or until the deadline."""
        screened = {id for event in self.transcript.all(ArticlesScreened) for id in event.ids}
        withheld = self.transcript.withheld
        articles = [one for one in self.transcript.articles if one.id not in withheld and one.id not in screened]
        if self._deadline_recorded:
            self._reach_deadline(articles)
            return
        in_time = await self._judge_all(articles)
        if in_time:
            in_time = await self._summarise_all()
        if not in_time:
            self._reach_deadline(articles)

    async def _judge_all(self, articles: Sequence[Article]) -> bool:
        step = self._judge if self.request.rerank else self._judge_and_summarise
        failures, in_time = await self._together(articles, step)
        unjudged = {id: error for id, error in failures.items() if f"judged {id}" not in self.transcript}
        self.unsummarised = {id: error for id, error in failures.items() if id not in unjudged}
        if unjudged and not self.transcript.judgements:
            raise next(iter(unjudged.values()))
        for article in articles:
            if (error := unjudged.get(article.id)) is not None:
                judge = self.models["relevance"].name
                self.emit(ArticleJudged(judgement=relevance.failed(article, judge, error)))
        return in_time

    async def _summarise_all(self) -> bool:
        relevant = self.transcript.relevant
        if self.request.rerank and self.transcript.reranked is None:
            kept, dropped = rerank.keep_best(self.request.question, relevant, self.request.rerank)
            if dropped:
                self.emit(ArticlesReranked(kept=tuple(one.id for one in kept), dropped=tuple(one.id for one in dropped)))
        if self.transcript.reranked is not None:
            relevant = [article for article in relevant if article.id in self.transcript.reranked.kept]
        untried = [article for article in relevant if article.id not in self.unsummarised]
        failures, in_time = await self._together(untried, self._summarise)
        failures |= self.unsummarised
        if failures and not self.transcript.summaries:
            raise next(iter(failures.values()))
        for id, error in failures.items():
            self.emit(ArticleSummarised(id=id, problem=str(error)))
        return in_time

    async def _judge_and_summarise(self, article: Article) -> None:
        await self._judge(article)
        judged = self.transcript.get(ArticleJudged, f"judged {article.id}")
        if judged is not None and judged.judgement.relevant is not False:
            await self._summarise(article)

    async def _judge(self, article: Article) -> None:
        if f"judged {article.id}" not in self.transcript:
            judgement = await relevance.judge(self.request.question, article, self.prompts["relevance"], self.ask)
            self.emit(ArticleJudged(judgement=judgement))

    async def _summarise(self, article: Article) -> None:
        if f"summarised {article.id}" not in self.transcript:
            summary = await summarize.summarise(self.request.question, article, self.prompts["summary"], self.ask)
            self.emit(ArticleSummarised(id=article.id, summary=summary))

    async def _together(
        self, articles: Sequence[Article], step: Callable[[Article], Coroutine[Any, Any, None]]
    ) -> tuple[dict[str, ModelError], bool]:
        """Take ``step`` for all articles, ``concurrency`` at a time: (failures by article; whether it was done in time).

        Articles go by rank, each to the end of its step, so that a deadline finds some of them summarised. A failure leaves
        the other articles standing; a spent budget is raised when the calls under way have ended, a fault of ours at once.
        """
        if not articles:
            return {}, True
        places = asyncio.Semaphore(self.concurrency)

        async def in_turn(article: Article) -> None:
            async with places:
                await step(article)

        tasks = {asyncio.create_task(in_turn(article)): article.id for article in articles}
        pending = set(tasks)
        failures: dict[str, ModelError] = {}
        spent: BudgetReached | None = None
        try:
            while pending:
                done, pending = await asyncio.wait(pending, timeout=self._left, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    return failures, False
                for task in done:
                    error = task.exception()
                    if isinstance(error, ModelError):
                        failures[tasks[task]] = error
                    elif isinstance(error, BudgetReached):
                        spent = error  # calls under way are paid for: they are waited for
                    elif error is not None:
                        raise error
            if spent is not None:
                raise spent
            return failures, True
        finally:
            await cancelled(list(tasks))

    # ---- deadline

    @property
    def _left(self) -> float | None:
        """Seconds until the deadline, at least 0; None without one."""
        return None if self.request.max_seconds is None else max(0.0, self.request.max_seconds - self.recorder.elapsed)

    @property
    def _limit(self) -> str:
        """The deadline that the run began with, in words; a resumed run may have none."""
        first = self.transcript.started.request.max_seconds if self.transcript.started else None
        limit = first if first is not None else self.request.max_seconds
        return "" if limit is None else f" of {limit:g} s"

    @property
    def _deadline_recorded(self) -> bool:
        return f"screened {DEADLINE}" in self.transcript or f"warning {DEADLINE}" in self.transcript

    def _cut_off(self) -> None:
        """The deadline fell into the search."""
        text = f"The deadline{self._limit} was reached before the search was done."
        self.emit(Warned(about=DEADLINE, text=text, where="retrieve"))

    def _reach_deadline(self, articles: Sequence[Article]) -> None:
        """Record what the deadline left unread; a run that goes on after its deadline records nothing anew."""
        if f"warning {DEADLINE}" in self.transcript:
            return
        unread = tuple(article.id for article in articles if f"judged {article.id}" not in self.transcript)
        if unread:
            self.emit(ArticlesScreened(ids=unread, cause=DEADLINE, reason="not read before the deadline"))
        judged, relevant, summarised = (
            len(self.transcript.judgements), len(self.transcript.relevant), len(self.transcript.summaries),
        )  # fmt: skip
        usable = len(self.transcript.articles) - len(self.transcript.withheld)
        text = (
            f"The deadline{self._limit} was reached: {judged:,} of {usable:,} articles were judged and "
            f"{summarised:,} of {relevant:,} relevant ones summarised."
        )
        self.emit(Warned(about=DEADLINE, text=text, where="relevance"))

    # ---- synthesis

    def _studies(self) -> list[Study]:
        """The studies that the synthesis stands on, cut by rank to what the model's context holds."""
        studies = self.transcript.studies
        if not studies:
            return []
        if left_out := self.transcript.context_cut:
            return [study for study in studies if study.article.id not in left_out]
        model = self.models["synthesis"]
        kept, cut = synthesize.fitting(
            self.request.question, studies, self.prompts["synthesis"], model.context_tokens, model.count_tokens
        )
        if not kept:
            raise ModelError(f"the context of {model.name} ({model.context_tokens} tokens) cannot hold even one study")
        if cut:
            self.emit(ContextCut(ids=tuple(study.article.id for study in cut)))
        return kept

    async def _synthesise(self, studies: Sequence[Study]) -> str:
        request = synthesize.synthesis_request(self.request.question, studies, self.prompts["synthesis"])
        reply = await self.recorder.ask_streaming("synthesis", request)
        return await self._checked("synthesis", request, reply.text, studies)

    async def _distil(self, synthesis: str, studies: Sequence[Study]) -> None:
        request = synthesize.tldr_request(self.request.question, synthesis, studies, self.prompts["tldr"])
        reply = await self.ask("tldr", request)
        self.emit(TldrText(text=reply.text.strip()))
        await self._checked("tldr", request, reply.text, studies)

    async def _checked(self, part: Part, request: ModelRequest, text: str, studies: Sequence[Study]) -> str:
        """Check a text sentence by sentence and record the verdicts; its final form is returned."""
        checked = check(text.strip(), part, studies)
        problems = [sentence for sentence in checked.sentences if sentence.verdict == "unsupported"]
        if self.request.strict and problems:
            reply = await self.ask(f"{part} repaired", synthesize.repair_request(request, text, problems))
            if reply.text.strip():
                checked = check(reply.text.strip(), part, studies)
        self._report_invented(part, checked)
        sentences = checked.sentences
        if self.request.strict:
            sentences = tuple(sentence for sentence in sentences if sentence.verdict != "unsupported")
            if removed := len(checked.sentences) - len(sentences):
                count = "1 unsupported sentence was" if removed == 1 else f"{removed} unsupported sentences were"
                self.emit(Warned(about=f"removed {part}", text=f"{count} removed from the {_NAMES[part]}.", where="verify"))
        for index, sentence in enumerate(sentences):
            self.emit(SentenceChecked(index=index, sentence=sentence))
        final = "".join(sentence.lead + sentence.text for sentence in sentences).strip()
        for number, words in enumerate(overclaims(final)):
            warning = f'The {_NAMES[part]} says "{words}"; it can only speak of the studies retrieved.'
            self.emit(Warned(about=f"overclaim {part} {number}", text=warning, where="verify"))
        return final

    def _report_invented(self, part: Part, checked: CheckedText) -> None:
        unread = [n for n in checked.invented if n in self.transcript.numbers.values()]
        invented = [n for n in checked.invented if n not in unread]
        for about, numbers, why in (("invented", invented, "no study has"), ("unread", unread, "the model was not shown")):
            if numbers:
                cited = ", ".join(f"[{n}]" for n in numbers)
                text = f"The {_NAMES[part]} cited {cited}, which {why}; the citation was removed."
                self.emit(Warned(about=f"{about} {part}", text=text, where="verify"))

    async def _timed(self, stage: str, work: Awaitable[Any]) -> Any:
        began = self.clock.monotonic()
        result = await work
        self.emit(StageTimed(where=stage, seconds=round(self.clock.monotonic() - began, 6)))
        return result


_NAMES: dict[Part, str] = {"synthesis": "synthesis", "tldr": "TL;DR"}


async def cancelled(tasks: Sequence[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until they have ended; their outcome stays with them."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
