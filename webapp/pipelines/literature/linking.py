"""Addresses that a page leads to: an article's record, its text, the library's resolver, a query in
PubMed.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode

from clinfo import sources
from clinfo.records import Article, SearchedQuery
from clinfo.references import doi_of, title_of

LONGEST = 3_500
"""Characters of a query, as an address holds it, up to which PubMed takes it from a link."""
_PUBMED = "pubmed"


@dataclass(frozen=True)
class Link:
    """A name and an address."""

    name: str
    url: str


def article_links(article: Article, resolver: str | None = None) -> tuple[Link, ...]:
    """Return where an article is found, the record first; nowhere for a record whose id names no
    database.
    """
    links = []
    doi = doi_of(article)
    if article.pmid:
        links.append(
            Link("PubMed", f"https://pubmed.ncbi.nlm.nih.gov/{quote(article.pmid, safe='')}/")
        )
    if article.pmcid:
        links.append(
            Link("PMC", f"https://pmc.ncbi.nlm.nih.gov/articles/{quote(article.pmcid, safe='')}/")
        )
    if doi:
        links.append(Link("DOI", f"https://doi.org/{quote(doi, safe='/:;()')}"))
    if not links and article.id.startswith("s2:"):
        paper = quote(article.id.removeprefix("s2:"), safe="")
        links.append(Link("Semantic Scholar", f"https://www.semanticscholar.org/paper/{paper}"))
    if resolver:
        links.append(Link("Library", resolver_url(resolver, article)))
    return tuple(links)


def resolver_url(resolver: str, article: Article) -> str:
    """The address at which a library's link resolver finds an article (OpenURL, ANSI/NISO
    Z39.88-2004).
    """
    known = [
        ("url_ver", "Z39.88-2004"),
        ("rft_val_fmt", "info:ofi/fmt:kev:mtx:journal"),
        ("rft.genre", "article"),
    ]
    if article.pmid:
        known.append(("rft_id", f"info:pmid/{article.pmid}"))
    if doi := doi_of(article):
        known.append(("rft_id", f"info:doi/{doi}"))
    if len(known) == 3:  # nothing to know the article by but its title
        known += [("rft.atitle", title_of(article)), ("rft.jtitle", article.journal or "")]
        known.append(("rft.date", str(article.year or "")))
    known = [(name, value) for name, value in known if value]
    return f"{resolver}{'&' if '?' in resolver else '?'}{urlencode(known)}"


def hits_link(source: str, text: str) -> Link | None:
    """Return where the hits of a query can be counted again by hand, if the source has such a
    page.
    """
    there = sources.spec(source)
    return search_link(source, text) if there is not None and there.counts_there else None


def query_link(query: SearchedQuery) -> Link | None:
    """Return where a query as it was sent can be run by hand; None for one too long to stand in an
    address.
    """
    return search_link(query.source, query.sent or query.text)


def search_link(source: str, text: str) -> Link | None:
    """Return where a query of a source can be run by hand: there, else at PubMed; None for one too
    long to stand in an address.
    """
    there, term = sources.spec(source), quote(text, safe="")
    if there is None or there.search_page is None:
        there = sources.spec(_PUBMED)
    return (
        Link(there.title, f"{there.search_page}{term}")
        if there and there.search_page and 0 < len(term) <= LONGEST
        else None
    )
