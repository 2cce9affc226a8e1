"""Tables of references, whose header names the columns."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from clinfo.errors import RecordError
from clinfo.references.parts import OF_KIND
from clinfo.references.readers.tagged import Fields
from clinfo.references.record import NOTED, SHORT_NAME, Reader, Record, book_of, parted, record
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
    """The rows of a table of which one of the first lines names the columns. Raises RecordError,
    also where it is not CSV to the letter and that is asked for (``strict``); NoColumns.
    """
    csv.field_size_limit(10_000_000)
    text = text.removeprefix("\ufeff").lstrip("\r\n")
    heads = map(_names, text.split("\n", _PREAMBLE)[:_PREAMBLE])
    places = map(_places, heads)
    above, columns = next(
        ((at, one) for at, one in enumerate(places) if {"TI", "PMID", "DOI"} & one.keys()), (0, {})
    )
    if not columns:
        raise NoColumns(
            "has no record: it is neither RIS nor MEDLINE text (.nbib), and line 1 names no "
            "column “title” or “pmid” as CSV would"
        )
    text = text.split("\n", above)[-1]
    mark, names = column_mark(text), _names(text)
    raw = mark == "\t" and _RAW_QUOTE.search(text) is not None
    rows = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=mark,
        strict=strict,
        quoting=csv.QUOTE_NONE if raw else csv.QUOTE_MINIMAL,
    )
    line = above + 1
    try:
        for place, row in enumerate(rows):
            if place and any(map(str.strip, row)):
                found = _of_cells(line, _cells(columns, row), set(names) >= _PUBMEDS_OWN)
                wide = f"it has {len(row):,} cells where line 1 names {len(names):,}"
                yield (
                    found if found.fault or not any(row[len(names) :]) else Record(line, fault=wide)
                )
            line = above + rows.line_num + 1
    except csv.Error as error:
        raise RecordError(
            f"is cut off or damaged: line {line:,} cannot be read as CSV ({error})"
        ) from None


def of_mapping(line: int, given: Mapping[str, str]) -> Record:
    """What a program gave under the names that columns have."""
    return _of_cells(line, _cells(_places(map(_letters, given)), [*given.values()]), False)


def column_mark(text: str) -> str:
    """What parts the columns of a table, by its first line."""
    return max(",;\t", key=text.partition("\n")[0].count)


def unread_columns(names: Iterable[str]) -> list[str]:
    """The names of columns that no reader of a table knows, each once."""
    return [name for name in dict.fromkeys(names) if not _places([_letters(name)])]


def _letters(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


def _names(text: str) -> list[str]:
    """The names in the first line of a text, as letters only."""
    with suppress(csv.Error):
        line = text.partition("\n")[0]
        return [*map(_letters, next(csv.reader([line], delimiter=column_mark(line)), []))]
    return []


def _places(names: Iterable[str]) -> dict[str, int]:
    """The places of the columns that are known, by tag."""
    there = [*names]
    return {
        tag: there.index(name)
        for tag, known in _COLUMNS.items()
        for name in reversed(known)
        if name in there
    }


_EMPTY = re.compile(r"\W*(?:n/?an?|nat|null|none)?\W*|\s*\\N\s*", re.IGNORECASE)
"""What programs write for a cell without anything."""


def _cells(places: Mapping[str, int], row: Sequence[str]) -> Fields:
    # An apostrophe keeps a spreadsheet from reading a text as a formula.
    there = ((tag, row[place]) for tag, place in places.items() if place < len(row))
    held = {tag: cell.strip() for tag, cell in there if not _EMPTY.fullmatch(cell)}
    return Fields(0, {tag: [re.sub(r"^'(?=[=+\-@])", "", one)] for tag, one in held.items()})


def _of_cells(line: int, one: Fields, pubmed: bool) -> Record:
    lists = {tag: parted(one.first(tag), ";|\n") for tag in _LISTS}
    people, *groups = lists["AU"]
    if pubmed:  # "Smith J, Doe A; A Group."; others have one name alone
        lists["AU"] = people.rstrip(".").split(", ")
        apart = [one for one in lists["AU"] if " " in one]
        if not apart or not all(map(SHORT_NAME.fullmatch, apart)):
            lists["AU"], groups = [], [people, *groups] if people else []
    elif " and " in people:
        lists["AU"] = re.split(r"\s+and\s+", people) + groups
    cited = _CITED.search(one.first("SO"))
    told = cited.groupdict("") if cited else {}
    day, year, journal = one.first("DP"), one.first("YR"), one.first("JT")
    name, _, behind = journal.partition(" (")
    if behind[:4].isdecimal() and behind[4:6] == ") ":  # Embase: "(2019) 3:2 (101-109)"
        journal = name
    kind, noted = one.first("TY").lower(), NOTED.match(one.first("N1"))
    if kind in _NO_WORKS:
        return Record(line, fault=f"it is no work: “{kind}”")
    book = kind in ("booksection", "book")
    return record(
        line,
        title=one.first("TI"),
        abstract=one.first("AB"),
        authors=lists["AU"],
        groups=[name.rstrip(".") for name in (*(groups if pubmed else ()), *lists["CN"])],
        journal="" if book else journal,
        volume=one.first("VI") or told.get("volume", ""),
        issue=one.first("IP") or told.get("issue", ""),
        pages=one.first("PG")
        or "-".join(filter(None, one.all("SP", "EP")))
        or told.get("pages")
        or one.first("C7"),
        dates=[day if re.search(r"\d{4}", day) else f"{year} {day}", year],
        pmid=read_pmid(one.first("PMID"))
        or named_pmid(one.first("PMID"))
        or (noted[1] if noted else None),
        doi=find_doi(one.first("DOI")),
        pmcid=one.first("PMC"),
        languages=lists["LA"],
        types=[*lists["PT"], OF_KIND.get(kind, "")],
        mesh=lists["MH"],
        keywords=lists["OT"],
        book=book_of(
            journal, parted(one.first("ED")), "", one.first("PB"), "", ""
        ) if book else None,
    )  # fmt: skip


READER = Reader(
    "CSV",
    lambda text: len(_places(_names(text))) > 1,  # cells may look like tags
    table_records,
)
