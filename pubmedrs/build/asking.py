"""Requests of a build to the E-utilities. Every answer is kept and never requested again."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from clinfo.errors import RecordError, SourceUnavailable
from clinfo.pubmed.limits import WINDOW
from clinfo.pubmed.xml import Record, read_records
from clinfo.records.articles import Unreadable
from clinfo.sources.entrez import Eutils, TooSlow
from clinfo.sources.replies import Passing, read_search
from clinfo.text.wording import number
from pubmedrs.build.citing import Cited, cited_in_full_texts, cited_in_links
from pubmedrs.build.store import Ledger

_FULL_TEXT = "efetch of db=pmc"
_WHOLE = re.compile(rb"</pmc-articleset>\s*$|<pmc-articleset\s*/>\s*$")
_TOO_SLOW = re.compile(r"time-?out", re.IGNORECASE)


class Service(Eutils):
    """An `Eutils` that can fetch from PMC as well; its answers have another root than PubMed's."""

    def links(
        self, pmids: Sequence[str], linkname: str, stop: threading.Event | None = None
    ) -> bytes:
        """ELink from PubMed to PubMed: the answer as it came, a LinkSet for each of ``pmids``.
        Raises SourceError.

        `Eutils.elink` refuses an answer that leaves an id out; here what it says of the others is
        kept.
        """
        asked = {
            "dbfrom": "pubmed",
            "db": "pubmed",
            "cmd": "neighbor",
            "linkname": linkname,
            "retmode": "xml",
        }
        return self._ask("elink", stop, id=list(pmids), **asked)

    def full_texts(self, pmcids: Sequence[str], stop: threading.Event | None = None) -> bytes:
        """EFetch for db=pmc of these numbers (without PMC): JATS articles in one set, whole.

        Raises SourceError, TooSlow where fewer at once may do.
        """
        return self._ask("efetch", stop, db="pmc", id=list(pmcids), retmode="xml")

    def _attempt(
        self, utility: str, fields: list[tuple[str, str]], deadline: float, stop: threading.Event
    ) -> bytes:
        if dict(fields).get("db") != "pmc":
            return super()._attempt(utility, fields, deadline, stop)
        try:
            body = super()._attempt(_FULL_TEXT, fields, deadline, stop)
        except Passing as failure:
            failure.too_slow = failure.too_slow or _TOO_SLOW.search(str(failure)) is not None
            raise
        if not _WHOLE.search(body[-200:]):
            raise Passing("sent an answer that is cut off or garbled")
        return body


PAGE = 1_000
"""PMIDs asked for in one search."""
BATCH = 200
"""Records asked for at once, the most that NCBI wants listed in a request."""
LINKED_AT_ONCE = 50
FULL_TEXTS_AT_ONCE = 10
"""Full texts run to hundreds of kilobytes each."""
REFERENCES = "pubmed_pubmed_refs"
Say = Callable[[str], None]
One = TypeVar("One")


@dataclass(frozen=True)
class Found:
    """A search: PubMed's number of hits, the PMIDs taken of them in its order, and what it said
    about the query.
    """

    count: int
    pmids: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Received:
    """A record as it came: its XML ("" where there is none), and why it cannot be used ("" where it
    can).
    """

    pmid: str
    xml: str
    fault: str


