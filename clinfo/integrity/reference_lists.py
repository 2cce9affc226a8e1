"""Reference lists of others, read so that no reference is lost: citation files of any form, or one
reference a line.

What is wanted of a reference is what identifies it: a PMID, else a DOI, and its title to tell it
by.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from clinfo.errors import RecordError
from clinfo.records.articles import Article
from clinfo.references.parts import plain
from clinfo.references.readers.bibtex import bibtex_records
from clinfo.references.readers.table import NoColumns, table_records
from clinfo.references.reading import MARKED, TAGGED, reader_of
from clinfo.references.record import Record
from clinfo.text.identifiers import find_doi, named_pmid, read_pmid

_READ = (
    "RIS, BibTeX, MEDLINE text, EndNote's forms, CSL JSON, CSV, or one PMID, DOI or reference per "
    "line can be read"
)
_SHOWN = 200
MOST_REFERENCES = 50_000
"""Of one list; the longest of systematic reviews have some ten thousand."""
_ENTRY = re.compile(r"@[A-Za-z]{1,30}\s{0,8}[{(]")
_NUMBER = re.compile(r"\s*(?:\[[0-9]{1,4}\]|\(?[0-9]{1,4}[.)])\s+(?=\S)")


@dataclass(frozen=True)
class Listed:
    """One reference of a list: its number and line in the file, both from 1, and what the file says
    of the article.

    ``article.id`` is ``ref:`` and the number. MEDLINE text also says of what type the article is
    and to which notices it links.
    """

    place: int
    line: int
    article: Article

    @property
    def identified(self) -> bool:
        """Return whether it can be looked up: by PMID or DOI."""
        return bool(self.article.pmid or self.article.doi)

    @property
    def label(self) -> str:
        """Return what it is called by: title, else the line it stands in."""
        title = plain(self.article.title)
        return title if len(title) <= _SHOWN else f"{title[: _SHOWN - 2].rstrip()} …"


@dataclass(frozen=True)
class ReferenceList:
    """The references of a file, in order, and which form it has."""

    form: str
    references: tuple[Listed, ...]


def read_reference_list(text: str, name: str = "") -> ReferenceList:
    """The references of a file's text; ``name`` tells what a table is by its ending, everything
    else is told by content.

    Raises RecordError, to follow the file's name, where there is no reference, or where there are
    more than `MOST_REFERENCES`.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    form, found = _read(text, lines, name.lower())
    references = tuple(
        Listed(place, one.line, replace(_told(one.article), id=f"ref:{place}"))
        for place, one in enumerate(islice(found, MOST_REFERENCES + 1), start=1)
    )
    _refuse_many(len(references))
    if not references:
        raise RecordError(f"contains no references: {_READ}")
    return ReferenceList(form, references)


def _told(article: Article) -> Article:
    """The reference without its abstract; one without a title is called by what else is said."""
    said = (*(author.last for author in article.authors), article.journal, article.year)
    title = article.title or " ".join(str(one) for one in said if one)
    return replace(article, title=title, sections=())


def _refuse_many(references: int) -> None:
    if references > MOST_REFERENCES:
        raise RecordError(
            f"has more than {MOST_REFERENCES:,} references: divide it into several files"
        )


def _read(text: str, lines: Sequence[str], name: str) -> tuple[str, Iterable[Record]]:
    if name.endswith((".csv", ".tsv")):
        return "CSV", _from_table(text)
    if reader := reader_of(text, (*MARKED, *TAGGED)):
        return reader.name, reader.records(text)
    if "".join(text.split("\ufeff", 1)).lstrip()[:1] in ("<", "{"):
        raise RecordError(f"is XML or JSON, which cannot be read as a list of references: {_READ}")
    if any(_ENTRY.match(line.lstrip()) for line in lines):
        _refuse_many(sum(1 for _ in _ENTRY.finditer(text)))  # which are parsed all at once
        return "BibTeX", bibtex_records(text)
    return "lines", _from_lines(lines)


def _record(line: int, title: str, pmid: str | None, doi: str) -> Record:
    return Record(line, Article("", title, pmid, doi=doi or None))


def _from_table(text: str) -> Iterator[Record]:
    """The rows of a table whose columns are named; without a known column each row is read as a
    line.
    """
    text = text.replace("\0", "")
    try:
        yield from table_records(text, strict=False)
    except NoColumns:
        yield from _from_lines(text.removeprefix("\ufeff").splitlines())


def _from_lines(lines: Iterable[str]) -> Iterator[Record]:
    """A PMID, several, a DOI, or a whole reference in words a line; what follows # at its beginning
    is a comment.
    """
    for number, line in enumerate(lines, start=1):
        text = plain(line)
        if not text or text.startswith("#"):
            continue
        words = (
            re.sub(r"pmids?\s{0,3}:", " ", text, flags=re.IGNORECASE)
            .replace(",", " ")
            .replace(";", " ")
            .split()
        )
        pmids = [read_pmid(word) for word in words]
        if pmids and all(pmids):
            yield from (_record(number, "", pmid, "") for pmid in pmids)
            continue
        numbered = _NUMBER.match(text)
        rest = text[numbered.end() :] if numbered else text
        if numbered and (pmid := read_pmid(rest)):
            yield _record(number, "", pmid, "")
        else:
            doi = find_doi(text)
            alone = doi and len(rest.split()) <= 2 and rest.lower().rstrip("/.").endswith(doi)
            yield _record(number, "" if alone else rest, named_pmid(text), doi)
