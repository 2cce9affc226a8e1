"""Agreement against examples worked out by others."""

from datetime import date

import pytest

from pubmedrs.annotation.round_trip import agreement, kappa
from pubmedrs.annotation.sheets import Choice
from pubmedrs.records import Review


def pairs(table: dict[tuple[str, str], int]) -> list[tuple[str, str]]:
    return [pair for pair, count in table.items() for _ in range(count)]


def test_kappa_of_fleiss_three_diagnoses() -> None:
    """J. L. Fleiss, Statistical Methods for Rates and Proportions, 2nd ed. (Wiley 1981), table 13.1
    and section 13.1: diagnoses of 100 subjects by two raters; observed .89, expected .66, kappa
    .676."""
    rows = {"psychotic": (75, 1, 4), "neurotic": (5, 4, 1), "organic": (0, 0, 10)}
    found = kappa(
        pairs(
            {
                (a, b): count
                for a, counts in rows.items()
                for b, count in zip(rows, counts, strict=True)
            }
        )
    )
    assert (found.n, found.observed) == (100, 0.89)
    assert found.expected == pytest.approx(0.66)
    assert found.kappa == pytest.approx(0.23 / 0.34)
    assert round(found.kappa or 0, 3) == 0.676


def test_kappa_of_two_classes_worked_by_hand() -> None:
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed 35/50 = .7; by chance (25 x 30 + 25 x 20)
    / 50^2 = .5; kappa .4.
    """
    found = kappa(pairs({("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}))
    assert (found.observed, found.expected, found.kappa) == (0.7, 0.5, pytest.approx(0.4))


def test_agreement_of_two_annotators() -> None:
    reviews = {id: Review(id, "T", "Q?", "one two three four", date(2020, 1, 1)) for id in "1234"}
    first = {
        "1": Choice("1", "accept", "Q?", "one two three four"),
        "2": Choice("2", "edit", "Q?", "one two three"),
        "3": Choice("3", "reject", "", ""),
        "4": Choice("4", "accept", "Q?", "one two three four"),
    }
    second = {
        "1": Choice("1", "accept", "Q?", "one two three four"),
        "2": Choice("2", "accept", "Q?", "one two three four"),
        "3": Choice("3", "reject", "", ""),
        "4": Choice("4", "reject", "", ""),
    }
    found = agreement(("anna", "ben"), first, second, reviews)
    assert {pair: count for pair, count in found.table.items() if count} == {
        "accept accept": 1, "accept reject": 1, "edit accept": 1, "reject reject": 1,
    }  # fmt: skip
    # three classes: observed 2/4; by chance (2 x 2 + 1 x 0 + 1 x 2) / 16 = 6/16; kappa (8 - 6) /
    # (16 - 6)
    assert found.three.kappa == pytest.approx(0.2)
    # kept against rejected: observed 3/4; by chance (3 x 2 + 1 x 2) / 16 = 8/16; kappa (12 - 8) /
    # (16 - 8)
    assert found.two.kappa == pytest.approx(0.5)
    assert (found.answers.n, found.answers.words) == (2, pytest.approx(1 / 8))
    assert (found.edits["anna"].n, found.edits["anna"].words, found.edits["ben"].n) == (
        1,
        pytest.approx(1 / 4),
        0,
    )
