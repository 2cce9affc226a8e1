"""Every hit of a query past the window, over real HTTP from the scripted server with its window
lowered.
"""

import asyncio
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.servers.eutils import EutilsServer
from clinfo.errors import SourceUnavailable, WindowExceeded
from clinfo.records.articles import Article, SearchRequest
from clinfo.sources.export import Page, Part, every_hit
from clinfo.sources.pubmed import PubMed

WINDOW = 50
SLEEP = SearchRequest("sleep", 5)


def article(number: int, entered: date | None, title: str = "Sleep") -> Article:
    return Article(id=f"pmid:{number}", pmid=str(number), title=title, entered=entered)


def articles(count: int, undated: int = 0) -> list[Article]:
    """Entered ever more densely towards today, as in PubMed, in an order of PMIDs that is not that
    of the days.
    """
    days = [
        date(2026, 6, 30) - timedelta(days=int((count - number) ** 1.6)) for number in range(count)
    ]
    dated = [article(1000 + (number * 7919) % 100_003, day) for number, day in enumerate(days)]
    return [
        *dated,
        *(article(500_000 + number, None) for number in range(undated)),
        article(7, date(2026, 6, 30), "Rest"),
    ]


async def exported(source: PubMed, request: SearchRequest = SLEEP) -> list[Part]:
    return [part async for part in source.all_ids(request, window=WINDOW)]


def ids(parts: list[Part]) -> list[str]:
    return [id for part in parts for id in part.ids]


def wanted(some: list[Article]) -> set[str]:
    return {one.id for one in some if one.title == "Sleep"}


@pytest.mark.parametrize("undated", [0, 6])
def test_far_more_than_the_window_each_once_in_order_of_days(undated: int) -> None:
    some = articles(400, undated)

    async def run() -> list[Part]:
        return [part async for part in PubMed(server.url).all_ids(SLEEP, window=WINDOW)]

    with EutilsServer(some, window=WINDOW) as server:
        parts = asyncio.run(run())
        assert asyncio.run(exported(PubMed(server.url))) == parts
        assert all(int(entry.params["retmax"]) <= WINDOW for entry in server.log)
    found = ids(parts)
    assert len(found) == len(set(found)) == 400 + undated
    assert set(found) == wanted(some)
    assert all(len(part.ids) <= WINDOW and not part.warnings for part in parts)
    days = [part for part in parts if part.first is not None]
    assert all(earlier.last < later.first for earlier, later in pairwise(days))  # type: ignore[operator]
    entered = {one.id: one.entered for one in some}
    assert all(part.first <= entered[id] <= part.last for part in days for id in part.ids)  # type: ignore[operator]
    assert [len(part.ids) for part in parts if part.first is None] == ([undated] if undated else [])
    assert {part.total for part in parts} == {400 + undated}
    assert len(server.log) <= 2 * (3 * len(parts) + 6)


def test_the_requests_filter_and_dates_hold_for_every_part() -> None:
    some = articles(300)
    with EutilsServer(some, window=WINDOW) as server:
        parts = asyncio.run(
            exported(
                PubMed(server.url),
                SearchRequest("sleep", 1, filter="english[la]", before=date(2025, 1, 1)),
            )
        )
        assert len(parts) > 3
        terms = {entry.params["term"] for entry in server.log}
    (term,) = terms
    assert term == '(sleep) AND (english[la]) AND ("1000/01/01"[dp] : "2024/12/31"[dp])'


def test_a_page_with_fewer_ids_than_it_counts_is_asked_for_again_and_then_given_up() -> None:
    short = (
        '{"header":{},"esearchresult":{"count":"3","retmax":"2","retstart":"0","idlist":["1000",'
        '"2"]}}'
    )
    with EutilsServer(articles(30), window=WINDOW) as server:
        server.queue(200, short)
        assert len(ids(asyncio.run(exported(PubMed(server.url))))) == 30
        for _ in range(4):
            server.queue(200, short)
        with pytest.raises(SourceUnavailable, match="counts 3 hits and sends only 2 of them"):
            asyncio.run(exported(PubMed(server.url)))


DAYS = (
    st.none()
    | st.dates(date(1900, 1, 1), date(2120, 1, 1))
    | st.dates(date(2024, 1, 1), date(2024, 2, 1))
)


@given(st.lists(DAYS, max_size=60), st.integers(1, 12))
def test_whatever_the_days_all_hits_are_found_once_or_the_day_is_named(
    days: list[date | None], window: int
) -> None:
    held = {str(number): day for number, day in enumerate(days, 1)}

    async def ask(
        term: str, limit: int, first: date | None = None, last: date | None = None
    ) -> Page:
        assert limit <= window
        pmids = [pmid for pmid, day in held.items() if term == "q" or day is None]
        if first is not None and last is not None:
            pmids = [
                pmid for pmid in pmids if (day := held[pmid]) is not None and first <= day <= last
            ]
        return Page(len(pmids), tuple(pmids[:limit]))

    async def run() -> list[Part]:
        return [part async for part in every_hit(ask, "q", window=window, undated="without")]

    crowded = max((days.count(day) for day in set(days)), default=0) > window and len(days) > window
    if crowded:
        with pytest.raises(WindowExceeded):
            asyncio.run(run())
        return
    parts = asyncio.run(run())
    found = ids(parts)
    assert sorted(found) == sorted(f"pmid:{pmid}" for pmid in held)
    assert not any(part.warnings for part in parts)
