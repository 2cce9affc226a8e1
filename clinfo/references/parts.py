"""The parts of a reference that every format needs: clean text, pages, dates, keywords."""

import re
from collections.abc import Mapping, Sequence

from clinfo.pubmed.citation import doi_of as doi_of
from clinfo.records.articles import Article, Author
from clinfo.text.languages import TWO_LETTERS
from clinfo.text.wording import one_line

Marks = Mapping[str, Sequence[str]]

_RANGE = re.compile(r"([^-–—]+)[-–—]([^-–—]+)")
_ARTICLE_NUMBER = re.compile(r"(?:[a-z]|CD|ENS)[0-9]{2,}(?:\.pub[0-9]+)?|E[0-9]{4,}|[0-9]{6,}")
_FIRST_ARTICLE_NUMBERS = 2000


KINDS: Mapping[str, tuple[str, str, str]] = {
    "Academic Dissertation": ("THES", "phdthesis", "thesis"),
    "Technical Report": ("RPRT", "techreport", "report"),
    "Dataset": ("DATA", "dataset", "dataset"),
}
"""Publication types that reference managers keep as kinds of their own: of RIS, BibTeX and CSL."""
OF_KIND = {
    **{name: of for of, names in KINDS.items() for name in (*names, names[0].lower())},
    **dict.fromkeys(("mastersthesis", "dissertation"), "Academic Dissertation"),
}
"""The publication type by the kind that a reference manager writes."""


def kind_of(article: Article) -> tuple[str, str, str]:
    """What RIS, BibTeX and CSL call the kind of an article."""
    if book := article.book:
        return ("CHAP", "incollection", "chapter") if book.title else ("BOOK", "book", "book")
    own = (KINDS[one] for one in article.publication_types if one in KINDS)
    return next(own, ("JOUR", "article", "article-journal"))


def plain(text: str | None) -> str:
    """``text`` on one line, as it is safe to print; "" where there is none."""
    return one_line(text or "")


def title_of(article: Article) -> str:
    """The title without its final full stop; a question mark, an exclamation mark and an ellipsis
    stay.
    """
    title = plain(article.title)
    return title[:-1].rstrip() if title.endswith(".") and not title.endswith("..") else title


def abstract_of(article: Article) -> str:
    return plain(article.abstract)


def name_of(author: Author) -> tuple[str, str, str]:
    """Last name, forenames (else initials, with spaces) and suffix, each "" where there is none; a
    group is a last name.
    """
    last, fore, suffix = plain(author.last), plain(author.fore), plain(author.suffix)
    if author.collective:
        return last, "", ""
    fore = fore or " ".join(plain(author.initials).replace(" ", ""))
    return (last, fore, suffix) if last else (fore, "", suffix)


def page_ranges(pages: str | None) -> tuple[tuple[str, str | None], ...]:
    """First and last page of each range, the last one in full: "123-9, 140" gives (123, 129), (140,
    None).

    What follows a semicolon (``123-9; discussion 130-1``) is another item's pages and is left out.
    """
    ranges: list[tuple[str, str | None]] = []
    for piece in plain(pages).partition(";")[0].split(","):
        piece = piece.strip()
        found = _RANGE.fullmatch(piece)
        if found:
            first, last = found[1].strip(), found[2].strip()
            if first and last:
                full = _completed(first, last)
                ranges.append((first, full if full != first else None))
                continue
        if piece:
            ranges.append((piece, None))
    return tuple(ranges)


def _completed(first: str, last: str) -> str:
    """The last page with the digits that print leaves out: 123, 9 gives 129; S12, 8 gives S18."""
    tail = first[-len(last) :]
    left_out = (
        len(last) < len(first) and last.isdecimal() and tail.isdecimal() and int(last) > int(tail)
    )
    return first[: -len(last)] + last if left_out else last


def article_number(article: Article) -> str | None:
    """The article number that stands in ``pages`` instead of page numbers, if it is one.

    Always: e1234, m4567, CD012345.pub2, six digits and more. PubMed writes the article number of
    many electronic journals as a bare number, which may also be a single printed page; it is taken
    for an article number where the article has a DOI and an abstract and is of 2000 or later, when
    such numbers came into use.
    """
    ranges = page_ranges(article.pages)
    if len(ranges) != 1 or ranges[0][1] is not None:
        return None
    only = ranges[0][0]
    if _ARTICLE_NUMBER.fullmatch(only):
        return only
    recent = (article.year or 0) >= _FIRST_ARTICLE_NUMBERS
    return only if only.isdecimal() and article.doi and article.sections and recent else None


def date_parts(article: Article) -> tuple[tuple[int, ...], ...]:
    """Publication date as it is known: ((2020, 5, 12),), ((2020, 5),), ((2020, 7), (2020, 8)) or
    ((2020,),), or () if undated.

    The printed date goes before the electronic one. A season or another stretch of more than two
    months counts as its year.
    """
    interval = article.published
    if interval is None:
        day = article.electronic
        return () if day is None else ((day.year, day.month, day.day),)
    start, end = interval.start, interval.end
    if start == end:
        return ((start.year, start.month, start.day),)
    months = (end.year - start.year) * 12 + end.month - start.month
    if months == 0:
        return ((start.year, start.month),)
    if months == 1:
        return ((start.year, start.month), (end.year, end.month))
    return ((start.year,),)


def languages_of(article: Article) -> tuple[str, ...]:
    """The languages by two letters (ISO 639-1); a code that has none is left as it is, those of
    several and of unknown languages are left out.
    """
    codes = (plain(code) for code in article.languages)
    return tuple(TWO_LETTERS.get(code, code) for code in codes if code not in ("mul", "und"))


def keywords_of(article: Article, marks: Marks | None) -> tuple[str, ...]:
    """Marks, MeSH headings and the authors' keywords, each once."""
    words = (*marks_of(article, marks), *article.mesh, *article.keywords)
    return tuple(dict.fromkeys(word for word in map(plain, words) if word))


def marks_of(article: Article, marks: Marks | None) -> tuple[str, ...]:
    return tuple(word for mark in (marks or {}).get(article.id, ()) if (word := plain(mark)))
