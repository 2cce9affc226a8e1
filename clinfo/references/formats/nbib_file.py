"""NBIB, the MEDLINE tagged format in which PubMed itself exports citations (NLM, "MEDLINE/PubMed
Data Element Descriptions").

Only what a record holds is written: fields of PubMed's own export that are not kept here (owner,
ISSN, affiliations) are left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from clinfo.pubmed.citation import citation_line
from clinfo.records.articles import Article, Author
from clinfo.references.parts import Marks, doi_of, marks_of, name_of, plain
from clinfo.references.registry import ReferenceFormat

_WIDTH = 88
"""Columns of a line, as PubMed wraps them."""
_INDENT = " " * 6
_STATUSES = (
    "Completed", "In-Data-Review", "In-Process", "MEDLINE", "OLDMEDLINE", "PubMed",
    "PubMed-not-MEDLINE", "Publisher",
)  # fmt: skip
"""Values of STAT; the XML of books has states of another list."""


def nbib(articles: Iterable[Article], marks: Marks | None = None) -> str:
    """The articles as an NBIB file, a blank line after each record; marks are other terms (OT) and
    a general note (GN).
    """
    return "".join(f"{_record(article, marks)}\n" for article in articles)


def _record(article: Article, marks: Marks | None) -> str:
    return "".join(
        _field(tag, text) for tag, value in _values(article, marks) if (text := plain(value))
    )


def _field(tag: str, text: str) -> str:
    lines = textwrap.wrap(
        text, _WIDTH - len(_INDENT), break_long_words=False, break_on_hyphens=False
    )
    return f"{tag:<4}- " + f"\n{_INDENT}".join(lines) + "\n"


def _values(article: Article, marks: Marks | None) -> Iterator[tuple[str, str | None]]:
    doi = doi_of(article)
    yield "PMID", article.pmid
    yield "STAT", article.status if article.status in _STATUSES else None
    yield "VI", article.volume
    yield "IP", article.issue
    yield "DP", article.published.text if article.published else None
    yield "TI", article.title
    if book := article.book:
        yield "BTI", book.title or article.title
        yield "PB", book.publisher
        yield "PL", book.place
        yield "EN", book.edition
        yield "ISBN", book.isbn
        for editor in book.editors:
            yield from _author(editor, "FED", "ED")
    yield "PG", article.pages
    yield "LID", f"{doi} [doi]" if doi else None
    yield (
        "AB",
        " ".join(
            f"{part.label}: {part.text}" if part.label else part.text for part in article.sections
        ),
    )
    for author in article.authors:
        yield from _author(author)
    for language in article.languages:
        yield "LA", language
    for number in article.databank_numbers:
        yield "SI", number
    for kind in article.publication_types:
        yield "PT", kind
    yield "DEP", article.electronic.strftime("%Y%m%d") if article.electronic else None
    yield "TT", article.vernacular_title
    if not article.book:
        yield "TA", article.journal_abbreviation
        yield "JT", article.journal
    for heading in article.mesh:
        yield "MH", heading
    for keyword in (*marks_of(article, marks), *article.keywords):
        yield "OT", keyword
    yield "GN", "; ".join(marks_of(article, marks))
    yield "PMC", article.pmcid
    yield "CRDT", article.entered.strftime("%Y/%m/%d 00:00") if article.entered else None
    yield "AID", f"{doi} [doi]" if doi else None
    yield "SO", citation_line(article)


def _author(author: Author, full: str = "FAU", short: str = "AU") -> Iterator[tuple[str, str]]:
    """FAU, the name in full, and AU, last name and initials; CN for a group."""
    last, fore, suffix = name_of(author)
    if author.collective:
        yield "CN", last
        return
    yield (
        full,
        ", ".join(
            part for part in (last, " ".join(part for part in (fore, suffix) if part)) if part
        ),
    )
    yield short, " ".join(part for part in (last, plain(author.initials), suffix) if part)


FORMAT = ReferenceFormat(
    "nbib",
    "NBIB",
    "as PubMed exports",
    "nbib",
    "application/nbib; charset=utf-8",
    nbib,
    grows=True,
    order=3,
)
