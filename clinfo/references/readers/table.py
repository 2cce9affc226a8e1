"""Tables of references, whose header names the columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from clinfo.errors import RecordError
from clinfo.references.parts import OF_KIND
from clinfo.references.people import SHORT_NAME
from clinfo.references.record import NOTED, Record, book_of, parted, record
from clinfo.text.identifiers import find_doi, named_pmid, read_pmid

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
_NO_WORKS: Final = ("attachment", "note", "annotation")
"""Items that Zotero keeps beside works."""


class NoColumns(RecordError):
    """No known column is named in a table's first line."""


def table_records(text: str, strict: bool = True) -> Iterator[Record]:
    """The rows of a table whose first line names its columns. Raises RecordError, also where it is
    not CSV to the letter and that is asked for (``strict``); NoColumns.
    """
    csv.field_size_limit(10_000_000)
    text = text.removeprefix("\ufeff").lstrip("\r\n")
    line, head_line = 1, text.partition("\n")[0]
    columns, names = columns_of(head_line)
    for number, other in enumerate(text.split("\n", _PREAMBLE)[:_PREAMBLE], 1):
        if _names_articles(columns):
            break
        if _names_articles(found := columns_of(other)[0]):
            columns, names = found, columns_of(other)[1]
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


def columns_of(line: str) -> tuple[dict[str, int | None], list[str]]:
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


_EMPTY = re.compile(r"\W*(?:n/?an?|nat|null|none)?\W*|\s*\\N\s*", re.IGNORECASE)
"""What programs write for a cell without anything."""


def _names_articles(columns: Mapping[str, int | None]) -> bool:
    return any(columns.get(tag) is not None for tag in ("TI", "PMID", "DOI"))


def _of_row(
    line: int, row: Sequence[str], columns: Mapping[str, int | None], width: int, pubmed: bool
) -> Record:
    cells = {
        # An apostrophe keeps a spreadsheet from reading a text as a formula.
        tag: re.sub(r"^'(?=[=+\-@])", "", row[place].strip())
        for tag, place in columns.items()
        if place is not None and place < len(row) and not _EMPTY.fullmatch(row[place])
    }
    lists = {tag: parted(cells.get(tag, ""), ";|\n") for tag in _LISTS}
    people, *groups = lists["AU"]
    several = re.split(r"\s*,\s*|\s+and\s+", people.rstrip("."))
    apart = [one for one in several if not pubmed or " " in one]  # others have one name alone
    if " and " in people:
        lists["AU"] = re.split(r"\s+and\s+", people) + groups
    elif all(map(SHORT_NAME.fullmatch, apart)) and apart and (len(several) > 1 or pubmed):
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
    noted = NOTED.match(cells.get("N1", ""))
    found = record(
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
        book=book_of(
            cells.get("JT", ""), re.split(r"\s*;\s*", cells.get("ED", "")), "",
            cells.get("PB", ""), "", "",
        ) if book else None,
    )  # fmt: skip
    return replace(found, fault=fault)
