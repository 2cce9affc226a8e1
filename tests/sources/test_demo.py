"""The demo corpus: what it holds, and that it is true to the real records.

The comparison with the real records reads their XML and compares figures and words by its own
simple rules, which share nothing with the package.
"""

import gzip
import unicodedata
import xml.etree.ElementTree as ElementTree
from functools import cache

import pytest

from clinfo.records.articles import Article
from clinfo.sources import demo
from tests.shared_data import SHARED, needs_shared


def test_the_corpus_is_large_enough_and_complete() -> None:
    articles = demo.load()
    assert len(articles) >= 60
    assert len({article.id for article in articles}) == len(articles)
    assert len({article.doi for article in articles}) == len(articles)
    for article in articles:
        assert article.id == f"pmid:{article.pmid}"
        assert all(
            (article.title, article.authors, article.journal, article.journal_abbreviation)
        ), article.id
        assert all((article.year, article.volume, article.pages, article.doi)), article.id
        assert [part.label for part in article.sections] == [
            "OBJECTIVE",
            "METHODS",
            "RESULTS",
            "CONCLUSIONS",
        ], article.id
        assert all(part.category == part.label for part in article.sections), article.id
        assert 80 <= len(article.abstract.split()) <= 220, (
            f"{article.id}: {len(article.abstract.split())} words"
        )
        assert article.abstract == unicodedata.normalize("NFC", article.abstract), article.id


def test_there_are_six_questions_with_eight_articles() -> None:
    counts = {one.question: len(one.articles) for one in demo.corpus()}
    assert all(question.endswith("?") for question in counts)
    assert demo.questions() == tuple(counts)
    assert sum(count >= 8 for count in counts.values()) >= 6, counts
    assert any("vitamin D" in question for question in counts)


@pytest.mark.slow
@needs_shared
def test_every_bibliographic_field_is_the_real_one() -> None:
    wrong = []
    for article in demo.load():
        record = originals()[article.pmid or ""]
        for field, (ours, real) in fields(article, record).items():
            if ours != real:
                wrong.append(f"{article.id} {field}: {ours!r} is {real!r} in the record")
    assert not wrong, "\n".join(wrong)


@cache
def originals() -> dict[str, ElementTree.Element]:
    """The real records, by PMID."""
    with gzip.open(SHARED / "citations" / "pmc_trial_citations.xml.gz") as file:
        records = ElementTree.parse(file).getroot().findall("PubmedArticle")
    return {words_of(record, "MedlineCitation/PMID"): record for record in records}


def words_of(record: ElementTree.Element, path: str) -> str | None:
    found = record.find(path)
    return None if found is None else "".join(found.itertext()).strip()


def abstract_of(record: ElementTree.Element) -> str:
    return " ".join("".join(part.itertext()) for part in record.findall(".//Abstract/AbstractText"))


def fields(article: Article, record: ElementTree.Element) -> dict[str, tuple[object, object]]:
    """By name: the field as the corpus has it and as the real record has it."""
    printed = " ".join(
        filter(None, (words_of(record, f".//PubDate/{part}") for part in ("Year", "Month")))
    )
    people = [
        author
        for author in record.findall(".//AuthorList/Author")
        if author.find("LastName") is not None
    ]
    groups = [
        words_of(author, "CollectiveName") for author in record.findall(".//AuthorList/Author")
    ]
    return {
        "title": (article.title, words_of(record, ".//ArticleTitle")),
        "authors": (
            [
                (one.last, one.fore, one.initials, one.suffix)
                for one in article.authors
                if not one.collective
            ],
            [
                tuple(
                    words_of(one, part) for part in ("LastName", "ForeName", "Initials", "Suffix")
                )
                for one in people
            ],
        ),
        "groups": (
            [one.last for one in article.authors if one.collective],
            [group for group in groups if group],
        ),
        "journal": (article.journal, words_of(record, ".//Journal/Title")),
        "journal_abbreviation": (
            article.journal_abbreviation,
            words_of(record, ".//ISOAbbreviation"),
        ),
        "date": (article.published and article.published.text, printed),
        "volume": (article.volume, words_of(record, ".//JournalIssue/Volume")),
        "issue": (article.issue, words_of(record, ".//JournalIssue/Issue")),
        "pages": (article.pages, words_of(record, ".//MedlinePgn")),
        "doi": (article.doi, words_of(record, ".//ELocationID[@EIdType='doi']")),
        "databank_numbers": (
            [number for number in article.databank_numbers if number not in (abstract_of(record))],
            [],
        ),
    }
