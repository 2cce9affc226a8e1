"""Citations as CSV for a spreadsheet or a screening tool: one line an article, UTF-8, quoted as RFC
4180 says.
"""

import csv
import io
from collections.abc import Iterable

from clinfo.records.articles import Article, Book
from clinfo.references.parts import Marks, abstract_of, doi_of, marks_of, name_of, plain
from clinfo.references.registry import ReferenceFormat

COLUMNS = (
    "pmid",
    "title",
    "authors",
    "journal",
    "year",
    "published",
    "volume",
    "issue",
    "pages",
    "doi",
    "pmcid",
    "publication_types",
    "mesh",
    "keywords",
    "languages",
    "entered",
    "url",
    "abstract",
    "flags",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_head() -> str:
    """The line of column names."""
    return csv_rows([COLUMNS])


def csv_lines(articles: Iterable[Article], marks: Marks | None = None) -> str:
    """A line an article, in the order of `COLUMNS`; lists are joined by "; ". The flags are the
    article's marks.
    """
    return csv_rows(_values(article, marks) for article in articles)


def csv_rows(rows: Iterable[Iterable[str | float | None]]) -> str:
    """The lines of a CSV file, numbers with twelve figures. A text that a spreadsheet would take
    for a formula gets an apostrophe before it.
    """
    page = io.StringIO()
    csv.writer(page, lineterminator="\r\n").writerows(map(_cell, row) for row in rows)
    return page.getvalue()


def _values(article: Article, marks: Marks | None) -> tuple[str | None, ...]:
    authors = (
        ", ".join(part for part in (last, fore, suffix) if part)
        for last, fore, suffix in map(name_of, article.authors)
    )
    return (
        article.pmid,
        article.title,
        "; ".join(authors),
        article.journal or article.journal_abbreviation or (article.book or Book()).title,
        str(article.year) if article.year else None,
        article.published.text if article.published else None,
        article.volume,
        article.issue,
        article.pages,
        doi_of(article),
        article.pmcid,
        "; ".join(article.publication_types),
        "; ".join(article.mesh),
        "; ".join(article.keywords),
        "; ".join(article.languages),
        article.entered.isoformat() if article.entered else None,
        article.url,
        abstract_of(article),
        "; ".join(marks_of(article, marks)),
    )


def _cell(value: str | float | None) -> str:
    if isinstance(value, float | int):
        return f"{value:.12g}"
    text = plain(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


FORMAT = ReferenceFormat(
    "csv",
    "CSV",
    "for spreadsheets and screening tools",
    "csv",
    "text/csv; charset=utf-8",
    csv_lines,
    head=csv_head(),
    grows=True,
    order=5,
)
