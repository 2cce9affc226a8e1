"""The first half of a run: from the question to articles that may be read. What happens at once,
and what is done already.

Queries come from a model with several seeds, from what the question is about (the strategy pico),
or from the user. A generated one is cleaned and checked, and relaxed where it finds nothing; the
user's own goes as it is.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from clinfo.errors import ClinfoError, ModelError, SourceError
from clinfo.extractive.asking import write_keywords, write_query
from clinfo.integrity import notices as integrity
from clinfo.pipelines.literature.at_work import AtWork, LiteratureRun
from clinfo.pipelines.literature.events import (
    ArticleExcluded,
    ArticleFlagged,
    ArticlesFetched,
    ArticlesNotAssessed,
    QueryExplained,
    QueryGenerated,
    QueryRelaxed,
    QueryRepaired,
    QuerySearched,
    QuestionAskedBack,
    QuestionUnderstood,
)
from clinfo.pipelines.literature.request import narrowed
from clinfo.pipelines.literature.search import (
    question2query,
    relax,
    retrieve,
)
from clinfo.pipelines.literature.search.question2query import AskedBack
from clinfo.pubmed.strategy import read_strategy
from clinfo.records.articles import Query, SearchResult
from clinfo.records.request import EXTRACTIVE
from clinfo.retrieval.fusion import fused
from clinfo.runs.events import CostIncurred
from clinfo.runs.recorder import DEADLINE
from clinfo.runs.tasks import cancelled
from clinfo.sources.given import in_words
from clinfo.sources.registry import PUBMED_LANGUAGE
from clinfo.text.wording import number

UNCHECKED = (
    "Retractions could not be checked: no retraction list is loaded, and the records have no "
    "notices."
)
FETCH_SECONDS = 5.0
"""The fetch has at least this long, whatever the deadline: without it nothing at all could be
shown.
"""


Written = tuple[Query, str]
"""A query to be compared with the others and searched, and its text before anything was changed in
it.
"""
Write = Callable[[Sequence[str]], Awaitable[Written]]
"""Write a query that differs from those with these texts."""


class SearchStage(AtWork):
    """The search of one run: from the request, or from where the record of it ends."""

    def __init__(self, run: LiteratureRun) -> None:
        super().__init__(run)
        self.source = self.chain.source
        self.reads_pubmed = self.source.query_prompt == PUBMED_LANGUAGE
        self._counts: dict[str, int] = {}

    async def retrieve(self) -> None:
        """Search and fetch, and record what may not be used and what is not judged."""
        if self.run_log.fetched is None:
            ids = list(fused(await self._search_all()))
            if ids:
                await self._fetch(ids)
            else:
                self.emit(ArticlesFetched(articles=()))
        await self.exclude()
        request, excluded = self.request, self.run_log.excluded
        found = self.run_log.fetched.articles if self.run_log.fetched else ()
        usable = [article for article in found if article.id not in excluded]
        if len(usable) > (most := request.max_articles) and "screened rank" not in self.run_log:
            _, left_out = retrieve.screened(request.question, self.run_log.understood, usable, most)
            reason = (
                f"ranked below the {most:,} articles that are judged, by the search and by BM25 "
                "together"
            )
            self.emit(
                ArticlesNotAssessed(
                    ids=tuple(article.id for article in left_out), cause="rank", reason=reason
                )
            )

    async def exclude(self) -> None:
        """Record which of the articles the run may not use, and the notices on the others.

        What is known only since the studies were numbered (a list loaded before a run was resumed)
        excludes nothing any more, since the texts cite by number: a warning says it.
        """
        articles = self.run_log.articles
        for article in articles:
            if reason := retrieve.exclusion_reason(article, self.request):
                self.emit(ArticleExcluded(id=article.id, reason=reason))
        source = self.source
        checkable = (source.remote and source.query_prompt == PUBMED_LANGUAGE) or any(
            article.corrections for article in articles
        )
        if articles and not checkable and self.chain.retractions is None:
            self.warn("retractions", UNCHECKED, "integrity")
        # In a thread: with 126 new articles this is a tenth of a second, and other runs share the
        # loop.
        for notice in await asyncio.to_thread(integrity.notices, articles, self.chain.retractions):
            self.emit(ArticleFlagged(notice=notice))
            if not integrity.excluding(notice) or notice.id in self.run_log.excluded:
                continue
            if self.run_log.is_numbered and notice.id in self.run_log.numbers:
                number = self.run_log.numbers[notice.id]
                told = f"The article [{number}] must not be relied on ({integrity.reason(notice)})"
                self.warn(
                    f"integrity {notice.id}",
                    f"{told}: the answer was started before this was known. Please run the "
                    "question again.",
                    "integrity",
                )
            else:
                self.emit(ArticleExcluded(id=notice.id, reason=integrity.reason(notice)))

    def _cut(self) -> None:
        """Record that the deadline fell into the search."""
        told = f"The deadline{self.deadline.told} passed before the search was finished."
        self.warn(DEADLINE, told, "retrieve")

    # ---- queries

    async def _search_all(self) -> list[Sequence[str]]:
        """Ids by query, in query order. A query that fails is reported; where none brought an
        answer, its error is raised.
        """
        planning = asyncio.create_task(self._writers())
        try:
            await asyncio.wait([planning], timeout=self.deadline.left)
        finally:
            await cancelled([planning])
        if planning.cancelled():
            self._cut()
            return []
        try:
            writers = planning.result()
        except AskedBack as error:
            raise self._asked_back(error) from None
        finals: list[asyncio.Task[Query | None]] = []
        for index, write in enumerate(writers):
            finals.append(asyncio.create_task(self._final(index, write, tuple(finals))))
        searches = [asyncio.create_task(self._searched(final)) for final in finals]
        try:
            await asyncio.wait(searches, timeout=self.deadline.left)
        finally:
            await cancelled([*finals, *searches])
        self._report(searches)
        if not any(result.ids for _, result in self.run_log.results.items()):
            await self._by_rule(len(writers))
        return [result.ids for _, result in sorted(self.run_log.results.items())]

    def _report(self, searches: Sequence[asyncio.Task[None]]) -> None:
        """Record which queries brought no answer; raise the first error where none did."""
        problems: dict[int, ClinfoError] = {}
        late: dict[int, ClinfoError] = {}
        for index, task in enumerate(searches):
            if task.cancelled():
                late[index] = SourceError(
                    f"the deadline passed before {self.source.name} answered", retryable=True
                )
            elif error := task.exception():
                if not isinstance(error, (ModelError, SourceError, AskedBack)):
                    raise error
                problems[index] = error
        if problems and not any(search.result for search in self.run_log.searches):
            raise self._asked_back(problems[min(problems)])
        if late:
            self._cut()
        for index, problem in {**problems, **late}.items():
            if f"query {index}" in self.run_log:
                asked, source = self.request.per_query, self.source.name
                self.emit(
                    QuerySearched(index=index, asked=asked, source=source, problem=str(problem))
                )
            else:
                self.warn(
                    f"query {index}",
                    f"Query {index + 1} could not be written: {problem}",
                    "question2query",
                )

    def _asked_back(self, error: ClinfoError) -> ClinfoError:
        """The error, recorded where it asks back."""
        if isinstance(error, AskedBack):
            self.emit(QuestionAskedBack(text=error.text))
        return error

    async def _by_rule(self, index: int) -> None:
        """One query made by rule, told as such, where no query that a language model wrote found
        anything.

        None where filter or dates lost what the queries find.
        """
        request = self.request
        by_model = (
            request.models["question2query"] != EXTRACTIVE
            and request.repair
            and not (request.own_queries or request.documents)
        )
        late = self.deadline.left is not None and self.deadline.left <= 0
        if not by_model or late or (narrowed(request) and self.run_log.all(QueryExplained)):
            return
        write = write_query if self.reads_pubmed else write_keywords
        query = Query(index, write(request.question, 0))
        if not query.text:
            return
        self.warn(
            "query by rule",
            f"No query that the model wrote found anything; query {index + 1} was made of the "
            "question by rule.",
            "question2query",
        )
        query, _ = await self._checked(query, query.text)
        self.emit(QueryGenerated(query=query))
        await self._search(query)

    async def _writers(self) -> list[Write]:
        """Return how each query is written, given the texts of those that it is to differ from."""
        if given := self.request.documents:
            query = Query(0, in_words(given, self.reads_pubmed))
            return [self._given(query, unchanged=True)]
        if self.request.own_queries:
            own = map(self._own, self.request.own_queries)
            return [self._given(Query(index, text)) for index, text in enumerate(own)]
        at_once = {"kinds": self._kinds, "pico": self._pico_queries}.get(self.request.strategy)
        if at_once is not None and (queries := await self._at_once(at_once)):
            return [self._given(query) for query in queries]
        return [self._generated(index) for index in range(self.request.queries)]

    def _own(self, text: str) -> str:
        """A query of the user's; of a strategy its last line, with those it refers to written
        out.
        """
        lines = read_strategy(text) if self.reads_pubmed else None
        return lines[-1].expanded if lines else text

    async def _at_once(
        self, write: Callable[[], Awaitable[tuple[Query, ...]]]
    ) -> tuple[Query, ...]:
        """The queries of a strategy that writes them in one call; none where the model's reply
        could not be used, or the source does not read PubMed's language.
        """
        strategy, why = self.request.strategy, ""
        if f"warning {strategy}" in self.run_log:
            return ()
        if not self.reads_pubmed:
            why = f"{self.source.name} does not read PubMed's query language"
        else:
            try:
                if queries := await write():
                    return queries
                why = "no query could be derived from the reply"
            except ModelError as error:
                calls = [event.call for event in self.run_log.all(CostIncurred) if event.reply]
                if not any(call.startswith(f"question2query {strategy}") for call in calls):
                    raise  # the model did not answer at all
                why = str(error)
        self.warn(
            strategy,
            f"The strategy {strategy} could not be used ({why}); seeded queries were used instead.",
            "question2query",
        )
        return ()

    async def _kinds(self) -> tuple[Query, ...]:
        request = self.request
        return await question2query.write_kinds(
            request.question, request.seed, self.prompts["kinds"], self.ask
        )

    async def _pico_queries(self) -> tuple[Query, ...]:
        request, understood = self.request, self.run_log.understood
        if understood is None:
            understood = await question2query.understand(
                request.question, request.seed, self.prompts["pico"], self.ask
            )
            self.emit(QuestionUnderstood(pico=understood))
        return question2query.write_queries(understood)

    def _given(self, query: Query, unchanged: bool = False) -> Write:
        async def given(previous: Sequence[str]) -> Written:
            return (query, query.text) if unchanged else await self._checked(query, query.text)

        return given

    def _generated(self, index: int) -> Write:
        request, prompt = self.request, self.prompts[self.source.query_prompt]

        async def generated(previous: Sequence[str]) -> Written:
            query = await question2query.write_query(
                request.question,
                index,
                request.seed + index,
                prompt,
                self.ask,
                previous=previous,
                repair=request.repair,
            )
            reply = self.run_log.reply(f"question2query {index}{' again' if previous else ''}")
            return await self._checked(
                query, " ".join(reply.reply.split()) if reply else query.text
            )

        return generated

    async def _checked(self, query: Query, before: str) -> Written:
        """The query as it is sent, with what a check of it repaired, and what it says of one that
        nobody may change.
        """
        if self.reads_pubmed and query.text:
            repair = self.request.repair and not self.request.own_queries
            query = await question2query.check(query, self.chain.mesh, repair)
        return query, before

    async def _final(
        self, index: int, write: Write, finals: Sequence[asyncio.Task[Query | None]]
    ) -> Query | None:
        """The query to search: asked again once when an earlier one is the same; None when it still
        is, or is empty.
        """
        if known := self.run_log.get(QueryGenerated, f"query {index}"):
            return known.query if known.same_as is None and known.query.text else None
        query, before = await write(())
        earlier: list[Query] = []
        for final in finals:
            with contextlib.suppress(ModelError):
                if (other := await asyncio.shield(final)) is not None:
                    earlier.append(other)
        same = question2query.same_as_earlier(query, earlier)
        if same is not None and query.text and query.seed is not None:
            query, before = await self._generated(index)(tuple(one.text for one in earlier))
            same = question2query.same_as_earlier(query, earlier)
        if query.repairs:
            self.emit(
                QueryRepaired(index=index, before=before, after=query.text, repairs=query.repairs)
            )
        self.emit(QueryGenerated(query=query, same_as=same if query.text else None))
        return query if same is None and query.text else None

    # ---- search

    async def _searched(self, final: asyncio.Future[Query | None]) -> None:
        if (query := await asyncio.shield(final)) is not None:
            await self._search(query)

    async def _search(self, query: Query) -> None:
        event = self.run_log.get(QuerySearched, f"searched {query.index}")
        if event is None:
            result: SearchResult | None = await self.source.search(
                retrieve.search_request(query.text, self.request)
            )
            self.emit(
                QuerySearched(
                    index=query.index,
                    asked=self.request.per_query,
                    source=self.source.name,
                    result=result,
                )
            )
        else:
            result = event.result
        if result is not None and result.count == 0 and self.reads_pubmed:
            try:
                await self._found_nothing(query, result)
            except SourceError as error:
                self.warn(
                    f"nothing {query.index}",
                    f"Query {query.index + 1} found nothing; the reason could not be determined: "
                    f"{error}",
                    "retrieve",
                )

    async def _found_nothing(self, query: Query, result: SearchResult) -> None:
        """Relax a generated query until it finds something; say of any other what lost everything.

        Nothing is relaxed where the filter and the dates of the run lost everything.
        """
        if f"explained {query.index}" in self.run_log:
            return
        text, taken = query.text, self.run_log.relaxed(query.index)
        if not taken and (why := await self._limits_to_blame(text)):
            self.emit(QueryExplained(index=query.index, text=why))
            return
        fixed = bool(self.request.own_queries) or not self.request.repair
        if taken:
            text, result = taken[-1].query, taken[-1].result
        while result.count == 0:
            causes = [event.cause for event in taken]
            step = None if fixed else relax.next_step(text, result.dropped, causes)
            if step is None:
                if why := await relax.explanation(text, self._count):
                    self.emit(QueryExplained(index=query.index, text=why))
                return
            text = step.query
            result = await self.source.search(retrieve.search_request(text, self.request))
            event = QueryRelaxed(
                index=query.index,
                step=len(taken),
                cause=step.cause,
                without=step.without,
                query=text,
                result=result,
            )
            self.emit(event)
            taken = [*taken, event]

    async def _limits_to_blame(self, text: str) -> str | None:
        """A sentence where the query has hits that the run's filter and dates lose; None where they
        are not to blame.
        """
        limited = retrieve.search_request(text, self.request, limit=0)
        dated = any(
            day is not None
            for day in (limited.published_from, limited.published_to, limited.before)
        )
        if not (limited.filter or dated):
            return None
        hits = (
            await self.source.search(
                replace(limited, filter=None, published_from=None, published_to=None, before=None)
            )
        ).count
        limits = (
            "filter and dates"
            if limited.filter and dated
            else "filter"
            if limited.filter
            else "dates"
        )
        return (
            (
                f"It finds nothing because of the {limits}; without the {limits} it finds "
                f"{number(hits, 'hit')}."
            )
            if hits
            else None
        )

    async def _count(self, query: str) -> int:
        """Hits of a query under the run's filter and dates, asked for once."""
        if query not in self._counts:
            self._counts[query] = (
                await self.source.search(retrieve.search_request(query, self.request, limit=0))
            ).count
        return self._counts[query]

    async def _fetch(self, ids: Sequence[str]) -> None:
        try:
            left = None if self.deadline.left is None else max(self.deadline.left, FETCH_SECONDS)
            async with asyncio.timeout(left):  # wait_for of Python 3.11 may swallow a cancellation
                fetched = await self.source.fetch(ids, fresh=self.request.fresh)
        except TimeoutError:
            self._cut()
            self.emit(ArticlesFetched(articles=(), missing=tuple(ids)))
            return
        if not fetched.articles:
            raise SourceError(
                f"{self.source.name} found {len(ids):,} articles but returned none of them",
                retryable=True,
            )
        articles = {article.id: article for article in fetched.articles}
        ranked = tuple(articles[id] for id in ids if id in articles)
        self.emit(
            ArticlesFetched(articles=ranked, missing=fetched.missing, unreadable=fetched.unreadable)
        )
