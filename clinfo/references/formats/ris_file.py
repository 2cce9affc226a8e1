"""RIS, the tagged format that EndNote, Zotero, Mendeley and most others read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clinfo.records.articles import Article, Author
from clinfo.references.parts import (
    Marks,
    abstract_of,
    date_parts,
    doi_of,
    keywords_of,
    languages_of,
    marks_of,
    name_of,
    page_ranges,
    plain,
    title_of,
)
from clinfo.references.registry import ReferenceFormat


def ris(articles: Iterable[Article], marks: Marks | None = None) -> str:
    """The articles as an RIS file: one line a tag, so that no value can begin a tag of its own."""
    return "".join(_record(article, marks) for article in articles)


def _record(article: Article, marks: Marks | None) -> str:
    lines = (f"{tag}  - {value}\n" for tag, value in _values(article, marks) if value)
    book = article.book
    kind = "JOUR" if book is None else "CHAP" if book.title else "BOOK"
    return f"TY  - {kind}\n{''.join(lines)}ER  - \n\n"


def _values(article: Article, marks: Marks | None) -> Iterator[tuple[str, str]]:
    for author in article.authors:
        yield "AU", _name(author)
    yield "TI", title_of(article)
    if book := article.book:
        yield "T2", plain(book.title)
        for editor in book.editors:
            yield "A2", _name(editor)
        yield "ET", plain(book.edition)
        yield "PB", plain(book.publisher)
        yield "CY", plain(book.place)
        yield "SN", plain(book.isbn)
    else:
        yield "T2", plain(article.journal or article.journal_abbreviation)
        yield "JO", plain(article.journal)
        yield "JA", plain(article.journal_abbreviation)
    for date in date_parts(article)[:1]:
        numbers = [f"{date[0]:04}", *(f"{number:02}" for number in date[1:])]
        yield "PY", numbers[0]
        yield "DA", "/".join([*numbers, "", ""][:3]) + "/"
    yield "VL", plain(article.volume)
    yield "IS", plain(article.issue)
    for first, last in page_ranges(article.pages)[:1]:
        yield "SP", first
        yield "EP", last or ""
    yield "DO", doi_of(article)
    yield "AN", plain(article.pmid)
    yield "DB", "PubMed" if article.pmid else ""
    yield "C2", plain(article.pmcid)
    yield "UR", plain(article.url)
    yield "AB", abstract_of(article)
    for keyword in keywords_of(article, marks):
        yield "KW", keyword
    yield "N1", "; ".join(marks_of(article, marks))
    for language in languages_of(article):
        yield "LA", language


def _name(author: Author) -> str:
    """``Last, First, Suffix``. Commas of a name's own are dropped, because a comma always separates
    its parts here.
    """
    last, fore, suffix = (plain(part.replace(",", " ")) for part in name_of(author))
    return ", ".join([last, fore, suffix] if suffix else [last, fore] if fore else [last])


FORMAT = ReferenceFormat(
    "ris",
    "RIS",
    "for EndNote, Zotero, Mendeley",
    "ris",
    "application/x-research-info-systems; charset=utf-8",
    ris,
    grows=True,
    order=1,
)
