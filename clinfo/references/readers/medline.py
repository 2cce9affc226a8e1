"""MEDLINE's format (.nbib too), and Ovid's, which has its shape."""

from __future__ import annotations

import re

from clinfo.records.articles import Correction
from clinfo.references.parts import plain
from clinfo.references.readers.tagged import Fields
from clinfo.references.record import Record, book_of, record
from clinfo.text.identifiers import electronic_page, find_doi, named_pmid, read_pmid

_LINKS = {
    "RIN": "RetractionIn",
    "ROF": "RetractionOf",
    "PRIN": "PartialRetractionIn",
    "PROF": "PartialRetractionOf",
    "ECI": "ExpressionOfConcernIn",
    "ECF": "ExpressionOfConcernFor",
    "EIN": "ErratumIn",
    "EFR": "ErratumFor",
    "CRI": "CorrectedandRepublishedIn",
    "CRF": "CorrectedandRepublishedFrom",
    "RPI": "RepublishedIn",
    "RPF": "RepublishedFrom",
    "RRI": "RetractedandRepublishedIn",
    "RRF": "RetractedandRepublishedFrom",
    "UIN": "UpdateIn",
    "UOF": "UpdateOf",
}
"""MEDLINE's tags of links to notices and other versions, as PubMed's XML names them."""
MEDLINES_OWN = re.compile(
    r"(?:PMID {0,2}- ?[0-9]|DP  - \d{4}|(?:OWN|STAT|BTI|FAU|FED|LID) ?- |(?:JT|TA|CN)  - )"
)


def medline_doi(one: Fields) -> str:
    """The DOI of a MEDLINE record; "" where there is none."""
    dois = [value for value in one.all("LID", "AID") if "[doi]" in value.lower()]
    return find_doi(dois[0]) if dois else ""


def medline_links(one: Fields) -> tuple[Correction, ...]:
    """The links of a MEDLINE record to notices and other versions."""
    return tuple(
        Correction(kind, plain(text), named_pmid(text))
        for tag, kind in _LINKS.items()
        for text in one.all(tag)
    )


def of_medline(one: Fields) -> Record:
    title, book = one.first("TI"), one.first("BTI")
    return record(
        one.line,
        title=title or book or one.first("TT"),
        abstract=one.first("AB"),
        authors=one.all("FAU") or one.all("AU"),
        groups=one.all("CN"),
        journal=one.first("JT"),
        abbreviation=one.first("TA"),
        volume=one.first("VI"),
        issue=one.first("IP"),
        pages=one.first("PG") or next(filter(None, map(_page, one.all("LID"))), ""),
        dates=one.all("DP"),
        electronic=one.first("DEP"),
        entered=one.first("CRDT").partition(" ")[0].replace("/", ""),
        pmid=read_pmid(one.first("PMID")),
        doi=medline_doi(one),
        pmcid=one.first("PMC"),
        languages=one.all("LA"),
        types=one.all("PT"),
        mesh=[value.replace("*", "").partition("/")[0] for value in one.all("MH")],
        keywords=one.all("OT"),
        databanks=one.all("SI"),
        status=one.first("STAT"),
        corrections=medline_links(one),
        book=book_of(
            book if title not in ("", book) else "", one.all("FED") or one.all("ED"),
            one.first("EN"), one.first("PB"), one.first("PL"), one.first("ISBN"),
        ) if book else None,
    )  # fmt: skip


def _page(place: str) -> str:
    """The article number of a MEDLINE record's "e123 [pii]"."""
    return electronic_page(place.removesuffix("[pii]").strip()) if "[pii]" in place else ""


def of_ovid(one: Fields) -> Record:
    """A record as Ovid exports it: some of MEDLINE's tags under other names."""
    same = {"PMID": "UI", "FAU": "FA", "VI": "VO", "JT": "NJ", "DP": "YR", "LA": "LG", "OT": "KW"}
    values = one.values | {to: one.all(own) for to, own in same.items()}
    values["PMID"] = one.all("UI") if re.search("medline", one.first("DB"), re.I) else []
    values["DP"] = one.all("DP") or one.all("YR")
    values["LID"] = [f"{one} [doi]" for one in one.all("DO")]
    return of_medline(Fields(one.line, values))
