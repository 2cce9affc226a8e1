"""Days that are known in part."""

from __future__ import annotations

import pytest

from clinfo.pipelines.chart.days import days, within


@pytest.mark.parametrize(
    ("date", "first", "last"),
    [
        ("2020", 20200101, 20201231),
        ("2020-02", 20200201, 20200231),
        ("2020-02-03T10:00", 20200203, 20200203),
        ("", 0, 0),
        ("in May", 0, 0),
    ],
)
def test_a_date_in_part_is_a_range_of_days(date: str, first: int, last: int) -> None:
    assert days(date) == (first, last)


@pytest.mark.parametrize(
    ("date", "since", "until", "inside"),
    [
        ("2020-05", "2020-05-20", "", True),
        ("2020-05", "2020-06", "", False),
        ("2021", "", "2021-01", True),
        ("2021", "", "2020", False),
        ("in May", "2020", "2021", False),
    ],
)
def test_a_date_in_part_counts_where_it_may_lie_within(
    date: str, since: str, until: str, inside: bool
) -> None:
    assert within(date, since, until) == inside
