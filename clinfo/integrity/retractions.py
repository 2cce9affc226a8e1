"""A retraction list on this machine, and the files of others that it is made of.

Two forms of files are read, told apart by content, each plain or gzip:

Retraction Watch    the CSV that Crossref publishes; columns RetractionNature,
                    OriginalPaperPubMedID, OriginalPaperDOI …
PMIDs               one per line; "PMID: 1", spaces, and comments after # are read too

The list is one small file in the folder of data. It is read whole, in some tenths of a second for
as many entries as Retraction Watch has (65,000), and never changes while it is used.
"""

import csv
import gzip
import hashlib
import io
import os
import re
import threading
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import msgspec

from clinfo.errors import RecordError
from clinfo.files import file_errors, whole_file
from clinfo.records.articles import Article
from clinfo.text.identifiers import find_doi, read_pmid

FILE_NAME = "retractions.msgpack.gz"
"""Name of the list's file in the folder of data (`clinfo.settings.Settings.data_dir`)."""
FORM = 1
"""Counted up when the shape of the file changes; a list of another form has to be loaded again."""
LOAD = "clinfo retractions load FILE…"

Nature = Literal["retraction", "expression of concern", "correction", "reinstatement"]


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One line of a list: what happened to an article, when (ISO 8601, "" where unknown), by which
    notice and why.

    DOIs are in lower case, "" where there is none. A Struct, and not a dataclass, because tens of
    thousands are read at once.
    """

    nature: Nature
    pmid: str | None = None
    doi: str = ""
    day: str = ""
    notice_pmid: str | None = None
    notice_doi: str = ""
    citation: str = ""
    """The notice's citation."""
    reasons: tuple[str, ...] = ()

    @property
    def replaced(self) -> bool:
        """Return whether a corrected version took the retracted one's place."""
        return any("retract and replace" in reason.lower() for reason in self.reasons)


@dataclass(frozen=True)
class ListFile:
    """A file that a list was made of: name, form ("Retraction Watch", "MEDLINE", "PMIDs"), SHA-256,
    and what it held.

    ``unidentified`` counts rows that name no article by PMID or DOI, ``unread`` lines that could
    not be read.
    """

    name: str
    form: str
    sha256: str
    entries: int
    unidentified: int = 0
    unread: int = 0


@dataclass(frozen=True)
class Loaded:
    """Of what and when (ISO 8601, UTC) a list was made."""

    files: tuple[ListFile, ...]
    loaded_at: str

    @property
    def day(self) -> str:
        return self.loaded_at[:10]

    @property
    def name(self) -> str:
        """The names of its files."""
        return ", ".join(file.name for file in self.files)


class _Stored(msgspec.Struct):
    form: int
    loaded: Loaded
    entries: tuple[Entry, ...]


class Retractions:
    """A retraction list: what it says about an article, found by PMID or DOI."""

    def __init__(self, loaded: Loaded, entries: Iterable[Entry]) -> None:
        self.loaded = loaded
        self.entries = tuple(entries)
        self._by_pmid: dict[str, list[Entry]] = {}
        self._by_doi: dict[str, list[Entry]] = {}
        self._by_notice: dict[str, list[Entry]] = {}
        for entry in self.entries:
            if entry.pmid:
                self._by_pmid.setdefault(entry.pmid, []).append(entry)
            if entry.doi:
                self._by_doi.setdefault(entry.doi, []).append(entry)
            if (
                entry.notice_pmid
                and entry.notice_pmid != entry.pmid
                and entry.nature == "retraction"
            ):
                self._by_notice.setdefault(entry.notice_pmid, []).append(entry)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def description(self) -> str:
        """For settings and doctor: ``retraction_watch.csv, 58,000 entries, loaded 2026-11-22``;
        names of files, never a path.
        """
        many = "entry" if len(self) == 1 else "entries"
        return f"{self.loaded.name}, {len(self):,} {many}, loaded {self.loaded.day}"

    def counts(self) -> dict[str, int]:
        """Entries by nature, and under "retracted articles" the distinct articles that are
        retracted and not reinstated.
        """
        found = {
            (entry.pmid, entry.doi if not entry.pmid else ""): (
                self._by_pmid[entry.pmid] if entry.pmid else self._by_doi.get(entry.doi, ())
            )
            for entry in self.entries
            if entry.nature == "retraction"
        }
        return {
            **Counter(entry.nature for entry in self.entries),
            "retracted articles": sum(standing(same) is not None for same in found.values()),
        }

    def about(self, article: Article) -> tuple[Entry, ...]:
        """Return what is said about this article, by PMID or DOI; a notice that shares the DOI of
        what it retracts is not meant.
        """
        found = list(self._by_pmid.get(article.pmid or "", ()))
        if doi := find_doi(article.doi):
            found += [
                entry
                for entry in self._by_doi.get(doi, ())
                if entry not in found
                # the notice may share the DOI of what it retracts
                and (article.pmid in (None, entry.pmid) or article.pmid != entry.notice_pmid)
            ]
        return tuple(found)

    def announced_by(self, article: Article) -> tuple[Entry, ...]:
        """The retractions of other articles whose notice this record is."""
        return tuple(self._by_notice.get(article.pmid or "", ()))

    def retracts(self, pmid: str) -> bool:
        """Return whether the article with this PMID is retracted, and was not reinstated since."""
        return standing(self._by_pmid.get(pmid, ())) is not None


