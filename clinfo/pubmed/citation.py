"""A whole PubMed citation: the article that the chain reads, and beside it what only a search by
field needs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from clinfo.records.articles import Article, Author
from clinfo.text.wording import one_line


@dataclass(frozen=True)
class Qualifier:
    """A MeSH subheading beside a heading."""

    name: str
    ui: str | None = None
    major: bool = False


@dataclass(frozen=True)
class Heading:
    """A MeSH heading of a citation; it is a major topic where it or one of its qualifiers has the
    star.
    """

    descriptor: str
    ui: str | None = None
    major: bool = False
    qualifiers: tuple[Qualifier, ...] = ()


@dataclass(frozen=True)
class OtherAbstract:
    """An abstract beside the main one: in another language, or in plain words (``kind`` is PubMed's
    Type).
    """

    text: str
    kind: str | None = None
    language: str | None = None


@dataclass(frozen=True)
class Citation:
    """An article with the rest of its PubMed record; the article alone makes a citation too.

    ``days`` maps a PubMed date field (epdat, edat, crdt, mhda, dcom, lr) to its day; the print date
    stands in ``article.published``. ``identifiers`` are (kind, value) pairs of the article itself,
    kinds as PubMed names them (pubmed, doi, pii, pmc, mid …). ``headings`` are those of
    ``article.mesh`` with all that hangs on them. Texts are plain, markup gone; lists of texts have
    no repeats.
    """

    article: Article
    headings: tuple[Heading, ...] = ()
    substances: tuple[tuple[str, str], ...] = ()
    """(name, registry number; empty where there is none)."""
    supplementary: tuple[str, ...] = ()
    other_abstracts: tuple[OtherAbstract, ...] = ()
    affiliations: tuple[str, ...] = ()
    author_identifiers: tuple[str, ...] = ()
    investigators: tuple[Author, ...] = ()
    editors: tuple[Author, ...] = ()
    personal_subjects: tuple[Author, ...] = ()
    grants: tuple[str, ...] = ()
    """Number, acronym, agency and country of a grant in one line each."""
    identifiers: tuple[tuple[str, str], ...] = ()
    days: Mapping[str, date] = field(default_factory=dict)
    all_electronic: tuple[date, ...] = ()
    issns: tuple[str, ...] = ()
    nlm_id: str | None = None
    medline_journal: str | None = None
    """MedlineTA, the journal's abbreviation by which [ta] knows it."""
    country: str | None = None
    subsets: tuple[str, ...] = ()
    databanks: tuple[tuple[str, str], ...] = ()
    """(name of a data bank, accession number): ("ClinicalTrials.gov", "NCT00000001"); the number
    empty where there is none.
    """
    conflict: str | None = None
    copyright: str | None = None
    space_flight: tuple[str, ...] = ()
    gene_symbols: tuple[str, ...] = ()
    general_notes: tuple[str, ...] = ()
    publication_status: str | None = None
    publication_model: str | None = None
    indexing_method: str | None = None
    owner: str | None = None
    version: int = 1
    book: str | None = None
    """Title of the book, for a book or a chapter of one."""
    collection: str | None = None
    isbns: tuple[str, ...] = ()
    publisher: str | None = None


def citation_line(article: Article) -> str:
    """The citation in one line, as PubMed writes it: journal, date, volume(issue):pages, DOI; of a
    record of a book, the book, its place, publisher and date; "" without either.
    """
    doi = f" doi: {found}." if (found := doi_of(article)) else ""
    date = article.published.text if article.published else ""
    journal = article.journal_abbreviation or article.journal
    if journal:
        place = (article.volume or "") + (f"({article.issue})" if article.issue else "")
        place += f":{article.pages}" if article.pages else ""
        when = ";".join(part for part in (date, place) if part)
        return one_line(f"{journal}." + (f" {when}." if when else "") + doi)
    book = article.book
    if book is None:
        return ""
    by = ": ".join(filter(None, (book.place, book.publisher)))
    made = "; ".join(filter(None, (by, date)))
    return one_line(f"In: {book.title or article.title}." + (f" {made}." if made else "") + doi)


def doi_of(article: Article) -> str:
    """The DOI without a resolver's address before it; "" where there is none."""
    return re.sub(
        r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)",
        "",
        one_line(article.doi or ""),
        flags=re.IGNORECASE,
    )
