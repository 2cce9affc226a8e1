"""Citation files of other programs as whole articles: RIS, MEDLINE text (.nbib), EndNote's own form
(.enw), BibTeX, CSL JSON and CSV with a header.

A record is one article: its id is ``pmid:…``, else ``doi:…``, else ``ref:`` and its number in the
file. What cannot be read as one is left out and told, with its line and the reason.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

from clinfo.errors import RecordError
from clinfo.files import file_errors
from clinfo.pubmed.dates import month_name, read_interval
from clinfo.records.articles import (
    Article,
    Author,
    Book,
    Correction,
    DateInterval,
    Section,
    Unreadable,
)
from clinfo.references.bibtex_entries import DAMAGED, GROUP, OTHERS, read_bibtex
from clinfo.references.endnote_xml import of_endnote, read_endnote_xml
from clinfo.references.parts import OF_KIND, plain
from clinfo.references.tagged import Fields, read_endnote, read_medline, read_ovid, read_ris
from clinfo.text.identifiers import electronic_page, find_doi, named_pmid, read_pmid
from clinfo.text.languages import code_of
from clinfo.text.markup import unmarked

ENDINGS: Final = (".ris", ".nbib", ".enw", ".bib", ".csv", ".tsv", ".txt", ".json")
MAX_TITLE: Final = 2_000
"""Characters; PubMed's longest titles have some 1,500."""
MAX_ABSTRACT: Final = 50_000
"""Characters; PubMed's longest abstracts have some 30,000."""

