"""Articles held in memory: the demo corpus, a file of citations, a test's own list.

Queries are PubMed's and mean what they mean to any local source (`clinfo.pubmed.search`), but for
one thing: a field that no article here has filled (MeSH headings of the demo corpus, journals of a
reduced file) excludes nothing. Its heading is looked for as words; any other term of such a field
is left out, and a warning says so. Matches are ranked by BM25.
"""

import asyncio
import textwrap
import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any, Final, Self

from clinfo.errors import UsageError
from clinfo.pubmed.citation import Citation
from clinfo.pubmed.document import document
from clinfo.pubmed.in_memory import InMemoryEngine, stems_of
from clinfo.pubmed.plan import Keys
from clinfo.pubmed.search import published_within, search
from clinfo.records.articles import (
    Article,
    Fetched,
    Related,
    SearchRequest,
    SearchResult,
    Unreadable,
)
from clinfo.references.readers.table import of_mapping, unread_columns
from clinfo.references.reading import gathered, is_citation_text, read_citation_file
from clinfo.runs.protocols import Clock
from clinfo.sources.calls import moment
from clinfo.terms.mesh import Mesh
from clinfo.text.wording import number as number_of

OWN: Final = "texts given"
"""Names the source of texts that a program gave."""
TITLE: Final = 120
"""Characters of a text by which it is called."""


class Memory:
    """An ArticleSource over a list of articles or whole citations; of two with one id the later
    counts.

    ``mesh`` maps words to headings, and headings to the narrower ones; without it only headings
    that an article has are known.
    """

    remote = False
    query_prompt = "question2query"

    def __init__(
        self,
        articles: Iterable[Article | Citation],
        name: str = "memory",
        notices: tuple[str, ...] = (),
        clock: Clock | None = None,
        mesh: Mesh | None = None,
    ) -> None:
        self.name = name
        self.notices = notices
        self._clock = clock
        self._mesh = mesh
        whole = (one if isinstance(one, Citation) else Citation(one) for one in articles)
        self._by_id = {citation.article.id: citation for citation in whole}
        self._lock = threading.Lock()
        self._built: InMemoryEngine | None = None

    @classmethod
    def from_files(
        cls,
        paths: Sequence[str | Path],
        name: str | None = None,
        clock: Clock | None = None,
        mesh: Mesh | None = None,
    ) -> Self:
        """The citations of files (PubMed's XML, or one that `read_citation_file` reads), in order;
        later records and deletions count. Raises RecordError.
        """
        from clinfo.pubmed.xml import DeletedIds, read_file_records

        citations: dict[str, Citation] = {}
        unreadable = 0
        notices: list[str] = []
        for path in paths:
            if is_citation_text(Path(path)):
                held = read_citation_file(Path(path))
                citations |= {one.id: Citation(one) for one in held.articles}
                notices += held.notices(Path(path).name)
                continue
            for item in read_file_records(path):
                if isinstance(item, DeletedIds):
                    for id in item.ids:
                        citations.pop(id, None)
                elif isinstance(item, Unreadable):
                    unreadable += 1
                else:
                    citations[item.citation.article.id] = item.citation
        title = name or ", ".join(Path(path).name for path in paths)
        if unreadable:
            notices.append(
                f"{unreadable} damaged record{'' if unreadable == 1 else 's'} of {title} could not "
                "be read."
            )
        return cls(citations.values(), title, tuple(notices), clock, mesh)

    def __len__(self) -> int:
        return len(self._by_id)

    async def search(self, request: SearchRequest) -> SearchResult:
        """The articles that match, best first by BM25. Any text is a query; raises QueryRejected
        for one of too many stars.
        """
        return await asyncio.to_thread(self._search, request)

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The articles of these ids."""
        wanted = list(dict.fromkeys(ids))
        return Fetched(
            articles=tuple(self._by_id[id].article for id in wanted if id in self._by_id),
            missing=tuple(id for id in wanted if id not in self._by_id),
        )

    async def related(self, id: str, limit: int, fresh: bool = False) -> Related:
        """Articles held here that are like this one (BM25 on its words), that cite it, and that it
        cites.
        """
        return await asyncio.to_thread(self._related, id, limit)

    def rank(self, text: str, limit: int) -> list[str]:
        """Ids of the ``limit`` best articles by BM25 on any of the text's words, equal ones by id:
        no operators, no phrases.
        """
        return self._ranked(stems_of(text))[: max(limit, 0)]

    def _search(self, request: SearchRequest) -> SearchResult:
        sent_at = moment(self._clock)
        found = search(
            request.query,
            self._engine(),
            self._mesh,
            max(request.limit, 0),
            today=date.fromisoformat(sent_at[:10]),
            filter=request.filter,
            within=published_within(request),
            leave_out_unfilled=True,
        )
        return found.result(request, sent_at)

    def _related(self, id: str, limit: int) -> Related:
        citation = self._by_id.get(id)
        engine = self._engine()
        place = engine.place(id)
        if citation is None or place is None or limit <= 0:
            return Related()
        similar = [
            other
            for other in self._ranked(engine.ranking.telling(place))[: limit + 1]
            if other != id
        ]
        pmid = citation.article.pmid
        citing = (
            engine.best(Keys("refs", frozenset((pmid,))), limit + 1, 0, "pub_date")[1]
            if pmid
            else []
        )
        cited = [f"pmid:{reference}" for reference in citation.article.references]
        return Related(
            similar=tuple(similar[:limit]),
            citing=tuple(other for other in citing if other != id)[:limit],
            cited=tuple(
                dict.fromkeys(other for other in cited if other in self._by_id and other != id)
            )[:limit],
        )

    def _ranked(self, stems: Sequence[str]) -> list[str]:
        """Ids of all articles that have any of the stems, best first."""
        engine = self._engine()
        places = sorted(engine.ranking.having(stems))
        scores = engine.ranking.scores(stems, places)
        return [
            id
            for _, id in sorted(
                zip((-score for score in scores), map(engine.id, places), strict=True)
            )
        ]

    def _engine(self) -> InMemoryEngine:
        with self._lock:
            if self._built is None:
                citations = list(self._by_id.values())
                self._built = InMemoryEngine(
                    map(document, citations), lambda: [_bag(one.article) for one in citations]
                )
            return self._built


def of_texts(texts: Sequence[str | Mapping[str, Any]]) -> Memory:
    """A source of texts of one's own, as `articles_of` takes them."""
    return Memory(*articles_of(texts))


