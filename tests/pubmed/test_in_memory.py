"""Documents in memory against a reading of the same plans that scans every document, written
without the engine's means.
"""

from __future__ import annotations

from datetime import date
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.pubmed.citation import Citation
from clinfo.pubmed.document import Document, document
from clinfo.pubmed.in_memory import InMemoryEngine
from clinfo.pubmed.plan import (
    All,
    AnyOf,
    Days,
    Everything,
    Keys,
    Near,
    Nothing,
    Numbers,
    Phrase,
    Plan,
    Unscored,
    Without,
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


def found(plan: Plan) -> set[str]:
    return {id.removeprefix("pmid:") for id in ENGINE.best(plan, 99)[1]}


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (Phrase(TIAB, ("hip", "pain")), "9 200"),  # not over the border of two key words
        (Phrase(("ti",), ("hip", "pain")), "9"),
        (Phrase(TIAB, ("breast", "feed"), prefix=True), "10"),
        (Phrase(TIAB, ("feed",), prefix=True), "9 10"),
        (Phrase(TIAB, ("feed",)), ""),
        (Phrase(TIAB, ()), ""),
        (Near(TIAB, ("pain", "hip"), 0), "9 200"),
        (Near(TIAB, ("pain", "falls"), 0), ""),
        (Near(TIAB, ("pain", "falls"), 1), "9"),
        (Near(TIAB, ("hip", "hip"), 2), "9"),
        (Near(TIAB, ("hip", "hip"), 9), "9 200"),
        (Keys("mh", frozenset(("pain",))), "9"),
        (Keys("mh", frozenset(("pain",)), prefix=True), "9 10"),
        (Keys("mh", frozenset(("pain", "breast feeding"))), "9 10"),
        (Keys("mh", frozenset()), ""),
        (Days(("dp",), date(2001, 6, 1), date(2003, 1, 1)), "9 10"),
        (Days(("dp", "epdat"), date(2002, 1, 1), date(2002, 12, 31)), "200"),
        (Numbers(10, 199), "10 31"),
        (Everything(), "9 10 200 31"),
        (Nothing(), ""),
        (All(()), "9 10 200 31"),
        (AnyOf(()), ""),
        (Without(Everything(), Phrase(("ti",), ("pain",))), "31"),
        (Unscored(All((Phrase(TIAB, ("pain",)), Phrase(TIAB, ("breast",))))), "10"),
    ],
)
def test_lookups(plan: Plan, expected: str) -> None:
    assert found(plan) == set(expected.split())
    assert ENGINE.count(plan) == len(expected.split())


def test_words_that_begin_so() -> None:
    assert ENGINE.stems("fe", 5) == ["feeding"]
    assert ENGINE.stems("h", 2) == ["had", "helped"]
    assert ENGINE.stems("h", 0) == []


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


def test_only_positive_and_scored_words_rank() -> None:
    engine = InMemoryEngine(
        [
            record("1", "Alpha beta"),
            record("2", "Alpha gamma gamma gamma"),
            record("3", "Delta gamma"),
        ]
    )
    alpha, beta, gamma = (Phrase(("ti",), (word,)) for word in ("alpha", "beta", "gamma"))
    assert engine.best(AnyOf((alpha, gamma)), 9)[1][0] == "pmid:2"
    assert engine.best(All((AnyOf((alpha, beta)), Unscored(AnyOf((alpha, gamma))))), 9)[1] == [
        "pmid:1",
        "pmid:2",
    ]
    assert engine.best(Without(AnyOf((alpha, beta)), Phrase(("ti",), ("delta",))), 9)[1] == [
        "pmid:1",
        "pmid:2",
    ]


def test_the_last_of_two_with_one_id_counts() -> None:
    engine = InMemoryEngine([record("1", "Old"), record("2", "Other"), record("1", "New")])
    assert len(engine) == 2
    assert (engine.count(Phrase(("ti",), ("old",))), engine.count(Phrase(("ti",), ("new",)))) == (
        0,
        1,
    )


def test_a_plan_may_be_as_deep_as_it_likes() -> None:
    plan: Plan = Phrase(TIAB, ("pain",))
    for _ in range(20_000):
        plan = Unscored(Without(All((plan, Everything())), AnyOf((Nothing(),))))
    assert ENGINE.count(plan) == 4
    assert ENGINE.best(plan, 1)[0] == 4


WORDS = st.sampled_from(["hip", "pain", "the", "breast", "feeding", "fe", "of"])
YEARS = st.lists(st.integers(2000, 2004), min_size=1)
LOOKUPS: st.SearchStrategy[Plan] = st.one_of(
    st.builds(
        Phrase,
        st.sampled_from([("ti",), ("ab",), TIAB]),
        st.lists(WORDS, min_size=1, max_size=3).map(tuple),
        st.booleans(),
    ),
    st.builds(
        Near, st.just(TIAB), st.lists(WORDS, min_size=2, max_size=3).map(tuple), st.integers(0, 4)
    ),
    st.builds(
        Keys,
        st.just("mh"),
        st.frozensets(st.sampled_from(["pain", "breast", "breast feeding", "x"])),
        st.booleans(),
    ),
    st.builds(
        lambda years: Days(("dp", "epdat"), date(min(years), 1, 1), date(max(years), 6, 1)), YEARS
    ),
    st.just(Everything()),
    st.just(Nothing()),
)
PLANS = st.recursive(
    LOOKUPS,
    lambda parts: st.one_of(
        st.lists(parts, max_size=3).map(lambda some: All(tuple(some))),
        st.lists(parts, max_size=3).map(lambda some: AnyOf(tuple(some))),
        st.builds(Without, parts, parts),
        st.builds(Unscored, parts),
    ),
    max_leaves=8,
)


def holds(one: Document, plan: Plan) -> bool:
    """Return whether a document is found, by the words of `clinfo.pubmed.plan` alone."""
    match plan:
        case All(parts):
            return all(holds(one, part) for part in parts)
        case AnyOf(parts):
            return any(holds(one, part) for part in parts)
        case Without(base, excluded):
            return holds(one, base) and not holds(one, excluded)
        case Unscored(inner):
            return holds(one, inner)
        case Phrase(stores, words, prefix):
            for store in stores:
                for text in one.texts[store]:
                    tokens = text.split()
                    for start in range(len(tokens) - len(words) + 1):
                        run = tokens[start : start + len(words)]
                        same_end = run[-1].startswith(words[-1]) if prefix else run[-1] == words[-1]
                        if run[:-1] == list(words[:-1]) and same_end:
                            return True
            return False
        case Near(stores, words, between):
            for store in stores:
                for text in one.texts[store]:
                    tokens = text.split()
                    for places in permutations(range(len(tokens)), len(words)):
                        fits = all(
                            tokens[place] == word for place, word in zip(places, words, strict=True)
                        )
                        if fits and max(places) - min(places) + 1 - len(words) <= between:
                            return True
            return False
        case Keys(store, keys, prefix):
            return any(
                held.startswith(key) if prefix else held == key
                for held in one.keys[store]
                for key in keys
            )
        case Days(stores, first, last):
            return any(
                start <= last and end >= first
                for store in stores
                for start, end in one.days.get(store, ())
            )
        case Everything():
            return True
    return False


@settings(max_examples=150, deadline=None)
@given(PLANS)
def test_plans_find_what_a_scan_of_all_documents_finds(plan: Plan) -> None:
    assert found(plan) == {one.id.removeprefix("pmid:") for one in DOCUMENTS if holds(one, plan)}
