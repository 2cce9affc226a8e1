"""Comparisons of two systems against worked examples and a full enumeration."""

from itertools import product

import numpy
import pytest

from benchmarks.pubmedrs200.scoring.statistics import Comparison, comparisons, holm


def by_id(values: list[float]) -> dict[str, float]:
    return {f"{number:03}": value for number, value in enumerate(values)}


def compared(first: list[float], second: list[float]) -> Comparison:
    values = {"m": {"a": by_id(first), "b": by_id(second)}}
    (found,) = comparisons(values, lambda metric: "b")
    return found


def exact(differences: list[float]) -> float:
    """p of the sign-flip test by all 2^n assignments of signs."""
    signs = product((1, -1), repeat=len(differences))
    sums = [sum(a * b for a, b in zip(one, differences, strict=True)) for one in signs]
    return sum(abs(one) >= abs(sum(differences)) - 1e-12 for one in sums) / len(sums)


@pytest.mark.parametrize(
    "differences",
    [
        [0.3, 0.1, 0.4, 0.1, 0.5, 0.2],  # all of one sign: 2 of 64
        [0.5, -0.2, 0.4, 0.1, 0.3, -0.1, 0.2, 0.6],
        [0.1, -0.1, 0.2, -0.3, 0.1],
    ],
)
def test_randomisation_of_few_questions_is_the_enumeration_of_all_signs(
    differences: list[float],
) -> None:
    assert compared(differences, [0.0] * len(differences)).p_randomisation == exact(differences)


def test_fishers_test_on_darwins_maize() -> None:
    # Fisher, The Design of Experiments, 1935, section 21: 15 pairs of plants (eighths of an inch);
    # of all 32,768 assignments of signs, 1,726 give a difference as large as the one found or
    # larger: p = 0.0527.
    found = compared([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], [0.0] * 15)
    assert found.difference == pytest.approx(314 / 15)
    assert found.p_randomisation == pytest.approx(1726 / 32768, abs=0.008)


def test_equal_systems_differ_by_nothing_and_clear_ones_as_far_as_the_draws_tell() -> None:
    same = compared([0.1, 0.2, 0.7], [0.1, 0.2, 0.7])
    assert (same.difference, same.low, same.high, same.p_bootstrap, same.p_holm) == (0, 0, 0, 1, 1)
    generator = numpy.random.default_rng(2)
    found = compared(*((generator.normal(mean, 0.5, 100)).tolist() for mean in (1, 0)))
    assert found.p_bootstrap == found.p_randomisation == 1 / 10_001
    assert 0 < found.low < found.difference < found.high


def test_holm_on_worked_examples() -> None:
    # p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") of R, and the worked example of Wikipedia's
    # "Holm–Bonferroni method" (the same four values): 0.03, 0.06, 0.06, 0.02.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []
