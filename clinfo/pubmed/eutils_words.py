"""An index on words and on itself: the spelling of a query (ESpell), an article by the parts of its
citation (ECitMatch), the fields and links there are (EInfo).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from clinfo.pubmed.eutils_links import LINKS, target
from clinfo.pubmed.fields import FIELDS, Field

if TYPE_CHECKING:
    from clinfo.pubmed.index import LocalIndex

_PIECES = re.compile(r"(\[[^]]*\]|\W+|\b(?:AND|OR|NOT)\b)")
"""Text between the words of a query: tags, operators, everything that is no word."""
_CODES = {"aid": "AID", "ed": "ED", "pmid": "UID"}
_SHORT = re.compile(r"[a-z]{3,4}")


def spelled(index: LocalIndex, query: str) -> list[tuple[str, bool]]:
    """The query in pieces, True where a piece is a word put for one that the index does not have;
    joined, they are the mended query.
    """
    pieces: list[tuple[str, bool]] = []
    for place, piece in enumerate(_PIECES.split(query)):
        other = index.spelling(piece) if place % 2 == 0 and piece else None
        pieces.append((other or piece, other is not None))
    return [one for one in pieces if one[0]]


def cited_articles(bdata: str, search: Callable[[str], tuple[int, list[str]]]) -> str:
    """ECitMatch's answer to lines of ``journal|year|volume|page|author|key|``: each with the PMID,
    or why there is none. ``search`` answers a query with its count and first PMIDs.
    """
    rows = []
    for line in filter(str.strip, re.split(r"[\r\n]+", bdata)):
        parts = [part.strip() for part in line.strip().split("|")]
        journal, year, volume, page, author, key = (parts + [""] * 6)[:6]
        asked = zip(
            (journal, year, volume, page, author), ("ta", "dp", "vi", "pg", "au"), strict=True
        )
        terms = [f"{_quoted(text, code)}[{code}]" for text, code in asked if text]
        count, pmids = search(" AND ".join(terms)) if terms else (0, [])
        if count == 1:
            found = pmids[0]
        elif count:
            found = f"AMBIGUOUS ({count} citations)"
        else:
            held = journal and search(f"{_quoted(journal, 'ta')}[ta]")[0]
            found = "NOT_FOUND" if held else "NOT_FOUND;INVALID_JOURNAL"
        rows.append("|".join((journal, year, volume, page, author, key, found)))
    return "".join(f"{row}\n" for row in rows)


def _quoted(text: str, code: str) -> str:
    """A value as one term. A name without quotes is also found with more initials."""
    bare = re.sub(r'["\[\]()|]', " ", text)
    return bare if code == "au" else f'"{bare}"'


def described(index: LocalIndex) -> dict[str, Any]:
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
