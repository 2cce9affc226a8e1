"""Links of an article, as ELink names them, and what EInfo says of an index: its fields and
links.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinfo.pubmed.fields import FIELDS, Field

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


_CODES = {"aid": "AID", "ed": "ED", "pmid": "UID"}
_SHORT = re.compile(r"[a-z]{3,4}")


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


def target(name: str) -> str:
    """The database to which a link of this name leads: pmc for pubmed_pmc."""
    return name.split("_")[1]


def described(index: LocalIndex) -> Form:
    """EInfo's DbInfo of db=pubmed; how many terms a field has is not counted and left empty."""
    return {
        "DbName": "pubmed",
        "MenuName": "PubMed",
        "Description": "PubMed bibliographic record",
        "DbBuild": f"Build-{index.version.number}",
        "Count": str(len(index)),
        "LastUpdate": index.version.day.replace("-", "/"),
        "FieldList": {"Field": [_field(one) for one in FIELDS]},
        "LinkList": {
            "Link": [
                {"Name": name, "Menu": menu, "Description": what, "DbTo": target(name)}
                for name, (menu, what) in LINKS.items()
                if name.startswith("pubmed_")
            ]
        },
    }


def _field(field: Field) -> dict[str, str]:
    short = (name for name in field.spellings if _SHORT.fullmatch(name))
    ranges = "NY"[field.ranges]
    return {
        "Name": _CODES.get(field.code) or next(short, field.code).upper(),
        "FullName": field.name,
        "Description": field.name,
        "TermCount": "",
        "IsDate": "NY"[field.kind == "date"],
        "IsNumerical": "NY"[field.kind == "number"],
        "SingleToken": "NY"[field.kind != "text"],
        "Hierarchy": "NY"[field.explodes],
        "IsHidden": "N",
        "IsRangable": ranges,
        "IsTruncatable": "NY"[ranges == "N"],
    }
