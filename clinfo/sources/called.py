"""A function from a query to texts, as a source."""

import asyncio
import inspect
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clinfo.errors import ClinfoError, SourceError, UsageError
from clinfo.records.articles import Article, Fetched, SearchRequest, SearchResult
from clinfo.sources.calls import moment
from clinfo.sources.memory import articles_of, listed


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
