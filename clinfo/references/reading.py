"""Citation files of other programs as whole articles: RIS, MEDLINE text (.nbib), EndNote's own form
(.enw), BibTeX, CSL JSON and CSV with a header.

A record is one article: its id is ``pmid:…``, else ``doi:…``, else ``ref:`` and its number in the
file. What cannot be read as one is left out and told, with its line and the reason.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from textwrap import dedent
from typing import Final

from clinfo.errors import RecordError
from clinfo.files import file_errors
from clinfo.records.articles import Article, Section, Unreadable
from clinfo.references.readers import bibtex, csl, table, tagged
from clinfo.references.record import Reader, Record
from clinfo.text.wording import number
from clinfo.text.words import key

MARKED: Final = (tagged.ENDNOTE_XML, csl.READER)
TAGGED: Final = (tagged.RIS, tagged.OVID, tagged.MEDLINE, tagged.ENDNOTE)
_READERS: Final = (*MARKED, bibtex.READER, table.READER, *TAGGED)
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
        said, lost = [], self.lost
        if lost:
            shown = "; ".join(f"{one.id}: {one.reason}" for one in lost[:3])
            more = f"; {len(lost) - 3:,} more" if len(lost) > 3 else ""
            records = f"{number(len(lost), 'record')} of {name}"
            said.append(f"{records} could not be read, or not whole ({shown}{more}).")
        if self.repeated:
            records = number(self.repeated, "record stands", "records stand")
            said.append(f"{records} more than once in {name}; the last counts.")
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
    head = ""
    with suppress(OSError), path.open("rb") as file:
        head = file.read(500).decode("utf-8-sig", "replace")
    return path.name.lower().endswith(ENDINGS) or tagged.ENDNOTE_XML.reads(head) is not None


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
    head = text[:20_000].lstrip()
    if known := next((name for name, mark in _NOT_READ.items() if re.match(mark, head)), ""):
        form = "PubMed (.nbib)" if "PubMed" in known else "RIS"
        raise RecordError(f"is {known}, which is not read: export it as {form}")
    reader = reader_of(text, _READERS) or table.READER
    return gathered(reader.name, reader.records(text), most)


def reader_of(text: str, readers: Iterable[Reader]) -> Reader | None:
    """The first of the readers of whose form a text is."""
    lines = "\n".join(text.splitlines())
    return next((one for one in readers if one.reads(lines)), None)


def gathered(form: str, found: Iterable[Record], most: int | None = None) -> CitationText:
    """Records as the articles of a file, each under its id."""
    articles: dict[str, Article] = {}
    numbers: dict[str, int] = {}
    dois: dict[str, str] = {}
    untitled: list[str] = []
    unreadable: list[Unreadable] = []
    titled = 0
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
            known = ("pmid", article.pmid), ("doi", article.doi), ("ref", str(count))
            id = next(f"{kind}:{value}" for kind, value in known if value)
            held = dois.get(article.doi or "", "")
            same = held in articles and not _other(articles[held], article)
            if held and not article.pmid:
                id = held if same else f"ref:{count}"  # chapters bear the DOI of their book
            elif same and not articles[held].pmid:
                articles.setdefault(id, articles.pop(held))
                numbers.pop(held)
            if before := articles.get(id):
                article = replace(
                    article,
                    pmid=article.pmid or before.pmid,
                    sections=article.sections or before.sections,
                )
            if article.doi:
                dois[article.doi] = id
            if len(article.abstract) > MAX_ABSTRACT:
                article = replace(article, sections=(Section(article.abstract[:MAX_ABSTRACT]),))
                told = f"its abstract is cut after {MAX_ABSTRACT:,} characters"
                unreadable.append(Unreadable(line, told))
            articles[id], numbers[id] = replace(article, id=id), count
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
