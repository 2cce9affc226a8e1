"""Reference lists of others, read so that no reference is lost: RIS, BibTeX, MEDLINE text, CSV, or
one reference a line.

What is wanted of a reference is what identifies it: a PMID, else a DOI, and its title to tell it
by.
"""

from __future__ import annotations

import csv
import io
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from clinfo.errors import RecordError
from clinfo.records.articles import Article, Correction
from clinfo.references.identifiers import find_doi, named_pmid, read_pmid
from clinfo.references.parts import plain
from clinfo.references.tagged import Fields, read_medline, read_ris

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
_READ = "RIS, BibTeX, MEDLINE text, CSV, or one PMID, DOI or reference per line can be read"
_OTHER_FORM = re.compile(r"\ufeff?\s{0,1000}(?:<[?!A-Za-z]|\{\s{0,99}\"|\[\s{0,99}\{)")
_SHOWN = 200
MOST_REFERENCES = 50_000
"""Of one list; the longest of systematic reviews have some ten thousand."""
_ENTRY = re.compile(r"@[A-Za-z]{1,30}\s{0,8}[{(]")
_LATEX = re.compile(r"\\([_&%#$~^{}-])")
_BRACES = str.maketrans("", "", "{}")
_NUMBER = re.compile(r"\s*(?:\[[0-9]{1,4}\]|\(?[0-9]{1,4}[.)])\s+(?=\S)")
_RAW_TITLE = re.compile(
    r"\btitle\s{0,9}=\s{0,9}[{\"]{1,3}([^{}\"\n]{1,300}?)(?:,\s{0,9}\w{1,20}\s{0,9}=|[{}\"\n])",
    re.IGNORECASE,
)
_RAW_PMID = re.compile(r"\bpmid\s{0,9}=\s{0,9}[{\"]?\s{0,3}([0-9]{1,8})\b", re.IGNORECASE)
_PUBMED = re.compile(r"pubmed|medline|\bnlm\b(?! catalog)", re.IGNORECASE)


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


@dataclass(frozen=True)
class _Found:
    line: int
    title: str
    pmid: str | None
    doi: str
    types: tuple[str, ...] = ()
    links: tuple[Correction, ...] = ()


