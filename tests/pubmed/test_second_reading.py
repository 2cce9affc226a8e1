"""Real citation files read by Bio.Entrez' parser beside ours: nothing may be lost, in any record.

Biopython keeps inline tags as text while it decodes entities; with ``escape=True`` the entities
stay, so that the tags can be taken out and the entities read afterwards. The DTDs it lacks are
replaced by their neighbours. Our mark before what is raised (10^6) is left out of the comparison.
"""

import gzip
import html
import io
import re
import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from clinfo.pubmed.xml import Record, read_file_records
from clinfo.records.articles import Author
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


def unpacked(path: Path) -> bytes:
    text = path.read_bytes()
    return gzip.decompress(text) if path.suffix == ".gz" else text


def ours(name: str) -> list[Record]:
    entries = list(read_file_records(SHARED / name))
    return [entry for entry in entries if isinstance(entry, Record)]


# The reading with ElementTree.


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize("name", FILES)
def test_every_record_is_read_and_kept_as_it_stands(name: str) -> None:
    root = ElementTree.fromstring(unpacked(SHARED / name))
    elements = [element for element in root if element.tag != "DeleteCitation"]
    records = ours(name)
    assert len(elements) == len(records) == FILES[name]
    for element, record in zip(elements, records, strict=True):
        element.tail = None
        raw = ElementTree.tostring(ElementTree.fromstring(record.raw))
        assert raw == ElementTree.tostring(element)


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
            assert article.title.replace("^", "") == title
        found = [plain(words) for words in other.get("Abstract", {}).get("AbstractText", [])]
        if found:  # else there may be an abstract beside the record's own
            mine_read = [section.text.replace("^", "") for section in article.sections]
            assert mine_read == [words for words in found if words]
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