_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    tag: tuple(names.split())
    for tag, names in {
        "PMID": "pmid pubmedid pubmed medlinepmid docid idspmid pm",
        "TI": "title articletitle papertitle documenttitle displayname ti",
        "AB": "abstract abstractnote abstracttext abstracts ab",
        "AU": "authors author authornames authorshipsauthordisplayname au",
        "CN": "ca",
        "JT": "journal journalbook publicationtitle sourcetitle journaltitle pubtitle so source "
        "primarylocationsourcedisplayname",
        "DP": "published publicationdate datepublished date pubdate pd",
        "YR": "year publicationyear publishedyear pubyear py",
        "VI": "volume bibliovolume vl",
        "IP": "issue issuenumber biblioissue is",
        "PG": "pages pagination pagerange",
        "SP": "pagestart startpage firstpage bibliofirstpage bp",
        "EP": "pageend endpage lastpage bibliolastpage ep",
        "C7": "articlenumber artno elocationid ar",
        "DOI": "doi digitalobjectidentifier di",
        "SO": "citation",
        "N1": "extra",
        "TY": "itemtype",
        "PB": "publisher",
        "ED": "editor editors",
        "PMC": "pmcid",
        "PT": "publicationtypes publicationtype documenttype",
        "MH": "mesh meshterms meshheadings",
        "OT": "keywords authorkeywords",
        "LA": "languages language",
    }.items()
}
"""Columns of tables of references by the MEDLINE tag that holds the same: those of this program, of
PubMed, Scopus, Embase, Zotero, Rayyan, Covidence, Cochrane, Web of Science, Dimensions, EBSCO,
ProQuest, IEEE, Lens and OpenAlex, as letters only.
"""
_PUBMEDS_OWN: Final = {"pmid", "journalbook", "firstauthor"}
"""Columns of PubMed's own tables, which name persons first and then, after a semicolon, groups."""
_PREAMBLE: Final = 10
"""Lines in which a table may begin: some exporters write what was searched above it."""
_RAW_QUOTE = re.compile(r'(?:^|\t)"(?:[^"\t\n]|"")*(?:"[^"\t\r\n]|\t)', re.MULTILINE)
"""A quotation mark that begins a cell and does not enclose it: Web of Science encloses none."""
_CITED = re.compile(
    r";(?P<volume>[^;:()]*)(?:\((?P<issue>[^)]*)\))?(?::(?P<pages>[^;:]+?))?\.(?:\s|$)"
)
"""Volume, issue and pages in a line as PubMed cites."""
_LISTS: Final = ("AU", "CN", "PT", "MH", "OT", "LA")
_BOOKS: Final = ("CHAP", "BOOK", "EBOOK", "ECHAP", "EDBOOK")
_LINKS = {
    "RIN": "RetractionIn",
    "ROF": "RetractionOf",
    "PRIN": "PartialRetractionIn",
    "PROF": "PartialRetractionOf",
    "ECI": "ExpressionOfConcernIn",
    "ECF": "ExpressionOfConcernFor",
    "EIN": "ErratumIn",
    "EFR": "ErratumFor",
    "CRI": "CorrectedandRepublishedIn",
    "CRF": "CorrectedandRepublishedFrom",
    "RPI": "RepublishedIn",
    "RPF": "RepublishedFrom",
    "RRI": "RetractedandRepublishedIn",
    "RRF": "RetractedandRepublishedFrom",
    "UIN": "UpdateIn",
    "UOF": "UpdateOf",
}
"""MEDLINE's tags of links to notices and other versions, as PubMed's XML names them."""
_NUMBERED: Final = {
    ("AN",): r"pubmed|medline|\bnlm\b(?! catalog)|europe pmc",
    ("ID",): "ovid medline|europe pmc",
    ("C2",): "scopus",
    ("C5",): "embase",
}
"""Tags that hold PMIDs, by the name of the database; every other has numbers of its own."""
_NOTED = re.compile(r"\s*(?:<p>)?PMID\s*:?\s*(\d{1,8})\b", re.IGNORECASE)
_NUMBERS = re.compile(
    r"(\d{4})(?:[/-](0?[1-9]|1[0-2])(?:[/-](\d{1,2}))?(?!\d))?(?![/-]\d|\d)", re.ASCII
)
_MEDLINES_OWN = re.compile(
    r"(?:PMID {0,2}- ?[0-9]|DP  - \d{4}|(?:OWN|STAT|BTI|FAU|FED|LID) ?- |(?:JT|TA|CN)  - )"
)
_HEADED = re.compile(r"(?:Abstract|ABSTRACT)\W{0,2}\s(?=[^\W\d_a-zß-ÿ])")
"""The heading above an abstract."""
_NO_WORKS: Final = ("attachment", "note", "annotation")
"""Items that Zotero keeps beside works."""
_SHORT_NAME = re.compile(r"[^,]+\s(?:[A-ZÀ-ÖØ-Þ]\.?[- ]?){1,5}(?:\s(?:Jr|Sr|\dnd|\drd|III|IV))?")
_INITIALS = re.compile(r"(?:[A-ZÀ-ÖØ-Þ][-. ]{0,2}){1,4}")
_LABEL = re.compile(r"(?:^|(?<=[.?!)\]] ))([A-Z][A-Z][A-Z /&,()'-]{2,60}): (?=\S)")
_ENDNOTE_TITLE = re.compile(r"%[TJB] ")
_NOT_READ = {
    "Web of Science's plain text": r"FN (?:Clarivate|Thomson|ISI)|VR 1\.0\s|PT [JBSP]\s+AU ",
    "the Cochrane Library's text": r"Record #\d+ of \d+\s+ID: ",
    "a table with a field a row": r'"?TITLE"?[,;\t][^\n]*\n"?[A-Z ]+"?[,;\t]',
    "PubMed's summary": r"1: \S[^\n]*\n",
}
"""Forms of other programs' exports, by how they begin."""
_CSL = re.compile(r"\ufeff?\s*(?:\[\s*(?:[{\]]|null)|\{\s*[\"}])")
_LISTS_OF_ITEMS: Final = ("message", "items", "references")
"""Under which names answers of services hold their items."""
_ENDNOTE_XML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<xml>\s*<records>")
_BIBTEX = re.compile(r"(?:\ufeff|%[^\n]*\n|\s)*@\w+\s*[{(]")
_GROUPS: Final = frozenset(
    {
        "association", "collaboration", "collaborative", "collaborators", "committee", "consortium",
        "council", "foundation", "group", "initiative", "institute", "investigators", "network",
        "organization", "society", "team",
    }
)  # fmt: skip
"""Last words of names that are no person's; EndNote has a comma after such a name."""
_IN_GROUPS: Final = _GROUPS | {
    "academy", "agency", "alliance", "center", "centers", "centre", "college", "commission",
    "department", "federation", "for", "force", "hospital", "ministry", "of", "office", "on",
    "panel", "program", "programme", "registry", "study", "the", "trialists", "union", "university",
}  # fmt: skip
_OTHERS = re.compile(r"(?:and )?(?:et al|others)\.?", re.IGNORECASE)
_NOTHING = re.compile(
    r"\W*(?:anonymous|anon|n/?a|none|no (?:abstract|author\w*)\b.{0,30}"
    r"|abstract (?:is )?not\b.{0,20})\W*",
    re.IGNORECASE,
)
"""What programs write where there is no author or no abstract."""
_HYPHENS: Final = str.maketrans(dict.fromkeys("‐‑–—", "-"))
_SUFFIX = re.compile(r"(?:Jr|Sr|2nd|3rd|II|III|IV)\.?", re.IGNORECASE)


@dataclass(frozen=True)
class CitationText:
    """The records of a file by its ``form`` (RIS, MEDLINE, ENDNOTE, BIBTEX, CSL, CSV): articles;
    PMIDs of records that have no title, to be looked up elsewhere; what could not be read; how many
    were ``repeated``; the articles' ``numbers`` in the file, from 1.
    """

    form: str
    articles: tuple[Article, ...]
    untitled: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    repeated: int = 0
    numbers: tuple[int, ...] = ()

    @property
    def lost(self) -> tuple[Unreadable, ...]:
        """Return what a source of this file alone has to leave out."""
        known = (Unreadable(f"PMID {pmid}", "it has no title") for pmid in self.untitled)
        return (*self.unreadable, *known)

    def notices(self, name: str) -> tuple[str, ...]:
        """Sentences that count what is left out of what is called ``name``, with line and reason of
        the first three.
        """
        said, count = [], len(self.lost)
        if count:
            shown = "; ".join(f"{one.id}: {one.reason}" for one in self.lost[:3])
            more = f"; {count - 3:,} more" if count > 3 else ""
            records = "record" if count == 1 else "records"
            said.append(
                f"{count:,} {records} of {name} could not be read, or not whole ({shown}{more})."
            )
        if self.repeated:
            records = "record stands" if self.repeated == 1 else "records stand"
            said.append(f"{self.repeated:,} {records} more than once in {name}; the last counts.")
        return tuple(said)


