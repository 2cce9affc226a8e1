"""PMIDs and DOIs as they are written in lists, notes and addresses, brought into one form."""

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from clinfo.text.markup import unmarked

_PMID = re.compile(r"(?:pmid\s{0,3}:?\s{0,3})?0{0,8}([1-9][0-9]{0,7})(?:\.0+)?", re.IGNORECASE)
_NAMED_PMID = re.compile(
    (
        r"(?:\bpmid\b[\s:=]{1,4}(?:NLM)?|\bPUBMED (?=\d{4})|\bpubmed(?:\.ncbi\.nlm\.nih\.gov)?/|"
        r"\bpubmed(?:\s{0,2}id)?\s{0,2}:\s{0,2})([1-9][0-9]{0,7})(?![0-9])"
    ),
    re.IGNORECASE,
)
_DOI = re.compile(r"\b10\.[0-9]{4,9}/[^\s\"“”]{1,300}", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:(?P<asked>[?&][\w.]{1,30}=|#[a-z])|/(?:abstract|e?pdf|full(?:-?text)?|meta|references)(?:[./]html?)?/?$"
    r"|(?:\.(?:full|pdf|abstract))+$)\S*",
    re.IGNORECASE,
)
"""What an address goes on with behind a DOI; words only in others than the resolver's."""
_PLACE = re.compile(r"(?!S\d{16}$)[A-Za-z]{0,6}-?\d[\w.-]{0,15}")
_ESCAPED = re.compile(r"10[.][0-9]{4,9}(?:/\S{0,300})?%[235][0-9A-F]", re.IGNORECASE)
_LIST_NUMBER = 6
"""Characters of "[123]." at most, which is a number of a list."""
_ENDS = ".,;:'’!?"
_CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}


def read_pmid(text: str | None) -> str | None:
    """The PMID that the whole text is: ``37476288``, ``PMID: 37476288``, ``[37476288]``, or
    ``37476288.0`` and ``037476288`` of a spreadsheet; 0 is none.
    """
    plain = unicodedata.normalize("NFKC", text or "").strip()
    if len(plain) > _LIST_NUMBER:
        plain = plain.strip("[](){};,. ")
    found = _PMID.fullmatch(plain)
    return found[1] if found else None


def named_pmid(text: str) -> str | None:
    """The first PMID that stands in a text under its name (``PMID: 1``) or in PubMed's address."""
    found = _NAMED_PMID.search(text)
    return found[1] if found else None


def find_doi(text: str | None) -> str:
    """The first DOI in a text, in lower case because case means nothing in one; "" where there is
    none.

    Stops and brackets that belong to the sentence around it are left out, and so is the version
    that preprint servers write behind theirs.
    """
    text = unmarked(text or "").replace("](", " ")  # of a link in Markdown
    text = unquote(text) if _ESCAPED.search(text) else text
    found = _DOI.search(text)
    if not found:
        return ""
    doi = found[0]
    number, _, version = doi.partition("v")
    if number.removeprefix("10.1101/").replace(".", "").isdigit() and version[:1].isdigit():
        doi = number
    while doi[-1] in _ENDS or (
        doi[-1] in _CLOSING and doi.count(_CLOSING[doi[-1]]) < doi.count(doi[-1])
    ):
        doi = doi[:-1]
    before = text[max(0, found.start() - 8) : found.start()]
    inside = before.endswith(("/", "=")) and before != "doi.org/"
    prefix, slash, own = doi.partition("/")
    doi = prefix + slash + _TAIL.sub(lambda one: "" if inside or one["asked"] else one[0], own)
    return doi.lower() if "/" in doi and not doi.endswith("/") else ""


def named_records(text: str) -> Iterator[tuple[str, int, int]]:
    """The DOIs and the PMIDs under their name of a text, each in one form, and where they stand."""
    for found in _DOI.finditer(text):
        doi = find_doi(text[max(0, found.start() - 8) : found.end()])
        yield doi, found.start(), found.start() + len(doi)
    for found in _NAMED_PMID.finditer(text):
        yield found[1], *found.span(1)


def electronic_page(pii: str) -> str:
    """The article number that a publisher's identifier is; "" of one that is none
    ("S0140-6736(20)30183-5").
    """
    return pii if _PLACE.fullmatch(pii) else ""
