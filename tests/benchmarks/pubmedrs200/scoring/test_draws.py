"""Rounds of resampling in blocks: what they hold does not depend on the blocks' size, and memory
does not grow with the rounds.
"""

from __future__ import annotations

import tracemalloc

import numpy
import pytest

from benchmarks.pubmedrs200.scoring import draws
from benchmarks.pubmedrs200.scoring.intervals import intervals, percentiles
from benchmarks.pubmedrs200.scoring.significance import compare, pairing

BLOCKS = [1, 16 * 209, 50_000, 10_000_000]
"""The least number of rounds in a block, one that fits exactly, several of them and a shorter last
one, and all in one.
"""


@pytest.fixture(params=BLOCKS)
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(draws, "BLOCK", request.param)
    return int(request.param)


@pytest.mark.parametrize("questions", [1, 2, 209])
def test_questions_are_drawn_as_by_one_call_for_all_rounds(block: int, questions: int) -> None:
    whole = numpy.random.default_rng(3).multinomial(
        questions, [1 / questions] * questions, size=1_003
    )
    drawn = list(draws.times_drawn(questions, 1_003, 3))
    assert (numpy.concatenate(drawn) == whole).all()
    if questions == 209:
        assert (len(drawn) > 1) == (block < 1_003 * 209)


@pytest.mark.parametrize("questions", [1, 2, 3, 209])
def test_signs_are_tossed_as_by_one_call_for_all_rounds(block: int, questions: int) -> None:
    whole = numpy.random.default_rng(3).integers(0, 2, size=(1_003, questions), dtype=numpy.int8)
    assert (
        numpy.concatenate(list(draws.signs(questions, 1_003, 3)))
        == numpy.where(whole == 1, 1.0, -1.0)
    ).all()


def test_intervals_are_those_of_the_whole_matrix_to_the_last_digit(block: int) -> None:
    generator = numpy.random.default_rng(8)
    ids = [f"{number:03}" for number in range(209)]
    values = 300 * generator.random(209)
    some = sorted(generator.choice(209, 80, replace=False).tolist())
    times = numpy.random.default_rng(0).multinomial(209, [1 / 209] * 209, size=2_000).astype(float)
    wanted = []
    for places in (list(range(209)), some):
        part = times[:, places]
        wanted.append(percentiles((part @ values[places]) / part.sum(axis=1)))
    assert (
        intervals(
            [
                dict(zip(ids, values.tolist(), strict=True)),
                {ids[place]: values[place] for place in some},
            ]
        )
        == wanted
    )


def test_comparisons_are_those_of_the_whole_matrix_to_the_last_digit(block: int) -> None:
    generator = numpy.random.default_rng(9)
    ids = [f"{number:03}" for number in range(209)]
    differences = generator.normal(0.01, 0.1, 209)
    both = pairing(
        "m", "a", "b", dict(zip(ids, differences.tolist(), strict=True)), dict.fromkeys(ids, 0.0)
    )
    assert both is not None
    (found,) = compare([both])
    drawn = (
        numpy.random.default_rng(0).multinomial(209, [1 / 209] * 209, size=10_000)
        @ differences
        / 209
    )
    signs = (
        2.0 * numpy.random.default_rng(0).integers(0, 2, size=(10_000, 209), dtype=numpy.int8) - 1.0
    )
    mean = differences.mean()
    assert found.low == percentiles(drawn).low
    assert found.high == percentiles(drawn).high
    assert found.p_bootstrap == ((abs(drawn - mean) >= abs(mean)).sum() + 1) / 10_001
    assert (
        found.p_randomisation == ((abs(signs @ differences / 209) >= abs(mean)).sum() + 1) / 10_001
    )


@pytest.mark.slow
def test_memory_is_that_of_a_block_and_not_of_all_rounds() -> None:
    """8,000 questions: all 2,000 rounds are 128 MB as numbers, all 10,000 of a comparison 640
    MB.
    """
    ids = [str(number) for number in range(8_000)]
    one, other = ({id: float(int(id) * factor % 101) for id in ids} for factor in (7, 13))
    both = pairing("m", "a", "b", one, other)
    assert both is not None
    peaks = []
    tracemalloc.start()
    try:
        for work in (lambda: intervals([one, other]), lambda: compare([both])):
            tracemalloc.reset_peak()
            work()
            peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
    assert max(peaks) < 4.5 * 8 * draws.BLOCK, (
        peaks
    )  # whole numbers, the same as fractions, those chosen, and before they are let go
    assert min(peaks) > 8 * draws.BLOCK / 2  # arrays are seen