@dataclass(frozen=True)
class Record:
    line: int
    article: Article
    fault: str = ""


def decoded(raw: bytes) -> str:
    """The text of a file: UTF-8, UTF-16 with its mark, or the code page of older reference managers
    on Windows. Raises RecordError, to follow the file's name, where it is no text.
    """
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return raw.decode("utf-16")
        except UnicodeDecodeError:
            raise RecordError("begins as UTF-16 text and is none: it is damaged") from None
    if (place := raw.find(b"\0")) >= 0:
        line = raw.count(b"\n", 0, place) + 1
        raise RecordError(f"is not text: line {line:,} has a NUL byte")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def is_citation_text(path: Path) -> bool:
    """Return whether `read_citation_file` reads a file, EndNote's XML by how it begins."""
    with suppress(OSError), path.open("rb") as file:
        head = file.read(500).decode("utf-8-sig", "replace")
        return path.name.lower().endswith(ENDINGS) or _ENDNOTE_XML.match(head) is not None
    return path.name.lower().endswith(ENDINGS)


def read_citation_file(path: Path) -> CitationText:
    """The records of a file. Raises RecordError, which names the file, also where none of its
    records has a title.
    """
    try:
        with file_errors("cannot be read", RecordError):
            raw = path.read_bytes()
        found = read_citations(decoded(raw))
        if not found.articles:
            first = found.lost[0]
            raise RecordError(f"has no record that can be read ({first.id}: {first.reason})")
    except RecordError as error:
        raise RecordError(f"{path.name} {error}") from None
    return found


def read_citations(text: str, most: int | None = None) -> CitationText:
    """The records of a text, whose form is told by its content. Raises RecordError, to follow the
    file's name, where there is none, and where there are more than ``most``.
    """
    text = dedent(text.removeprefix("\ufeff"))
    lines = text.splitlines()
    if known := _named_form(text):
        raise RecordError(f"is {known}, which is not read: export it as RIS")
    head = _columns(lines[0] if lines else "")[0]
    found: Iterator[Record]
    if _ENDNOTE_XML.match(text):
        form, found = "ENDNOTE", map(_of_ris, read_endnote_xml(text))
    elif _CSL.match(text):
        form, found = "CSL", map(_of_csl, _items(text))
    elif _BIBTEX.match(text):
        form, found = "BIBTEX", map(_of_bibtex, read_bibtex(text))
    elif sum(place is not None for place in head.values()) > 1:  # cells may look like tags
        form, found = "CSV", table_records(text)
    else:
        form, found = tagged_records(lines) or ("CSV", table_records(text))
    articles: dict[str, Article] = {}
    numbers: dict[str, int] = {}
    untitled: list[str] = []
    titled = 0
    unreadable: list[Unreadable] = []
    for count, one in enumerate(islice(found, None if most is None else most + 1), 1):
        if most is not None and count > most:
            raise RecordError(f"has more than {most:,} records: divide it into several files")
        article, line = one.article, f"line {one.line:,}"
        if one.fault or len(article.title) > MAX_TITLE:
            unreadable.append(Unreadable(line, one.fault or "its title is too long to be one"))
        elif not article.title and article.pmid:
            untitled.append(article.pmid)
        elif not article.title:
            unreadable.append(Unreadable(line, "it has no title"))
        else:
            id = (
                f"pmid:{article.pmid}"
                if article.pmid
                else f"doi:{article.doi}"
                if article.doi
                else f"ref:{count}"
            )
            articles[id], numbers[id] = replace(article, id=id), count
            if len(article.abstract) > MAX_ABSTRACT:
                cut = (Section(article.abstract[:MAX_ABSTRACT]),)
                articles[id] = replace(articles[id], sections=cut)
                told = f"its abstract is cut after {MAX_ABSTRACT:,} characters"
                unreadable.append(Unreadable(line, told))
            titled += 1
    if not (articles or untitled or unreadable):
        raise RecordError(
            "has no record: RIS, MEDLINE text (.nbib), EndNote (.enw), BibTeX, CSL JSON and CSV "
            "can be read"
        )
    return CitationText(
        form,
        tuple(articles.values()),
        tuple(untitled),
        tuple(unreadable),
        titled - len(articles),
        tuple(numbers.values()),
    )


