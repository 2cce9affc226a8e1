"""EndNote's XML and tagged text, read as RIS: the same fields under the tags that RIS has for
them.
"""

import re
from collections.abc import Iterator
from typing import Any

from clinfo.errors import RecordError
from clinfo.references.readers.ris import of_ris
from clinfo.references.readers.tagged import Fields, Shape
from clinfo.references.record import Reader
from clinfo.text.markup import text_of, xml_root

_ENDNOTE = Shape(r"(%[0-9A-Z@~!#$*&(>+<^\[\]])(?:\s(.*)|$)", "%0")
_KINDS = {
    "book section": "CHAP", "electronic book section": "CHAP", "book": "BOOK",
    "edited book": "BOOK", "electronic book": "BOOK", "thesis": "THES", "report": "RPRT",
    "dataset": "DATA",
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
    for record in root.iter("record"):
        kind = record.find("ref-type")
        name = "" if kind is None else kind.get("name") or ""
        line: Any = record.sourceline
        found = Fields(line or 0, {"TY": [_KINDS.get(name.lower(), "JOUR")]})
        for place, tag in _PLACES.items():
            texts = (" ".join(text_of(one).split()) for one in record.iterfind(place))
            found.values.setdefault(tag, []).extend(filter(None, texts))
        years = found.all("PY")
        found.values["DA"] = [f"{year} {day}" for year in years for day in found.all("DA")]
        yield found


def _of_tags(record: Fields) -> Fields:
    year = record.first("%D")
    found = Fields(record.line, {"TY": [_KINDS.get(record.first("%0").lower(), "JOUR")]})
    found.values["DA"] = [f"{'' if year in day else year} {day}" for day in record.all("%8")]
    for own, tag in _TAGS.items():
        found.values.setdefault(tag, []).extend(record.all(own))
    return found


XML = Reader(
    "ENDNOTE",
    lambda text: re.match(r"\s*(?:<\?xml[^>]*>\s*)?<xml>\s*<records>", text),
    lambda text: map(of_ris, _of_xml(text)),
)
READER = Reader(
    "ENDNOTE",
    lambda text: re.search("^%0 ", text, re.M) and re.search("^%[TJB] ", text, re.M),
    lambda text: map(of_ris, map(_of_tags, _ENDNOTE.records(text.splitlines()))),
)
