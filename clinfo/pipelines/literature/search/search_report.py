"""Evidence of how a search worked: the hits of every term, and how seed studies fare in the
queries.

Hits of terms cost a request a term and are asked for on demand, and so are seed studies: one
request says which of them the source holds, one a query which of them it finds, one a part of it
which of them that part loses. All that works for sources that read PubMed's language; elsewhere
seed studies are only looked for among the articles that came.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

from clinfo.errors import SourceError
from clinfo.pipelines.literature.request import narrowed
from clinfo.pipelines.literature.search.relax import conjuncts
from clinfo.pipelines.literature.search.retrieve import search_request
from clinfo.pubmed.brackets import unbalanced
from clinfo.pubmed.limits import WINDOW
from clinfo.pubmed.query import parse, printed
from clinfo.pubmed.strategy import read_strategy
from clinfo.pubmed.tree import Range, Term, leaves
from clinfo.records.answer import Overlap
from clinfo.records.articles import (
    LineCount,
    RunRequest,
    SearchRequest,
    SearchResult,
    SeedHit,
    SeedLoss,
    SeedStudy,
    TermCount,
)
from clinfo.runs.tasks import all_of

MOST_TERMS = 60
"""Terms whose hits are asked for, over all queries."""
MOST_PARTS = 12
"""Parts of a query that are tried for what they lose."""
GROUP = 200
"""Seed studies in one request."""
AT_ONCE = 8

Search = Callable[[SearchRequest], Awaitable[SearchResult]]
Fate = TypeVar("Fate", SeedHit, SeedLoss, int)
"""The fate of a seed study in a query; its number where that is not known."""


@dataclass(frozen=True)
class Searched:
    """A query of the run by its number, as it was last sent, with its result and how many ids were
    asked for.
    """

    number: int
    text: str
    result: SearchResult
    asked: int


def overlap(results: Mapping[int, Sequence[str]]) -> tuple[Overlap, ...]:
    """Return how many ids any two queries (by number) share."""
    return tuple(
        Overlap((one, two), len(set(results[one]) & set(results[two])))
        for one, two in combinations(sorted(results), 2)
    )


def unique(results: Mapping[int, Sequence[str]]) -> dict[int, tuple[str, ...]]:
    """The ids that one query alone brought, by its number, in its order."""
    held = Counter(id for ids in results.values() for id in set(ids))
    return {number: tuple(id for id in ids if held[id] == 1) for number, ids in results.items()}


async def term_counts(
    queries: Mapping[int, str], search: Search, fresh: bool = False
) -> tuple[tuple[TermCount, ...], int]:
    """(hits of every term by itself, in the order of the queries, which go by number; how many
    terms were left out).
    """
    holders: dict[str, list[int]] = {}
    for number, text in sorted(queries.items()):
        for leaf in leaves(parse(text).tree):
            if not isinstance(leaf, (Term, Range)):
                continue
            numbers = holders.setdefault(printed(leaf), [])
            if number not in numbers:
                numbers.append(number)
    asked = list(holders)[:MOST_TERMS]
    counts = await _counts(asked, search, fresh)
    terms = zip(asked, counts, strict=True)
    counted = tuple(TermCount(term, count, tuple(holders[term])) for term, count in terms)
    return counted, len(holders) - len(asked)


async def line_counts(
    own_queries: Sequence[str], search: Search, fresh: bool = False
) -> tuple[LineCount, ...]:
    """Hits of every line of the queries that are strategies of numbered lines."""
    lines = [
        (query, line)
        for query, text in enumerate(own_queries, 1)
        for line in read_strategy(text) or ()
    ]
    counts = await _counts([line.expanded for _, line in lines], search, fresh)
    return tuple(
        LineCount(query, line.number, line.text, count)
        for (query, line), count in zip(lines, counts, strict=True)
    )


async def _counts(queries: Sequence[str], search: Search, fresh: bool) -> list[int | None]:
    """Hits of each query, None where the source did not answer."""
    asking = _Asking(search)
    found = await all_of(asking.result(SearchRequest(one, 0, fresh=fresh)) for one in queries)
    return [None if result is None else result.count for result in found]


async def seed_studies(
    request: RunRequest, searched: Sequence[Searched], search: Search | None
) -> tuple[SeedStudy, ...]:
    """Return what the queries do with the studies that the request names as known; ``search`` None
    where PMIDs cannot be searched for.

    What the source did not answer stays open: ``in_source`` None, a query among the ``unanswered``,
    a loss without a part.
    """
    pmids = request.known
    if search is None:
        return tuple(SeedStudy(pmid, None, tuple(_within(searched, pmid))) for pmid in pmids)
    asking = _Asking(search, request)
    held = await asking.among(None, pmids)
    kept = await asking.among(None, pmids, limits=True) if narrowed(request) else held
    fates = await all_of(_one_query(one, pmids, held, kept, asking) for one in searched)

    def told(pmid: str, kind: type[Fate]) -> tuple[Fate, ...]:
        return tuple(fate for each in fates if isinstance(fate := each.get(pmid), kind))

    return tuple(
        SeedStudy(
            pmid,
            None if held is None else pmid in held,
            told(pmid, SeedHit),
            told(pmid, SeedLoss),
            told(pmid, int),
        )
        for pmid in pmids
    )


async def _one_query(
    one: Searched,
    pmids: Sequence[str],
    held: set[str] | None,
    kept: set[str] | None,
    asking: _Asking,
) -> dict[str, SeedHit | SeedLoss | int]:
    """Return where one query finds each seed study, which of its parts lose those that it does
    not, and its number where nobody said.
    """
    found: dict[str, SeedHit | SeedLoss | int] = {
        pmid: hit for pmid in pmids for hit in _within([one], pmid)
    }
    rest = [pmid for pmid in pmids if pmid not in found and (held is None or pmid in held)]
    if rest and one.result.count > len(one.result.ids):
        further = await asking.among(one.text, rest, limits=True)
        if further is None:
            return found | dict.fromkeys(rest, one.number)
        ranks = await asking.ranks(one) if further else {}
        found |= {
            pmid: SeedHit(one.number, ranks.get(pmid), False) for pmid in rest if pmid in further
        }
        rest = [pmid for pmid in rest if pmid not in further]
    lost_by = await _lost_by(one.text, rest, asking)
    limited = held - kept if held is not None and kept is not None else set[str]()
    return found | {
        pmid: SeedLoss(one.number, tuple(lost_by[pmid]), limits=pmid in limited) for pmid in rest
    }


async def _lost_by(text: str, pmids: Sequence[str], asking: _Asking) -> dict[str, list[str]]:
    """The parts of a query that keep each of these studies from being found."""
    lost: dict[str, list[str]] = {pmid: [] for pmid in pmids}
    if not pmids:
        return lost
    required, excluded = conjuncts(parse(text).tree)
    parts = [(printed(node), True) for node in required] + [
        (printed(node), False) for node in excluded
    ]
    parts = parts[:MOST_PARTS]
    answers = await all_of(asking.among(part, pmids) for part, _ in parts)
    for (part, needed), matched in zip(parts, answers, strict=True):
        for pmid in pmids:
            if matched is not None and (pmid in matched) != needed:
                lost[pmid].append(part if needed else f"NOT {part}")
    return lost


def _within(searched: Sequence[Searched], pmid: str) -> list[SeedHit]:
    id = f"pmid:{pmid}"
    return [
        SeedHit(one.number, one.result.ids.index(id) + 1, True)
        for one in searched
        if id in one.result.ids
    ]


class _Asking:
    """Requests, a few at a time; what fails is None."""

    def __init__(self, search: Search, request: RunRequest | None = None) -> None:
        self._search, self._request = search, request or RunRequest(question="")
        self._places = asyncio.Semaphore(AT_ONCE)

    async def result(self, request: SearchRequest) -> SearchResult | None:
        async with self._places:
            try:
                return await self._search(request)
            except SourceError:
                return None

    async def among(
        self, query: str | None, pmids: Sequence[str], limits: bool = False
    ) -> set[str] | None:
        """Return which of the studies a query finds (no query: which there are), with or without
        the run's filter and dates.
        """
        found: set[str] = set()
        for start in range(0, len(pmids), GROUP):
            group = pmids[start : start + GROUP]
            text = " OR ".join(f"{pmid}[pmid]" for pmid in group)
            if query is not None:
                text = f"({_closed(query)}) AND ({text})"
            asked = replace(search_request(text, self._request), limit=len(group))
            if not limits:
                asked = SearchRequest(text, len(group), fresh=self._request.fresh)
            result = await self.result(asked)
            if result is None:
                return None
            found.update(id.removeprefix("pmid:") for id in result.ids)
        return found & set(pmids)

    async def ranks(self, one: Searched) -> dict[str, int]:
        """The rank of every hit of a query that the source lists, by PMID: none beyond PubMed's
        window.
        """
        limit = min(one.result.count, WINDOW)
        result = await self.result(replace(search_request(one.text, self._request), limit=limit))
        return (
            {id.removeprefix("pmid:"): rank for rank, id in enumerate(result.ids, 1)}
            if result is not None
            else {}
        )


def _closed(query: str) -> str:
    """A query that stays within parentheses put round it."""
    if not unbalanced(query):
        return query
    tree = parse(query).tree
    return printed(tree) if tree is not None else query