def tagged_records(lines: Sequence[str]) -> tuple[str, Iterator[Record]] | None:
    """The form of RIS or MEDLINE text and its records; None for any other text."""
    if any(re.match(r"TY\s{0,4}-(?:\s|$)", line) for line in lines):
        return "RIS", map(_of_ris, read_ris(lines))
    if any(re.match(r"VN {0,2}- ?Ovid", line) for line in lines):
        return "MEDLINE", map(_of_ovid, read_ovid(lines))
    if any(map(_MEDLINES_OWN.match, lines)):
        return "MEDLINE", map(_of_medline, read_medline(lines))
    if any(line.startswith("%0 ") for line in lines) and any(map(_ENDNOTE_TITLE.match, lines)):
        return "ENDNOTE", map(_of_ris, map(of_endnote, read_endnote(lines)))
    return None


def _named_form(text: str) -> str:
    """The name of a form that is known and not read; "" for any other text."""
    head = text[:20_000].lstrip()
    return next((name for name, mark in _NOT_READ.items() if re.match(mark, head)), "")


def ris_pmid(record: Fields) -> str | None:
    """The PMID of an RIS record: its own, of an address or a note that begins with it, or a number
    of a database that has them (`_NUMBERED`) where the record names it.
    """
    pmid = read_pmid(record.first("PM")) or named_pmid(
        " ".join(record.all("UR", "L1", "L2", "LK", "AN", "ID", "U2", "C3"))
    )
    noted = (_NOTED.match(text) for text in record.all("N1", "M1", "M2", "M3", "KW"))
    pmid = pmid or next((found[1] for found in noted if found), None)
    held = " ".join(record.all("DB", "DP"))
    for tags, database in _NUMBERED.items():
        if pmid is None and re.search(database, held, re.IGNORECASE):
            pmid = next(filter(None, map(read_pmid, record.all(*tags))), None)
    return pmid


def ris_doi(record: Fields) -> str:
    """The DOI of an RIS record, of its own tag or another one; "" where there is none."""
    return find_doi(record.first("DO")) or find_doi(
        " ".join(record.all("DI", "M3", "UR", "L3", "N1", "LK"))
    )


def medline_doi(record: Fields) -> str:
    """The DOI of a MEDLINE record; "" where there is none."""
    dois = [value for value in record.all("LID", "AID") if "[doi]" in value.lower()]
    return find_doi(dois[0]) if dois else ""


def medline_links(record: Fields) -> tuple[Correction, ...]:
    """The links of a MEDLINE record to notices and other versions."""
    return tuple(
        Correction(kind, plain(text), named_pmid(text))
        for tag, kind in _LINKS.items()
        for text in record.all(tag)
    )


def _of_ris(record: Fields) -> Record:
    first, last = plain(record.first("SP", "C7")), plain(record.first("EP"))
    days, years = record.all("DA"), record.all("PY", "Y1")
    days = [day for day in days if not years or years[0][:4] in day]  # else of another year
    types = [value for value in record.all("M3") if not find_doi(value)]
    kind = record.first("TY").strip().upper()
    return _record(
        record.line,
        title=record.first("TI", "T1", "CT", "BT"),
        abstract=record.first("AB", "N2"),
        authors=record.all("AU", "A1"),
        journal="" if kind in _BOOKS else record.first("JF", "T2", "JO"),
        abbreviation=record.first("JA", "J2"),
        volume=record.first("VL"),
        issue=record.first("IS"),
        pages=f"{first}-{last}" if first and last not in ("", first) and "-" not in first
        else first or last,
        dates=[*days, *years],
        pmid=ris_pmid(record),
        doi=ris_doi(record),
        pmcid=record.first("C2"),
        languages=record.all("LA"),
        types=[*types, OF_KIND.get(kind, "")],
        keywords=[one for text in record.all("KW") for one in _parted(text.lstrip("*"), ";\n")],
        book=_book(
            record.first("T2", "BT") if kind == "CHAP" else "",
            record.all("A2", "ED"), record.first("ET"), record.first("PB"),
            record.first("CY", "PP"), record.first("SN"),
        ) if kind in _BOOKS else None,
    )  # fmt: skip


def _of_medline(record: Fields) -> Record:
    title, book = record.first("TI"), record.first("BTI")
    return _record(
        record.line,
        title=title or book or record.first("TT"),
        abstract=record.first("AB"),
        authors=record.all("FAU") or record.all("AU"),
        groups=record.all("CN"),
        journal=record.first("JT"),
        abbreviation=record.first("TA"),
        volume=record.first("VI"),
        issue=record.first("IP"),
        pages=record.first("PG") or next(filter(None, map(_page, record.all("LID"))), ""),
        dates=record.all("DP"),
        electronic=record.first("DEP"),
        entered=record.first("CRDT").partition(" ")[0].replace("/", ""),
        pmid=read_pmid(record.first("PMID")),
        doi=medline_doi(record),
        pmcid=record.first("PMC"),
        languages=record.all("LA"),
        types=record.all("PT"),
        mesh=[value.replace("*", "").partition("/")[0] for value in record.all("MH")],
        keywords=record.all("OT"),
        databanks=record.all("SI"),
        status=record.first("STAT"),
        corrections=medline_links(record),
        book=_book(
            book if title not in ("", book) else "", record.all("FED") or record.all("ED"),
            record.first("EN"), record.first("PB"), record.first("PL"), record.first("ISBN"),
        ) if book else None,
    )  # fmt: skip