class Answers:
    """The E-utilities behind a ledger in ``folder``. ``say`` is told what is asked, once a
    request.
    """

    def __init__(
        self,
        service: Service,
        folder: Path,
        batch: int = BATCH,
        page: int = PAGE,
        say: Say = lambda line: None,
    ) -> None:
        self._service = service
        self._batch, self._page, self._say = batch, page, say
        self._kept = Ledger(folder / "answers.sqlite")

    def close(self) -> None:
        """Close the files."""
        self._kept.close()

    def search(self, query: str, most: int) -> Found:
        """The ``most`` newest hits (`WINDOW` at most), page by page. Raises SourceError, also where
        a page comes short.
        """
        most = min(most, WINDOW)
        pmids: dict[str, None] = {}
        warnings: dict[str, None] = {}
        count, start = 0, 0
        while start < most:
            size = min(self._page, most - start)
            key = f"search {start} {size} {query}"
            if key not in self._kept:
                self._kept.add({key: self._one_page(query, start, size)})
            page = self._kept.get(key)
            count = page["count"] if not start else count
            pmids.update(dict.fromkeys(page["pmids"]))
            warnings.update(dict.fromkeys(page["warnings"]))
            start += size
            if start >= page["count"]:
                break
        return Found(count, tuple(pmids), tuple(warnings))

    def records(self, pmids: Sequence[str]) -> Iterator[list[Received]]:
        """The records of ``pmids`` in their order, a batch at a time. Raises SourceError."""
        for batch in _batches(pmids, self._batch):
            lacking = [pmid for pmid in batch if f"record {pmid}" not in self._kept]
            if lacking:
                self._say(f"requesting {number(len(lacking), 'record')}")
                found = self._fetched(lacking)
                self._kept.add({f"record {pmid}": one for pmid, one in found.items()})
            yield [Received(pmid, **self._kept.get(f"record {pmid}")) for pmid in batch]

    def linked(self, pmids: Sequence[str]) -> dict[str, tuple[Cited, ...] | None]:
        """Return what ELink says that each review cites; None where it was asked twice and did not
        answer. Raises SourceError.
        """
        return self._cited("references", "reference list", LINKED_AT_ONCE, self._links_of, pmids)

    def in_full_text(self, pmcids: Sequence[str]) -> dict[str, tuple[Cited, ...] | None]:
        """The reference lists of full texts by their number in PMC; None where PMC was asked twice
        and did not answer.

        Raises SourceError.
        """
        return self._cited("text", "full text", FULL_TEXTS_AT_ONCE, self._full_texts_of, pmcids)

    def _cited(
        self,
        kind: str,
        what: str,
        at_once: int,
        ask: Callable[[Sequence[str]], dict[str, tuple[Cited, ...]]],
        ids: Sequence[str],
    ) -> dict[str, tuple[Cited, ...] | None]:
        lacking = [id for id in ids if f"{kind} {id}" not in self._kept]
        for batch in _batches(lacking, min(self._batch, at_once)):
            self._say(f"requesting {number(len(batch), what)}")
            found = _answered(ask, batch, f"{what}s")
            lists = {id: [[one.pmid, one.doi] for one in cited] for id, cited in found.items()}
            self._kept.add({f"{kind} {id}": lists.get(id) for id in batch})
        kept = {id: self._kept.get(f"{kind} {id}") for id in ids}
        return {
            id: None if one is None else tuple(Cited(*pair) for pair in one)
            for id, one in kept.items()
        }

    def _one_page(self, query: str, start: int, size: int) -> dict[str, Any]:
        for _ in range(2):  # a page may come short for once
            found = read_search(
                self._service.esearch(query, size, sort="pub_date", start=start), query
            )
            due = max(min(size, found.count - start), 0)
            if len(found.ids) >= due:
                pmids = [id.removeprefix("pmid:") for id in found.ids]
                return {"count": found.count, "pmids": pmids, "warnings": list(found.warnings)}
        raise SourceUnavailable(
            f"PubMed sent {len(found.ids):,} of the {due:,} ids that it should have"
        )

    def _links_of(self, pmids: Sequence[str]) -> dict[str, tuple[Cited, ...]]:
        try:
            return cited_in_links(self._service.links(pmids, REFERENCES), REFERENCES)
        except RecordError as error:
            raise SourceUnavailable(f"ELink sent references that cannot be read: {error}") from None

    def _full_texts_of(self, pmcids: Sequence[str]) -> dict[str, tuple[Cited, ...]]:
        try:
            return cited_in_full_texts(self._service.full_texts(pmcids))
        except RecordError as error:
            raise SourceUnavailable(f"PMC sent full texts that cannot be read: {error}") from None

    def _fetched(self, pmids: Sequence[str]) -> dict[str, dict[str, str]]:
        received = _answered(self._received, pmids, "records")
        lacking = {"xml": "", "fault": "PubMed did not send the record"}
        return {pmid: received.get(pmid, lacking) for pmid in pmids}

    def _received(self, pmids: Sequence[str]) -> dict[str, dict[str, str]]:
        body = self._service.efetch(pmids)
        wanted = set(pmids)
        found: dict[str, dict[str, str]] = {}
        try:
            for entry in read_records(body):
                if (
                    isinstance(entry, Record)
                    and (pmid := entry.citation.article.pmid or "") in wanted
                ):
                    found.setdefault(pmid, {"xml": entry.raw.decode(errors="replace"), "fault": ""})
                elif isinstance(entry, Unreadable):
                    pmid = entry.id.removeprefix("pmid:")
                    if pmid in wanted:
                        found.setdefault(
                            pmid, {"xml": "", "fault": f"record cannot be read: {entry.reason}"}
                        )
        except RecordError as error:
            raise SourceUnavailable(f"PubMed sent records that cannot be read: {error}") from None
        return found


def _answered(
    ask: Callable[[Sequence[str]], dict[str, One]], ids: Sequence[str], what: str
) -> dict[str, One]:
    """Return what ``ask`` has for ``ids``, some of which may be missing. Raises SourceUnavailable
    where several ids bring nothing.
    """
    found = _in_time(ask, ids)
    if absent := [id for id in ids if id not in found]:
        found |= _in_time(ask, absent)  # once more: an answer may have lost some
    if not found and len(ids) > 1:
        raise SourceUnavailable(f"PubMed sent none of {len(ids)} {what}")
    return found


def _in_time(ask: Callable[[Sequence[str]], dict[str, One]], ids: Sequence[str]) -> dict[str, One]:
    """Return what ``ask`` has, half as many at once wherever that is too much for the service.
    Raises TooSlow where one is.
    """
    try:
        return ask(ids)
    except TooSlow:
        if len(ids) == 1:
            raise
        middle = len(ids) // 2
        return _in_time(ask, ids[:middle]) | _in_time(ask, ids[middle:])


def _batches(items: Sequence[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])
