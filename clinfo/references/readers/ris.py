"""RIS, as reference managers and databases write it."""

import re
from typing import Final

from clinfo.references.parts import OF_KIND, plain
from clinfo.references.readers.tagged import Fields, Shape
from clinfo.references.record import NOTED, Reader, Record, book_of, parted, record
from clinfo.text.identifiers import find_doi, named_pmid, read_pmid

RIS: Final = Shape(
    r"((?!ER)[A-Z][A-Z0-9](?=  -)|ER(?=\s{0,4}-\s*$)|(?:TY|A[1-4UBN]|T[1-3I]|N[12]|PY|Y1|J[OFA]|VL"
    r"|IS|[SE]P|D[OAB]|UR|SN|KW|PB|CY|M3)(?=\s{0,4}-))\s{0,4}-(?:\s|$)(.*)",
    "TY",
    "ER",
)
"""A tag has two blanks behind it; without them it is one of those that matter, since abstracts go
on over lines such as "RE - TREATMENT" and "ER - positive tumours".
"""
_BOOKS: Final = ("CHAP", "BOOK", "EBOOK", "ECHAP", "EDBOOK")
_NUMBERED: Final = {
    ("AN",): r"pubmed|medline|\bnlm\b(?! catalog)|europe pmc",
    ("ID",): "ovid medline|europe pmc",
    ("C2",): "scopus",
    ("C5",): "embase",
}
"""Tags that hold PMIDs, by the name of the database; every other has numbers of its own."""


def of_ris(one: Fields) -> Record:
    """The PMID is the record's own, one of an address or of a note that begins with it, or a number
    of a database that has them.
    """
    first, last = plain(one.first("SP", "C7")), plain(one.first("EP"))
    days, years = one.all("DA"), one.all("PY", "Y1")
    days = [day for day in days if not years or years[0][:4] in day]  # else of another year
    kind, held = one.first("TY").strip().upper(), " ".join(one.all("DB", "DP"))
    noted = filter(None, map(NOTED.match, one.all("N1", "M1", "M2", "M3", "KW")))
    numbered = (
        pmid
        for tags, database in _NUMBERED.items()
        if re.search(database, held, re.IGNORECASE)
        for pmid in map(read_pmid, one.all(*tags))
    )
    return record(
        one.line,
        title=one.first("TI", "T1", "CT", "BT"),
        abstract=one.first("AB", "N2"),
        authors=one.all("AU", "A1"),
        journal="" if kind in _BOOKS else one.first("JF", "T2", "JO"),
        abbreviation=one.first("JA", "J2"),
        volume=one.first("VL"),
        issue=one.first("IS"),
        pages=f"{first}-{last}" if first and last not in ("", first) and "-" not in first
        else first or last,
        dates=[*days, *years],
        pmid=read_pmid(one.first("PM"))
        or named_pmid(" ".join(one.all("UR", "L1", "L2", "LK", "AN", "ID", "U2", "C3")))
        or next((found[1] for found in noted), None)
        or next(filter(None, numbered), None),
        doi=find_doi(one.first("DO"))
        or find_doi(" ".join(one.all("DI", "M3", "UR", "L3", "N1", "LK"))),
        pmcid=one.first("C2"),
        languages=one.all("LA"),
        types=[*(kind for kind in one.all("M3") if not find_doi(kind)), OF_KIND.get(kind, "")],
        keywords=[word for text in one.all("KW") for word in parted(text.lstrip("*"), ";\n")],
        book=book_of(
            one.first("T2", "BT") if kind == "CHAP" else "",
            one.all("A2", "ED"), one.first("ET"), one.first("PB"),
            one.first("CY", "PP"), one.first("SN"),
        ) if kind in _BOOKS else None,
    )  # fmt: skip


READER = Reader(
    "RIS",
    lambda text: re.search(r"^TY\s{0,4}-(?:\s|$)", text, re.MULTILINE),
    lambda text: map(of_ris, RIS.records(text.splitlines())),
)