def _page(place: str) -> str:
    """The article number of a MEDLINE record's "e123 [pii]"."""
    return electronic_page(place.removesuffix("[pii]").strip()) if "[pii]" in place else ""


def _of_ovid(record: Fields) -> Record:
    """A record as Ovid exports it: some of MEDLINE's tags under other names."""
    same = {"PMID": "UI", "FAU": "FA", "VI": "VO", "JT": "NJ", "DP": "YR", "LA": "LG", "OT": "KW"}
    values = record.values | {to: record.all(own) for to, own in same.items()}
    values["PMID"] = record.all("UI") if re.search("medline", record.first("DB"), re.I) else []
    values["DP"] = record.all("DP") or record.all("YR")
    values["LID"] = [f"{one} [doi]" for one in record.all("DO")]
    return _of_medline(Fields(record.line, values))


def _book(
    title: str,
    editors: Iterable[str | Author],
    edition: str,
    publisher: str,
    place: str,
    isbn: str,
) -> Book:
    people = tuple(_people(one if isinstance(one, Author) else plain(one) for one in editors))
    return Book(
        plain(title) or None, people, plain(edition) or None, plain(publisher) or None,
        plain(place) or None, plain(isbn) or None,
    )  # fmt: skip


class NoColumns(RecordError):
    """No known column is named in a table's first line."""


def _of_bibtex(entry: Fields) -> Record:
    if DAMAGED in entry.values:
        return Record(
            entry.line, Article("", ""), "this entry is no BibTeX, a brace may be missing"
        )
    book = entry.first("") in ("book", "inbook", "incollection", "inproceedings")
    noted = " ".join(entry.all("note", "annote", "url", "howpublished", "eprint", "extra"))
    day = entry.first("date").partition("/")[0] or " ".join(
        filter(None, (entry.first("year"), month_name(entry.first("month")).title()[:3]))
    )
    names = entry.all("author")
    eprint = "eprint" if entry.first("eprinttype").lower() == "pubmed" else ""
    record = _record(
        entry.line,
        title=entry.first("title"),
        abstract=entry.first("abstract"),
        authors=[
            Author(one.removeprefix(GROUP), collective=True) if one.startswith(GROUP) else one
            for one in names
            if one != OTHERS
        ],
        journal="" if book else entry.first("journal", "journaltitle"),
        volume=entry.first("volume"),
        issue=entry.first("number", "issue"),
        pages=entry.first("pages", "eid", "article-number", "articleno").replace("--", "-"),
        dates=[day, entry.first("year")],
        pmid=read_pmid(entry.first("pmid", "pubmed", "pubmedid", eprint)) or named_pmid(noted),
        doi=find_doi(entry.first("doi")) or find_doi(noted),
        pmcid=entry.first("pmcid", "pmc"),
        languages=entry.all("language"),
        types=[OF_KIND.get(entry.first(""), "")],
        keywords=_parted(entry.first("keywords"), ",;"),
        book=_book(
            entry.first("booktitle"), entry.all("editor"), entry.first("edition"),
            entry.first("publisher"), entry.first("address", "location"), entry.first("isbn"),
        ) if book else None,
    )  # fmt: skip
    some = replace(record.article, authors_complete=False)
    return replace(record, article=some) if OTHERS in names else record


def _items(text: str) -> Iterator[dict[str, Any]]:
    """The items of a CSL JSON file: a list of them, one a line, an object that holds them, or one
    item. Raises RecordError.
    """
    try:
        lines = [line for line in text.splitlines() if line.strip()]
        several = len(lines) > 1 and all(line.lstrip().startswith('{"') for line in lines)
        held = [json.loads(line) for line in lines] if several else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"is cut off or damaged: it is no JSON ({error})") from None
    for name in _LISTS_OF_ITEMS:
        held = (held.get(name) or held) if isinstance(held, dict) else held
    held = held if isinstance(held, list) else [held]
    items = [one for one in held if isinstance(one, dict) and ({"type", "title"} & one.keys())]
    if not items:
        raise RecordError("has no record: its JSON is no list of CSL items")
    for place, one in enumerate(items, 1):
        yield {**one, "": place}


def _of_csl(item: dict[str, Any]) -> Record:
    try:
        return _of_item(item)
    except (TypeError, ValueError, LookupError, ArithmeticError):
        return Record(item[""], Article("", ""), "this item is no CSL: a field has another form")


