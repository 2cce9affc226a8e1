"""Citation files of other programs as whole articles: RIS, MEDLINE text (.nbib), EndNote's own form
(.enw), BibTeX, CSL JSON and CSV with a header.

A record is one article: its id is ``pmid:…``, else ``doi:…``, else ``ref:`` and its number in the
file. What cannot be read as one is left out and told, with its line and the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from textwrap import dedent
from typing import Final

from clinfo.errors import RecordError
from clinfo.files import file_errors
from clinfo.records.articles import Article, Section, Unreadable
from clinfo.references.readers.bibtex import BIBTEX, of_entry, read_bibtex
from clinfo.references.readers.csl import CSL, items, of_csl
from clinfo.references.readers.endnote import TITLE, XML, of_endnote, read_endnote_xml
from clinfo.references.readers.medline import MEDLINES_OWN, of_medline, of_ovid
from clinfo.references.readers.ris import of_ris
from clinfo.references.readers.table import columns_of, table_records
from clinfo.references.readers.tagged import read_endnote, read_medline, read_ovid, read_ris
from clinfo.references.record import Record
from clinfo.text.words import key

ENDINGS: Final = (".ris", ".nbib", ".enw", ".bib", ".csv", ".tsv", ".txt", ".json")
MAX_TITLE: Final = 2_000
"""Characters; PubMed's longest titles have some 1,500."""
MAX_ABSTRACT: Final = 50_000
"""Characters; PubMed's longest abstracts have some 30,000."""
_NOT_READ = {
    "Web of Science's plain text": r"FN (?:Clarivate|Thomson|ISI)|VR 1\.0\s|PT [JBSP]\s+AU ",
    "the Cochrane Library's text": r"Record #\d+ of \d+\s+ID: ",
    "a table with a field a row": r'"?TITLE"?[,;\t][^\n]*\n"?[A-Z ]+"?[,;\t]',
    "PubMed's summary": r"1: \S[^\n]*\n",
    "PubMed's abstracts": r"1\. (?:[^\n]+\n){1,2}\s*\n(?!2\. )\S(?s:.)*?\nPMID: \d",
}
"""Forms of other programs' exports, by how they begin."""


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
        return path.name.lower().endswith(ENDINGS) or XML.match(head) is not None
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
        form = "PubMed (.nbib)" if "PubMed" in known else "RIS"
        raise RecordError(f"is {known}, which is not read: export it as {form}")
    head = columns_of(lines[0] if lines else "")[0]
    found: Iterator[Record]
    if XML.match(text):
        form, found = "ENDNOTE", map(of_ris, read_endnote_xml(text))
    elif CSL.match(text):
        form, found = "CSL", map(of_csl, items(text))
    elif BIBTEX.match(text):
        form, found = "BIBTEX", map(of_entry, read_bibtex(text))
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
            if not article.pmid and id in articles and _other(articles[id], article):
                id = f"ref:{count}"  # chapters bear the DOI of their book
            articles[id], numbers[id] = replace(article, id=id), count
            if len(article.abstract) > MAX_ABSTRACT:
                cut = (Section(article.abstract[:MAX_ABSTRACT]),)
                articles[id] = replace(articles[id], sections=cut)
                told = f"its abstract is cut after {MAX_ABSTRACT:,} characters"
                unreadable.append(Unreadable(line, told))
            titled += 1
    if not (articles or untitled or unreadable):
        raise RecordError(
            "has no record: RIS, MEDLINE text (.nbib, PubMed's form “PubMed”), EndNote (.enw), "
            "BibTeX, CSL JSON and CSV can be read"
        )
    return CitationText(
        form,
        tuple(articles.values()),
        tuple(untitled),
        tuple(unreadable),
        titled - len(articles),
        tuple(numbers.values()),
    )


def _other(one: Article, another: Article) -> bool:
    """Return whether neither title is the beginning of the other."""
    first, second = sorted((key(one.title), key(another.title)), key=len)
    return not second.startswith(first)


def tagged_records(lines: Sequence[str]) -> tuple[str, Iterator[Record]] | None:
    """The form of RIS or MEDLINE text and its records; None for any other text."""
    if any(re.match(r"TY\s{0,4}-(?:\s|$)", line) for line in lines):
        return "RIS", map(of_ris, read_ris(lines))
    if any(re.match(r"VN {0,2}- ?Ovid", line) for line in lines):
        return "MEDLINE", map(of_ovid, read_ovid(lines))
    if any(map(MEDLINES_OWN.match, lines)):
        return "MEDLINE", map(of_medline, read_medline(lines))
    if any(line.startswith("%0 ") for line in lines) and any(map(TITLE.match, lines)):
        return "ENDNOTE", map(of_ris, map(of_endnote, read_endnote(lines)))
    return None


def _named_form(text: str) -> str:
    """The name of a form that is known and not read; "" for any other text."""
    head = text[:20_000].lstrip()
    return next((name for name, mark in _NOT_READ.items() if re.match(mark, head)), "")
