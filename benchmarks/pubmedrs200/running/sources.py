"""The run's article source: opened once a process, its searches dated by day, and named without a path."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from clinfo.pipelines.literature.request import CITATION_FILES
from clinfo.records.articles import Fetched, SearchRequest, SearchResult
from clinfo.settings import Settings
from clinfo.sources.protocols import ArticleSource


@dataclass(frozen=True)
class RunClock:
    """A clock that says one day all the time, so that a run that goes on tomorrow gives the same answers; seconds are real."""

    day: date

    def now(self) -> datetime:
        """Midnight (UTC) of the day."""
        return datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC)

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()


class DatedByDay:
    """A source whose searches are dated by the day alone. All else is the source's own, what only some sources have included."""

    def __init__(self, source: ArticleSource) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def remote(self) -> bool:
        return self._source.remote

    @property
    def query_prompt(self) -> str:
        return self._source.query_prompt

    @property
    def notices(self) -> tuple[str, ...]:
        return self._source.notices

    async def search(self, request: SearchRequest) -> SearchResult:
        """As the source answers, with the time of the search cut to midnight."""
        found = await self._source.search(request)
        return replace(found, sent_at=f"{found.sent_at[:10]}T00:00:00+00:00" if found.sent_at else "")

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        return await self._source.fetch(ids, fresh)


def open_source(settings: Settings, name: str, clock: RunClock) -> ArticleSource:
    """The source of this name. Raises UsageError, and RecordError for a file or an index that cannot be read."""
    from clinfo.pipelines.literature.assemble import article_source, mesh_table, open_cache
    from clinfo.sources.memory import Memory

    if name.endswith(CITATION_FILES):
        return DatedByDay(Memory.from_files([name], Path(name).name, clock, mesh_table(settings)))
    return DatedByDay(article_source(settings, name, open_cache(settings), clock))


def recorded_name(name: str) -> str:
    """The name by which a source stands in records: of a file without its folder."""
    return Path(name).name if name.endswith(CITATION_FILES) else name


def identity(source: ArticleSource, name: str) -> dict[str, str | None]:
    """What was searched: the source's name, and the address without user and password, the index's version, the file's hash."""
    address = getattr(source, "address", None)
    if name.endswith(CITATION_FILES):
        from hashlib import file_digest

        with Path(name).open("rb") as file:
            address = f"sha256:{file_digest(file, 'sha256').hexdigest()}"
    return {"name": recorded_name(name), "address": re.sub(r"(?<=//)[^/@]*@", "", str(address)) if address else None}