def listed(given: Any) -> Any:
    """The rows or values of what is numpy's or pandas's as a list; anything else as it is."""
    given = given.to_dict("records") if hasattr(given, "columns") else given
    return given.tolist() if hasattr(given, "tolist") else given


def articles_of(
    texts: Sequence[str | Mapping[str, Any]],
) -> tuple[tuple[Article, ...], str, tuple[str, ...]]:
    """Texts of one's own as articles, with the source's name and notices: each is a text, which is
    called by how it begins, or a mapping of what a table of citations may have (title, abstract,
    authors, journal, year, doi, pmid).

    Raises UsageError where one of them is neither, or has neither title nor abstract.
    """
    rows: list[dict[str, str]] = []
    if not texts:
        raise UsageError("the list given as source is empty")
    for number, one in enumerate(texts, 1):
        given = {"abstract": one} if isinstance(one, str) else one
        if not isinstance(given, Mapping):
            told = f"text {number} of the source is neither a text nor a mapping with a title"
            raise UsageError(told)
        row = {
            str(name).lower(): "; ".join(map(str, value))
            if isinstance(value, list | tuple)
            else str(value)
            for name, value in given.items()
            if value is not None and value == value  # a data frame has NaN where nothing is
        }
        text = row.setdefault("abstract", row.pop("text", ""))
        row.setdefault("title", textwrap.shorten(text, TITLE, placeholder=" …"))
        if row["title"].strip():
            rows.append(row)
        elif any(map(str.strip, row.values())):
            has = ", ".join(map(str, given))
            raise UsageError(f"text {number} of the source has no title (its fields: {has})")
    if not rows:
        raise UsageError("the list given as source holds no text with a title")
    held = gathered("CSV", map(of_mapping, count(1), rows))
    unread = unread_columns(name for row in rows for name in row)
    told = [f"fields of the texts given that are not read: {', '.join(unread)}"] if unread else []
    if empty := len(texts) - len(rows):
        told.append(f"{number_of(empty, 'text')} given without a word")
    return tuple(held.articles), OWN, (*held.notices("the list given as source"), *told)


def _bag(article: Article) -> list[str]:
    """The stems by which an article is ranked: title, abstract, key words, headings and types, the
    title counted twice.
    """
    title = stems_of(article.title)
    others = [section.text for section in article.sections] + [
        *article.keywords,
        *article.mesh,
        *article.publication_types,
    ]
    return [*title, *title, *(stem for text in others for stem in stems_of(text))]
