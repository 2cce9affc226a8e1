"""Links of an article, as ELink names them: links to other records, and addresses outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinfo.pubmed.eutils_shapes import Form
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


def target(name: str) -> str:
    """The database to which a link of this name leads: pmc for pubmed_pmc."""
    return name.split("_")[1]


def told(index: LocalIndex, command: str, source: str, ids: Sequence[str]) -> Form | None:
    """ELink's answer to a command that tells about links and follows none; None for another."""
    if command in ("prlinks", "llinks", "llinkslib"):
        most = 1 if command == "prlinks" else None
        found = {id: list(map(_address, addresses(index, id)[:most])) for id in ids}
        sets = [
            {"Id": id, **({"ObjUrl": ones} if ones else {"Info": "No address is known"})}
            for id, ones in found.items()
        ]
        return {"LinkSet": [{"DbFrom": source, "IdUrlList": {"IdUrlSet": sets}}]}
    if command == "acheck":
        links = [
            {"Id": id, "LinkInfo": [_info(name) for name in LINKS if _has(index, source, id, name)]}
            for id in dict.fromkeys(ids)
        ]
        return {"LinkSet": [{"DbFrom": source, "IdCheckList": {"IdLinkSet": links}}]}
    if command == "ncheck":
        has = {id: {"@HasNeighbor": "NY"[len(index.similar(id, 2)) > 1], "": id} for id in ids}
    elif command == "lcheck":
        has = {id: {"@HasLinkOut": "NY"[bool(addresses(index, id))], "": id} for id in ids}
    else:
        return None
    return {"LinkSet": [{"DbFrom": source, "IdCheckList": {"Id": list(has.values())}}]}


def _has(index: LocalIndex, source: str, id: str, name: str) -> bool:
    return name.startswith(source) and bool(linked(index, id, name))


def _info(name: str) -> Form:
    return {"DbTo": target(name), "LinkName": name, "MenuTag": LINKS[name][0], "Priority": "128"}


def _address(url: str) -> Form:
    host = url.split("/")[2]
    provider = {"Name": host, "NameAbbr": host, "Id": "", "Url": {"": f"https://{host}"}}
    return {"Url": {"": url}, "Category": ["Full Text Sources"], "Provider": provider}
