"""What a build asks of the E-utilities. Every answer is kept, and what is kept is never asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from clinfo.errors import RecordError, SourceUnavailable
from clinfo.pubmed.limits import WINDOW
from clinfo.pubmed.xml import Record, read_records
from clinfo.records import Unreadable
from clinfo.render.wording import number
from clinfo.sources.entrez import TooSlow
from clinfo.sources.outcomes import read_search
from pubmedrs.build.citing import Cited, cited_in_full_texts, cited_in_record
from pubmedrs.build.service import Service
from pubmedrs.build.store import Ledger

PAGE = 1_000
"""PMIDs asked for in one search."""
BATCH = 200
"""Records asked for at once, the most that NCBI wants listed in a request."""
LINKED_AT_ONCE = 50
FULL_TEXTS_AT_ONCE = 10
"""Full texts run to hundreds of kilobytes each."""
REFERENCES = "pubmed_pubmed_refs"
Say = Callable[[str], None]


@dataclass(frozen=True)
class Found:
    """A search: PubMed's number of hits, the PMIDs taken of them in its order, and what it said about the query."""

    count: int
    pmids: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Received:
    """A record as it came: its XML ("" where there is none), and why it cannot be used ("" where it can)."""

    pmid: str
    xml: str
    fault: str


class Answers:
    """The E-utilities behind four ledgers in ``folder``. ``say`` is told what is asked, once a request."""

    def __init__(self, service: Service, folder: Path, batch: int = BATCH, page: int = PAGE, say: Say = lambda line: None) -> None:
        self._service = service
        self._batch, self._page, self._say = batch, page, say
        with ExitStack() as opened:
            self._searches = opened.enter_context(Ledger(folder / "searches.jsonl"))
            self._records = opened.enter_context(Ledger(folder / "records.jsonl"))
            self._links = opened.enter_context(Ledger(folder / "links.jsonl"))
            self._full_texts = opened.enter_context(Ledger(folder / "full_texts.jsonl"))
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._opened.close()

    def search(self, query: str, most: int) -> Found:
        """The ``most`` newest hits (`WINDOW` at most), page by page. Raises SourceError, also where a page comes short."""
        most = min(most, WINDOW)
        pmids: dict[str, None] = {}
        warnings: dict[str, None] = {}
        count, start = 0, 0
        while start < most:
            size = min(self._page, most - start)
            key = f"{start} {size} {query}"
            if key not in self._searches:
                self._searches.add({key: self._one_page(query, start, size)})
            page = self._searches.get(key)
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
            lacking = [pmid for pmid in batch if pmid not in self._records]
            if lacking:
                self._say(f"asking for {number(len(lacking), 'record')}")
                self._records.add(self._fetched(lacking))
            yield [Received(pmid, **self._records.get(pmid)) for pmid in batch]

    def linked(self, pmids: Sequence[str]) -> dict[str, tuple[Cited, ...]]:
        """What ELink says that each review cites. Raises SourceError."""
        for batch in _batches([pmid for pmid in pmids if pmid not in self._links], min(self._batch, LINKED_AT_ONCE)):
            self._say(f"asking for the references of {number(len(batch), 'review')} (ELink)")
            found = self._service.elink(batch, REFERENCES)
            self._links.add({pmid: list(found[pmid]) for pmid in batch})
        return {pmid: tuple(Cited(cited) for cited in self._links.get(pmid)) for pmid in pmids}

    def in_full_text(self, pmcids: Sequence[str]) -> dict[str, tuple[Cited, ...]]:
        """The reference lists of full texts by their number in PMC. Raises SourceError."""
        lacking = [pmcid for pmcid in pmcids if pmcid not in self._full_texts]
        for batch in _batches(lacking, min(self._batch, FULL_TEXTS_AT_ONCE)):
            self._say(f"asking for {number(len(batch), 'full text')} (PMC)")
            body = self._service.full_texts(batch)
            try:
                found = cited_in_full_texts(body)
            except RecordError as error:
                raise SourceUnavailable(f"PMC sent full texts that cannot be read: {error}") from None
            self._full_texts.add({pmcid: [[one.pmid, one.doi] for one in found.get(pmcid, ())] for pmcid in batch})
        return {pmcid: tuple(Cited(*pair) for pair in self._full_texts.get(pmcid)) for pmcid in pmcids}

    def _one_page(self, query: str, start: int, size: int) -> dict[str, Any]:
        found = read_search(self._service.esearch(query, size, sort="pub_date", start=start), query)
        due = max(min(size, found.count - start), 0)
        if len(found.ids) < due:
            raise SourceUnavailable(f"PubMed sent {len(found.ids):,} of the {due:,} ids that it should have")
        pmids = [id.removeprefix("pmid:") for id in found.ids]
        return {"count": found.count, "pmids": pmids, "warnings": list(found.warnings)}

    def _fetched(self, pmids: Sequence[str]) -> dict[str, dict[str, str]]:
        received = self._received(pmids)
        if absent := [pmid for pmid in pmids if pmid not in received]:
            received |= self._received(absent)  # once more: an answer may have lost some
        if not received and len(pmids) > 1:
            raise SourceUnavailable(f"PubMed sent none of {len(pmids)} records")
        lacking = {"xml": "", "fault": "PubMed did not send the record"}
        return {pmid: received.get(pmid, lacking) for pmid in pmids}

    def _received(self, pmids: Sequence[str]) -> dict[str, dict[str, str]]:
        try:
            body = self._service.efetch(pmids)
        except TooSlow:
            if len(pmids) == 1:
                raise
            middle = len(pmids) // 2
            return self._received(pmids[:middle]) | self._received(pmids[middle:])
        wanted = set(pmids)
        found: dict[str, dict[str, str]] = {}
        try:
            for entry in read_records(body):
                if isinstance(entry, Record) and (pmid := entry.citation.article.pmid or "") in wanted:
                    found.setdefault(pmid, {"xml": entry.raw.decode(errors="replace"), "fault": ""})
                elif isinstance(entry, Unreadable):
                    pmid = entry.id.removeprefix("pmid:")
                    if pmid in wanted:
                        found.setdefault(pmid, {"xml": "", "fault": f"record cannot be read: {entry.reason}"})
        except RecordError as error:
            raise SourceUnavailable(f"PubMed sent records that cannot be read: {error}") from None
        return found


def cited_by(xml: str, also: Iterable[str]) -> tuple[Cited, ...]:
    """The reference list of a record, and PMIDs that the record names as cited elsewhere."""
    listed = cited_in_record(xml.encode())
    known = {one.pmid for one in listed}
    return listed + tuple(Cited(pmid) for pmid in also if pmid not in known)


def _batches(items: Sequence[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])
