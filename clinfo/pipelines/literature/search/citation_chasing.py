"""Articles that relevant ones lead to: similar to them, citing them, cited by them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from clinfo.errors import SourceError
from clinfo.pipelines.literature.events import ArticlesChased
from clinfo.pipelines.literature.search.retrieve import exclusion_reason
from clinfo.records.articles import Article, CitationChase, Fetched, Related, RunRequest, Unreadable
from clinfo.retrieval.fusion import fused
from clinfo.sources.protocols import LinkedSource

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
