"""NBIB, the MEDLINE tagged format in which PubMed itself exports citations (NLM, "MEDLINE/PubMed
Data Element Descriptions").

Only what a record holds is written: fields of PubMed's own export that are not kept here (owner,
ISSN, affiliations) are left out.
"""

import textwrap
from collections.abc import Iterable

from clinfo.pubmed.citation import citation_line
from clinfo.records.articles import Article, Author
from clinfo.references.parts import Marks, doi_of, marks_of, name_of, plain
from clinfo.references.readers.tagged import LINKS
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


def _values(article: Article, marks: Marks | None) -> list[tuple[str, str | None]]:
    """The values by their tags, in PubMed's order; those without a value are left out."""
    doi = f"{doi_of(article)} [doi]" if doi_of(article) else None
    book = article.book
    own = marks_of(article, marks)
    said = (f"{one.label}: {one.text}" if one.label else one.text for one in article.sections)
    in_book: list[tuple[str, str | None]] = [] if book is None else [
        ("BTI", book.title or article.title),
        ("PB", book.publisher),
        ("PL", book.place),
        ("EN", book.edition),
        ("ISBN", book.isbn),
        *(pair for editor in book.editors for pair in _author(editor, "FED", "ED")),
    ]  # fmt: skip
    return [
        ("PMID", article.pmid),
        ("STAT", article.status if article.status in _STATUSES else None),
        ("VI", article.volume),
        ("IP", article.issue),
        ("DP", article.published.text if article.published else None),
        ("TI", article.title),
        *in_book,
        ("PG", article.pages),
        ("LID", doi),
        ("AB", " ".join(said)),
        *(pair for author in article.authors for pair in _author(author)),
        *(("LA", language) for language in article.languages),
        *(("SI", number) for number in article.databank_numbers),
        *(("PT", kind) for kind in article.publication_types),
        ("DEP", article.electronic.strftime("%Y%m%d") if article.electronic else None),
        ("TT", article.vernacular_title),
        ("TA", None if book else article.journal_abbreviation),
        ("JT", None if book else article.journal),
        *(
            (tag, f"{one.citation} PMID: {one.pmid}" if one.pmid else one.citation)
            for tag, kind in LINKS.items()
            for one in article.corrections
            if one.kind == kind
        ),
        *(("MH", heading) for heading in article.mesh),
        *(("OT", keyword) for keyword in (*own, *article.keywords)),
        ("GN", "; ".join(own)),
        ("PMC", article.pmcid),
        ("CRDT", article.entered.strftime("%Y/%m/%d 00:00") if article.entered else None),
        ("AID", doi),
        ("SO", citation_line(article)),
    ]


def _author(author: Author, full: str = "FAU", short: str = "AU") -> list[tuple[str, str]]:
    """FAU, the name in full, and AU, last name and initials; CN for a group."""
    last, fore, suffix = name_of(author)
    if author.collective:
        return [("CN", last)]
    whole = ", ".join(filter(None, (last, " ".join(filter(None, (fore, suffix))))))
    return [(full, whole), (short, " ".join(filter(None, (last, plain(author.initials), suffix))))]


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