def _of_item(item: dict[str, Any]) -> Record:
    def text(*names: str) -> str:
        held = next((item[name] for name in names if item.get(name)), "")
        return "; ".join(map(str, held)) if isinstance(held, list) else str(held)

    def people(role: str) -> Iterator[str | Author]:
        every = item.get(role) or ()
        for one in [every] if isinstance(every, dict) else every:
            if not isinstance(one, dict):
                continue
            last = " ".join(filter(None, (one.get("non-dropping-particle"), one.get("family"))))
            fore = " ".join(filter(None, (one.get("given"), one.get("dropping-particle"))))
            if last:
                yield ", ".join(filter(None, (last, fore, one.get("suffix"))))
            elif named := one.get("literal") or one.get("name"):
                yield Author(plain(str(named)), collective=True)

    issued = item.get("issued") or item.get("published") or item.get("published-print") or {}
    issued = issued[0] if isinstance(issued, list) else issued
    issued = issued if isinstance(issued, dict) else {"raw": issued}
    day = "-".join(f"{int(part):02}" for part in (issued.get("date-parts") or [[]])[0] if part)
    kind, noted = text("type"), text("note", "URL")
    book = kind in ("book", "chapter", "paper-conference")
    return _record(
        item[""],
        title=text("title"),
        abstract=text("abstract"),
        authors=people("author"),
        journal="" if book else text("container-title"),
        abbreviation=text("container-title-short", "journalAbbreviation"),
        volume=text("volume"),
        issue=text("issue"),
        pages=text("page", "number", "article-number"),
        dates=[day, str(issued.get("raw") or issued.get("literal") or issued.get("year") or "")],
        pmid=read_pmid(text("PMID")) or named_pmid(noted),
        doi=find_doi(text("DOI")) or find_doi(noted),
        pmcid=text("PMCID"),
        languages=[text("language")],
        types=[OF_KIND.get(kind, "")],
        keywords=_parted(text("keyword"), ",;"),
        book=_book(
            text("container-title"), people("editor"), text("edition"), text("publisher"),
            text("publisher-place"), text("ISBN"),
        ) if book else None,
    )  # fmt: skip


def table_records(text: str, strict: bool = True) -> Iterator[Record]:
    """The rows of a table whose first line names its columns. Raises RecordError, also where it is
    not CSV to the letter and that is asked for (``strict``); NoColumns.
    """
    csv.field_size_limit(10_000_000)
    text = text.removeprefix("\ufeff").lstrip("\r\n")
    line, head_line = 1, text.partition("\n")[0]
    columns, names = _columns(head_line)
    for number, other in enumerate(text.split("\n", _PREAMBLE)[:_PREAMBLE], 1):
        if _names_articles(columns):
            break
        if _names_articles(found := _columns(other)[0]):
            columns, names = found, _columns(other)[1]
            line, head_line, text = number, other, text.split("\n", number - 1)[-1]
    if not _names_articles(columns):
        raise NoColumns(
            "has no record: it is neither RIS nor MEDLINE text (.nbib), and line 1 names no "
            "column “title” or “pmid” as CSV would"
        )
    above = line - 1
    mark = column_mark(head_line)
    raw = mark == "\t" and _RAW_QUOTE.search(text) is not None
    rows = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=mark,
        strict=strict,
        quoting=csv.QUOTE_NONE if raw else csv.QUOTE_MINIMAL,
    )
    try:
        next(rows)
        line = above + rows.line_num + 1
        for row in rows:
            if any(cell.strip() for cell in row):
                yield _of_row(line, row, columns, len(names), set(names) >= _PUBMEDS_OWN)
            line = above + rows.line_num + 1
    except csv.Error as error:
        raise RecordError(
            f"is cut off or damaged: line {line:,} cannot be read as CSV ({error})"
        ) from None


def column_mark(head: str) -> str:
    """What parts the columns of a table, by its first line."""
    return max(",;\t", key=head.count)


def _columns(line: str) -> tuple[dict[str, int | None], list[str]]:
    """The place of each known column that a line names, and all names as letters only."""
    with suppress(csv.Error):
        names = [
            re.sub(r"[^a-z]", "", name.lower())
            for name in next(csv.reader([line], delimiter=column_mark(line)), [])
        ]
        return {
            tag: next((names.index(name) for name in known if name in names), None)
            for tag, known in _COLUMNS.items()
        }, names
    return {}, []


def unread_columns(rows: Iterable[Iterable[str]]) -> list[str]:
    """The names of columns that no reader of a table knows, each once."""
    known = {name for names in _COLUMNS.values() for name in names}
    every = dict.fromkeys(name for row in rows for name in row)
    return [name for name in every if re.sub(r"[^a-z]", "", name.lower()) not in known]


def _names_articles(columns: Mapping[str, int | None]) -> bool:
    return any(columns.get(tag) is not None for tag in ("TI", "PMID", "DOI"))


