from __future__ import annotations

import random
from statistics import NormalDist, fmean, pstdev

import numpy
import pytest

from benchmarks.pubmedrs200.scoring.intervals import deviation, intervals, mean


def test_mean_and_deviation_are_those_of_the_standard_library() -> None:
    values = [random.Random(1).gauss(5, 3) for _ in range(145)]
    assert mean(values) == pytest.approx(fmean(values), abs=1e-14)
    assert deviation(values) == pytest.approx(pstdev(values), abs=1e-14)
    assert mean(values) == mean(values[::-1])
    assert deviation([2.0]) == 0


def test_the_interval_is_near_the_normal_one_for_many_questions() -> None:
    values = {str(number): random.Random(number).gauss(0.3, 0.1) for number in range(400)}
    (interval,) = intervals([values])
    half = NormalDist().inv_cdf(0.975) * pstdev(values.values()) / len(values) ** 0.5
    assert interval.low == pytest.approx(fmean(values.values()) - half, abs=half / 8)
    assert interval.high == pytest.approx(fmean(values.values()) + half, abs=half / 8)


def test_two_questions_have_the_interval_that_can_be_counted_by_hand() -> None:
    # Of two draws from {0, 1}, a quarter is (0, 0), a quarter (1, 1): the 2.5th and 97.5th
    # percentiles are 0 and 1.
    (interval,) = intervals([{"a": 0.0, "b": 1.0}])
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_the_same_questions_are_drawn_for_every_system() -> None:
    ids = [str(number) for number in range(50)]
    values = {id: random.Random(id).random() for id in ids}
    one, moved = intervals([values, {id: value + 10 for id, value in values.items()}])
    assert (moved.low, moved.high) == (
        pytest.approx(one.low + 10, abs=1e-9),
        pytest.approx(one.high + 10, abs=1e-9),
    )
    assert intervals([dict(sorted(values.items(), reverse=True))]) == [one]
    assert intervals([values], seed=1) != [one]


def test_a_system_with_fewer_questions_has_a_wider_interval_about_its_own_mean() -> None:
    ids = [str(number) for number in range(200)]
    values = {id: random.Random(id).random() for id in ids}
    few = {id: values[id] for id in ids[:40]}
    wide, narrow = intervals([few, values])
    assert wide.low < fmean(few.values()) < wide.high
    assert wide.high - wide.low > 1.7 * (narrow.high - narrow.low)  # √5 = 2.2 in the long run


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    generator = numpy.random.default_rng(7)
    ids = [f"{number:02}" for number in range(60)]
    found = intervals(
        dict(zip(ids, generator.normal(0, 1, 60).tolist(), strict=True)) for _ in range(300)
    )
    covered = sum(interval.low <= 0 <= interval.high for interval in found)
    assert 0.90 <= covered / 300 <= 0.98
