"""The references of a review: from its PubMed record, from ELink, and from its full text in PMC,
each with where it came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from clinfo.errors import RecordError
from clinfo.pubmed.xml import element_of
from clinfo.text.identifiers import read_pmid
from clinfo.text.markup import line_of

if TYPE_CHECKING:
    from lxml import etree

Origin = Literal["record", "elink", "pmc"]
ORIGINS: tuple[Origin, ...] = ("record", "elink", "pmc")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_CITATIONS = ("element-citation", "mixed-citation", "citation", "nlm-citation")
_ELSEWHERE = ("sub-article", "response")


@dataclass(frozen=True)
class Cited:
    """One entry of a reference list as one source gives it; either may be ""."""

    pmid: str = ""
    doi: str = ""


@dataclass(frozen=True)
class Reference:
    """One cited work: ``pmid`` or ``doi`` may be "", not both. ``origins`` are all sources that
    name it.
    """

    pmid: str
    doi: str
    origins: tuple[Origin, ...]


def cited_in_record(record: bytes) -> tuple[Cited, ...]:
    """The reference list of a PubMed record (its XML in UTF-8). Raises RecordError where the XML is
    damaged.
    """
    root = element_of(record)
    found = []
    for reference in root.iterfind(".//ReferenceList//Reference"):
        ids = [
            (node.get("IdType", ""), line_of(node))
            for node in reference.iterfind("ArticleIdList/ArticleId")
        ]
        pmids = [pmid for kind, value in ids if kind == "pubmed" and (pmid := read_pmid(value))]
        dois = [doi for kind, value in ids if kind == "doi" and (doi := doi_of(value))]
        if pmids or dois:
            found.append(Cited(pmids[0] if pmids else "", dois[0] if dois else ""))
    return tuple(found)


def cited_by(xml: str, also: Iterable[str]) -> tuple[Cited, ...]:
    """The reference list of a record, and PMIDs that the record names as cited elsewhere. Raises
    RecordError.
    """
    listed = cited_in_record(xml.encode())
    known = {one.pmid for one in listed}
    return listed + tuple(Cited(pmid) for pmid in also if pmid not in known)


def cited_in_links(body: bytes, linkname: str) -> dict[str, tuple[Cited, ...]]:
    """From an answer of ELink: what is linked under ``linkname``, by the PMID that was asked about;
    () where nothing is.

    A PMID that the answer leaves out, or has an error for, is not among them. Raises RecordError
    where the XML is damaged.
    """
    found: dict[str, tuple[Cited, ...]] = {}
    for links in _parsed(body).iterfind("LinkSet"):
        asked = [line_of(node).strip() for node in links.iterfind("IdList/Id")]
        if len(asked) == 1 and links.find(".//ERROR") is None:
            groups = [
                group
                for group in links.iterfind("LinkSetDb")
                if group.findtext("LinkName", "").strip() == linkname
            ]
            pmids = [
                read_pmid(line_of(node)) for group in groups for node in group.iterfind("Link/Id")
            ]
            found[asked[0]] = tuple(Cited(pmid) for pmid in pmids if pmid)
    return found


def cited_in_full_texts(body: bytes) -> dict[str, tuple[Cited, ...]]:
    """From an answer of EFetch for db=pmc: each article's reference list by its number in PMC,
    without the letters PMC.

    An article that PMC holds without its text, or says not to have (an element ``error`` with its
    number, in earlier years ``Reply``), has an empty list; one that the answer leaves out is not
    among them. Raises RecordError where the XML is damaged.
    """
    root = _parsed(body)
    refused = (
        node.get("id") or node.get("Id") or "" for node in root.iterchildren("error", "Reply")
    )
    found: dict[str, tuple[Cited, ...]] = {
        number: () for one in refused if (number := re.sub(r"\D", "", one))
    }
    for article in root.iterfind("article"):
        ids = article.iterfind("front/article-meta/article-id")
        numbers = [
            re.sub(r"\D", "", node.text or "")
            for node in ids
            if node.get("pub-id-type", "") in ("pmc", "pmcid")
        ]
        if numbers and numbers[0]:
            found[numbers[0]] = tuple(_cited(article))
    return found


def references(
    sources: Mapping[Origin, Sequence[Cited]], own_pmid: str, own_doi: str = ""
) -> tuple[Reference, ...]:
    """All cited works once, in the order of the sources' lists, without the review itself.

    Two entries are one work where they have the same PMID, or the same DOI and not two different
    PMIDs; case of a DOI does not count. An entry that brings the DOI or the PMID that was lacking
    completes the other.
    """
    works: list[_Work] = []
    by_pmid: dict[str, _Work] = {}
    by_doi: dict[str, _Work] = {}
    for origin in ORIGINS:
        for cited in sources.get(origin, ()):
            if (cited.pmid and cited.pmid == own_pmid) or (
                cited.doi and cited.doi.lower() == own_doi.lower()
            ):
                continue
            work = by_pmid.get(cited.pmid) if cited.pmid else None
            if work is None and cited.doi:
                same = by_doi.get(cited.doi.lower())
                work = same if same is not None and not (cited.pmid and same.pmid) else None
            if work is None:
                work = _Work(cited.pmid, cited.doi, [])
                works.append(work)
            work.pmid, work.doi = work.pmid or cited.pmid, work.doi or cited.doi
            if origin not in work.origins:
                work.origins.append(origin)
            if work.pmid:
                by_pmid.setdefault(work.pmid, work)
            if work.doi:
                by_doi.setdefault(work.doi.lower(), work)
    return tuple(Reference(work.pmid, work.doi, tuple(work.origins)) for work in works)


def doi_of(text: str) -> str:
    """The DOI within ``text``, without what stands before it or a full stop behind it; "" where
    there is none.
    """
    found = _DOI.search(text)
    return found[0].rstrip(".,;") if found else ""


@dataclass
class _Work:
    pmid: str
    doi: str
    origins: list[Origin]


def _cited(article: etree._Element) -> Iterable[Cited]:
    for entry in article.iter("ref"):
        if any(above.tag in _ELSEWHERE for above in entry.iterancestors()):
            continue
        listed = [node for name in _CITATIONS for node in entry.iter(name)] or [entry]
        for one in listed:
            ids = [(node.get("pub-id-type", ""), line_of(node)) for node in one.iter("pub-id")]
            pmid = next(
                (pmid for kind, value in ids if kind == "pmid" and (pmid := read_pmid(value))), ""
            )
            doi = next((doi for kind, value in ids if kind == "doi" and (doi := doi_of(value))), "")
            if pmid or doi:
                yield Cited(pmid, doi)


def _parsed(body: bytes) -> etree._Element:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    try:
        return etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise RecordError("damaged XML") from None
