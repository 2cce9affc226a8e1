"""A local index as an article source: PubMed's queries answered on this machine, the same today and
in a year.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import date
from typing import TypeVar

from clinfo.errors import RecordError, SourceError
from clinfo.pubmed.index import LocalIndex
from clinfo.records.articles import (
    Article,
    Fetched,
    Related,
    SearchRequest,
    SearchResult,
    Unreadable,
)
from clinfo.runs.protocols import Clock
from clinfo.sources.calls import moment
from clinfo.terms.mesh import Mesh
from clinfo.text.wording import number

T = TypeVar("T")


class Local:
    """A LinkedSource over one version of a local index. "Last 5 years" goes back from the day of
    that version.

    What the index raises where its files are damaged is raised as SourceError.
    """

    name = "local"
    remote = False
    query_prompt = "question2query"

    def __init__(self, index: LocalIndex, clock: Clock | None = None) -> None:
        self._index = index
        self._clock = clock

    @property
    def index(self) -> LocalIndex:
        """The index that is searched."""
        return self._index

    @property
    def mesh(self) -> Mesh:
        """The MeSH by which the index's queries are read: the one that came with it, else the one
        that comes with the program.
        """
        return self._index.mesh

    @property
    def address(self) -> str:
        """Return what was searched, for the record of a run: the index's name, version, day and
        number of citations; never a path.
        """
        return self._index.description

    @property
    def notices(self) -> tuple[str, ...]:
        """Return which index the answer was made from."""
        one = self._index.version
        articles = number(one.citations, "PubMed article")
        return (f"Searched: {articles} held here, to {date.fromisoformat(one.day):%-d %b %Y}.",)

    async def search(self, request: SearchRequest) -> SearchResult:
        """The best matches by BM25. Any text is a query; raises QueryRejected for one of too many
        stars or levels.
        """
        return await _asked(lambda: self._search(request))

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The records of these ids."""
        return await _asked(lambda: self._fetch(list(dict.fromkeys(ids))))

    async def related(self, id: str, limit: int, fresh: bool = False) -> Related:
        """Articles of the index that are like this one, that cite it, and that it cites."""
        return await _asked(lambda: self._index.related(id.removeprefix("pmid:"), max(limit, 0)))

    def _search(self, request: SearchRequest) -> SearchResult:
        from clinfo.pubmed.search import published_within

        sent_at, within = moment(self._clock), published_within(request)
        found = self._index.search(
            request.query, max(request.limit, 0), filter=request.filter, within=within
        )
        return found.result(request, sent_at)

    def _fetch(self, ids: list[str]) -> Fetched:
        from clinfo.pubmed.xml import read_article

        articles: list[Article] = []
        unreadable: list[Unreadable] = []
        records = self._index.records(
            id.removeprefix("pmid:") for id in ids if id.startswith("pmid:")
        )
        for pmid, xml in records.items():
            try:
                articles.append(read_article(xml))
            except RecordError as error:
                unreadable.append(Unreadable(f"pmid:{pmid}", str(error)))
        missing = tuple(id for id in ids if id.removeprefix("pmid:") not in records)
        return Fetched(tuple(articles), missing, tuple(unreadable))


async def _asked(work: Callable[[], T]) -> T:
    try:
        return await asyncio.to_thread(work)
    except RecordError as error:
        raise SourceError(f"the local index: {error}") from error
