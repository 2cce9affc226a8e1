"""A PubMed record as the two texts that EFetch gives: MEDLINE, tagged (NLM, "MEDLINE/PubMed Data
Element Descriptions"), and the abstract as PubMed lays it out.

Both are read from the record's XML, which holds more than a citation does (owner, kinds of ISSN,
hours of the history).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from datetime import date

from lxml import etree

from clinfo.pubmed.citation import citation_line
from clinfo.pubmed.elements import read_citation
from clinfo.records.articles import Article
from clinfo.text.languages import ENGLISH_NAMES
from clinfo.text.markup import line_of

WIDTH = 81
"""Columns of a line of text, as PubMed wraps them; the tag of MEDLINE stands before them."""
_LINKS = {
    "CommentIn": "CIN",
    "CommentOn": "CON",
    "CorrectedandRepublishedFrom": "CRF",
    "CorrectedandRepublishedIn": "CRI",
    "ErratumFor": "EFR",
    "ErratumIn": "EIN",
    "ExpressionOfConcernFor": "ECF",
    "ExpressionOfConcernIn": "ECI",
    "OriginalReportIn": "ORI",
    "PartialRetractionIn": "PRIN",
    "PartialRetractionOf": "PROF",
    "RepublishedFrom": "RPF",
    "RepublishedIn": "RPI",
    "RetractedandRepublishedFrom": "RRF",
    "RetractedandRepublishedIn": "RRI",
    "RetractionIn": "RIN",
    "RetractionOf": "ROF",
    "SummaryForPatientsIn": "SPIN",
    "UpdateIn": "UIN",
    "UpdateOf": "UOF",
}
_AUTHORS = (
    "Article/AuthorList/Author",
    "AuthorList[@Type='authors']/Author",
    "Book/AuthorList/Author",
)
"""Places of the authors of an article, of a chapter and of a book."""
_OUTSIDE = ("pubmed", "pmc", "mid")
"""Kinds of id that stand in fields of their own or nowhere, and not in AID."""


def medline(records: Iterable[etree._Element]) -> str:
    """The records in MEDLINE format, a blank line before each."""
    return "".join("\n" + _medline(record) for record in records)


def abstracts(records: Iterable[etree._Element]) -> str:
    """The records as PubMed's abstract format numbers and lays them out."""
    return "\n\n\n".join(_abstract(*one) for one in enumerate(records, 1)) + "\n"


def _medline(record: etree._Element) -> str:
    article = read_citation(record).article
    inner = [record.find(tag) for tag in ("MedlineCitation", "BookDocument")]
    citation = next((one for one in inner if one is not None), record)
    return "".join(_field(tag, text) for tag, text in _fields(record, citation, article) if text)


def _field(tag: str, text: str) -> str:
    return f"{tag:<4}- " + "\n      ".join(_wrapped(text)) + "\n"


def _wrapped(text: str) -> list[str]:
    lines = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line + " " * (len(line) == WIDTH - 1) for line in lines[:-1]] + lines[-1:]


