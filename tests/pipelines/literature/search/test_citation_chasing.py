"""Links from relevant articles: their order, what is fetched of them, what a source that fails
leaves.
"""

import asyncio
from collections.abc import Sequence
from datetime import date

from clinfo.errors import SourceError
from clinfo.pipelines.literature.search import retrieve
from clinfo.records.articles import (
    Article,
    DateInterval,
    Fetched,
    Related,
    RunRequest,
    SearchRequest,
    SearchResult,
)


class Links:
    """Links as they are scripted, and records of the years that are scripted."""

    name, remote, query_prompt, notices = "links", False, "question2query", ()

    def __init__(
        self, links: dict[str, Related | Exception], years: dict[str, int] | None = None
    ) -> None:
        self.links = links
        self.years = years or {}
        self.fetched: list[tuple[str, ...]] = []

    async def search(self, request: SearchRequest) -> SearchResult:
        raise AssertionError("no search is needed")

    async def related(self, id: str, limit: int, fresh: bool = False) -> Related:
        answer = self.links[id]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        self.fetched.append(tuple(ids))
        made = []
        for id in ids:
            year = self.years.get(id, 2000)
            made.append(
                Article(
                    id,
                    "t",
                    pmid=id[5:],
                    published=DateInterval(date(year, 1, 1), date(year, 12, 31), str(year)),
                )
            )
        return Fetched(tuple(reversed(made)))


def ids(*numbers: int) -> tuple[str, ...]:
    return tuple(f"pmid:{number}" for number in numbers)


def test_articles_that_may_not_be_used_take_no_room() -> None:
    source = Links(
        {"pmid:1": Related(similar=ids(2, 3, 4, 5, 6))}, years={"pmid:2": 2020, "pmid:4": 2021}
    )
    request = RunRequest(question="q", regime="restricted", before=date(2010, 1, 1))
    event = asyncio.run(retrieve.chased(source, ids(1), 2, set(), request))
    assert source.fetched == [ids(2, 3), ids(4), ids(5)]
    assert event.ids == ids(2, 3, 4, 5)


def test_a_failing_link_leaves_the_others() -> None:
    source = Links({"pmid:1": SourceError("away"), "pmid:2": Related(citing=ids(9))})
    event = asyncio.run(retrieve.chased(source, ids(1, 2), 5, set(), RunRequest(question="q")))
    assert (event.ids, event.problem) == (ids(9), "away")
