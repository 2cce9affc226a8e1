"""Two independent readings of real citation files beside ours: nothing may be lost, in any record.

The first is written here on the standard library's ElementTree and knows nothing of ours; it reads
all files and all fields. The second is Bio.Entrez' parser. Biopython keeps inline tags as text
while it decodes entities; with ``escape=True`` the entities stay, so that the tags can be taken out
and the entities read afterwards. The DTDs it lacks are replaced by their neighbours.
"""

from __future__ import annotations

import calendar
import gzip
import html
import io
import re
import warnings
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from clinfo.pubmed.citation import Citation
from clinfo.pubmed.dates import read_interval
from clinfo.pubmed.xml import Record, read_file, read_file_records
from clinfo.records.articles import Article, Author, DateInterval
from tests.shared_data import SHARED, needs_shared

FILES = {
    "medline/medline16n0902_part.xml.gz": 403,
    "medline/medsample1_2017.xml.gz": 170,
    "medline/pubmed_export_nasopharyngeal_2018.xml.gz": 107,
    "medline/pubmed_export_orthopaedics_2019.xml.gz": 146,
    "medline/efetch_29768149.xml": 1,
    "medline/efetch_36400559_2024.xml": 4,
    "medline/pmid_20000000/20000000.xml": 1,
    "eutils/pubmed1.xml": 2,
    "eutils/pubmed2.xml": 2,
    "eutils/pubmed4.xml": 1,
}
"""Files as NLM wrote them."""
CONVERTED = {
    "citations/pmc_trial_citations.xml.gz": 2108,
    "citations/drug_class_review_citations.xml.gz": 7052,
    "citations/pubmedqa_citations.xml.gz": 700,
    "citations/pubmedrs200_source_reviews.xml.gz": 209,
}
BOOKS = {"medline/pubmed_export_nasopharyngeal_2018.xml.gz": 3}
"""Book records, which Biopython gives in a list and a shape of their own."""
BUNDLED = {
    b'"http://dtd.nlm': b'"https://dtd.nlm',
    b"pubmed_170101.dtd": b"pubmed_180101.dtd",
    b"nlmmedlinecitationset_160101.dtd": b"nlmmedlinecitationset_150101.dtd",
}
"""What of a DOCTYPE makes Biopython refuse a file or fetch a DTD from the network, and what it has
beside it.
"""
MONTHS = {name: number for number, name in enumerate(calendar.month_abbr) if name}


def unpacked(path: Path) -> bytes:
    text = path.read_bytes()
    return gzip.decompress(text) if path.suffix == ".gz" else text


@lru_cache(maxsize=1)
def ours(name: str) -> list[Record]:
    entries = list(read_file_records(SHARED / name))
    return [entry for entry in entries if isinstance(entry, Record)]


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize("name", FILES | CONVERTED)
def test_number_of_records(name: str) -> None:
    records = ours(name)
    assert len(records) == (FILES | CONVERTED)[name]
    articles = [item for item in read_file(SHARED / name) if isinstance(item, Article)]
    assert [record.citation.article for record in records] == articles


# The reading with ElementTree.


