"""The audit: which articles and which words of an answer are leaks."""

import asyncio
from datetime import date

import pytest

from benchmarks.pubmedrs200.running import audit
from clinfo.records.articles import Article, DateInterval, RunRequest
from clinfo.sources.memory import Memory

OWN = "30000001"
REQUEST = RunRequest("Q?", regime="restricted", before=date(2020, 6, 1), drop=(OWN,))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see PMID 30000001.", True),
        ("see 30000001.", True),
        ("see PMID:30000001", True),
        ("https://pubmed.ncbi.nlm.nih.gov/30000001/", True),
        ("130000001 people, 300000012 cells, 0.30000001 and 30000001.5", False),
        ("nothing", False),
    ],
)
def test_a_pmid_in_a_text(text: str, found: bool) -> None:
    assert audit.named(text, OWN) is found


def test_articles_are_checked_by_the_chains_rule_and_the_source_by_its_doi_too() -> None:
    day = DateInterval(date(2020, 6, 1), date(2020, 6, 1), "2020 Jun 1")
    old = DateInterval(date(2019, 1, 1), date(2019, 12, 31), "2019")
    articles = [
        Article("pmid:1", "new", "1", published=day),
        Article("pmid:2", "old", "2", published=old),
        Article("pmid:3", "old, entered later", "3", published=old, entered=date(2021, 1, 1)),
        Article(
            "doi:10.1/Own",
            "the review itself, as another source has it",
            doi="10.1/Own",
            published=old,
        ),
        Article("pmid:4", "undated", "4"),
    ]
    leaks = audit.of_articles([("articles", article) for article in articles], REQUEST, "10.1/own")
    assert [leak.pmid for leak in leaks] == ["1", "3", "doi:10.1/Own", "4"]


def test_references_without_a_pmid_are_listed_as_unchecked_where_they_may_leak() -> None:
    source = Memory([Article(f"pmid:{OWN}", "own", OWN, doi="10.1/own")])
    references = [
        {"pmid": "2"},
        {"pmid": None, "title": "Of 2030"},
        {"pmid": None, "doi": "10.5555/other"},
    ]

    def unchecked(request: RunRequest, known: Memory | None) -> object:
        return asyncio.run(
            audit.of_others([], {"text": ""}, references, request, audit.Lookup(known))
        )[1]

    dropped = RunRequest("Q?", regime="source-dropped", drop=(OWN,))
    both = ("reference 2 without PMID", "reference 3 without PMID")
    assert unchecked(REQUEST, source) == both, "nothing tells of what day they are"
    assert unchecked(dropped, source) == both[:1], "the third has another DOI than the review"
    assert unchecked(dropped, None) == both, "either may be the review"
    assert unchecked(RunRequest("Q?"), source) == ()


def test_a_higher_pmid_without_an_entry_date_is_told() -> None:
    old = DateInterval(date(2019, 1, 1), date(2019, 12, 31), "2019")
    entered = Article("pmid:30000003", "known", "30000003", published=old, entered=date(2019, 5, 1))
    used = {
        "30000000": Article("pmid:30000000", "lower", "30000000", published=old),
        "30000002": Article("pmid:30000002", "higher", "30000002", published=old),
        "30000003": entered,
        "9999999": None,
        "30000004": None,
    }
    assert audit.later(used, REQUEST) == ("30000002", "30000004")
    assert audit.later(used, RunRequest("Q?", regime="source-dropped", drop=(OWN,))) == ()
