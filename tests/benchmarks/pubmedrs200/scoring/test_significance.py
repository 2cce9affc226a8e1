from __future__ import annotations

from itertools import product

import numpy
import pytest

from benchmarks.pubmedrs200.scoring.significance import Comparison, compare, family, holm, pairing


def by_id(values: list[float]) -> dict[str, float]:
    return {f"{number:03}": value for number, value in enumerate(values)}


def compared(first: list[float], second: list[float], rounds: int = 10_000) -> Comparison:
    (found,) = compared_together([(first, second)], rounds)
    return found


def compared_together(
    pairs: list[tuple[list[float], list[float]]], rounds: int = 10_000
) -> list[Comparison]:
    pairings = [pairing("m", "a", "b", by_id(first), by_id(second)) for first, second in pairs]
    return compare([one for one in pairings if one is not None], rounds=rounds)


def exact(differences: list[float]) -> float:
    """p of the sign-flip test by all 2^n assignments of signs."""
    sums = [
        sum(sign * value for sign, value in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
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
    signs = 2 ** len(differences)
    nothing = [0.0] * len(differences)
    assert compared(differences, nothing).p_randomisation == exact(differences)
    assert compared(differences, nothing, rounds=signs).p_randomisation == exact(differences)
    drawn = compared(differences, nothing, rounds=signs - 1).p_randomisation
    assert drawn == pytest.approx(exact(differences), abs=0.2)
    assert drawn * signs == pytest.approx(round(drawn * signs))  # (count + 1) / (rounds + 1)


def test_fishers_test_on_darwins_maize() -> None:
    # Fisher, The Design of Experiments, 1935, section 21: 15 pairs of plants (eighths of an inch);
    # of all 32,768 assignments of signs, 1,726 give a difference as large as the one found or
    # larger: p = 0.0527.
    found = compared([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], [0.0] * 15)
    assert found.difference == pytest.approx(314 / 15)
    assert found.p_randomisation == pytest.approx(1726 / 32768, abs=0.008)


def test_equal_systems_differ_by_nothing() -> None:
    found = compared([0.1, 0.2, 0.7], [0.1, 0.2, 0.7])
    assert (found.difference, found.low, found.high, found.p_bootstrap, found.p_randomisation) == (
        0,
        0,
        0,
        1,
        1,
    )


def test_a_clear_difference_has_the_least_p_that_the_rounds_allow() -> None:
    generator = numpy.random.default_rng(2)
    found = compared(
        (generator.normal(1, 0.5, 100)).tolist(),
        (generator.normal(0, 0.5, 100)).tolist(),
        rounds=999,
    )
    assert found.p_bootstrap == found.p_randomisation == 1 / 1000
    assert 0 < found.low < found.difference < found.high


def test_only_common_questions_count_and_the_sign_is_that_of_the_system() -> None:
    both = pairing("m", "a", "b", {"1": 1.0, "2": 2.0, "3": 9.0}, {"2": 1.0, "1": 0.5, "4": 7.0})
    assert both is not None
    (found,) = compare([both])
    assert (found.n, found.difference) == (2, 0.75)
    assert pairing("m", "a", "b", {"1": 1.0}, {"2": 1.0}) is None


def test_comparisons_of_more_and_fewer_questions_stand_in_their_order() -> None:
    generator = numpy.random.default_rng(5)
    pairs = [
        (generator.random(size).tolist(), generator.random(size).tolist())
        for size in (30, 4, 30, 4, 7)
    ]
    assert compared_together(pairs) == [compared(*pair) for pair in pairs]


def test_the_same_again_and_the_other_way_round() -> None:
    generator = numpy.random.default_rng(3)
    first, second = generator.random(40).tolist(), generator.random(40).tolist()
    one, other = compared(first, second), compared(second, first)
    assert compared(first, second) == one
    assert other.difference == -one.difference
    assert (other.p_bootstrap, other.p_randomisation) == (one.p_bootstrap, one.p_randomisation)


def test_without_a_difference_five_in_a_hundred_are_found_significant() -> None:
    generator = numpy.random.default_rng(4)
    trials = 1_000
    pairs = []
    for _ in range(trials):
        shared = generator.random(100)
        pairs.append(
            (
                (shared + generator.gumbel(0, 0.2, 100)).tolist(),
                (shared + generator.gumbel(0, 0.2, 100)).tolist(),
            )
        )
    found = compared_together(pairs, rounds=1_000)
    below_bootstrap = sum(one.p_bootstrap < 0.05 for one in found)
    below_randomisation = sum(one.p_randomisation < 0.05 for one in found)
    # Three standard errors of a share of 5 % in 1,000 trials are 2.1 %.
    assert 0.029 <= below_randomisation / trials <= 0.071
    assert 0.029 <= below_bootstrap / trials <= 0.075


def test_holm_on_worked_examples() -> None:
    # p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") of R, and the worked example of Wikipedia's
    # "Holm–Bonferroni method" (the same four values): 0.03, 0.06, 0.06, 0.02.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


def test_a_family_is_corrected_in_its_order() -> None:
    one, other = (
        compared([0.3, 0.1, 0.4, 0.1, 0.5, 0.2], [0.0] * 6),
        compared([0.1, -0.1, 0.2, -0.3, 0.1], [0.0] * 5),
    )
    assert [found.p_holm for found in family([other, one])] == [
        other.p_randomisation,
        2 * one.p_randomisation,
    ]
