"""PubMed as an article source, over the E-utilities."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from clinfo.cache import Cache
from clinfo.errors import QueryRejected, RecordError, SourceUnavailable, WindowExceeded
from clinfo.pubmed.brackets import unbalanced
from clinfo.pubmed.dates import published_ranges
from clinfo.pubmed.limits import WINDOW
from clinfo.records.articles import (
    Article,
    Fetched,
    Related,
    SearchRequest,
    SearchResult,
    Unreadable,
)
from clinfo.runs.protocols import Clock
from clinfo.sources.calls import ResponseCache, in_thread, moment
from clinfo.sources.entrez import Eutils
from clinfo.sources.exchange import TooSlow
from clinfo.sources.export import DATE_FIELD, Page, Part, every_hit, undated_query
from clinfo.sources.replies import read_search

BATCH = 200
"""Records of one efetch, the most that NCBI wants listed in a request."""
_CACHE_FORM = 2
_SIMILAR = "pubmed_pubmed"
_LINKS = (_SIMILAR, "pubmed_pubmed_citedin", "pubmed_pubmed_refs")
"""ELink's names of what resembles an article, cites it, and is cited by it: `Related`'s fields in
order.
"""


class PubMed:
    """PubMed at NCBI or at any other address of the E-utilities. Answers are kept for a day where
    there is a cache.

    Parameters as of `clinfo.sources.entrez.Eutils`; raises UsageError where one cannot be used.
    """

    name = "pubmed"
    remote = True
    query_prompt = "question2query"
    notices: tuple[str, ...] = ()

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        email: str | None = None,
        rate: float | None = None,
        timeout: float = 30.0,
        cache: Cache | None = None,
        clock: Clock | None = None,
        limits_dir: Path | None = None,
    ) -> None:
        self._eutils = Eutils(base_url, api_key, email, rate, timeout, limits_dir=limits_dir)
        self._kept = ResponseCache(cache)
        self._clock = clock

    @property
    def eutils(self) -> Eutils:
        """The client, for what else is to be asked at the same address within the same limits."""
        return self._eutils

    @property
    def address(self) -> str:
        """Return where the E-utilities are asked."""
        return self._eutils.address

    async def search(self, request: SearchRequest) -> SearchResult:
        """The best matches by PubMed's relevance, with what it says about the query; with limit 0
        their number alone.

        Raises QueryRejected, SourceUnavailable, WindowExceeded where more than `WINDOW` ids are
        asked for and there are more (`all_ids` gets them), and SourceError for what lies with the
        settings.
        """
        if not request.query.strip():
            raise QueryRejected("PubMed was not queried: the query is empty")
        sent, limit = sent_query(request), min(max(request.limit, 0), WINDOW)
        key = Cache.key_of("search", _CACHE_FORM, self.address, sent, limit)

        async def asked() -> SearchResult:
            sent_at = moment(self._clock)
            answer = await in_thread(lambda stop: self._eutils.esearch(sent, limit, stop))
            return replace(read_search(answer, sent, limit), sent_at=sent_at)

        def whole(made: SearchResult) -> bool:  # what came short is asked for again next time
            return len(made.ids) >= min(limit, made.count)

        result = await self._kept.once(key, SearchResult, request.fresh, asked, whole)
        if request.limit > WINDOW < result.count:
            raise WindowExceeded(
                f"PubMed returns at most {WINDOW:,} ids for one search, and the query has "
                f"{result.count:,} hits"
            )
        return result

    async def all_ids(self, request: SearchRequest, window: int = WINDOW) -> AsyncIterator[Part]:
        """Every hit, whatever their number (the request's own limit does not count), as
        `clinfo.sources.export.every_hit`.

        Never answered from the cache, nor kept in it.
        """
        if not request.query.strip():
            raise QueryRejected("PubMed was not queried: the query is empty")
        sent = sent_query(request)

        async def ask(
            term: str, limit: int, first: date | None = None, last: date | None = None
        ) -> Page:
            answer = await in_thread(
                lambda stop: self._eutils.esearch(
                    term, limit, stop, "pubmed", "pub_date", 0, first, last, DATE_FIELD
                )
            )
            found = read_search(answer, term)
            return Page(found.count, tuple(id.removeprefix("pmid:") for id in found.ids))

        undated = None if unbalanced(sent) else undated_query(sent)
        async for part in every_hit(ask, sent, window, undated):
            yield part

    async def related(self, id: str, limit: int, fresh: bool = False) -> Related:
        """At most ``limit`` articles each that resemble this one (best first, itself left out),
        cite it and are cited by it.

        Nothing where the id is not a PMID, or PubMed links nothing to it. Raises SourceError.
        """
        if not _is_pmid(id) or limit <= 0:
            return Related()
        key = Cache.key_of("related", _CACHE_FORM, self.address, id)

        async def linked() -> Related:
            pmid = id.removeprefix("pmid:")
            return Related(*await asyncio.gather(*(self._linked(pmid, name) for name in _LINKS)))

        whole = await self._kept.once(key, Related, fresh, linked)
        return Related(whole.similar[:limit], whole.citing[:limit], whole.cited[:limit])

    async def _linked(self, pmid: str, linkname: str) -> tuple[str, ...]:
        scored = linkname == _SIMILAR
        found = await in_thread(lambda stop: self._eutils.elink([pmid], linkname, scored, stop))
        return tuple(f"pmid:{other}" for other in found[pmid] if other != pmid)

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The records of these ids, told apart by their own PMID and not by their place. Raises
        SourceError.
        """
        return await self._kept.fetched(
            ids, fresh, self._article_key, _is_pmid, self._batch, BATCH, TooSlow
        )

    async def _batch(self, ids: list[str]) -> list[Article | Unreadable]:
        pmids = [id.removeprefix("pmid:") for id in ids]
        body = await in_thread(lambda stop: self._eutils.efetch(pmids, stop))
        return await asyncio.to_thread(_read_records, body)

    def _article_key(self, id: str) -> str:
        return Cache.key_of("article", _CACHE_FORM, self.address, id)


def sent_query(request: SearchRequest) -> str:
    """The query as PubMed gets it: untouched, or in its own parentheses with what is asked beside
    it.

    Raises QueryRejected for a query that would not stay within its parentheses (a generated one
    that was not repaired).
    """
    limits = [f"({request.filter})"] if request.filter else []
    limits += [_dated(first, last) for first, last in published_ranges(request)]
    if not limits:
        return request.query
    if flaw := unbalanced(request.query):
        raise QueryRejected(
            f"the query was not sent: {flaw}, so it cannot be combined with a filter or dates"
        )
    return " AND ".join([f"({request.query})", *limits])


def _dated(first: date, last: date) -> str:
    """A range of publication dates that loses no article which may lie within it.

    PubMed holds a date without month or day under its first day (2020 under 2020/01/01, Dec-Jan
    under December), so the range begins with the year, and in January with the December before it.
    """
    start, end = "1000/01/01", "3000"
    if first.year > 1:
        start = f"{first.year - 1:04}/12/01" if first.month == 1 else f"{first.year:04}/01/01"
    if last < date.max:
        end = last.isoformat().replace("-", "/")
    return f'("{start}"[dp] : "{end}"[dp])'


def _is_pmid(id: str) -> bool:
    return id.startswith("pmid:") and id.isascii() and id[5:].isdecimal()


def _read_records(body: bytes) -> list[Article | Unreadable]:
    from clinfo.pubmed.xml import DeletedIds, read_citations

    try:
        return [item for item in read_citations(body) if not isinstance(item, DeletedIds)]
    except RecordError as error:
        raise SourceUnavailable(f"PubMed's answer cannot be read: {error}") from error
