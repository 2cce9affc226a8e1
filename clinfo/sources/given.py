"""Articles that came with the question: "answer from these". All of them are found, none is looked
for.
"""

from collections.abc import Sequence
from typing import Final

from clinfo.records.articles import Article, Fetched, SearchRequest, SearchResult
from clinfo.sources.calls import moment
from clinfo.sources.protocols import AddressedSource, ArticleSource

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
