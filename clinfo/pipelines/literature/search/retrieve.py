"""From queries, and from relevant articles by their links, to one ranked list of articles, and the
one rule that says which of them a run may use.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import date

from clinfo.errors import SourceError
from clinfo.pipelines.literature.events import ArticlesChased
from clinfo.records.articles import (
    Article,
    CitationChase,
    Fetched,
    Pico,
    Related,
    RunRequest,
    SearchRequest,
    Unreadable,
)
from clinfo.records.request import Limit
from clinfo.retrieval.fusion import fused
from clinfo.retrieval.sparse import SparseIndex
from clinfo.sources.registry import LinkedSource
from clinfo.text.terms import stems

LIMITS: Mapping[str, Mapping[Limit, str]] = {
    "species": {"humans": "humans[mh]"},
    "age": {"adults": "adult[mh]", "children": "infant[mh] OR child[mh] OR adolescent[mh]"},
    "language": {"english": "english[la]"},
    "article type": {"review": "review[pt]", "rct": '"randomized controlled trial"[pt]'},
    "publication date": {"last5": '"last 5 years"[dp]', "last10": '"last 10 years"[dp]'},
}
"""PubMed's limits by kind, as queries (User Guide, filters; years count back from the day of the
search by the source's clock).
"""


def narrowing(request: RunRequest) -> str | None:
    """The run's own filter and its limits as one filter, each in parentheses; limits of one kind
    are alternatives.
    """
    kinds = [
        [query for name, query in kind.items() if name in request.limits]
        for kind in LIMITS.values()
    ]
    parts = [
        *([request.filter] if request.filter else []),
        *(" OR ".join(kind) for kind in kinds if kind),
    ]
    return " AND ".join(f"({part})" for part in parts) if request.limits else request.filter


def search_request(query: str, request: RunRequest, limit: int | None = None) -> SearchRequest:
    """Return what the source is asked for one query of a run: as many ids as the run wants of each,
    or ``limit``.
    """
    return SearchRequest(
        query=query,
        limit=request.per_query if limit is None else limit,
        filter=narrowing(request),
        published_from=request.published_from,
        published_to=request.published_to,
        before=request.before if request.regime == "restricted" else None,
        fresh=request.fresh,
    )


def exclusion_reason(article: Article, request: RunRequest) -> str | None:
    """Return why a run may not use this article, or None when it may.

    Dropped articles never; in the restricted regime only what was certainly published, and where
    known entered into the source, before the given day: min(end of the publication date's interval,
    electronic date) < day and entry date < day. With publication dates asked for, only articles
    whose print or electronic date may lie within them.
    """
    if article.pmid is not None and article.pmid in request.drop:
        return "dropped on request"
    if request.regime == "restricted" and request.before is not None:
        certain = [
            day
            for day in (article.published.end if article.published else None, article.electronic)
            if day
        ]
        if not certain:
            return "undated: it cannot be shown to precede the given day"
        if min(certain) >= request.before:
            return (
                f"published {min(certain).isoformat()} or later, not before "
                f"{request.before.isoformat()}"
            )
        if article.entered is not None and article.entered >= request.before:
            return (
                f"entered into the source on {article.entered.isoformat()}, not before "
                f"{request.before.isoformat()}"
            )
    if request.published_from is not None or request.published_to is not None:
        return _outside(
            article, request.published_from or date.min, request.published_to or date.max
        )
    return None


def _outside(article: Article, first: date, last: date) -> str | None:
    intervals = [(article.published.start, article.published.end)] if article.published else []
    if article.electronic is not None:
        intervals.append((article.electronic, article.electronic))
    if not intervals:
        return "undated: it cannot be shown to fall within the given publication dates"
    if any(start <= last and end >= first for start, end in intervals):
        return None
    return "published outside the given dates"


THRESHOLD = 35
"""Reranking happens only when more than this many articles are relevant, as in the published
system.
"""


def keep_best(
    question: str, articles: Sequence[Article], limit: int
) -> tuple[list[Article], list[Article]]:
    """(kept, dropped), each in the order given: the ``limit`` articles that BM25 ranks highest for
    the question.

    Equal scores go by the order given.
    """
    if len(articles) <= max(THRESHOLD, limit):
        return list(articles), []
    scores = bm25(question, articles)
    best = set(sorted(range(len(articles)), key=lambda place: (-scores[place], place))[:limit])
    kept = [article for place, article in enumerate(articles) if place in best]
    return kept, [article for place, article in enumerate(articles) if place not in best]


def screened(
    question: str, understood: Pico | None, articles: Sequence[Article], limit: int
) -> tuple[list[Article], list[Article]]:
    """(kept, left out), each in the order given, which is that of the search; ``limit`` articles
    are kept.

    Equal scores go by the better of an article's two places, and then by its place in the search.
    """
    if len(articles) <= limit:
        return list(articles), []
    terms = (
        []
        if understood is None
        else [
            *understood.population,
            *understood.intervention,
            *understood.comparator,
            *understood.outcome,
        ]
    )
    scores = bm25(" ".join([question, *terms]), articles)
    by_words = sorted(range(len(articles)), key=lambda place: (-scores[place], place))
    ranked = fused([[one.id for one in articles], [articles[place].id for place in by_words]])
    best = set(list(ranked)[:limit])
    return [one for one in articles if one.id in best], [
        one for one in articles if one.id not in best
    ]


def bm25(text: str, articles: Sequence[Article]) -> list[float]:
    """The score of each article's title and abstract for the words of ``text``."""
    texts = [stems(f"{article.title}\n{article.abstract}") for article in articles]
    return SparseIndex(texts).scores(stems(text))


