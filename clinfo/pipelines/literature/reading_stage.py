"""The reading of one run: articles are judged and summarised, links from relevant ones followed.

An article is summarised the moment it is judged relevant, unless the relevant ones are reranked
first. Where one call does both, the first articles are read one by one, and those that follow
several a call.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from clinfo.errors import BudgetReached, ModelError
from clinfo.extractive.concepts import named_somewhere, why_none
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.at_work import AtWork, LiteratureRun
from clinfo.pipelines.literature.events import (
    ArticleJudged,
    ArticleReused,
    ArticlesNotAssessed,
    ArticlesReranked,
    ArticleSummarised,
    LiteratureLog,
)
from clinfo.pipelines.literature.replies import (
    Finding,
    Reading,
    Readings,
    Relevance,
    summary_of,
)
from clinfo.pipelines.literature.search import retrieve
from clinfo.pipelines.literature.search.search_stage import SearchStage
from clinfo.pipelines.literature.spending_plan import READING, in_one_call
from clinfo.pipelines.literature.stages import JUDGE_STAGE, LITERATURE, RELEVANCE, SUMMARY
from clinfo.records.articles import Article, Judgement, Summary
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Stage
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, Ask, Message
from clinfo.runs.recorder import DEADLINE
from clinfo.runs.replies import Kind, Typed, typed
from clinfo.runs.tasks import cancelled
from clinfo.sources.registry import LinkedSource

TOKENS_OF_READING: Final = 800
"""Most tokens of a judgement with all fields: some 350 are usual."""
NOT_READ: Final = "the model's reply could not be read"
UNREADABLE: Final = "the judgement could not be read: kept"
NOTHING_WRITTEN: Final = "The model returned no summary of this article."

ReadArticles = Mapping[str, tuple[Judgement, Summary | None]]
"""Readings of articles, by id: the judgement, and the summary that came along."""


def messages(question: str, article: Article, prompt: Prompt) -> tuple[Message, ...]:
    """Return what a model reads of one article: the prompt filled."""
    abstract = article.abstract or "(no abstract)"
    values = {
        "question": lambda: question,
        "article": lambda: _whole(article),
        "title": lambda: fenced(article.title, "title"),
        "abstract": lambda: fenced(abstract, "abstract") if article.abstract else abstract,
    }
    return prompt.fill(**{name: values[name]() for name in prompt.variables})


def _whole(article: Article) -> str:
    abstract = article.abstract or "(no abstract)"
    return fenced(f"Title: {article.title}\nAbstract: {abstract}", "article")


async def read_together(
    question: str, articles: Sequence[Article], prompt: Prompt, ask: Ask
) -> ReadArticles:
    """Judgement and summary of each article, all in one call; one that the reply to several leaves
    out is read by itself. Raises ModelError, BudgetReached.
    """
    if len(articles) == 1:
        (article,) = articles
        return {article.id: await _read_one(question, article, prompt, ask)}
    listed = "\n\n".join(f"[{n}] {_whole(one)}" for n, one in enumerate(articles, 1))
    request = RELEVANCE.request(
        prompt.fill(question=question, article=listed),
        {"question": question, "article": articles[0]},
        reply=Readings,
    )
    request = replace(request, max_tokens=MAX_OUTPUT_TOKENS)
    call = f"relevance {' '.join(one.id for one in articles)}"
    told = await typed(ask, call, request, Readings, again=False)
    said = told.value or Readings(readings=())
    known: dict[int, Relevance] = {
        one.n: Relevance(relevant="no", reason=one.reason) for one in said.not_relevant
    }
    known |= {one.n: one for one in said.readings}
    found: dict[str, tuple[Judgement, Summary | None]] = {}
    for n, article in enumerate(articles, 1):
        one = known.get(n)
        if one is None:
            found[article.id] = await _read_one(question, article, prompt, ask)
        else:
            along = summary_of(one, article) if isinstance(one, Finding) else None
            found[article.id] = _judgement(article, Typed(one, told.model, "")), along
    return found


async def _read_one(
    question: str, article: Article, prompt: Prompt, ask: Ask
) -> tuple[Judgement, Summary | None]:
    told = await _asked_of(RELEVANCE, Reading, question, article, prompt, ask, TOKENS_OF_READING)
    along = summary_of(told.value, article) if told.value is not None else None
    return _judgement(article, told), along


async def _asked_of(
    stage: Stage,
    kind: type[Kind],
    question: str,
    article: Article,
    prompt: Prompt,
    ask: Ask,
    tokens: int | None = None,
) -> Typed[Kind]:
    """The typed reply on one article. Raises ModelError, BudgetReached."""
    variables = {"question": question, "article": article}
    request = stage.request(messages(question, article, prompt), variables, reply=kind)
    request = replace(request, max_tokens=tokens or request.max_tokens)
    return await typed(ask, f"{stage.name} {article.id}", request, kind)


def _judgement(article: Article, told: Typed[Any]) -> Judgement:
    said = told.value
    if said is None:
        return Judgement(article.id, None, told.withheld or NOT_READ, told.model, (UNREADABLE,))
    outcome = said.outcome if isinstance(said, Finding) else ""
    reason = said.reason or (f"reports {outcome}" if outcome else "no reason given")
    return Judgement(article.id, said.relevant == "yes", reason, told.model)


_STAGES: Final = ("relevance", "summary", JUDGE_STAGE)
_PROMPTS: Final = tuple(
    name for stage in LITERATURE.stages if stage.name in _STAGES for name in stage.prompts
)
_SETTINGS: Final = (
    "version",
    "reasoning_effort",
    "strict",
    "judge",
    "learned_judge",
    "checks",
    "temperature",
    "max_tokens",
    "read_in_one_call",
)
"""Settings that a judgement or a summary depends on, beside models and prompts."""


class Reuse:
    """Judgements and summaries of an ``earlier`` run, as far as the run that ``now`` logs may use
    it.
    """

    def __init__(self, earlier: Iterable[Event], now: LiteratureLog) -> None:
        run_log = LiteratureLog(earlier)
        same = run_log.started is not None and _read_by(run_log) == _read_by(now)
        self._run_log = run_log if same else LiteratureLog()
        self._articles = {article.id: article for article in self._run_log.articles}

    def judged(self, article: Article) -> ArticleJudged | None:
        """The readable judgement of this very text, or None."""
        event = self._run_log.get(ArticleJudged, f"judged {article.id}")
        readable = event is not None and event.judgement.relevant is not None
        return event if readable and self._articles.get(article.id) == article else None

    def summarised(self, article: Article) -> tuple[Event, ...]:
        """The summary of this very text; () without one."""
        event = self._run_log.get(ArticleSummarised, f"summarised {article.id}")
        if event is None or event.summary is None or self._articles.get(article.id) != article:
            return ()
        return (event,)


def _read_by(run_log: LiteratureLog) -> tuple[Any, ...]:
    """Question, models, prompts and settings by which a run judges and summarises."""
    settings: Mapping[str, Any] = run_log.started.settings if run_log.started else {}
    models, prompts = settings.get("models", {}), settings.get("prompts", {})
    return (
        run_log.question,
        [models.get(stage) for stage in _STAGES],
        [prompts.get(name) for name in _PROMPTS],
        [settings.get(name) for name in _SETTINGS],
    )


SINGLY: Final = 10
"""The best ranked articles, which have a call each."""
QUOTING_SECONDS: Final = 5.0
"""Without a language model each step has at least this long, whatever the deadline: it costs
nothing, and without it nothing at all could be quoted."""
TOGETHER: Final = 4
"""Articles of one call beyond these: what is relevant of them fits into one reply."""

Step = Callable[[Sequence[Article]], Coroutine[Any, Any, None]]


class ReadingStage(AtWork):
    """The reading of one run."""

    def __init__(self, run: LiteratureRun, searching: SearchStage) -> None:
        super().__init__(run)
        self.searching = searching
        self.in_one_call = in_one_call(run.request)
        self.reuse = Reuse((), LiteratureLog())
        self.unsummarised: dict[str, ModelError] = {}

    async def read(self) -> None:
        """Judge and summarise, until done or until the deadline; what links lead to is read after
        what the queries found.
        """
        reached = (f"screened {DEADLINE}", f"warning {DEADLINE}")
        if any(key in self.run_log for key in reached):  # before this run went on
            self._cut()
            return
        self._pass_over_titles("no abstract")
        in_time = await self._judge_all(self._readable())
        if in_time and self.request.chase:
            before = self._readable()
            in_time = await self.recorder.timed("chase", self._chase())
            if in_time:
                self._pass_over_titles("no abstract, linked")
                in_time = await self._judge_all(
                    [one for one in self._readable() if one not in before]
                )
        if in_time or not self.run.asks("summary"):
            in_time = await self._summarise_all() and in_time
        self._warn_unread()
        self._say_why_none()
        if not in_time:
            self._cut()

    def _cut(self) -> None:
        """Record what the deadline left unread; a run that goes on after it records nothing
        anew.
        """
        run_log = self.run_log
        if f"warning {DEADLINE}" in run_log:
            return
        judged, relevant = run_log.judgements, run_log.relevant
        unread = tuple(one.id for one in self._readable() if one.id not in judged)
        if unread:
            reason = "not read by the deadline"
            self.emit(ArticlesNotAssessed(ids=unread, cause=DEADLINE, reason=reason))
        usable = len(run_log.articles) - len(run_log.excluded)
        self.warn(
            DEADLINE,
            f"The deadline{self.deadline.told} was reached: {len(judged):,} of {usable:,} articles "
            f"were judged and {len(run_log.summaries):,} of {len(relevant):,} relevant ones "
            "summarised.",
            "relevance",
        )

    def _pass_over_titles(self, cause: str) -> None:
        """Record which articles a language model is not asked about, since a title is all there is
        of them.
        """
        if not self.run.asks("relevance"):
            return
        ids = tuple(one.id for one in self._readable() if not one.abstract)
        if ids:
            self.emit(ArticlesNotAssessed(ids=ids, cause=cause, reason="no abstract to be read"))

    def _warn_unread(self) -> None:
        judged = self.run_log.judgements
        unread = {id: one.reason for id, one in judged.items() if one.relevant is None}
        self.recorder.warn_unread("relevance", [*unread.values()].count(NOT_READ), len(judged))
        summaries = self.run_log.summaries
        nothing = sum(
            one.finding == NOTHING_WRITTEN and unread.get(id, NOT_READ) == NOT_READ
            for id, one in summaries.items()
        )
        self.recorder.warn_unread("summary", nothing, len(summaries))

    def _readable(self) -> list[Article]:
        """The articles that are judged, in the order of their ranks."""
        screened = {id for event in self.run_log.all(ArticlesNotAssessed) for id in event.ids}
        excluded = self.run_log.excluded
        return [
            one
            for one in self.run_log.articles
            if one.id not in excluded and one.id not in screened
        ]

    async def _chase(self) -> bool:
        """Fetch what the first relevant articles lead to, as far as more may be judged; False where
        the deadline came first.
        """
        if self.run_log.chased is not None or "warning chase" in self.run_log:
            await self.searching.exclude()
            return True
        judged = self.run_log.judgements
        began = [one.id for one in self.run_log.relevant if judged[one.id].relevant][
            : self.request.chase
        ]
        room = self.request.max_articles - len(self._readable())
        source = self.chain.source
        why = ""
        if not isinstance(source, LinkedSource):
            why = f"{source.name} does not provide links between articles"
        elif not began:
            why = "no article was judged relevant"
        elif room <= 0:
            why = (
                f"the {self.request.max_articles:,} articles that may be judged all come from the "
                "queries"
            )
        if why or not isinstance(source, LinkedSource):
            self.warn("chase", f"No links were followed: {why}.", "chase")
            return True
        try:
            async with asyncio.timeout(self.deadline.left):
                event = await retrieve.chased(source, began, room, self._found(), self.request)
        except TimeoutError:
            self.warn(
                "chase",
                "No links were followed: the deadline passed before the linked articles arrived.",
                "chase",
            )
            return False
        self.emit(event)
        await self.searching.exclude()
        return True

    def _found(self) -> set[str]:
        """Ids of all that the queries found, whatever became of it."""
        return {id for result in self.run_log.results.values() for id in result.ids} | {
            article.id for article in self.run_log.articles
        }

    @cached_property
    def _asked(self) -> str:
        """The question that articles are judged by: without a language model, what the records at
        hand can tell of it.
        """
        if self.run.asks("relevance"):
            return self.request.question
        return named_somewhere(self.request.question, self.run_log.articles)

    def _say_why_none(self) -> None:
        """Say which words of the question kept all articles from being relevant."""
        articles = self.run_log.articles
        if articles and not self.run.asks("relevance") and not self.run_log.relevant:
            self.warn("named", why_none(self.request.question, articles), "read")

    async def _judge_all(self, articles: Sequence[Article]) -> bool:
        groups: list[tuple[Article, ...]] = [(one,) for one in articles]
        if self.in_one_call:
            rest = [one for one in articles[SINGLY:] if self.reuse.judged(one) is None]
            several = [tuple(rest[at : at + TOGETHER]) for at in range(0, len(rest), TOGETHER)]
            groups = [*((one,) for one in articles if one not in rest), *several]
        step = self._judge if self.request.rerank else self._judge_and_summarise
        failures, in_time = await self._together(groups, step)
        unjudged = {
            id: error for id, error in failures.items() if f"judged {id}" not in self.run_log
        }
        self.unsummarised |= {id: error for id, error in failures.items() if id not in unjudged}
        if unjudged and not self.run_log.judgements:
            raise next(iter(unjudged.values()))
        for article in articles:
            if (error := unjudged.get(article.id)) is not None:
                judge, why = self.models["relevance"].name, f"not judged, the model failed: {error}"
                judgement = Judgement(article.id, None, why, judge, (UNREADABLE,))
                self.emit(ArticleJudged(judgement=judgement))
        return in_time

    async def _summarise_all(self) -> bool:
        relevant = self.run_log.relevant
        if self.request.rerank and self.run_log.reranked is None:
            kept, dropped = retrieve.keep_best(self.request.question, relevant, self.request.rerank)
            if dropped:
                self.emit(
                    ArticlesReranked(
                        kept=tuple(one.id for one in kept), dropped=tuple(one.id for one in dropped)
                    )
                )
        if self.run_log.reranked is not None:
            relevant = [article for article in relevant if article.id in self.run_log.reranked.kept]
        untried = [article for article in relevant if article.id not in self.unsummarised]
        failures, in_time = await self._together([(one,) for one in untried], self._summarise)
        failures |= self.unsummarised
        if failures and not self.run_log.summaries:
            raise next(iter(failures.values()))
        for id, error in failures.items():
            self.emit(ArticleSummarised(id=id, problem=str(error)))
        return in_time

    async def _judge_and_summarise(self, articles: Sequence[Article]) -> None:
        """Judge and summarise; in one call what is not recorded or known from an earlier run. The
        same articles are asked about together when a run is resumed, so the record answers.
        """
        open_ones = [one for one in articles if self._is_open(one)]
        judged = self.run_log.judgements
        wanted = [
            one
            for one in open_ones
            if self.reuse.judged(one) is None
            and (one.id not in judged or judged[one.id].relevant is not None)
        ]
        if self.in_one_call and wanted:
            prompt = self.prompts[READING]
            found = await read_together(self._asked, articles, prompt, self.ask)
            for article in wanted:
                judgement, summary = found[article.id]
                self.emit(ArticleJudged(judgement=judgement))
                if judgement.relevant is not False and summary is not None:
                    self.emit(ArticleSummarised(id=article.id, summary=summary))
        await self._judge(open_ones)
        judged = self.run_log.judgements
        await self._summarise([one for one in open_ones if judged[one.id].relevant is not False])

    def _is_open(self, article: Article) -> bool:
        judged = self.run_log.judgements.get(article.id)
        done = f"summarised {article.id}" in self.run_log
        return judged is None or (judged.relevant is not False and not done)

    async def _judge(self, articles: Sequence[Article]) -> None:
        for article in articles:
            if f"judged {article.id}" in self.run_log:
                continue
            if known := self.reuse.judged(article):
                summary = bool(self.reuse.summarised(article))
                self.emit(ArticleReused(id=article.id, summary=summary))
                self.emit(known)
                continue
            prompt = self.prompts["relevance"]
            told = await _asked_of(RELEVANCE, Relevance, self._asked, article, prompt, self.ask)
            self.emit(ArticleJudged(judgement=_judgement(article, told)))

    async def _summarise(self, articles: Sequence[Article]) -> None:
        for article in articles:
            if f"summarised {article.id}" in self.run_log:
                continue
            if known := self.reuse.summarised(article):
                for event in known:
                    self.emit(event)
                continue
            question, prompt = self.request.question, self.prompts["summary"]
            told = await _asked_of(SUMMARY, Finding, question, article, prompt, self.ask)
            found = summary_of(told.value, article) if told.value is not None else None
            summary = found or Summary(finding=NOTHING_WRITTEN)
            self.emit(ArticleSummarised(id=article.id, summary=summary))

    async def _together(
        self, groups: Sequence[Sequence[Article]], step: Step
    ) -> tuple[dict[str, ModelError], bool]:
        """Take ``step`` for all groups, ``concurrency`` at a time: (failures by article; whether it
        was done in time).

        They go by rank, each to the end of its step, so that a deadline finds some articles
        summarised. A failure leaves the others standing; a spent budget is raised when the calls
        under way have ended, a fault of ours at once.
        """
        if not groups:
            return {}, True
        places = asyncio.Semaphore(self.chain.concurrency)
        free = not (self.run.asks("relevance") or self.run.asks("summary"))
        least = asyncio.get_running_loop().time() + (QUOTING_SECONDS if free else 0.0)

        def left() -> float | None:
            more = least - asyncio.get_running_loop().time()
            return None if self.deadline.left is None else max(self.deadline.left, more)

        async def in_turn(group: Sequence[Article]) -> None:
            async with places:
                await step(group)

        tasks = {asyncio.create_task(in_turn(group)): group for group in groups}
        pending = set(tasks)
        failures: dict[str, ModelError] = {}
        spent: BudgetReached | None = None
        try:
            while pending:
                done, pending = await asyncio.wait(
                    pending, timeout=left(), return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    return failures, False
                for task in done:
                    error = task.exception()
                    if isinstance(error, ModelError):
                        failures |= {one.id: error for one in tasks[task] if self._is_open(one)}
                    elif isinstance(error, BudgetReached):
                        spent = error  # calls under way are paid for: they are waited for
                    elif error is not None:
                        raise error
            if spent is not None:
                raise spent
            return failures, True
        finally:
            await cancelled(list(tasks))