def read_reference_list(text: str, name: str = "") -> ReferenceList:
    """The references of a file's text; ``name`` tells what a table is by its ending, everything
    else is told by content.

    Raises RecordError, to follow the file's name, where there is no reference, or where there are
    more than `MOST_REFERENCES`.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    form, found = _read(text, lines, name.lower())
    references = tuple(
        Listed(
            place,
            one.line,
            Article(
                f"ref:{place}",
                one.title,
                one.pmid,
                doi=one.doi or None,
                publication_types=one.types,
                corrections=one.links,
            ),
        )
        for place, one in enumerate(islice(found, MOST_REFERENCES + 1), start=1)
    )
    _refuse_many(len(references))
    if not references:
        raise RecordError(f"contains no references: {_READ}")
    return ReferenceList(form, references)


def _refuse_many(references: int) -> None:
    if references > MOST_REFERENCES:
        raise RecordError(
            f"has more than {MOST_REFERENCES:,} references: divide it into several files"
        )


def _read(text: str, lines: Sequence[str], name: str) -> tuple[str, Iterable[_Found]]:
    if _OTHER_FORM.match(text):
        raise RecordError(f"is XML or JSON, which cannot be read as a list of references: {_READ}")
    if name.endswith((".csv", ".tsv")):
        return "CSV", _from_table(text, "\t" if name.endswith(".tsv") else None)
    if any(re.match(r"TY\s{0,4}-(?:\s|$)", line) for line in lines):
        return "RIS", map(_of_ris, read_ris(lines))
    if any(re.match(r"PMID {0,2}- ?[0-9]", line) for line in lines):
        return "MEDLINE", map(_of_medline, read_medline(lines))
    if any(_ENTRY.match(line.lstrip()) for line in lines):
        _refuse_many(sum(1 for _ in _ENTRY.finditer(text)))  # which are parsed all at once
        return "BibTeX", _from_bibtex(text)
    return "lines", _from_lines(lines)


def ris_pmid(record: Fields) -> str | None:
    """The PMID of an RIS record: its own, of a note or an address, or its accession number
    where the record says that its database is PubMed or MEDLINE.
    """
    notes = " ".join(record.all("N1", "M1", "M2", "M3", "UR", "L1", "L2", "LK", "AN", "KW", "ID"))
    pmid = read_pmid(record.first("PM")) or named_pmid(notes)
    if pmid is None and _PUBMED.search(" ".join(record.all("DB", "DP"))):
        pmid = read_pmid(record.first("AN"))  # every database has accession numbers of its own
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


def _of_ris(record: Fields) -> _Found:
    title = record.first("TI", "T1", "CT", "BT") or " ".join(
        record.all("AU", "A1", "T2", "JO", "PY")
    )
    return _Found(record.line, plain(title), ris_pmid(record), ris_doi(record))


def _of_medline(record: Fields) -> _Found:
    title = plain(record.first("TI", "BTI", "TT") or record.first("SO"))
    return _Found(
        record.line,
        title,
        read_pmid(record.first("PMID")),
        medline_doi(record),
        tuple(map(plain, record.all("PT"))),
        medline_links(record),
    )


def _from_bibtex(text: str) -> Iterator[_Found]:
    """The entries, and those that are damaged too, as far as an identifier stands in them."""
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry, ParsingFailedBlock

    logger = logging.getLogger("bibtexparser")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # what it complains of is kept as a block
    try:
        blocks = parse_string(text, parse_stack=[]).blocks
    finally:
        logger.setLevel(level)
    for block in blocks:
        line = (block.start_line or 0) + 1
        if isinstance(block, DuplicateBlockKeyBlock) and isinstance(
            block.ignore_error_block, Entry
        ):
            block = block.ignore_error_block
        if isinstance(block, Entry):
            yield _of_entry(
                {field.key.lower(): str(field.value) for field in block.fields}, block.key, line
            )
        elif isinstance(block, ParsingFailedBlock):
            raw = block.raw or ""
            title, pmid = _RAW_TITLE.search(raw), _RAW_PMID.search(raw)
            doi = find_doi(_freed(raw))
            yield _Found(
                line,
                plain(title[1] if title else raw[:_SHOWN]),
                pmid[1] if pmid else named_pmid(raw),
                doi,
            )


def _of_entry(fields: dict[str, str], key: str, line: int) -> _Found:
    fields = {name: _freed(value.strip().strip('"')) for name, value in fields.items()}
    notes = " ".join(
        fields.get(name, "")
        for name in ("note", "annote", "annotation", "url", "howpublished", "keywords", "extra")
    )
    pmid = (
        read_pmid(fields.get("pmid"))
        or read_pmid(fields.get("pubmed"))
        or read_pmid(fields.get("pubmedid"))
    )
    if (
        pmid is None
        and "pubmed" in (fields.get("eprinttype") or fields.get("archiveprefix") or "").lower()
    ):
        pmid = read_pmid(fields.get("eprint"))
    title = fields.get("title") or fields.get("booktitle") or key
    return _Found(
        line,
        plain(title),
        pmid or named_pmid(notes),
        find_doi(fields.get("doi")) or find_doi(notes),
    )


def _freed(text: str) -> str:
    """A value without LaTeX's escapes and braces."""
    return _LATEX.sub(r"\1", text).translate(_BRACES)


def _from_table(text: str, delimiter: str | None) -> Iterator[_Found]:
    """The rows of a table whose columns are named; without a known column each row is read as a
    line.
    """
    csv.field_size_limit(10_000_000)
    text = text.removeprefix("\ufeff").replace("\0", "")
    if delimiter is None:
        first = text.partition("\n")[0]
        delimiter = max(",;\t", key=first.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        head = next(rows, [])
        names = [re.sub(r"[^a-z]", "", name.lower()) for name in head]
        pmids, dois, titles = (
            _column(names, wanted)
            for wanted in (
                ("pmid", "pubmedid", "pubmed", "docid"),
                ("doi",),
                ("title", "articletitle", "papertitle"),
            )
        )
        if pmids is None and dois is None and titles is None:
            yield from _from_lines(text.splitlines())
            return
        for row in rows:
            cells = [
                row[place].strip() if place is not None and place < len(row) else ""
                for place in (pmids, dois, titles)
            ]
            if any(row):
                title = plain(cells[2] or " ".join(cell for cell in row if cell)[:_SHOWN])
                yield _Found(
                    rows.line_num,
                    title,
                    read_pmid(cells[0]) or named_pmid(cells[0]),
                    find_doi(cells[1]),
                )
    except csv.Error as error:
        raise RecordError(
            f"is cut off or damaged: line {rows.line_num:,} cannot be read as CSV ({error})"
        ) from None


def _column(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _from_lines(lines: Iterable[str]) -> Iterator[_Found]:
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
            yield from (_Found(number, "", pmid, "") for pmid in pmids)
            continue
        numbered = _NUMBER.match(text)
        rest = text[numbered.end() :] if numbered else text
        if numbered and (pmid := read_pmid(rest)):
            yield _Found(number, "", pmid, "")
        else:
            doi = find_doi(text)
            alone = doi and len(rest.split()) <= 2 and rest.lower().rstrip("/.").endswith(doi)
            yield _Found(number, "" if alone else rest, named_pmid(text), doi)
