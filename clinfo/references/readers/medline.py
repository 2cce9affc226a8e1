"""MEDLINE's format (.nbib too), and Ovid's, which has its shape."""

import re
from typing import Final

from clinfo.records.articles import Correction
from clinfo.references.parts import plain
from clinfo.references.readers.tagged import Fields, Shape
from clinfo.references.record import Reader, Record, book_of, record
from clinfo.text.identifiers import electronic_page, find_doi, named_pmid, read_pmid

_TAG: Final = r"([A-Z][A-Z0-9]{1,3}) {0,3}-(?:\s|$)(.*)"
_MEDLINE = Shape(_TAG, "PMID", apart=("OWN", "STAT", "VI", "IP", "DP", "TI", "BTI"))
_OVID = Shape(_TAG, "VN")
_OVIDS: Final = {
    "FAU": ("FA",), "VI": ("VO",), "JT": ("NJ",), "DP": ("DP", "YR"), "LA": ("LG",), "OT": ("KW",),
}  # fmt: skip
"""MEDLINE's tags that Ovid has under other names."""
_LINKS: Final = {
    "RIN": "RetractionIn", "ROF": "RetractionOf", "PRIN": "PartialRetractionIn",
    "PROF": "PartialRetractionOf", "ECI": "ExpressionOfConcernIn",
    "ECF": "ExpressionOfConcernFor", "EIN": "ErratumIn", "EFR": "ErratumFor",
    "CRI": "CorrectedandRepublishedIn", "CRF": "CorrectedandRepublishedFrom",
    "RPI": "RepublishedIn", "RPF": "RepublishedFrom", "RRI": "RetractedandRepublishedIn",
    "RRF": "RetractedandRepublishedFrom", "UIN": "UpdateIn", "UOF": "UpdateOf",
}  # fmt: skip
"""MEDLINE's tags of links to notices and other versions, as PubMed's XML names them."""


def _of_medline(one: Fields) -> Record:
    title, book = one.first("TI"), one.first("BTI")
    numbered = [value for value in one.all("LID", "AID") if "[doi]" in value.lower()]
    places = (text.removesuffix("[pii]").strip() for text in one.all("LID") if "[pii]" in text)
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
        pages=one.first("PG") or next(filter(None, map(electronic_page, places)), ""),
        dates=one.all("DP"),
        electronic=one.first("DEP"),
        entered=one.first("CRDT").partition(" ")[0].replace("/", ""),
        pmid=read_pmid(one.first("PMID")),
        doi=find_doi(numbered[0]) if numbered else "",
        pmcid=one.first("PMC"),
        languages=one.all("LA"),
        types=one.all("PT"),
        mesh=[value.replace("*", "").partition("/")[0] for value in one.all("MH")],
        keywords=one.all("OT"),
        databanks=one.all("SI"),
        status=one.first("STAT"),
        corrections=tuple(
            Correction(kind, plain(text), named_pmid(text))
            for tag, kind in _LINKS.items()
            for text in one.all(tag)
        ),
        book=book_of(
            book if title not in ("", book) else "", one.all("FED") or one.all("ED"),
            one.first("EN"), one.first("PB"), one.first("PL"), one.first("ISBN"),
        ) if book else None,
    )  # fmt: skip


def _of_ovid(one: Fields) -> Record:
    values = one.values | {to: one.all(*own) for to, own in _OVIDS.items()}
    values["PMID"] = one.all("UI") if re.search("medline", one.first("DB"), re.I) else []
    values["LID"] = [f"{doi} [doi]" for doi in one.all("DO")]
    return _of_medline(Fields(one.line, values))


OVID = Reader(
    "MEDLINE",
    lambda text: re.search(r"^VN {0,2}- ?Ovid", text, re.MULTILINE),
    lambda text: map(_of_ovid, _OVID.records(text.splitlines())),
)
READER = Reader(
    "MEDLINE",
    lambda text: re.search(
        r"^(?:PMID {0,2}- ?[0-9]|DP  - \d{4}|(?:OWN|STAT|BTI|FAU|FED|LID) ?- |(?:JT|TA|CN)  - )",
        text,
        re.MULTILINE,
    ),
    lambda text: map(_of_medline, _MEDLINE.records(text.splitlines())),
)
