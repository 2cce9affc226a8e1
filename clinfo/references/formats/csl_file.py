"""CSL-JSON, which Zotero, pandoc and citeproc read (schema of the Citation Style Language
1.0.2).
"""

import json
from collections.abc import Iterable
from typing import Any

from clinfo.records.articles import Article, Author, Book
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


def csl(articles: Iterable[Article], marks: Marks | None = None) -> str:
    """The articles as a CSL-JSON file: an array with one object an article."""
    return (
        json.dumps([_item(article, marks) for article in articles], ensure_ascii=False, indent=2)
        + "\n"
    )


def _item(article: Article, marks: Marks | None) -> dict[str, Any]:
    dates = [
        list(parts) for parts in date_parts(article)[:1]
    ]  # ranges are allowed but stop some readers
    ranges = page_ranges(article.pages)
    book = article.book or Book()
    item: dict[str, Any] = {
        "id": article.id,
        "type": kind_of(article)[2],
        "title": title_of(article),
        "author": [name for author in article.authors if (name := _name(author))],
        "editor": [name for editor in book.editors if (name := _name(editor))],
        "issued": {"date-parts": dates} if dates else None,
        "container-title": plain(book.title or article.journal or article.journal_abbreviation),
        "edition": plain(book.edition),
        "publisher": plain(book.publisher),
        "publisher-place": plain(book.place),
        "ISBN": plain(book.isbn),
        "container-title-short": plain(article.journal_abbreviation),
        "volume": plain(article.volume),
        "issue": plain(article.issue),
        "page": ", ".join(first if last is None else f"{first}-{last}" for first, last in ranges),
        "DOI": doi_of(article),
        "PMID": plain(article.pmid),
        "PMCID": plain(article.pmcid),
        "URL": plain(article.url),
        "language": next(iter(languages_of(article)), ""),
        "abstract": abstract_of(article),
        "keyword": ", ".join(keyword.replace(",", "") for keyword in keywords_of(article, marks)),
        "note": "; ".join(marks_of(article, marks)),
    }
    return {key: value for key, value in item.items() if value}


def _name(author: Author) -> dict[str, str]:
    last, fore, suffix = name_of(author)
    if author.collective:
        return {"literal": last} if last else {}
    return {
        key: value
        for key, value in (("family", last), ("given", fore), ("suffix", suffix))
        if value
    }


FORMAT = ReferenceFormat(
    "csl",
    "CSL-JSON",
    "for Zotero and pandoc",
    "csl.json",
    "application/vnd.citationstyles.csl+json; charset=utf-8",
    csl,
    order=4,
)