LINKS = 50
"""Most links of one kind that are asked for one article. A reference list rarely holds more."""
ROUNDS = 5
"""Rounds of further fetching where some of what came may not be used."""


async def chased(
    source: LinkedSource,
    began: Sequence[str],
    room: int,
    known: Collection[str],
    request: RunRequest,
) -> ArticlesChased:
    """New articles that the articles ``began`` lead to, with what the source said of them: as many
    as ``room`` usable ones.

    Usable is what the run's one rule does not exclude. What the source does not answer stands in
    the event's ``problem``.
    """
    found, problem = await links(source, began, request.fresh)
    new = ranked(found, known)

    async def fetch(ids: Sequence[str]) -> Fetched:
        return await source.fetch(ids, fresh=request.fresh)

    ids: tuple[str, ...] = ()
    came = Fetched(())
    try:
        ids, came = await fetched(
            new, room, fetch, lambda article: exclusion_reason(article, request) is None
        )
    except SourceError as error:
        problem = problem or str(error)
    chase = CitationChase(
        began=tuple(began),
        similar=len({id for related in found for id in related.similar}),
        citing=len({id for related in found for id in related.citing}),
        cited=len({id for related in found for id in related.cited}),
        new=len(new),
        taken=len(ids),
    )
    return ArticlesChased(
        chase=chase,
        ids=ids,
        articles=came.articles,
        missing=came.missing,
        unreadable=came.unreadable,
        problem=problem,
    )


async def links(
    source: LinkedSource, ids: Sequence[str], fresh: bool
) -> tuple[list[Related], str | None]:
    """Return what the source links to each article, in order, and the first problem where it did
    not answer for some of them.
    """
    answers = await asyncio.gather(
        *(source.related(id, LINKS, fresh) for id in ids), return_exceptions=True
    )
    found: list[Related] = []
    problem = None
    for answer in answers:
        if isinstance(answer, SourceError):
            problem = problem or str(answer)
        elif isinstance(answer, BaseException):
            raise answer
        else:
            found.append(answer)
    return found, problem


def ranked(found: Sequence[Related], known: Collection[str]) -> list[str]:
    """The linked articles that are not ``known``, best first by reciprocal rank fusion of all
    lists.

    Equal scores go by the better rank, then by the article the link starts from, then similar
    before citing before cited.
    """
    lists = [kind for related in found for kind in (related.similar, related.citing, related.cited)]
    return [id for id in fused(lists) if id not in known]


async def fetched(
    ids: Sequence[str],
    room: int,
    fetch: Callable[[Sequence[str]], Awaitable[Fetched]],
    usable: Callable[[Article], bool],
) -> tuple[tuple[str, ...], Fetched]:
    """(ids asked for, what came, by rank): records in the order of ``ids`` until ``room`` usable
    ones are there.
    """
    asked: list[str] = []
    articles: list[Article] = []
    missing: list[str] = []
    unreadable: list[Unreadable] = []
    for _ in range(ROUNDS):
        wanted = room - sum(map(usable, articles))
        batch = list(ids[len(asked) : len(asked) + max(wanted, 0)])
        if not batch:
            break
        came = await fetch(batch)
        by_id = {article.id: article for article in came.articles}
        articles += [by_id[id] for id in batch if id in by_id]
        missing += came.missing
        unreadable += came.unreadable
        asked += batch
    return tuple(asked), Fetched(tuple(articles), tuple(missing), tuple(unreadable))
