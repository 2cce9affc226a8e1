"""Tagged text, the common shape of RIS (as reference managers and databases write it), of MEDLINE's
format (.nbib too; Ovid's) and of EndNote's own: a tag, a value; further lines are indented.
EndNote's, its XML too, is read as RIS: the same fields under the tags that RIS has for them.

Read leniently, because a reader of reference lists must not lose one over a missing space.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from clinfo.errors import RecordError
from clinfo.records.articles import Correction
from clinfo.references.parts import OF_KIND, plain
from clinfo.references.record import NOTED, Reader, Record, book_of, parted, record
from clinfo.text.identifiers import electronic_page, find_doi, named_pmid, read_pmid
from clinfo.text.markup import text_of, unescaped, xml_root


@dataclass
class Fields:
    """One record: its values by tag, in order, and the line (from 1) where it begins."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)

    def all(self, *tags: str) -> list[str]:
        """The values of these tags, tag by tag, without the marks of a page they came from."""
        return [unescaped(value) for tag in tags for value in self.values.get(tag, ())]

    def first(self, *tags: str) -> str:
        """The first value of the first of these tags that has one; "" without any."""
        return next((value for value in self.all(*tags) if value), "")


@dataclass(frozen=True)
class Shape:
    """How a form is laid out: a line of it as ``tag`` and value, the tag that ``begins`` a record,
    the one that ``ends`` it, and those that begin one after a blank line where the record before
    has a title.
    """

    tag: str
    begins: str
    ends: str = ""
    apart: tuple[str, ...] = ()

    def records(self, lines: Iterable[str]) -> Iterator[Fields]:
        """The records of a text; where they have an end, one may begin with any tag."""
        begun, held, blank = 0, dict[str, list[list[str]]](), True
        value: list[str] = []
        for number, line in enumerate((*lines, None), start=1):
            text = "" if line is None else line.lstrip("\ufeff").rstrip()
            found = re.match(self.tag, text)
            tag = found[1] if found else ""
            apart = blank and tag in self.apart and (not begun or {"TI", "BTI"} & held.keys())
            first = tag == self.begins and (not (begun and self.ends) or tag in held)
            other = not begun and self.ends and tag not in ("", self.ends)
            if begun and (line is None or apart or first or tag == self.ends != ""):
                joined = {name: ["\n".join(filter(None, one)) for one in every]
                          for name, every in held.items()}  # fmt: skip
                yield Fields(begun, joined)
                begun = 0
            if apart or first or other:
                begun, held, value = number, {}, []
            if begun and found:
                value = [(found[2] or "").strip()]
                held.setdefault(tag, []).append(value)
            elif begun:
                value.append(text.strip())
            blank = not text


_RIS: Final = Shape(
    r"((?!ER)[A-Z][A-Z0-9](?=  -)|ER(?=\s{0,4}-\s*$)|(?:TY|A[1-4UBN]|T[1-3I]|N[12]|PY|Y1|J[OFA]|VL"
    r"|IS|[SE]P|D[OAB]|UR|SN|KW|PB|CY|M3)(?=\s{0,4}-))\s{0,4}-(?:\s|$)(.*)",
    "TY",
    "ER",
)
"""A tag has two blanks behind it; without them it is one of those that matter, since abstracts go
on over lines such as "RE - TREATMENT" and "ER - positive tumours".
"""
_PAPERS: Final = ("CONF", "CPAPER")
"""Parts of a book, but where they stand in a volume of a journal."""
_PARTS: Final = ("CHAP", "ECHAP", *_PAPERS)
_BOOKS: Final = (*_PARTS, "BOOK", "EBOOK", "EDBOOK")
_NUMBERED: Final = {
    ("AN",): r"pubmed|medline|\bnlm\b(?! catalog)|europe pmc",
    ("ID",): "ovid medline|europe pmc",
    ("C2",): "scopus",
    ("C5",): "embase",
}
"""Tags that hold PMIDs, by the name of the database; every other has numbers of its own."""


def _of_ris(one: Fields) -> Record:
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
    book = kind in _BOOKS and not (kind in _PAPERS and one.first("JF", "JO", "VL"))
    return record(
        one.line,
        title=one.first("TI", "T1", "CT", "BT"),
        abstract=one.first("AB", "N2"),
        authors=one.all("AU", "A1"),
        journal="" if book else one.first("JF", "T2", "JO"),
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
            one.first("T2", "BT", "C3") if kind in _PARTS else "",
            one.all("A2", "ED"), one.first("ET"), one.first("PB"),
            one.first("CY", "PP"), one.first("SN"),
        ) if book else None,
    )  # fmt: skip


RIS = Reader(
    "RIS",
    lambda text: re.search(r"^TY\s{0,4}-(?:\s|$)", text, re.MULTILINE),
    lambda text: map(_of_ris, _RIS.records(text.splitlines())),
)