def text(element: ElementTree.Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def texts(element: ElementTree.Element, path: str) -> list[str]:
    return list(dict.fromkeys(filter(None, map(text, element.iterfind(path)))))


def day(element: ElementTree.Element) -> date:
    """A day; where it states less, the last that it may mean."""
    year, month, number = (text(element.find(tag)) for tag in ("Year", "Month", "Day"))
    of_year = MONTHS.get(month) or int(month or 12)
    return date(int(year), of_year, int(number or calendar.monthrange(int(year), of_year)[1]))


def names(people: Iterator[ElementTree.Element]) -> list[tuple[str, ...]]:
    found = []
    for node in people:
        if node.attrib.get("ValidYN", "Y") == "Y":
            found.append(
                tuple(
                    text(node.find(tag))
                    for tag in ("LastName", "ForeName", "Initials", "Suffix", "CollectiveName")
                )
            )
    return found


def names_of(authors: tuple[Author, ...]) -> list[tuple[str, ...]]:
    return [
        ("", "", "", "", author.last)
        if author.collective
        else (author.last, author.fore or "", author.initials or "", author.suffix or "", "")
        for author in authors
    ]


def compare(element: ElementTree.Element, citation: Citation) -> None:
    """Every field of an article's record; a book's by `compare_book`."""
    article = citation.article
    medline = element if element.tag == "MedlineCitation" else element.find("MedlineCitation")
    assert medline is not None
    body = medline.find("Article")
    assert body is not None

    def same(found: object, expected: object) -> None:
        assert found == expected, article.pmid

    same(article.pmid, text(medline.find("PMID")))
    title = text(body.find("ArticleTitle"))
    vernacular = text(body.find("VernacularTitle"))
    same(
        article.title,
        title if title not in ("", "[Not Available].") else vernacular or "[Not Available].",
    )
    same(article.vernacular_title or "", vernacular)
    sections = [
        (text(node), node.get("Label"), node.get("NlmCategory"))
        for node in body.iterfind("Abstract/AbstractText")
    ]
    same(
        [(part.text, part.label, part.category) for part in article.sections],
        [
            (words, None if label == "UNLABELLED" else label, kind)
            for words, label, kind in sections
            if words
        ],
    )
    same(citation.copyright or "", text(body.find("Abstract/CopyrightInformation")))
    same(names_of(article.authors), names(body.iterfind("AuthorList/Author")))
    same(names_of(citation.investigators), names(medline.iterfind("InvestigatorList/Investigator")))
    same(
        names_of(citation.personal_subjects),
        names(medline.iterfind("PersonalNameSubjectList/PersonalNameSubject")),
    )
    same(
        list(citation.affiliations),
        list(dict.fromkeys(text(node) for node in medline.iter("Affiliation"))),
    )
    same(
        len(citation.author_identifiers),
        len({text(node) for node in medline.iterfind(".//Author/Identifier")}),
    )

    printed = body.find("Journal/JournalIssue/PubDate")
    stated = "" if printed is None else " ".join(text(part) for part in printed)
    if article.published is None:
        assert not stated
    else:
        found = re.sub(r"\b0\d\b", lambda number: number[0], article.published.text)
        assert found == re.sub(
            r"(?<=\d{4} )\d\d", lambda month: list(MONTHS)[int(month[0]) - 1], stated
        )
        assert article.published == read_interval(article.published.text)
    electronic = [day(node) for node in body.iterfind("ArticleDate")]
    same(list(citation.all_electronic), list(dict.fromkeys(electronic)))
    same(article.electronic, min(electronic, default=None))
    days: dict[str, date] = {"epdat": min(electronic)} if electronic else {}
    for status, store in (("entrez", "crdt"), ("pubmed", "edat"), ("medline", "mhda")):
        for node in element.iterfind(f"PubmedData/History/PubMedPubDate[@PubStatus='{status}']"):
            days.setdefault(store, day(node))
    for tag, store in (("DateCompleted", "dcom"), ("DateRevised", "lr")):
        if (node := medline.find(tag)) is not None:
            days[store] = day(node)
    same(dict(citation.days), days)
    same(article.entered, days.get("crdt") or days.get("edat"))

    ids = [
        (node.get("IdType"), text(node))
        for node in element.iterfind("PubmedData/ArticleIdList/ArticleId")
    ]
    ids += [
        (node.get("EIdType"), text(node))
        for node in body.iterfind("ELocationID")
        if node.get("ValidYN") != "N"
    ]
    ids += [(node.get("Source"), text(node)) for node in medline.iterfind("OtherID")]
    same(
        set(citation.identifiers),
        {("pubmed", article.pmid), *((kind, value) for kind, value in ids if value)},
    )
    dois = [value for kind, value in ids if kind == "doi"]
    assert article.doi in dois if dois else article.doi is None
    same(
        article.pmcid,
        next((match[0] for kind, value in ids if (match := re.match(r"PMC\d+", value))), None),
    )
    cited = [
        text(node)
        for node in element.iterfind(".//Reference/ArticleIdList/ArticleId[@IdType='pubmed']")
    ]
    links = list(medline.iterfind("CommentsCorrectionsList/CommentsCorrections"))
    cited += [text(link.find("PMID")) for link in links if link.get("RefType") == "Cites"]
    same(list(article.references), list(dict.fromkeys(filter(None, cited))))
    same(
        [(link.kind, link.citation, link.pmid or "") for link in article.corrections],
        [
            (link.get("RefType"), text(link.find("RefSource")), text(link.find("PMID")))
            for link in links
            if link.get("RefType") != "Cites"
        ],
    )

    headings = [
        (
            text(node.find("DescriptorName")),
            node[0].get("UI"),
            node[0].get("MajorTopicYN") == "Y",
            [
                (text(part), part.get("UI"), part.get("MajorTopicYN") == "Y")
                for part in node.iterfind("QualifierName")
            ],
        )
        for node in medline.iterfind("MeshHeadingList/MeshHeading")
    ]
    same(
        [
            (
                head.descriptor,
                head.ui,
                head.major,
                [(part.name, part.ui, part.major) for part in head.qualifiers],
            )
            for head in citation.headings
        ],
        headings,
    )
    same(list(article.mesh), list(dict.fromkeys(heading[0] for heading in headings)))
    same(list(article.keywords), texts(medline, "KeywordList/Keyword"))
    same(list(article.languages), texts(body, "Language"))
    same(list(article.publication_types), texts(body, "PublicationTypeList/PublicationType"))
    same(list(article.databank_numbers), texts(body, ".//AccessionNumber"))
    banks = [
        (text(node.find("DataBankName")), number)
        for node in body.iter("DataBank")
        for number in texts(node, ".//AccessionNumber")
    ]
    same(list(citation.databanks), list(dict.fromkeys(banks)))
    chemicals = [
        (text(node.find("NameOfSubstance")), text(node.find("RegistryNumber")))
        for node in medline.iter("Chemical")
    ]
    same(
        list(citation.substances),
        list(dict.fromkeys((name, "" if number == "0" else number) for name, number in chemicals)),
    )
    same(list(citation.supplementary), texts(medline, "SupplMeshList/SupplMeshName"))
    grants = [", ".join(text(part) for part in node if text(part)) for node in body.iter("Grant")]
    same(list(citation.grants), list(dict.fromkeys(grants)))
    same(list(citation.subsets), texts(medline, "CitationSubset"))
    same(list(citation.space_flight), texts(medline, "SpaceFlightMission"))
    same(list(citation.gene_symbols), texts(medline, "GeneSymbolList/GeneSymbol"))
    same(list(citation.general_notes), texts(medline, "GeneralNote"))
    others = [
        (node.get("Type"), node.get("Language"), text(node.find("AbstractText")))
        for node in medline.iter("OtherAbstract")
    ]
    same([(other.kind, other.language, other.text) for other in citation.other_abstracts], others)
    same(citation.conflict or "", text(medline.find("CoiStatement")))

    same(article.journal or "", text(body.find("Journal/Title")))
    abbreviation, known = (
        text(body.find("Journal/ISOAbbreviation")),
        text(medline.find("MedlineJournalInfo/MedlineTA")),
    )
    same(
        (article.journal_abbreviation or "", citation.medline_journal or ""),
        (abbreviation or known, known),
    )
    same(article.volume or "", text(body.find("Journal/JournalIssue/Volume")))
    same(article.issue or "", text(body.find("Journal/JournalIssue/Issue")))
    first_and_last = [text(body.find(f"Pagination/{tag}")) for tag in ("StartPage", "EndPage")]
    same(
        article.pages or "",
        text(body.find("Pagination/MedlinePgn")) or "-".join(filter(None, first_and_last)),
    )
    issns = [text(body.find("Journal/ISSN")), text(medline.find("MedlineJournalInfo/ISSNLinking"))]
    same(list(citation.issns), list(dict.fromkeys(filter(None, issns))))
    same(citation.nlm_id or "", text(medline.find("MedlineJournalInfo/NlmUniqueID")))
    same(citation.country or "", text(medline.find("MedlineJournalInfo/Country")))
    same((article.status, citation.owner), (medline.get("Status"), medline.get("Owner")))
    same(
        (citation.indexing_method, citation.publication_model),
        (medline.get("IndexingMethod"), body.get("PubModel")),
    )
    same(citation.publication_status or "", text(element.find("PubmedData/PublicationStatus")))


def compare_book(element: ElementTree.Element, citation: Citation) -> None:
    article = citation.article
    body = element.find("BookDocument")
    assert body is not None
    assert article.pmid == text(body.find("PMID"))
    assert article.title == text(body.find("ArticleTitle"))
    assert citation.book == article.journal == text(body.find("Book/BookTitle"))
    assert [part.text for part in article.sections] == texts(body, "Abstract/AbstractText")
    assert names_of(article.authors) == names(body.iterfind("AuthorList/Author"))
    assert citation.publisher == text(body.find("Book/Publisher/PublisherName"))
    assert article.publication_types == tuple(texts(body, "PublicationType"))
    assert article.keywords == tuple(texts(body, "KeywordList/Keyword"))
    contributed = body.find("ContributionDate")
    assert isinstance(article.published, DateInterval)
    if contributed is not None:
        assert article.published.start == article.published.end == day(contributed)
    assert (
        "bookaccession",
        text(body.find("ArticleIdList/ArticleId[@IdType='bookaccession']")),
    ) in citation.identifiers
    assert article.entered == day(
        element.find("PubmedBookData/History/PubMedPubDate[@PubStatus='entrez']")
    )  # type: ignore[arg-type]


def plain_tree(element: ElementTree.Element) -> bytes:
    element.tail = None
    return ElementTree.tostring(element)


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize("name", FILES | CONVERTED)
def test_every_field_of_every_record_against_elementtree(name: str) -> None:
    root = ElementTree.fromstring(unpacked(SHARED / name))
    elements = [element for element in root if element.tag != "DeleteCitation"]
    records = ours(name)
    assert len(elements) == len(records)
    for element, record in zip(elements, records, strict=True):
        (compare_book if element.tag == "PubmedBookArticle" else compare)(element, record.citation)
        assert plain_tree(ElementTree.fromstring(record.raw)) == plain_tree(element)


# The reading with Biopython.


def plain(words: object) -> str:
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", "", str(words))).split())


def biopython_reading(path: Path) -> list[Any]:
    from Bio import Entrez

    document = unpacked(path)
    for wanted, bundled in BUNDLED.items():
        document = document.replace(wanted, bundled, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = Entrez.read(io.BytesIO(document), validate=False, escape=True)
    return (
        list(answer.get("PubmedArticle") or answer["MedlineCitation"])
        if isinstance(answer, dict)
        else list(answer)
    )


@needs_shared
@pytest.mark.parametrize("name", FILES)
def test_biopython_agrees(name: str) -> None:
    records = biopython_reading(SHARED / name)
    mine = {record.citation.article.pmid: record.citation.article for record in ours(name)}
    compared = 0
    for record in records:
        citation = record.get("MedlineCitation", record)
        other, article = citation["Article"], mine[str(citation["PMID"])]
        compared += 1
        title = plain(other["ArticleTitle"])
        if title.rstrip(". ").lower() not in ("", "[not available]"):
            assert article.title == title
        found = [plain(words) for words in other.get("Abstract", {}).get("AbstractText", [])]
        assert [section.text for section in article.sections] == [words for words in found if words]
        assert article.authors == tuple(
            author(person) for person in other.get("AuthorList", []) if valid(person)
        )
        published = other["Journal"]["JournalIssue"]["PubDate"]
        year = published.get("Year") or re.search(r"\d{4}", published.get("MedlineDate", ""))
        if year:
            assert article.year == int(year if isinstance(year, str) else year[0])
        ids = {
            str(id.attributes["IdType"]): plain(id)
            for id in record.get("PubmedData", {}).get("ArticleIdList", [])
        }
        if "doi" in ids:
            assert article.doi == ids["doi"]
        if "pmc" in ids:
            assert article.pmcid == ids["pmc"].partition(".")[0]  # some name a version
        assert (
            article.journal == plain(other["Journal"].get("Title", "")) or article.journal is None
        )
        assert len(article.mesh) == len(
            {str(heading["DescriptorName"]) for heading in citation.get("MeshHeadingList", [])}
        )
        assert set(article.languages) == {str(language) for language in other["Language"]}
    assert compared == FILES[name] - BOOKS.get(name, 0)


def valid(person: Any) -> bool:
    return person.attributes.get("ValidYN", "Y") != "N"


def author(person: Any) -> Author:
    if "CollectiveName" in person:
        return Author(plain(person["CollectiveName"]), collective=True)
    found = {
        tag: plain(person[tag]) if person.get(tag) else None
        for tag in ("LastName", "ForeName", "Initials", "Suffix")
    }
    return Author(found["LastName"] or "", found["ForeName"], found["Initials"], found["Suffix"])
