"""RIS as other programs write it."""

from __future__ import annotations

import re
from typing import Final

from clinfo.references.parts import OF_KIND, plain
from clinfo.references.readers.tagged import Fields
from clinfo.references.record import NOTED, Record, book_of, parted, record
from clinfo.text.identifiers import find_doi, named_pmid, read_pmid

BOOKS: Final = ("CHAP", "BOOK", "EBOOK", "ECHAP", "EDBOOK")
_NUMBERED: Final = {
    ("AN",): r"pubmed|medline|\bnlm\b(?! catalog)|europe pmc",
    ("ID",): "ovid medline|europe pmc",
    ("C2",): "scopus",
    ("C5",): "embase",
}
"""Tags that hold PMIDs, by the name of the database; every other has numbers of its own."""


def ris_pmid(one: Fields) -> str | None:
    """The PMID of an RIS record: its own, of an address or a note that begins with it, or a number
    of a database that has them (`_NUMBERED`) where the record names it.
    """
    pmid = read_pmid(one.first("PM")) or named_pmid(
        " ".join(one.all("UR", "L1", "L2", "LK", "AN", "ID", "U2", "C3"))
    )
    noted = (NOTED.match(text) for text in one.all("N1", "M1", "M2", "M3", "KW"))
    pmid = pmid or next((found[1] for found in noted if found), None)
    held = " ".join(one.all("DB", "DP"))
    for tags, database in _NUMBERED.items():
        if pmid is None and re.search(database, held, re.IGNORECASE):
            pmid = next(filter(None, map(read_pmid, one.all(*tags))), None)
    return pmid


def ris_doi(one: Fields) -> str:
    """The DOI of an RIS record, of its own tag or another one; "" where there is none."""
    return find_doi(one.first("DO")) or find_doi(
        " ".join(one.all("DI", "M3", "UR", "L3", "N1", "LK"))
    )


def of_ris(one: Fields) -> Record:
    first, last = plain(one.first("SP", "C7")), plain(one.first("EP"))
    days, years = one.all("DA"), one.all("PY", "Y1")
    days = [day for day in days if not years or years[0][:4] in day]  # else of another year
    types = [value for value in one.all("M3") if not find_doi(value)]
    kind = one.first("TY").strip().upper()
    return record(
        one.line,
        title=one.first("TI", "T1", "CT", "BT"),
        abstract=one.first("AB", "N2"),
        authors=one.all("AU", "A1"),
        journal="" if kind in BOOKS else one.first("JF", "T2", "JO"),
        abbreviation=one.first("JA", "J2"),
        volume=one.first("VL"),
        issue=one.first("IS"),
        pages=f"{first}-{last}" if first and last not in ("", first) and "-" not in first
        else first or last,
        dates=[*days, *years],
        pmid=ris_pmid(one),
        doi=ris_doi(one),
        pmcid=one.first("C2"),
        languages=one.all("LA"),
        types=[*types, OF_KIND.get(kind, "")],
        keywords=[one for text in one.all("KW") for one in parted(text.lstrip("*"), ";\n")],
        book=book_of(
            one.first("T2", "BT") if kind == "CHAP" else "",
            one.all("A2", "ED"), one.first("ET"), one.first("PB"),
            one.first("CY", "PP"), one.first("SN"),
        ) if kind in BOOKS else None,
    )  # fmt: skip
