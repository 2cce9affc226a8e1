"""The order in which ESearch gives what it found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from clinfo.text.words import key

if TYPE_CHECKING:
    from clinfo.pubmed.index import LocalIndex
    from clinfo.pubmed.plan import Sort
    from clinfo.records.articles import Article

_DATES = ("", "pub date", "pubdate", "publication date", "most recent", "recently added", "date")


def _name(article: Article, place: int) -> str:
    author = article.authors[place] if article.authors else None
    return " ".join(filter(None, (author.last, author.initials))) if author else ""


def _journal(article: Article) -> str:
    return article.journal_abbreviation or article.journal or ""


_NAMES: dict[str, Callable[[Article], str]] = {
    "author": lambda article: _name(article, 0),
    "first author": lambda article: _name(article, 0),
    "last author": lambda article: _name(article, -1),
    "journal": _journal,
    "journalname": _journal,
    "title": lambda article: article.title,
}


def order(asked: str) -> tuple[Sort, Callable[[Article], str] | None, list[str]]:
    """(order of the engine, what is sorted by afterwards, what to say of an order that is not
    known); newest first without one, as the live service has been seen to.
    """
    name = asked.strip().lower().replace("+", " ").replace("_", " ")
    if name in ("relevance", "best match"):
        return "relevance", None, []
    if name in _DATES or name in _NAMES:
        return "pub_date", _NAMES.get(name), []
    return "pub_date", None, [f"Unknown sort schema '{asked}' ignored"]


def ordered(index: LocalIndex, ids: Sequence[str], by: Callable[[Article], str]) -> list[str]:
    """The PMIDs by a name of their articles, without regard to case and accents; equal ones stay
    as they stood.
    """
    pmids = [id.removeprefix("pmid:") for id in ids]
    names = {article.pmid: key(by(article)) for article in index.articles(pmids)}
    return sorted(pmids, key=lambda pmid: names.get(pmid, ""))