_TAG: Final = r"([A-Z][A-Z0-9]{1,3}) {0,3}-(?:\s|$)(.*)"
_MEDLINE = Shape(_TAG, "PMID", apart=("OWN", "STAT", "VI", "IP", "DP", "TI", "BTI"))
_OVID = Shape(_TAG, "VN")
_OVIDS: Final = {
    "FAU": ("FA",), "VI": ("VO",), "JT": ("NJ",), "DP": ("DP", "YR"), "LA": ("LG",), "OT": ("KW",),
}  # fmt: skip
"""MEDLINE's tags that Ovid has under other names."""
LINKS: Final = {
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
        abstract=one.first("AB", "OAB"),
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
            Correction(kind, plain(text).partition(" PMID:")[0], named_pmid(text))
            for tag, kind in LINKS.items()
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
MEDLINE = Reader(
    "MEDLINE",
    lambda text: re.search(
        r"^(?:PMID {0,2}- ?[0-9]|DP  - \d{4}|(?:OWN|STAT|BTI|FAU|FED|LID) ?- |(?:JT|TA|CN)  - )",
        text,
        re.MULTILINE,
    ),
    lambda text: map(_of_medline, _MEDLINE.records(text.splitlines())),
)

_ENDNOTE = Shape(r"(%[0-46-9A-Z@~!#$*&(>+<^\[\]])(?:\s(.*)|$)", "%0")
_KINDS = {
    "book section": "CHAP", "electronic book section": "CHAP", "book": "BOOK",
    "edited book": "BOOK", "electronic book": "BOOK", "thesis": "THES", "report": "RPRT",
    "dataset": "DATA", "conference proceedings": "CONF", "conference paper": "CPAPER",
}  # fmt: skip
_PLACES = {
    "titles/title": "TI",
    "titles/secondary-title": "T2",
    "titles/alt-title": "J2",
    "periodical/full-title": "JF",
    "periodical/abbr-1": "JA",
    "contributors/authors/author": "AU",
    "contributors/secondary-authors/author": "A2",
    "dates/year": "PY",
    "dates/pub-dates/date": "DA",
    "keywords/keyword": "KW",
    "urls/*/url": "UR",
    "pages": "SP",
    "volume": "VL",
    "number": "IS",
    "edition": "ET",
    "publisher": "PB",
    "pub-location": "CY",
    "isbn": "SN",
    "abstract": "AB",
    "accession-num": "AN",
    "remote-database-name": "DB",
    "electronic-resource-num": "DO",
    "custom2": "C2",
    "custom7": "C7",
    "language": "LA",
    "notes": "N1",
    "work-type": "M3",
}
_TAGS = {
    "%T": "TI", "%A": "AU", "%J": "JF", "%B": "T2", "%V": "VL", "%N": "IS", "%P": "SP", "%D": "PY",
    "%R": "DO", "%U": "UR", "%Z": "N1", "%M": "AN", "%W": "DB", "%~": "DB", "%G": "LA", "%9": "M3",
    "%K": "KW", "%X": "AB", "%E": "A2", "%7": "ET", "%I": "PB", "%C": "CY", "%@": "SN",
}  # fmt: skip
_STYLES = {"superscript": "sup", "subscript": "sub"}


def _of_xml(text: str) -> Iterator[Fields]:
    """The records of an export. Raises RecordError, to follow the file's name."""
    try:
        root = xml_root(text.encode())
    except ValueError as error:
        raise RecordError(f"is EndNote's XML, cut off or damaged: {error}") from None
    for run in root.iter("style"):
        run.tag = _STYLES.get(run.get("face") or "", "span")
    for one in root.iter("record"):
        kind = one.find("ref-type")
        name = "" if kind is None else kind.get("name") or ""
        line: Any = one.sourceline
        found = Fields(line or 0, {"TY": [_KINDS.get(name.lower(), "JOUR")]})
        for place, tag in _PLACES.items():
            texts = (" ".join(text_of(each).split()) for each in one.iterfind(place))
            found.values.setdefault(tag, []).extend(filter(None, texts))
        years = found.all("PY")
        found.values["DA"] = [f"{year} {day}" for year in years for day in found.all("DA")]
        yield found


def _of_tags(one: Fields) -> Fields:
    year = one.first("%D")
    found = Fields(one.line, {"TY": [_KINDS.get(one.first("%0").lower(), "JOUR")]})
    found.values["DA"] = [f"{'' if year in day else year} {day}" for day in one.all("%8")]
    for own, tag in _TAGS.items():
        found.values.setdefault(tag, []).extend(one.all(own))
    return found


ENDNOTE_XML = Reader(
    "ENDNOTE",
    lambda text: re.match(r"\s*(?:<\?xml[^>]*>\s*)?<xml>\s*<records>", text),
    lambda text: map(_of_ris, _of_xml(text)),
)
ENDNOTE = Reader(
    "ENDNOTE",
    lambda text: re.search("^%0 ", text, re.M) and re.search("^%[TJB] ", text, re.M),
    lambda text: map(_of_ris, map(_of_tags, _ENDNOTE.records(text.splitlines()))),
)