def _fields(
    record: etree._Element, citation: etree._Element, article: Article
) -> Iterator[tuple[str, str | None]]:
    """Yield (tag, text) in the order of PubMed's export."""

    def each(tag: str, path: str, start: etree._Element = citation) -> Iterator[tuple[str, str]]:
        for node in start.iterfind(path):
            yield tag, line_of(node)

    yield "PMID", article.pmid
    yield "OWN", citation.get("Owner")
    yield "STAT", article.status
    yield "DCOM", _day(citation.find("DateCompleted"))
    yield "LR", _day(citation.find("DateRevised"))
    for node in citation.iterfind("Article/Journal/ISSN"):
        yield "IS", f"{line_of(node)} ({node.get('IssnType')})"
    for node in citation.iterfind("MedlineJournalInfo/ISSNLinking"):
        yield "IS", f"{line_of(node)} (Linking)"
    yield "VI", article.volume
    yield "IP", article.issue
    yield "DP", article.published.text if article.published else None
    yield "TI", article.title
    if article.book is not None:
        yield "BTI", article.book.title
        yield "PB", article.book.publisher
        yield "PL", article.book.place
    yield "PG", article.pages
    for node in citation.iterfind("Article/ELocationID"):
        yield "LID", f"{line_of(node)} [{node.get('EIdType')}]"
    if citation.find(".//Abstract") is not None:
        yield "AB", " ".join(_sections(article))
    yield from each("CI", ".//Abstract/CopyrightInformation")
    for node in citation.iterfind("OtherAbstract"):
        yield "OAB", f"{node.get('Type')}: " + " ".join(map(line_of, node.iterfind("AbstractText")))
        yield "OABL", node.get("Language")
    authors = next(filter(None, map(citation.findall, _AUTHORS)), [])
    for author in authors:
        yield from _person(author, "FAU", "AU")
    for author in authors:
        yield from each("CN", "CollectiveName", author)
    for language in article.languages:
        yield "LA", language
    for bank in citation.iterfind("Article/DataBankList/DataBank"):
        for node in bank.iterfind("AccessionNumberList/AccessionNumber"):
            yield "SI", f"{line_of(bank.find('DataBankName'))}/{line_of(node)}"
    for node in citation.iterfind("Article/GrantList/Grant"):
        yield "GR", "/".join(filter(None, map(line_of, node)))
    for kind in article.publication_types:
        yield "PT", kind
    yield "TT", article.vernacular_title
    yield "DEP", article.electronic.strftime("%Y%m%d") if article.electronic else None
    yield from each("PL", "MedlineJournalInfo/Country")
    yield from each("TA", "MedlineJournalInfo/MedlineTA")
    yield "JT", article.journal
    yield from each("JID", "MedlineJournalInfo/NlmUniqueID")
    for node in citation.iterfind("ChemicalList/Chemical"):
        yield (
            "RN",
            f"{line_of(node.find('RegistryNumber'))} ({line_of(node.find('NameOfSubstance'))})",
        )
    yield from each("SB", "CitationSubset")
    for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        pmid = line_of(link.find("PMID"))
        yield (
            _LINKS.get(link.get("RefType", ""), ""),
            line_of(link.find("RefSource")) + (f". PMID: {pmid}" if pmid else ""),
        )
    for node in citation.iterfind("MeshHeadingList/MeshHeading"):
        yield "MH", "/".join(_starred(part) for part in node)
    yield "PMC", article.pmcid
    yield from each("MID", "PubmedData/ArticleIdList/ArticleId[@IdType='mid']", record)
    for node in citation.iterfind("KeywordList"):
        yield "OTO", node.get("Owner")
        for word in node:
            yield "OT", _starred(word)
    yield from each("COIS", "CoiStatement")
    for node in citation.iterfind("InvestigatorList/Investigator"):
        yield from _person(node, "FIR", "IR")
    history = [
        (node.get("PubStatus", ""), time_of(node))
        for node in record.iterfind("*/History/PubMedPubDate")
    ]
    times = dict(history)
    yield "EDAT", times.get("pubmed")
    yield "MHDA", times.get("medline")
    yield "CRDT", times.get("entrez")
    for status, time in history:
        yield "PHST", f"{time} [{status}]"
    for node in record.iterfind("*/ArticleIdList/ArticleId"):
        if node.get("IdType") not in _OUTSIDE:
            yield "AID", f"{line_of(node)} [{node.get('IdType')}]"
    yield from each("PST", "*/PublicationStatus", record)
    yield "SO", _source(record, article)


