"""Semantic Scholar as an article source: its relevance search, its papers in batches, and what they
cite.

It reads plain keywords (`clinfo.pubmed.keywords`) and no PubMed filter. An article goes by its
PMID where the service knows one, else by its DOI, else by the service's own id.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from clinfo.cache import Cache
from clinfo.errors import QueryRejected, WindowExceeded
from clinfo.pubmed.keywords import remarks
from clinfo.records.articles import (
    Article,
    Fetched,
    Outcome,
    Related,
    SearchRequest,
    SearchResult,
    Unreadable,
)
from clinfo.runs.protocols import Clock
from clinfo.sources.calls import ResponseCache, in_thread, moment
from clinfo.sources.scholar_papers import (
    DATES,
    FIELDS,
    asked_as,
    dates_of,
    ids_of,
    matched,
    may_lie_within,
    read,
)
from clinfo.sources.scholar_service import NoMore, ScholarService, TooLarge, Unknown

WINDOW = 1_000
"""Papers that the service hands out for one search."""
PAGE = 100
"""Papers on a page of a search, the most there are."""
BATCH = 500
"""Papers of one batch, the most there are."""
_CACHE_FORM = 1
_IDS = "externalIds"


class SemanticScholar:
    """Semantic Scholar, or what answers like it at another address. Answers are kept for a day
    where there is a cache.

    Parameters as of `clinfo.sources.scholar_service.ScholarService`; raises UsageError where one
    cannot be used.
    """

    name = "semantic-scholar"
    remote = True
    query_prompt = "keywords"
    notices: tuple[str, ...] = ()

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        cache: Cache | None = None,
        clock: Clock | None = None,
        rate: float | None = None,
        timeout: float = 30.0,
        overall: float = 300.0,
        first_pause: float = 1.0,
        limits_dir: Path | None = None,
    ) -> None:
        self._service = ScholarService(
            base_url,
            api_key,
            rate,
            timeout,
            overall,
            first_pause,
            limits_dir=limits_dir,
        )
        self._kept = ResponseCache(cache)
        self._clock = clock

    @property
    def address(self) -> str:
        """Return where the service is asked."""
        return self._service.address

    async def search(self, request: SearchRequest) -> SearchResult:
        """The best matches by the service's relevance; with limit 0 their number alone. ``count``
        is what the service states.

        The dates of the request narrow the search so that nothing which may lie within them is
        lost; papers that cannot lie within them are then left out here. Raises QueryRejected for an
        empty query and for a filter, SourceUnavailable, WindowExceeded where more than `WINDOW` ids
        are asked for and there are more, and SourceError for what lies with the settings.
        """
        if not request.query.strip():
            raise QueryRejected("Semantic Scholar was not queried: the query is empty")
        if request.filter:
            raise QueryRejected(
                "Semantic Scholar was not queried: a PubMed filter cannot be applied there; leave "
                "it out"
            )
        query, dates = " ".join(request.query.split()), date_range(request)
        sent = f"{query} (publicationDateOrYear={dates})" if dates else query
        if dates is None:
            excluded = (
                "The requested dates exclude each other, so Semantic Scholar was not queried.",
            )
            return SearchResult(
                query, (), 0, "relevance", moment(self._clock), warnings=excluded, outcome="zero"
            )
        limit = min(max(request.limit, 0), WINDOW)
        key = Cache.key_of(
            "scholar search",
            _CACHE_FORM,
            self.address,
            sent,
            limit,
            str(request.before),
            str(request.published_from),
            str(request.published_to),
        )

        async def asked() -> SearchResult:
            sent_at = moment(self._clock)
            result = await in_thread(lambda stop: self._pages(query, dates, limit, request, stop))
            return replace(result, sent=sent, sent_at=sent_at)

        result = await self._kept.once(key, SearchResult, request.fresh, asked)
        if request.limit > WINDOW < result.count:
            hits = f"the query has {result.count:,} hits"
            raise WindowExceeded(
                f"Semantic Scholar returns at most {WINDOW:,} papers for one search, and {hits}"
            )
        return result

    def _pages(
        self, query: str, dates: str, limit: int, request: SearchRequest, stop: threading.Event
    ) -> SearchResult:
        ids: dict[str, None] = {}
        warnings = list(remarks(query))
        total, offset, unnamed = 0, 0, 0
        while True:
            size = (
                PAGE if dates or offset else max(min(limit, PAGE), 1)
            )  # papers outside the dates make place for others
            size = min(size, WINDOW - offset)
            try:
                page = self._service.search(query, f"{_IDS},{DATES}", size, offset, dates, stop)
            except NoMore:
                if not offset:
                    raise
                break
            total = total if offset else page["total"]
            for paper in page["data"]:
                named = ids_of(paper)
                unnamed += not named
                if named and len(ids) < limit and may_lie_within(dates_of(paper), request):
                    ids.setdefault(named[0])
            following = page.get("next")
            if (
                len(ids) >= limit
                or not isinstance(following, int)
                or not offset < following < WINDOW
            ):
                break
            offset = following
        if unnamed:
            warnings.append(
                f"Semantic Scholar listed {unnamed:,} of the papers without any usable id."
            )
        outcome: Outcome = "complete" if total else "zero"
        return SearchResult(
            query, tuple(ids), total, "relevance", "", warnings=tuple(warnings), outcome=outcome
        )

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The records of these ids, told apart by the ids they state and not by their place alone.
        Raises SourceError.
        """

        async def papers(ids: list[str]) -> list[Article | Unreadable]:
            forms = [form for id in ids if (form := asked_as(id))]
            try:
                found = await in_thread(partial(self._service.batch, forms, FIELDS))
            except Unknown:
                return []
            return [read(id, paper) for id, paper in matched(ids, found).items()]

        return await self._kept.fetched(
            ids, fresh, self._article_key, lambda id: bool(asked_as(id)), papers, BATCH, TooLarge
        )

    async def related(self, id: str, limit: int, fresh: bool = False) -> Related:
        """At most ``limit`` articles each that the service recommends for this one, that cite it,
        and that it cites.

        It recommends papers of about the last two months only. Nothing is similar where no
        recommendations lie beside the address, and nothing is linked to an article that the service
        does not know. Raises SourceError.
        """
        form = asked_as(id)
        if form is None or limit <= 0:
            return Related()
        limit = min(limit, PAGE)
        key = Cache.key_of("scholar related", _CACHE_FORM, self.address, id, limit)
        service = self._service
        asks: tuple[Callable[[threading.Event], list[Any]], ...] = (
            lambda stop: service.recommended(form, _IDS, limit, stop) if service.recommends else [],
            lambda stop: _inner(
                service.linked(form, "citations", _IDS, limit, stop), "citingPaper"
            ),
            lambda stop: _inner(
                service.linked(form, "references", _IDS, limit, stop), "citedPaper"
            ),
        )

        async def linked() -> Related:
            lists = await asyncio.gather(*(self._links(id, ask) for ask in asks))
            return Related(*(some[:limit] for some in lists))

        return await self._kept.once(key, Related, fresh, linked)

    async def _links(self, id: str, ask: Callable[[threading.Event], list[Any]]) -> tuple[str, ...]:
        try:
            papers = await in_thread(ask)
        except Unknown:
            return ()
        named = [ids for paper in papers if (ids := ids_of(paper))]
        return tuple(dict.fromkeys(ids[0] for ids in named if id not in ids))

    def _article_key(self, id: str) -> str:
        return Cache.key_of("scholar article", _CACHE_FORM, self.address, id)


def date_range(request: SearchRequest) -> str | None:
    """``publicationDateOrYear`` that loses no paper which may lie within the request's dates: ""
    for none, None where none can.

    The service holds a paper without a day under 1 January of its year, and one that was online
    first under that day, which may be in the year before the one it is cited by. So the range
    begins with the year before.
    """
    first, last = request.published_from, request.published_to
    if request.before is not None:
        day_before = max(request.before, date(1, 1, 2)) - timedelta(days=1)
        last = day_before if last is None else min(last, day_before)
    start = f"{first.year - 1:04}-01-01" if first is not None and first.year > 1 else ""
    end = last.isoformat() if last is not None else ""
    if start and end and start > end:
        return None
    return f"{start}:{end}" if start or end else ""


def _inner(entries: list[Any], name: str) -> list[Any]:
    return [entry.get(name) for entry in entries if isinstance(entry, dict)]
