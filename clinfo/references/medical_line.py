"""A reference in the two styles of medical journals, as one line of plain text without its number.

Vancouver is as ICMJE recommends and NLM's "Samples of Formatted References for Authors of Journal
Articles" shows, AMA as the AMA Manual of Style (11th edition) has it. What is not known is left
out. No CSL processor is used: citeproc-py 0.11 runs dates together in these styles ("1941Nov15"),
and the styles themselves are under another licence than this program.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clinfo.records.articles import Article, Author
from clinfo.references.parts import date_parts, doi_of, name_of, page_ranges, plain, title_of


@dataclass(frozen=True)
class _Style:
    """The differences between two styles. ``most`` authors are all named, of more only the first
    ``named``.
    """

    most: int
    named: int
    whole_pages: bool
    date_of_issue: bool
    places: bool
    editors: str
    page: str
    doi: str


_VANCOUVER = _Style(6, 6, False, True, True, "editors", ". p. ", "doi: {}.")
_AMA = _Style(6, 3, True, False, False, "eds", ":", "doi:{}")


def vancouver(article: Article) -> str:
    """The reference in Vancouver style; never empty, at least the record's address or id."""
    return _reference(article, _VANCOUVER)


def ama(article: Article) -> str:
    """The reference in AMA style; never empty, at least the record's address or id."""
    return _reference(article, _AMA)


def _reference(article: Article, style: _Style) -> str:
    parts = [
        _people(article.authors, style, article.authors_complete),
        _stopped(title_of(article)),
        _in_journal(article, style) if article.book is None else _in_book(article, style),
        style.doi.format(doi_of(article)) if doi_of(article) else "",
    ]
    return " ".join(part for part in parts if part) or article.url or article.id


def _stopped(text: str) -> str:
    """A text that ends a part, with the full stop that it needs."""
    return f"{text}." if text and not text.endswith((*"?!….？！。",)) else text


def _in_journal(article: Article, style: _Style) -> str:
    journal = plain(article.journal_abbreviation or article.journal).replace(".", "")
    if article.published is not None and style.date_of_issue:
        day = plain(article.published.text)
    else:
        day = str(article.year or "")
    issue = plain(article.issue)
    within = f" {issue}" if re.match("suppl|pt|part", issue, re.IGNORECASE) else f"({issue})"
    place = plain(article.volume) + (within if issue else "")
    pages = _pages(article, style)
    where = ";".join(filter(None, (day, place))) + (f":{pages}" if pages else "")
    return " ".join(_stopped(part) for part in (journal, where) if part)


def _in_book(article: Article, style: _Style) -> str:
    book = article.book
    assert book is not None
    editors = _people(book.editors, style, True).removesuffix(".")
    whose = style.editors if len(book.editors) > 1 else style.editors.removesuffix("s")
    by = f"{editors}, {whose}." if editors else ""
    date = next(iter(date_parts(article)), ())
    made = ": ".join(
        filter(None, (plain(book.place) if style.places else "", plain(book.publisher)))
    )
    when = "; ".join(filter(None, (made, str(date[0]) if date else "")))
    pages = _pages(article, style)
    edition = plain(book.edition).rstrip(".")
    if edition and not edition.endswith("ed"):
        edition += " ed"
    parts = (
        f"In: {' '.join(filter(None, (by, plain(book.title))))}." if book.title else "",
        f"{edition}." if edition else "",
        f"{when}{style.page + pages if pages else ''}." if when else "",
    )
    return " ".join(part for part in parts if part)


def _people(authors: Sequence[Author], style: _Style, complete: bool) -> str:
    """``Last AB, Other C Jr; The Group.``"""
    persons = [name for one in authors if not one.collective and (name := _name(one))]
    groups = [name for one in authors if one.collective and (name := plain(one.last).rstrip("."))]
    if len(persons) > style.most or not complete:
        shown = persons[: style.named] if len(persons) > style.most else persons
        return f"{', '.join(shown)}, et al." if shown else ""
    listed = "; ".join(filter(None, (", ".join(persons), *groups)))
    return f"{listed}." if listed else ""


def _name(author: Author) -> str:
    last, fore, suffix = name_of(author)
    initials = plain(author.initials).replace(".", "").replace(" ", "") or "".join(
        part[0] for part in re.split(r"[\s.-]+", fore) if part and part[0].isupper()
    )
    return " ".join(filter(None, (last, initials, suffix.rstrip("."))))


def _pages(article: Article, style: _Style) -> str:
    """First and last pages, the last one in full or without the digits that it shares."""
    ranges = []
    for first, last in page_ranges(article.pages):
        if last is not None and not style.whole_pages and len(last) == len(first):
            same = next((n for n, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), 0)
            last = last[same:] if first[same:].isdecimal() else last
        ranges.append(first if last is None else f"{first}-{last}")
    return ", ".join(ranges)
