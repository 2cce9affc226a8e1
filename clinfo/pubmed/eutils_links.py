"""Links of an article, as ELink names them: links to other records, and addresses outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinfo.pubmed.index import LocalIndex

MOST_SIMILAR = 100
"""Similar articles of one article."""
LINKS = {
    "pubmed_pubmed": ("Similar articles", "Articles most like this one, itself first"),
    "pubmed_pubmed_citedin": ("Cited in", "Articles here whose reference lists name this one"),
    "pubmed_pubmed_refs": ("References", "Articles here that its reference list names"),
    "pubmed_pmc": ("PMC Links", "Full text in PubMed Central"),
    "pmc_pubmed": ("PubMed Links", "The citation in PubMed"),
}
"""By link name, what a menu calls it and what it is. A name tells the databases it goes between."""


def names(source: str, target: str) -> list[str]:
    """The names of the links from one database to another."""
    return [name for name in LINKS if name.split("_")[:2] == [source, target]]


def linked(index: LocalIndex, id: str, name: str) -> list[tuple[str, int]]:
    """The ids that this link leads to, with their scores (0 where a link has none)."""
    if name == "pubmed_pubmed":
        return index.similar(id, MOST_SIMILAR)
    if name == "pubmed_pmc":
        found = [one.pmcid.removeprefix("PMC") for one in index.articles([id]) if one.pmcid]
    elif name == "pmc_pubmed":
        ids = index.search(f'"PMC{id.upper().removeprefix("PMC")}"[aid]').ids
        found = [one.removeprefix("pmid:") for one in ids]
    else:
        found = index.citing(id) if name == "pubmed_pubmed_citedin" else index.cited(id)
    return [(one, 0) for one in found]


def addresses(index: LocalIndex, pmid: str) -> list[str]:
    """Addresses at which an article can be read: at its publisher by its DOI, then in PubMed
    Central.
    """
    return [
        address
        for one in index.articles([pmid])
        for address in (
            f"https://doi.org/{one.doi}" if one.doi else "",
            f"https://pmc.ncbi.nlm.nih.gov/articles/{one.pmcid}/" if one.pmcid else "",
        )
        if address
    ]
