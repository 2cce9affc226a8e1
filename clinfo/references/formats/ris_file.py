"""RIS, the tagged format that EndNote, Zotero, Mendeley and most others read."""

from collections.abc import Iterable

from clinfo.records.articles import Article, Author
from clinfo.references.parts import (
    Marks,
    abstract_of,
    date_parts,
    doi_of,
    keywords_of,
    kind_of,
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
    return f"TY  - {kind_of(article)[0]}\n{''.join(lines)}ER  - \n\n"


def _values(article: Article, marks: Marks | None) -> list[tuple[str, str]]:
    """The values by their tags, in order; those without a value are left out."""
    date = next(iter(date_parts(article)), ())
    day = [f"{number:0{4 if place == 0 else 2}}" for place, number in enumerate(date)]
    first, last = next(iter(page_ranges(article.pages)), ("", None))
    journal = plain(article.journal or article.journal_abbreviation)
    where = [
        ("T2", journal),
        ("JO", plain(article.journal)),
        ("JA", plain(article.journal_abbreviation)),
    ]
    if book := article.book:
        where = [
            ("T2", plain(book.title)),
            *(("A2", _name(editor)) for editor in book.editors),
            ("ET", plain(book.edition)),
            ("PB", plain(book.publisher)),
            ("CY", plain(book.place)),
            ("SN", plain(book.isbn)),
        ]
    return [
        *(("AU", _name(author)) for author in article.authors),
        ("TI", title_of(article)),
        *where,
        ("PY", day[0] if day else ""),
        ("DA", "/".join([*day, "", ""][:3]) + "/" if day[1:] else ""),
        ("VL", plain(article.volume)),
        ("IS", plain(article.issue)),
        ("SP", first),
        ("EP", last or ""),
        ("DO", doi_of(article)),
        ("AN", plain(article.pmid)),
        ("DB", "PubMed" if article.pmid else ""),
        ("C2", plain(article.pmcid)),
        ("UR", plain(article.url)),
        ("AB", abstract_of(article)),
        *(("KW", keyword) for keyword in keywords_of(article, marks)),
        ("N1", "; ".join(marks_of(article, marks))),
        *(("LA", language) for language in languages_of(article)),
    ]


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
