"""Hits of terms, and how seed studies fare in the queries, over a source that reads queries."""

import asyncio

from clinfo.pipelines.literature.search.search_report import (
    MOST_TERMS,
    Searched,
    line_counts,
    seed_studies,
    term_counts,
)
from clinfo.records.articles import (
    LineCount,
    RunRequest,
    SearchRequest,
    SeedHit,
    SeedLoss,
    SeedStudy,
    TermCount,
)
from tests.fakes import ReadingSource, articles


def test_every_term_once_with_its_queries() -> None:
    source = ReadingSource(articles(9))
    queries = {1: "falls AND (aspirin OR nonsense)", 2: "aspirin AND falls"}
    terms, left_out = asyncio.run(term_counts(queries, source.search))
    assert terms == (
        TermCount("falls", 6, (1, 2)),
        TermCount("aspirin", 3, (1, 2)),
        TermCount("nonsense", 0, (1,)),
    )
    assert left_out == 0
    assert [(asked.query, asked.limit) for asked in source.searched] == [
        ("falls", 0),
        ("aspirin", 0),
        ("nonsense", 0),
    ]


def test_the_number_of_terms_that_are_asked_for_is_limited() -> None:
    source = ReadingSource(articles(1))
    terms, left_out = asyncio.run(
        term_counts({1: " OR ".join(f"term{n}" for n in range(MOST_TERMS + 5))}, source.search)
    )
    assert (len(terms), left_out, len(source.searched)) == (MOST_TERMS, 5, MOST_TERMS)


def test_a_term_that_the_source_did_not_answer_for_is_not_known() -> None:
    source = ReadingSource(articles(9), fail=lambda query: "down" if query == "aspirin" else None)
    terms, _ = asyncio.run(term_counts({1: "aspirin AND falls"}, source.search))
    assert [term.count for term in terms] == [None, 6]


def searched(source: ReadingSource, request: RunRequest, *texts: str) -> list[Searched]:
    done = []
    for number, text in enumerate(texts, 1):
        asked = SearchRequest(text, request.per_query, request.filter)
        done.append(Searched(number, text, asyncio.run(source.search(asked)), request.per_query))
    source.searched.clear()
    return done


def test_seed_studies_are_found_at_a_rank_or_lost_at_a_part() -> None:
    # Articles 3, 6, 9 are on aspirin and headache, the rest on vitamin D and falls; "30 adults"
    # stands in the third alone.
    source = ReadingSource(articles(12))
    request = RunRequest(question="q", per_query=2, known=("1", "7", "3", "99"))
    done = searched(source, request, "vitamin D AND falls", "(headache AND aspirin) NOT 30")
    assert asyncio.run(seed_studies(request, done, source.search)) == (
        SeedStudy("1", True, (SeedHit(1, 1, True),), (SeedLoss(2, ("headache", "aspirin")),)),
        SeedStudy("7", True, (SeedHit(1, 5, False),), (SeedLoss(2, ("headache", "aspirin")),)),
        SeedStudy("3", True, (), (SeedLoss(1, ("vitamin D", "falls")), SeedLoss(2, ("NOT 30",)))),
        SeedStudy("99", False),
    )


def test_the_filter_of_the_run_may_be_what_loses_a_study() -> None:
    source = ReadingSource(articles(12))
    request = RunRequest(question="q", filter="headache", known=("1",))
    done = searched(source, request, "vitamin D OR aspirin")
    (item,) = asyncio.run(seed_studies(request, done, source.search))
    assert item == SeedStudy("1", True, (), (SeedLoss(1, (), limits=True),))


def test_what_the_source_does_not_answer_stays_open() -> None:
    source = ReadingSource(articles(12))
    request = RunRequest(question="q", per_query=2, known=("1", "3"))
    done = searched(source, request, "vitamin D AND falls")
    source.fail = lambda query: "down"
    hit, lost = asyncio.run(seed_studies(request, done, source.search))
    assert hit == SeedStudy("1", None, (SeedHit(1, 1, True),))
    assert lost == SeedStudy("3", None, (), (), (1,))


def test_without_a_search_by_pmid_only_what_came_is_looked_at() -> None:
    source = ReadingSource(articles(12))
    request = RunRequest(question="q", per_query=2, known=("1", "3"))
    done = searched(source, request, "vitamin D AND falls")
    assert asyncio.run(seed_studies(request, done, None)) == (
        SeedStudy("1", None, (SeedHit(1, 1, True),)),
        SeedStudy("3", None),
    )


def test_a_query_that_would_not_stay_in_parentheses_is_closed_first() -> None:
    source = ReadingSource(articles(12))
    request = RunRequest(question="q", per_query=1, known=("2",))
    done = searched(source, request, "(vitamin D AND falls")
    (item,) = asyncio.run(seed_studies(request, done, source.search))
    assert item.hits == (SeedHit(1, 2, False),)


def test_every_line_of_a_strategy_is_counted_alone() -> None:
    source = ReadingSource(articles(9))
    own = ("aspirin", "#1 falls\n#2 aspirin OR nonsense\n#3 #1 AND #2")
    lines = asyncio.run(line_counts(own, source.search))
    assert lines == (
        LineCount(2, 1, "falls", 6),
        LineCount(2, 2, "aspirin OR nonsense", 3),
        LineCount(2, 3, "#1 AND #2", 0),
    )
    assert [asked.query for asked in source.searched][2] == "(falls) AND (aspirin OR nonsense)"
