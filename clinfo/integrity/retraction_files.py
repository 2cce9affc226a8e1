"""Files of retractions by others, read into one `Retractions`. Three forms, told apart by content,
each plain or gzip.

Retraction Watch    the CSV that Crossref publishes; columns RetractionNature, OriginalPaperPubMedID, OriginalPaperDOI …
MEDLINE             PubMed's tagged text: notices (ROF names what they retract) and retracted articles (RIN, or the type
                    "Retracted Publication"), so that a search for either, saved from PubMed, makes a list
PMIDs one per line; "PMID: 1", spaces, and comments after # are read too
"""  # noqa: E501

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from clinfo.errors import RecordError
from clinfo.files import file_errors
from clinfo.integrity.retractions import Entry, ListFile, Loaded, Nature, Retractions
from clinfo.references.identifiers import find_doi, named_pmid, read_pmid
from clinfo.references.tagged import Fields, read_medline
from clinfo.text.regex import regex

_NEEDED = ("RetractionNature", "OriginalPaperPubMedID", "OriginalPaperDOI")
_NATURES: dict[str, Nature] = {
    "retraction": "retraction",
    "expression of concern": "expression of concern",
    "correction": "correction",
    "reinstatement": "reinstatement",
}
_DAY = regex(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\b|([0-9]{4})-([0-9]{2})-([0-9]{2})\b")
_WANTED = "expected the Retraction Watch CSV, PubMed's MEDLINE text or PMIDs"
_LONGEST_FIELD = 10_000_000

Read = tuple[str, list[Entry], int, int]
"""Form, entries, rows that name no article by PMID or DOI, lines that could not be read."""


def read_lists(paths: Sequence[str | Path], now: datetime | None = None) -> Retractions:
    """The files as one list, in their order, nothing twice. Raises UsageError where one cannot be
    opened, RecordError where it is not a list."""
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    read = [_read_file(Path(path)) for path in paths]
    loaded = Loaded(tuple(file for file, _ in read), moment.isoformat(timespec="seconds"))
    return Retractions(loaded, dict.fromkeys(entry for _, entries in read for entry in entries))


def _read_file(path: Path) -> tuple[ListFile, list[Entry]]:
    with file_errors(f"the file {path.name} cannot be opened"):
        raw = path.read_bytes()
    digest = hashlib.sha256(raw).hexdigest()
    if raw.startswith(b"\x1f\x8b"):
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error):
            raise RecordError(f"{path.name} is cut off or damaged") from None
    # What is not UTF-8 can only stand in titles and names, of which nothing is read; identifiers
    # are ASCII.
    text = raw.decode("utf-8-sig", errors="replace")
    try:
        form, entries, unidentified, unread = read_list(text)
    except RecordError as error:
        raise RecordError(f"{path.name} {error}") from None
    return ListFile(path.name, form, digest, len(entries), unidentified, unread), entries


def read_list(text: str) -> Read:
    """The entries of one file's text. Raises RecordError (to follow the file's name) where it is
    not a list.
    """
    head = text[:4_000].lstrip()
    if head.startswith(("<", "{")):
        raise RecordError(f"has an unknown format: {_WANTED}")
    first_line = head.partition("\n")[0]
    if all(name in first_line for name in _NEEDED):
        read = _from_retraction_watch(text)
    elif re.search(r"^PMID {0,2}- ?[0-9]", head, re.MULTILINE):
        read = _from_medline(text.split("\n"))
    else:
        read = _from_pmids(text.split("\n"))
    if not read[1]:
        raise RecordError(f"contains no retraction: {_WANTED}")
    return read