def _person(node: etree._Element, full: str, short: str) -> Iterator[tuple[str, str]]:
    last, fore, initials, suffix = (
        line_of(node.find(tag)) for tag in ("LastName", "ForeName", "Initials", "Suffix")
    )
    if not last:
        return
    yield full, ", ".join(filter(None, (last, " ".join(filter(None, (fore, suffix))))))
    yield short, " ".join(filter(None, (last, initials, suffix)))
    for one in node.iterfind("Identifier"):
        yield "AUID", f"{one.get('Source')}: {line_of(one)}"
    for one in node.iterfind("AffiliationInfo/Affiliation"):
        yield "AD", line_of(one)


def _starred(node: etree._Element) -> str:
    return "*" * (node.get("MajorTopicYN") == "Y") + line_of(node)


def _sections(article: Article) -> list[str]:
    return [f"{one.label}: {one.text}" if one.label else one.text for one in article.sections]


def _parts(node: etree._Element) -> list[str]:
    return [line_of(child).zfill(2) for child in node]


def _day(node: etree._Element | None) -> str:
    return "" if node is None else "".join(_parts(node)[:3])


def time_of(node: etree._Element) -> str:
    """A day of a record's history with hour and minute: 2020/12/09 06:00."""
    hour, minute = ([*_parts(node)[3:5], "00", "00"])[:2]
    return f"{'/'.join(_parts(node)[:3])} {hour}:{minute}"


def _source(record: etree._Element, article: Article) -> str:
    """The citation in one line, with the electronic date of an article that is printed too."""
    node = record.find(".//Article")
    day, model = article.electronic, "" if node is None else node.get("PubModel", "")
    epub = day is not None and model == "Print-Electronic"
    return citation_line(article) + (f" Epub {written(day)}." if day and epub else "")


def written(day: date) -> str:
    """A day as PubMed writes it: 2020 Dec 9."""
    return f"{day:%Y %b} {day.day}"


def _abstract(number: int, record: etree._Element) -> str:
    article = read_citation(record).article
    places: dict[str, int] = {}
    for node in record.iterfind(".//AuthorList/Author/AffiliationInfo/Affiliation"):
        places.setdefault(line_of(node), len(places) + 1)
    people: list[str] = []
    groups: list[str] = []
    for node in record.iterfind(".//AuthorList/Author"):
        name = next((text for tag, text in _person(node, "", "AU") if tag == "AU"), "")
        marks = "".join(
            f"({places[line_of(place)]})" for place in node.iterfind("AffiliationInfo/Affiliation")
        )
        (people if name else groups).append((name or line_of(node.find("CollectiveName"))) + marks)
    by = "; ".join(filter(None, (", ".join(people), *groups)))
    foreign = [ENGLISH_NAMES.get(one, one) for one in article.languages if one != "eng"]
    links = [
        f"{re.sub('(?<=[a-z])(?=[A-Z])', ' ', one.kind).capitalize()}\n    {one.citation}"
        for one in article.corrections
    ]
    where = [f"({n}){place}" for place, n in places.items()]
    indexed = article.status in ("MEDLINE", "Completed")
    ids = [
        f"DOI: {article.doi}" if article.doi else "",
        f"PMCID: {article.pmcid}" if article.pmcid else "",
        f"PMID: {article.pmid}" + " [Indexed for MEDLINE]" * indexed,
    ]
    conflict = line_of(record.find(".//CoiStatement"))
    paragraphs = (
        _block(f"{number}. {_source(record, article) or article.title}"),
        _block(article.title),
        f"[Article in {', '.join(foreign)}]" if foreign else "",
        _block(f"{by}." if by else ""),
        "\n".join(["Author information: ", *map(_block, where)]) if where else "",
        "\n".join(links),
        "\n".join(map(_block, _sections(article))),
        _block(line_of(record.find(".//Abstract/CopyrightInformation"))),
        "\n".join(filter(None, ids)),
        _block(f"Conflict of interest statement: {conflict}" if conflict else ""),
    )
    return "\n\n".join(filter(None, paragraphs))


def _block(text: str) -> str:
    return "\n".join(_wrapped(text))