def _of_row(
    line: int, row: Sequence[str], columns: Mapping[str, int | None], width: int, pubmed: bool
) -> Record:
    cells = {
        # An apostrophe keeps a spreadsheet from reading a text as a formula.
        tag: re.sub(r"^'(?=[=+\-@])", "", row[place].strip())
        for tag, place in columns.items()
        if place is not None and place < len(row)
    }
    lists = {tag: _parted(cells.get(tag, ""), ";|\n") for tag in _LISTS}
    people, *groups = lists["AU"]
    several = re.split(r"\s*,\s*|\s+and\s+", people.rstrip("."))
    apart = [one for one in several if not pubmed or " " in one]  # others have one name alone
    if " and " in people:
        lists["AU"] = re.split(r"\s+and\s+", people) + groups
    elif all(map(_SHORT_NAME.fullmatch, apart)) and apart and (len(several) > 1 or pubmed):
        # "Smith J, Doe A; A Group.", as PubMed's
        lists["AU"] = several if pubmed else several + groups
    elif pubmed:
        groups = [people, *groups] if people else []
        lists["AU"] = []
    cited = _CITED.search(cells.get("SO", ""))
    told = cited.groupdict("") if cited else {}
    first, last = cells.get("SP", ""), cells.get("EP", "")
    day, year = cells.get("DP", ""), cells.get("YR", "")
    journal, _, behind = cells.get("JT", "").partition(" (")
    if not (behind[:4].isdecimal() and behind[4:6] == ") "):  # Embase: "(2019) 3:2 (101-109)"
        journal = cells.get("JT", "")
    kind = cells.get("TY", "").lower()
    fault = f"it has {len(row):,} cells where line 1 names {width:,}" if any(row[width:]) else ""
    fault = f"it is no work: “{kind}”" if kind in _NO_WORKS else fault
    book = kind in ("booksection", "book")
    noted = _NOTED.match(cells.get("N1", ""))
    record = _record(
        line,
        title=cells.get("TI", ""),
        abstract=cells.get("AB", ""),
        authors=lists["AU"],
        groups=[one.rstrip(".") for one in (*(groups if pubmed else ()), *lists["CN"])],
        journal="" if book else journal,
        volume=cells.get("VI") or told.get("volume", ""),
        issue=cells.get("IP") or told.get("issue", ""),
        pages=cells.get("PG")
        or "-".join(filter(None, (first, last)))
        or told.get("pages")
        or cells.get("C7", ""),
        dates=[day if re.search(r"\d{4}", day) else f"{year} {day}", year],
        pmid=read_pmid(cells.get("PMID"))
        or named_pmid(cells.get("PMID", ""))
        or (noted[1] if noted else None),
        doi=find_doi(cells.get("DOI")),
        pmcid=cells.get("PMC", ""),
        languages=lists["LA"],
        types=[*lists["PT"], OF_KIND.get(kind, "")],
        mesh=lists["MH"],
        keywords=lists["OT"],
        book=_book(
            cells.get("JT", ""), re.split(r"\s*;\s*", cells.get("ED", "")), "",
            cells.get("PB", ""), "", "",
        ) if book else None,
    )  # fmt: skip
    return replace(record, fault=fault)


def _record(
    at: int,
    *,
    title: str,
    abstract: str,
    authors: Iterable[str | Author],
    journal: str,
    volume: str,
    issue: str,
    pages: str,
    dates: Sequence[str],
    pmid: str | None,
    doi: str,
    pmcid: str,
    languages: Iterable[str],
    types: Iterable[str],
    keywords: Iterable[str],
    abbreviation: str = "",
    groups: Iterable[str] = (),
    electronic: str = "",
    entered: str = "",
    mesh: Iterable[str] = (),
    databanks: Iterable[str] = (),
    status: str = "",
    corrections: tuple[Correction, ...] = (),
    book: Book | None = None,
) -> Record:
    text = plain(unmarked(abstract))
    text = "" if _NOTHING.fullmatch(text) else _HEADED.sub("", text)
    number = re.search(r"PMC\d{1,9}", pmcid)
    named = [
        name
        for written in authors
        for name in ([written] if isinstance(written, Author) else _names(plain(written)))
    ]
    people = [*_people(named)]
    people += [Author(plain(name), collective=True) for name in groups if plain(name)]
    article = Article(
        "",
        plain(unmarked(title)),
        pmid,
        sections=_sections(text),
        authors=tuple(people),
        authors_complete="" not in named,
        journal=plain(journal) or None,
        journal_abbreviation=plain(abbreviation) or None,
        volume=plain(volume) or None,
        issue=plain(issue) or None,
        pages=plain(pages.translate(_HYPHENS)) or None,
        published=next(filter(None, map(_interval, dates)), None),
        electronic=_day(electronic),
        entered=_day(entered),
        doi=doi or None,
        pmcid=number[0] if number else None,
        languages=_each(map(code_of, languages)),
        publication_types=_each(types),
        mesh=_each(mesh),
        keywords=_each(keywords),
        databank_numbers=_each(databanks),
        corrections=corrections,
        status=plain(status) or None,
        book=book,
    )
    return Record(at, article)


def _people(named: Iterable[str | Author]) -> Iterator[Author]:
    read = (one if isinstance(one, Author) else _person(one) for one in named)
    return filter(None, read)