def _from_retraction_watch(text: str) -> Read:
    csv.field_size_limit(_LONGEST_FIELD)
    rows = csv.DictReader(io.StringIO(text.replace("\0", ""), newline=""))
    entries: list[Entry] = []
    unidentified = unread = 0
    try:
        for row in rows:
            nature = _NATURES.get((row.get("RetractionNature") or "").strip().lower())
            if nature is None:
                unread += 1
                continue
            entry = Entry(
                nature,
                pmid=read_pmid(row.get("OriginalPaperPubMedID")),
                doi=find_doi(row.get("OriginalPaperDOI")),
                day=_day(row.get("RetractionDate")),
                notice_pmid=read_pmid(row.get("RetractionPubMedID")),
                notice_doi=find_doi(row.get("RetractionDOI")),
                reasons=_reasons(row.get("Reason")),
            )
            if entry.pmid or entry.doi:
                entries.append(entry)
            else:
                unidentified += 1
    except csv.Error as error:
        raise RecordError(
            f"is cut off or damaged: line {rows.line_num:,} cannot be read as CSV ({error})"
        ) from None
    return "Retraction Watch", entries, unidentified, unread


def _day(text: str | None) -> str:
    """``7/12/2023 0:00`` (month first, as Retraction Watch has it) or an ISO date, as an ISO date;
    "" for anything else.
    """
    found = _DAY.match((text or "").strip())
    if not found:
        return ""
    month, day, year, iso_year, iso_month, iso_day = found.groups()
    try:
        return date(int(year or iso_year), int(month or iso_month), int(day or iso_day)).isoformat()
    except ValueError:
        return ""


def _reasons(text: str | None) -> tuple[str, ...]:
    parts = (" ".join(part.strip().removeprefix("+").split()) for part in (text or "").split(";"))
    return tuple(dict.fromkeys(part for part in parts if part))


def _from_medline(lines: Iterable[str]) -> Read:
    entries: list[Entry] = []
    unidentified = unread = 0
    for record in read_medline(lines):
        own = read_pmid(record.first("PMID"))
        if own is None:
            unread += 1
            continue
        found, nameless = _of_medline(record, own)
        entries += found
        unidentified += nameless
    return "MEDLINE", entries, unidentified, unread


def _of_medline(record: Fields, own: str) -> tuple[list[Entry], int]:
    """Return what one record says of retractions, and how many fields name no article by PMID or
    DOI.
    """
    entries: list[Entry] = []
    nameless = 0
    citation = " ".join(record.first("SO").split())
    for text in record.all("ROF"):
        # The DOI may be the notice's own where that appeared in the article's place; then both go
        # by it, and the PMID tells the notice (`Retractions.about`).
        entry = Entry("retraction", named_pmid(text), find_doi(text), "", own, citation=citation)
        if entry.pmid or entry.doi:
            entries.append(entry)
        else:
            nameless += 1
    types = {kind.strip().lower() for kind in record.all("PT")}
    if record.values.get("RIN") or "retracted publication" in types:
        notice = record.first("RIN")
        doi = next(
            (
                doi
                for value in record.all("LID", "AID")
                if "[doi]" in value and (doi := find_doi(value))
            ),
            "",
        )
        entries.append(
            Entry("retraction", own, doi, "", named_pmid(notice), citation=" ".join(notice.split()))
        )
    return entries, nameless


def _from_pmids(lines: Iterable[str]) -> Read:
    entries: list[Entry] = []
    unread = 0
    for line in lines:
        if (
            line.count(",") > 2 or '"' in line
        ):  # a row of a table whose head is missing: its first number need not be a PMID
            raise RecordError(f"looks like a table without its header line: {_WANTED}")
        words = (
            re.sub(r"pmid\s*:", " ", line.partition("#")[0], flags=re.IGNORECASE)
            .replace(",", " ")
            .split()
        )
        pmids = [read_pmid(word) for word in words]
        entries += [Entry("retraction", pmid) for pmid in pmids if pmid]
        unread += any(pmid is None for pmid in pmids)
    if unread > len(entries):
        raise RecordError(f"has an unknown format: {_WANTED}")
    return "PMIDs", entries, 0, unread
