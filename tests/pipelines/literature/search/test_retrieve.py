"""Fusion of ranks, and the rule that says what a run may use."""

from datetime import date
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pipelines.literature.request import checked
from clinfo.pipelines.literature.search.retrieve import (
    LIMITS,
    exclusion_reason,
    search_request,
)
from clinfo.records.articles import Article, DateInterval, RunRequest
from clinfo.records.request import Limit
from clinfo.retrieval.fusion import fused


def test_fusion_by_hand() -> None:
    # a: 1/61 + 1/62, b: 1/62 + 1/61, c: 1/63: a and b are level and a stands first in the first
    # list.
    assert list(fused([["a", "b", "c"], ["b", "a"]])) == ["a", "b", "c"]
    # x: 1/61; y: 1/62 + 1/61.
    assert list(fused([["x", "y"], ["y"]])) == ["y", "x"]
    assert list(fused([])) == []


@given(st.lists(st.lists(st.sampled_from("abcdefgh"))))
def test_fusion_keeps_every_id_once_and_is_repeatable(rankings: list[list[str]]) -> None:
    ranked = list(fused(rankings))
    assert sorted(ranked) == sorted({id for ranking in rankings for id in ranking})
    assert ranked == list(fused(list(ranking) for ranking in rankings))


def year(value: int) -> DateInterval:
    return DateInterval(date(value, 1, 1), date(value, 12, 31), str(value))


RESTRICTED = RunRequest(question="q", regime="restricted", before=date(2015, 6, 1))


@pytest.mark.parametrize(
    ("article", "used"),
    [
        (Article(id="pmid:1", title="t", published=year(2014)), True),
        (Article(id="pmid:1", title="t", published=year(2015)), False),  # may be from December
        (Article(id="pmid:1", title="t", published=year(2015), electronic=date(2015, 5, 31)), True),
        (Article(id="pmid:1", title="t", published=year(2014), electronic=date(2015, 7, 1)), True),
        (Article(id="pmid:1", title="t", electronic=date(2015, 6, 1)), False),
        (
            Article(id="pmid:1", title="t", published=year(2014), entered=date(2015, 6, 1)),
            False,
        ),  # entered later: a leak
        (Article(id="pmid:1", title="t", published=year(2014), entered=date(2015, 5, 31)), True),
        (Article(id="pmid:1", title="t"), False),
    ],
)
def test_restricted(article: Article, used: bool) -> None:
    assert (exclusion_reason(article, RESTRICTED) is None) is used


def test_dropped() -> None:
    request = RunRequest(question="q", regime="source-dropped", drop=("7",))
    assert (
        exclusion_reason(Article(id="pmid:7", pmid="7", title="t"), request) == "dropped on request"
    )
    assert exclusion_reason(Article(id="pmid:77", pmid="77", title="t"), request) is None


@pytest.mark.parametrize(
    ("first", "last", "used"),
    [
        (None, None, True),
        (date(2014, 1, 1), None, True),
        (date(2015, 1, 1), None, False),
        (None, date(2013, 12, 31), False),
        (date(2014, 12, 31), date(2014, 12, 31), True),
    ],
)
def test_publication_dates(first: date | None, last: date | None, used: bool) -> None:
    request = RunRequest(question="q", published_from=first, published_to=last)
    assert (
        exclusion_reason(Article(id="pmid:1", title="t", published=year(2014)), request) is None
    ) is used


def test_undated_articles_cannot_satisfy_publication_dates() -> None:
    request = RunRequest(question="q", published_from=date(2000, 1, 1))
    assert "undated" in (exclusion_reason(Article(id="s2:1", title="t"), request) or "")


def test_the_day_goes_to_the_source_only_in_the_restricted_regime() -> None:
    assert search_request("x", RESTRICTED).before == date(2015, 6, 1)
    assert (
        search_request("x", RunRequest(question="q", filter="english[la]", per_query=7)).before
        is None
    )
    assert (
        search_request("x", RunRequest(question="q", filter="english[la]", per_query=7)).filter
        == "english[la]"
    )


@pytest.mark.parametrize(
    ("fields", "filter"),
    [
        ({}, None),
        ({"filter": "a[ti] OR b[ti]"}, "a[ti] OR b[ti]"),
        ({"limits": "humans, last5"}, '(humans[mh]) AND ("last 5 years"[dp])'),
        (
            {"limits": ["children", "adults"]},
            "(adult[mh] OR infant[mh] OR child[mh] OR adolescent[mh])",
        ),
        ({"limits": ["english"], "filter": "a[ti] OR b[ti]"}, "(a[ti] OR b[ti]) AND (english[la])"),
    ],
)
def test_limits_stand_beside_the_filter_in_parentheses_of_their_own(
    fields: dict[str, Any], filter: str | None
) -> None:
    request = checked(question="Does zinc help?", model="extractive", **fields)
    assert request.filter == fields.get("filter")
    assert search_request("zinc", request).filter == filter


def test_every_limit_is_a_query() -> None:
    assert {name for kind in LIMITS.values() for name in kind} == set(get_args(Limit))