def _sections(abstract: str) -> tuple[Section, ...]:
    """The sections of an abstract on one line, as far as it begins with a label in capitals."""
    first, *parts = _LABEL.split(abstract)
    if first or not parts:
        return (Section(abstract),) if abstract else ()
    return tuple(
        Section(text.strip(), label)
        for label, text in zip(parts[::2], parts[1::2], strict=True)
        if text.strip()
    )


def _parted(text: str, at: str = ";") -> list[str]:
    return re.split(rf"\s*[{at}]\s*", text)


def _each(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for one in texts if (text := plain(one))))


def _names(written: str) -> list[str]:
    """The names in an author's field, which some programs fill with all of them; "" for those that
    "et al." leaves out, none for nobody's.
    """
    written = re.sub(r"\s*\([^()]*\)$", "", written)
    names = [each for each in re.split(r"\s*;\s*", written) if each]
    if "," in written.partition(" and ")[0]:
        names = [each for name in names for each in re.split(r",?\s+and\s+", name)]
    parts = re.split(r"\s*,\s*(?:&\s*|and\s+)?|\s+&\s+", written.strip(" ,"))
    if len(parts) > 3 and len(parts) % 2 == 0 and _are_initials(parts[1::2]):
        names = [", ".join(pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return [
        "" if _OTHERS.fullmatch(name) else name for name in names if not _NOTHING.fullmatch(name)
    ]


def _person(name: str) -> Author | None:
    """A person of "Smith, John A, Jr", "van Smith JA Jr", "J. A. Smith" or "Jane Smith"."""
    last, *rest = (part.strip() for part in name.split(","))
    said, known = last.lower().split(), _GROUPS if any(rest) else _IN_GROUPS
    if " " in last and ((rest and not any(rest)) or not known.isdisjoint(said)):
        return Author(", ".join(filter(None, (last, *rest))), collective=True)
    suffix = rest.pop() if len(rest) > 1 and _SUFFIX.fullmatch(rest[-1]) else None
    fore = " ".join(rest)
    words = last.split()
    ending = not rest and len(words) > 2 and _SUFFIX.fullmatch(words[-1])
    if ending and (_INITIALS.fullmatch(words[-2]) or not words[-1].isupper()):
        suffix = words.pop()  # but "van Roe JR" has initials
    if not rest and len(words) > 1:
        ends = next((n for n in range(1, len(words)) if _are_initials(words[n:])), None)
        if ends is None and words[0].islower():  # "van der Merwe Jane"
            ends = next((n for n, word in enumerate(words, 1) if not word.islower()), None)
        begins = next((n for n, word in enumerate(words) if n and word.islower()), -1)
        last, fore = (
            " ".join(words[:ends] if ends else words[begins:]),
            " ".join(words[ends:] if ends else words[:begins]),
        )
    elif fore and len(words) > 1 and _SUFFIX.fullmatch(words[-1]):
        last, suffix = " ".join(words[:-1]), words[-1]
    elif " " in fore and not suffix and _SUFFIX.fullmatch(fore.split()[-1]):  # MEDLINE's FAU
        fore, _, suffix = fore.rpartition(" ")
    if not last:
        return Author(fore) if fore else None
    initials = "".join(re.findall(r"[^\W\d_]", fore))
    if not _INITIALS.fullmatch(fore):
        initials = "".join(re.findall(r"(?<![^\s.\-])[^\W\d_]", fore))
        return Author(last, fore or None, initials or None, suffix)
    return Author(last, None, initials, suffix)


def _are_initials(words: Sequence[str]) -> bool:
    return all(map(_INITIALS.fullmatch, words))


def _interval(text: str) -> DateInterval | None:
    """The days of "2019/05/12/", "2019-05", "2019" or a date as PubMed prints it."""
    text = re.sub(r"^(\d{4})(\d\d)(\d\d)$|/(?=[^\W\d])|(?<=[^\W\d])/", _apart, plain(text))
    if found := _NUMBERS.match(text):
        year, month, day = found.groups()
        if month or len(text.strip("/")) == 4:
            parts = year, month and month_name(month), day and day.lstrip("0")
            text = " ".join(filter(None, parts))
    held = read_interval(text)
    if held is None or re.match(r"\d{4}(?:[\s-](?!\d\d[-/])|$)", text):
        return held
    return replace(held, text=_printed(held.start, held.end) or text)


def _printed(start: date, end: date) -> str:
    """An interval of one day, of whole months or of years, as PubMed prints it; "" of another."""
    if start == end:
        return f"{start.year} {month_name(str(start.month))} {start.day}"
    if start.day > 1 or (end + timedelta(1)).day > 1:
        return ""
    if (start.month, end.month) == (1, 12):
        return "-".join(dict.fromkeys((str(start.year), str(end.year))))
    first, last = (f"{day.year} {month_name(str(day.month))}" for day in (start, end))
    last = last.removeprefix(f"{start.year} ") if first != last else ""
    return "-".join(filter(None, (first, last)))


def _apart(found: re.Match[str]) -> str:
    return "/".join(found.groups()) if found[1] else " "


def _day(text: str) -> date | None:
    with suppress(ValueError):
        return date.fromisoformat(text) if text else None
    return None
