"""Articles that came with the question: "answer from these". All of them are found, none is looked
for. And a function from a query to texts, as a source.
"""

import asyncio
import inspect
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from clinfo.errors import ClinfoError, SourceError, UsageError
from clinfo.records.articles import Article, Fetched, SearchRequest, SearchResult
from clinfo.sources.calls import moment
from clinfo.sources.memory import articles_of, listed
from clinfo.sources.registry import AddressedSource, ArticleSource

NAME: Final = "documents"
"""Names the source of records that came whole."""
MOST: Final = 500
"""Records that may come with a question."""


class Given:
    """An ArticleSource of the records ``ids``: of ``articles``, which came whole, or of PMIDs,
    whose records ``source`` has, under whose name they go.
    """

    def __init__(
        self,
        ids: Sequence[str],
        articles: Sequence[Article] = (),
        source: ArticleSource | None = None,
        notices: Sequence[str] = (),
    ) -> None:
        self.name = source.name if source else NAME
        self.remote = source is not None and source.remote
        self.query_prompt = source.query_prompt if source else "keywords"
        self.notices = (*(source.notices if source else ()), *notices)
        self.address = source.address if isinstance(source, AddressedSource) else ""
        self._ids = tuple(ids)
        self._articles = {one.id: one for one in articles}
        self._source = source

    async def search(self, request: SearchRequest) -> SearchResult:
        """All of them, in the order given."""
        return SearchResult(
            sent=request.query,
            ids=self._ids,
            count=len(self._ids),
            sort="as given",
            sent_at=moment(None),
        )

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The records of these ids. Raises SourceError."""
        if self._source is not None:
            return await self._source.fetch(ids, fresh)
        return Fetched(
            articles=tuple(self._articles[id] for id in ids if id in self._articles),
            missing=tuple(id for id in ids if id not in self._articles),
        )


def in_words(ids: Sequence[str], reads_pubmed: bool) -> str:
    """Text in place of the query: one that finds these records at PubMed, else their number."""
    if reads_pubmed:
        return " OR ".join(f"{id.removeprefix('pmid:')}[uid]" for id in ids)
    return f"{len(ids):,} record{'' if len(ids) == 1 else 's'} given with the question"


class Called:
    """An ArticleSource over a function, which may be ``async``: it is given a query of plain
    keywords and gives texts, mappings (as `clinfo.sources.memory.of_texts` takes them) or Articles,
    best first. Where its queries go is not known, so it counts as remote.
    """

    remote, query_prompt = True, "keywords"
    notices: tuple[str, ...] = ()

    def __init__(self, call: Callable[[str], Any]) -> None:
        self.name = str(getattr(call, "__name__", type(call).__name__))
        self._call = call
        self._held: dict[str, Article] = {}

    async def search(self, request: SearchRequest) -> SearchResult:
        """The first articles that the function gives. Raises SourceError with what it raises."""
        try:
            asynchronous = inspect.iscoroutinefunction(self._call)
            found = self._call(request.query) if asynchronous else await asyncio.to_thread(
                self._call, request.query
            )  # fmt: skip
            found = await found if inspect.isawaitable(found) else found
            if isinstance(found, str | Mapping):
                told = f"a {type(found).__name__} came instead of a list of texts"
                raise TypeError(told)
            if isinstance(found, AsyncIterable):
                found = [one async for one in found]
            given = [] if found is None else [*listed(found)]
        except ClinfoError:
            raise
        except Exception as error:
            told = f"the source {self.name} failed: {type(error).__name__}: {error}"
            raise SourceError(told) from error
        articles, notices = _articles(given)
        ids = tuple(dict.fromkeys(map(self._kept, articles)))
        first = ids[: request.limit]
        return SearchResult(
            request.query, first, len(ids), "as given", moment(None), warnings=notices
        )

    def _kept(self, article: Article) -> str:
        """The id of an article; one without an id of its own has the same for the same title."""
        if article.id.startswith("ref:"):
            same = (one.id for one in self._held.values() if one.title == article.title)
            article = replace(article, id=next(same, f"ref:{len(self._held) + 1}"))
        self._held[article.id] = article
        return article.id

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The articles of these ids."""
        known = tuple(self._held[id] for id in ids if id in self._held)
        return Fetched(known, missing=tuple(id for id in ids if id not in self._held))


def _articles(given: list[Any]) -> tuple[Sequence[Article], tuple[str, ...]]:
    """The articles, and what is to be told of what was given."""
    if all(isinstance(one, Article) for one in given):
        return given, ()
    try:
        articles, _, told = articles_of(given)
        return articles, told
    except UsageError as error:
        raise SourceError(f"what the source gave cannot be used: {error}") from None
