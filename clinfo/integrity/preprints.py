"""Recognises preprints: by PubMed's type, by journal, or by a DOI that only a preprint server
gives.
"""

from __future__ import annotations

from clinfo.records.articles import Article
from clinfo.references.identifiers import find_doi
from clinfo.text.regex import regex

SERVERS = frozenset(
    (
        "arxiv",
        "authorea",
        "biorxiv",
        "biorxiv : the preprint server for biology",
        "chemrxiv",
        "jmir preprints",
        "medrxiv",
        "medrxiv : the preprint server for health sciences",
        "preprints",
        "preprints.org",
        "psyarxiv",
        "res sq",
        "research square",
        "scielo preprints",
        "social science research network",
        "ssrn",
        "ssrn electronic journal",
        "techrxiv",
    )
)
"""Preprint servers as PubMed and others call them, in lower case; PubMed abbreviates Research
Square to "Res Sq".
"""

# 10.1101 is Cold Spring Harbor's, whose journals have it too (10.1101/gr.…), so the form of its
# preprints' numbers is asked for; openRxiv's 10.64898 has the same form. 10.21203 also numbers
# protocols (pex-…).
_DOI = regex(
    r"10\.(?:1101/(?:[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9]{6,}|[0-9]{6}(?:v[0-9]+)?$)|"
    r"64898/[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9]{6,}"
    r"|21203/rs\.[0-9]+\.rs-|2139/ssrn\.|20944/preprints|48550/arxiv\.|26434/chemrxiv|"
    r"3123[45]/osf\.io|31219/osf\.io"
    r"|22541/au\.|36227/techrxiv|2196/preprints\.|1590/scielopreprints)"
)


def is_preprint(article: Article) -> bool:
    """Return whether the record is one of a preprint."""
    if any(kind.strip().lower() == "preprint" for kind in article.publication_types):
        return True
    names = [
        name.strip().rstrip(".").lower()
        for name in (article.journal, article.journal_abbreviation)
        if name
    ]
    return (
        any(name in SERVERS or name.endswith("[preprint]") for name in names)
        or _DOI.match(find_doi(article.doi)) is not None
    )
