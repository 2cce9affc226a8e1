"""Every hit of a query, also where there are more than PubMed hands out for one search (9,999).

Hits are asked for by the day they were entered, and a stretch of days with too many is halved until
its hits fit. Nothing is lost silently: every stretch must send as many ids as it counts, the parts
must add up to the whole, and what has no such date is looked for by a query of its own.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta

from clinfo.errors import SourceUnavailable, WindowExceeded
from clinfo.pubmed.limits import WINDOW

DATE_FIELD = "edat"
"""The day a record was entered: every record has one, it seldom changes, and few share one (many
share a publication date).
"""
EARLIEST, LATEST = date(1500, 1, 1), date(3000, 12, 31)
_ASKED_AGAIN = 3


@dataclass(frozen=True)
class Page:
    """One answer: all hits of what was asked, and PMIDs of as many as were wanted; None where none
    were asked for.
    """

    count: int
    pmids: tuple[str, ...] | None = None


Ask = Callable[[str, int, date | None, date | None], Awaitable[Page]]
"""Hits of a term, with the PMIDs of so many, entered from one day to another, both inclusive (None:
at any time). Raises SourceError.
"""


@dataclass(frozen=True)
class Part:
    """The hits entered from ``first`` to ``last``, both inclusive; without dates those that have no
    such date.

    ``ids`` are article ids by rising PMID, none of which stood in an earlier part. ``warnings`` say
    what does not add up.
    """

    first: date | None
    last: date | None
    ids: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    total: int | None = None
    """Hits in all, as counted at first."""


async def every_hit(
    ask: Ask,
    term: str,
    window: int = WINDOW,
    undated: str | None = None,
) -> AsyncIterator[Part]:
    """All hits of ``term`` in parts by rising day of entry, and last those without one.

    ``undated`` is the query that finds hits without a day; None where it cannot be made, and then
    they are only counted and reported.

    Raises WindowExceeded where a single day has more hits than ``window``, SourceUnavailable where
    PubMed keeps sending fewer ids than it counts, and what ``ask`` raises.
    """
    export = _Export(ask, term, window)
    whole = await ask(term, window, None, None)
    export.total = whole.count
    if whole.count <= window:
        whole = await export.full(term, whole)
        if whole.count <= window:
            if whole.count:
                yield export.part(EARLIEST, LATEST, whole)
            return
    async for part in export.stretches():
        yield part
    async for part in export.rest(undated):
        yield part


class _Export:
    """One export under way: what was given out so far. ``total`` is the hits at first."""

    def __init__(self, ask: Ask, term: str, window: int) -> None:
        self._ask = ask
        self._term = term
        self._window = window
        self._seen: set[str] = set()
        self.total = 0

    async def full(
        self, term: str, page: Page, first: date | None = None, last: date | None = None
    ) -> Page:
        """The page with the PMIDs of all its hits, asked for (again) where they are not there; or
        one that is too large.
        """
        for attempt in range(_ASKED_AGAIN + 1):
            sent = len(set(page.pmids or ()))
            if page.count > self._window or (page.pmids is not None and sent >= page.count):
                return page
            if attempt < _ASKED_AGAIN:
                page = await self._ask(term, self._window, first, last)
        raise SourceUnavailable(
            f"PubMed counts {page.count:,} hits and sends only {sent:,} of them; the export was "
            "stopped"
        )

    def part(
        self, first: date | None, last: date | None, page: Page, warnings: tuple[str, ...] = ()
    ) -> Part:
        new = sorted(set(page.pmids or ()) - self._seen, key=int)
        self._seen.update(new)
        return Part(first, last, tuple(f"pmid:{pmid}" for pmid in new), warnings, self.total)

    async def stretches(self) -> AsyncIterator[Part]:
        """Parts with hits, by rising day."""
        pending = [(EARLIEST, LATEST, Page(self.total))]
        while pending:
            first, last, page = pending.pop()
            if page.count <= self._window or first == last:
                page = await self.full(self._term, Page(0) if first == last else page, first, last)
                if page.count <= self._window:
                    if page.count:
                        yield self.part(first, last, page)
                    continue
                if first == last:
                    raise WindowExceeded(
                        f"{page.count:,} of the hits were entered in PubMed on {first.isoformat()},"
                        " and it returns at most "
                        f"{self._window:,} for one search; narrow the query"
                    )
            middle = first + (last - first) // 2
            early = await self._ask(self._term, self._window, first, middle)
            # What is left for the later days is an estimate, asked about only once it seems to fit.
            pending += [
                (middle + timedelta(days=1), last, Page(max(page.count - early.count, 0))),
                (first, middle, early),
            ]

    async def rest(self, undated: str | None) -> AsyncIterator[Part]:
        """Yield what no day holds, and what does not add up."""
        now = (await self._ask(self._term, 0, None, None)).count
        short = min(self.total, now) - len(self._seen)
        if undated is not None and short > 0:
            page = await self.full(undated, Page(0))
            if page.count > self._window:
                kind = "have no day of entry in PubMed"
                raise WindowExceeded(
                    f"{page.count:,} of the hits {kind}, and it returns at most {self._window:,} "
                    "for one search"
                )
            if page.count:
                part = self.part(None, None, page)
                short -= len(part.ids)
                yield part
        warnings = []
        if short > 0:
            warnings.append(
                f"{short:,} of the {now:,} hits that PubMed counts could not be listed: no day of "
                "entry covers them."
            )
        if now != self.total:
            warnings.append(
                f"PubMed counted {self.total:,} hits at first and {now:,} at the end; "
                f"{len(self._seen):,} were listed."
            )
        if warnings:
            yield self.part(None, None, Page(0), tuple(warnings))


def undated_query(term: str) -> str:
    """The hits of ``term`` (whose brackets and quotes must be balanced) that have no day of
    entry.
    """
    first, last = (day.isoformat().replace("-", "/") for day in (EARLIEST, LATEST))
    return f'({term}) NOT ("{first}"[{DATE_FIELD}] : "{last}"[{DATE_FIELD}])'
