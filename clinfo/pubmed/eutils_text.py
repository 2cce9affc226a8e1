"""A PubMed record as the two texts that EFetch gives: MEDLINE, tagged (NLM, "MEDLINE/PubMed Data
Element Descriptions"), and the abstract as PubMed lays it out.

Both are read from the record's XML, which holds more than a citation does (owner, kinds of ISSN,
hours of the history).
"""

import re
import textwrap
from collections.abc import Iterable
from datetime import date

from lxml import etree

from clinfo.pubmed.citation import citation_line
from clinfo.pubmed.elements import read_citation
from clinfo.records.articles import Article, Book
from clinfo.text.languages import ENGLISH_NAMES
from clinfo.text.markup import line_of

Field = tuple[str, str | None]
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


def _fields(record: etree._Element, citation: etree._Element, article: Article) -> list[Field]:
    """(tag, text) in the order of PubMed's export."""

    def each(tag: str, path: str, form: str = "{}", of: etree._Element = citation) -> list[Field]:
        """What stands at a path; the form may name its kind of number."""
        return [
            (tag, form.format(line_of(node), kind=node.get("IssnType") or node.get("EIdType")))
            for node in of.iterfind(path)
        ]

    book = article.book or Book()
    authors = next(filter(None, map(citation.findall, _AUTHORS)), [])
    history = [
        (node.get("PubStatus", ""), time_of(node))
        for node in record.iterfind("*/History/PubMedPubDate")
    ]
    times = dict(history)
    abstracts = [
        pair
        for node in citation.iterfind("OtherAbstract")
        for pair in (
            ("OAB", f"{node.get('Type')}: {' '.join(map(line_of, node.iterfind('AbstractText')))}"),
            ("OABL", node.get("Language")),
        )
    ]
    numbers = [
        ("SI", f"{line_of(bank.find('DataBankName'))}/{line_of(node)}")
        for bank in citation.iterfind("Article/DataBankList/DataBank")
        for node in bank.iterfind("AccessionNumberList/AccessionNumber")
    ]
    chemicals = [
        ("RN", f"{line_of(node.find('RegistryNumber'))} ({line_of(node.find('NameOfSubstance'))})")
        for node in citation.iterfind("ChemicalList/Chemical")
    ]
    links = [
        (
            _LINKS.get(link.get("RefType", ""), ""),
            ". PMID: ".join(filter(None, map(line_of, map(link.find, ("RefSource", "PMID"))))),
        )
        for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
    ]
    words = [
        pair
        for node in citation.iterfind("KeywordList")
        for pair in (("OTO", node.get("Owner")), *(("OT", _starred(word)) for word in node))
    ]
    return [
        ("PMID", article.pmid),
        ("OWN", citation.get("Owner")),
        ("STAT", article.status),
        ("DCOM", _day(citation.find("DateCompleted"))),
        ("LR", _day(citation.find("DateRevised"))),
        *each("IS", "Article/Journal/ISSN", "{} ({kind})"),
        *each("IS", "MedlineJournalInfo/ISSNLinking", "{} (Linking)"),
        ("VI", article.volume),
        ("IP", article.issue),
        ("DP", article.published.text if article.published else None),
        ("TI", article.title),
        ("BTI", book.title),
        ("PB", book.publisher),
        ("PL", book.place),
        ("PG", article.pages if record.find(".//Pagination") is not None else None),
        *each("LID", "Article/ELocationID", "{} [{kind}]"),
        ("AB", None if citation.find(".//Abstract") is None else " ".join(_sections(article))),
        *each("CI", ".//Abstract/CopyrightInformation"),
        *abstracts,
        *(pair for author in authors for pair in _person(author, "FAU", "AU")),
        *(pair for author in authors for pair in each("CN", "CollectiveName", of=author)),
        *(("LA", language) for language in article.languages),
        *numbers,
        *(
            ("GR", "/".join(filter(None, map(line_of, node))))
            for node in citation.iterfind("Article/GrantList/Grant")
        ),
        *(("PT", kind) for kind in article.publication_types),
        ("TT", article.vernacular_title),
        ("DEP", article.electronic.strftime("%Y%m%d") if article.electronic else None),
        *each("PL", "MedlineJournalInfo/Country"),
        *each("TA", "MedlineJournalInfo/MedlineTA"),
        ("JT", article.journal),
        *each("JID", "MedlineJournalInfo/NlmUniqueID"),
        *chemicals,
        *each("SB", "CitationSubset"),
        *links,
        *(
            ("MH", "/".join(map(_starred, node)))
            for node in citation.iterfind("MeshHeadingList/MeshHeading")
        ),
        ("PMC", article.pmcid),
        *each("MID", "PubmedData/ArticleIdList/ArticleId[@IdType='mid']", of=record),
        *words,
        *each("COIS", "CoiStatement"),
        *(
            pair
            for node in citation.iterfind("InvestigatorList/Investigator")
            for pair in _person(node, "FIR", "IR")
        ),
        ("EDAT", times.get("pubmed")),
        ("MHDA", times.get("medline")),
        ("CRDT", times.get("entrez")),
        *(("PHST", f"{time} [{status}]") for status, time in history),
        *(
            ("AID", f"{line_of(node)} [{node.get('IdType')}]")
            for node in record.iterfind("*/ArticleIdList/ArticleId")
            if node.get("IdType") not in _OUTSIDE
        ),
        *each("PST", "*/PublicationStatus", of=record),
        ("SO", _source(record, article)),
    ]


def _person(node: etree._Element, full: str, short: str) -> list[Field]:
    last, fore, initials, suffix = (
        line_of(node.find(tag)) for tag in ("LastName", "ForeName", "Initials", "Suffix")
    )
    named = ", ".join(filter(None, (last, " ".join(filter(None, (fore, suffix))))))
    return [] if not last else [
        (full, named),
        (short, " ".join(filter(None, (last, initials, suffix)))),
        *(("AUID", f"{one.get('Source')}: {line_of(one)}") for one in node.iterfind("Identifier")),
        *(("AD", line_of(one)) for one in node.iterfind("AffiliationInfo/Affiliation")),
    ]  # fmt: skip


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
        name = next((text or "" for tag, text in _person(node, "", "AU") if tag == "AU"), "")
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
