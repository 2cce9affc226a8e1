"""Documents in memory: their order, and the last of two with one id."""

from datetime import date

from clinfo.pubmed.citation import Citation
from clinfo.pubmed.document import Document, document
from clinfo.pubmed.in_memory import InMemoryEngine
from clinfo.pubmed.plan import (
    Everything,
    Phrase,
)
from clinfo.records.articles import Article, DateInterval, Section


def record(pmid: str, title: str, abstract: str = "", **fields: object) -> Document:
    sections = (Section(abstract),) if abstract else ()
    return document(
        Citation(Article(id=f"pmid:{pmid}", pmid=pmid, title=title, sections=sections, **fields))
    )  # type: ignore[arg-type]


def record_of(pmid: str) -> Article:
    return Article(f"pmid:{pmid}", "Rest", pmid=pmid)


def year(number: int) -> DateInterval:
    return DateInterval(date(number, 1, 1), date(number, 12, 31), str(number))


DOCUMENTS = [
    record(
        "9",
        "Hip pain after falls",
        "Pain of the hip, and hip again. Feeding helped.",
        published=year(2001),
        mesh=("Pain",),
    ),
    record(
        "10",
        "Breast feeding and pain",
        "Hip.",
        published=year(2003),
        mesh=("Breast Feeding", "Pain, Referred"),
    ),
    record("200", "Pain", "The hip had no pain in it: pain hip pain.", electronic=date(2002, 5, 4)),
    record("31", "Nothing of note", keywords=("hip", "pain")),
]
ENGINE = InMemoryEngine(DOCUMENTS)
TIAB = ("ti", "ab")


def test_newest_first_and_undated_last() -> None:
    assert ENGINE.best(Everything(), 9, 0, "pub_date") == (
        4,
        ["pmid:10", "pmid:200", "pmid:9", "pmid:31"],
    )
    assert ENGINE.best(Everything(), 2, 1, "pub_date") == (4, ["pmid:200", "pmid:9"])
    assert ENGINE.best(Everything(), 0) == (4, [])


def test_equal_scores_go_by_the_higher_pmid_and_other_ids_follow() -> None:
    articles = [Article("doi:b", "Rest"), record_of("9"), Article("doi:a", "Rest"), record_of("10")]
    engine = InMemoryEngine([document(Citation(article)) for article in articles])
    assert engine.best(Phrase(("ti",), ("rest",)), 9)[1] == ["pmid:10", "pmid:9", "doi:a", "doi:b"]


def test_the_last_of_two_with_one_id_counts() -> None:
    engine = InMemoryEngine([record("1", "Old"), record("2", "Other"), record("1", "New")])
    assert len(engine) == 2
    assert (engine.count(Phrase(("ti",), ("old",))), engine.count(Phrase(("ti",), ("new",)))) == (
        0,
        1,
    )
