"""The run's article source: opened once a process, its searches dated by day, and named without a
path.
"""

from __future__ import annotations

import re
import time
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from clinfo.records.articles import SearchRequest, SearchResult
from clinfo.settings import Settings
from clinfo.sources import registry
from clinfo.sources.protocols import AddressedSource, ArticleSource


@dataclass(frozen=True)
class RunClock:
    """A clock that says one day all the time, so that a run that goes on tomorrow gives the same
    answers; seconds are real.
    """

    day: date

    def now(self) -> datetime:
        """Midnight (UTC) of the day."""
        return datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC)

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()


def dated_by_day(source: ArticleSource) -> ArticleSource:
    """The source with searches that are dated by the day alone; what only some sources can do, it
    still can.
    """

    class DatedByDay(type(source)):  # type: ignore[misc]  # so that the protocols of what it can do hold for it too
        async def search(self, request: SearchRequest) -> SearchResult:
            found: SearchResult = await super().search(request)
            return replace(
                found, sent_at=f"{found.sent_at[:10]}T00:00:00+00:00" if found.sent_at else ""
            )

    dated = copy(source)
    dated.__class__ = DatedByDay
    return dated


def open_source(settings: Settings, name: str, clock: RunClock) -> ArticleSource:
    """The source of this name. Raises UsageError, and RecordError for a file or an index that
    cannot be read.
    """
    from clinfo.pipelines.literature.assemble import open_cache
    from clinfo.sources.memory import Memory
    from clinfo.sources.mesh_lookup import mesh_table

    if name.endswith(registry.endings()):
        return dated_by_day(Memory.from_files([name], Path(name).name, clock, mesh_table(settings)))
    return dated_by_day(registry.article_source(settings, name, open_cache(settings), clock))


def recorded_name(name: str) -> str:
    """The name by which a source stands in records: of a file without its folder."""
    return Path(name).name if name.endswith(registry.endings()) else name


def identity(source: ArticleSource, name: str) -> dict[str, str | None]:
    """Return what was searched: the source's name, and the address without user and password, the
    index's version, the file's hash.
    """
    address = source.address if isinstance(source, AddressedSource) else None
    if name.endswith(registry.endings()):
        from hashlib import file_digest

        with Path(name).open("rb") as file:
            address = f"sha256:{file_digest(file, 'sha256').hexdigest()}"
    return {
        "name": recorded_name(name),
        "address": re.sub(r"(?<=//)[^/@]*@", "", address) if address else None,
    }