def standing(entries: Iterable[Entry]) -> Entry | None:
    """The retraction that stands of what is said about one article, the one that tells most; None
    where none stands.

    A reinstatement ends every retraction but one that is known to be of a later day.
    """
    entries = list(entries)
    back = [entry.day for entry in entries if entry.nature == "reinstatement"]
    retractions = [entry for entry in entries if entry.nature == "retraction"]
    if back:
        retractions = [entry for entry in retractions if all(back) and entry.day > max(back)]
    return max(
        retractions,
        key=lambda entry: (entry.notice_pmid is not None, bool(entry.reasons), entry.day),
        default=None,
    )


def list_path(data_dir: Path) -> Path:
    """Return where the list lies in the folder of data."""
    return data_dir / FILE_NAME


def loaded_list(data_dir: Path) -> Retractions | None:
    """The list that was loaded on this machine, None where none was. Raises RecordError where it
    cannot be used.

    A process reads it once, and again when another is loaded.
    """
    path = list_path(data_dir)
    if not path.exists():
        return None
    with file_errors(f"the retraction list {path} cannot be read", RecordError):
        state = path.stat()
    return _read(path, state.st_mtime_ns, state.st_size, state.st_ino)


@lru_cache(maxsize=2)
def _read(path: Path, *_state: int) -> Retractions:
    try:
        stored = msgspec.msgpack.decode(gzip.decompress(path.read_bytes()), type=_Stored)
    except (OSError, EOFError, zlib.error, msgspec.MsgspecError):
        raise RecordError(
            f"the retraction list {path} is damaged: load it again with {LOAD}"
        ) from None
    if stored.form != FORM:
        raise RecordError(
            f"the retraction list {path} was written by another version: load it again with {LOAD}"
        )
    return Retractions(stored.loaded, stored.entries)


def keep(retractions: Retractions, data_dir: Path) -> Path:
    """Put the list into the folder of data in one step; one that was there stays whole until then.
    Raises RecordError.
    """
    path = list_path(data_dir)
    packed = gzip.compress(
        msgspec.msgpack.encode(_Stored(FORM, retractions.loaded, retractions.entries)), 6, mtime=0
    )
    with file_errors(f"the retraction list {path} cannot be written", RecordError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, None, f".{os.getpid()}.{threading.get_ident()}") as file:
            file.write(packed)
    return path


def settings_form(retractions: Retractions | None) -> Mapping[str, object] | None:
    """Return what an answer's settings say of the list: name, number of entries, day of loading;
    None without one.
    """
    if retractions is None:
        return None
    return {
        "name": retractions.loaded.name,
        "entries": len(retractions),
        "loaded": retractions.loaded.day,
    }


def told(form: object) -> str:
    """A list, as `settings_form` has it, in a few words."""
    if not isinstance(form, Mapping):
        return "no list of retractions"
    return (
        f"a list of retractions ({form.get('entries', 0):,} in it, loaded on "
        f"{str(form.get('loaded', ''))[:10]})"
    )


_NEEDED = ("RetractionNature", "OriginalPaperPubMedID", "OriginalPaperDOI")
_NATURES: dict[str, Nature] = {nature: nature for nature in get_args(Nature)}
_DAY = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\b|([0-9]{4})-([0-9]{2})-([0-9]{2})\b")
_WANTED = "expected the Retraction Watch CSV or PMIDs"
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
            told = [part.strip().removeprefix("+") for part in (row.get("Reason") or "").split(";")]
            reasons = dict.fromkeys(filter(None, (" ".join(part.split()) for part in told)))
            entry = Entry(
                nature,
                pmid=read_pmid(row.get("OriginalPaperPubMedID")),
                doi=find_doi(row.get("OriginalPaperDOI")),
                day=_day(row.get("RetractionDate")),
                notice_pmid=read_pmid(row.get("RetractionPubMedID")),
                notice_doi=find_doi(row.get("RetractionDOI")),
                reasons=tuple(reasons),
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
