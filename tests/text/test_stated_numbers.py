"""The numbers that a text states, as values."""

from decimal import Decimal

import pytest

from clinfo.text.stated_numbers import numbers_in, stated_numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("−1.2 (95% CI −2.4 to −0.1)", ("-1.2", "95", "-2.4", "-0.1")),
        ("1,234 of 3 456 adults", ("1234", "3456", "3", "456")),
        ("1’234 of 3\u202f456 and 7\u2009890", ("1234", "3456", "7890")),
        ("grade 3 120 patients", ("3", "120", "3120")),
        ("6’000’000 cells, 5 × 10<sup>6</sup>", ("6000000", "5", "10", "6", "5000000")),
        ("um 1,5 Punkte (p=·004)", ("1", "5", "1.5", "0.004")),
        ("hazard ratio 0·72; p=·004 (·58 to ·9)", ("0.72", "0.004", "0.58", "9")),
        ("•24 hr capsule", ("24",)),
        ("٢٫٥ يوم", ("2.5",)),
        ("fourteen of two hundred and five", ("14", "205")),
        ("twenty-one days, two and a half weeks", ("21", "2.5")),
        ("two three", ("2", "3")),
        ("3 million people", ("3", "3000000")),
        ("one thousand two hundred", ("1200",)),
        ("no number", ()),
        ("$3.5m and £2k, 5 m", ("3.5", "3500000", "2", "2000", "5")),
        ("3.4.2015 to 2016-18", ("3", "4", "2015", "2016", "18", "2018")),
        ("in 1998-02 and 1999/00", ("1998", "02", "1999", "00")),
        ("10.000 of 1.2 million", ("10.000", "10000", "1.2", "1200000")),
        ("p = 1e-5; 1½ hours", ("1", "5", "0.00001", "2", "1.5")),
        ("10^6 cells, 5 x 10^-3", ("10", "6", "1000000", "5", "-3", "0.005")),
        ("(p = .09-not significant)", ("0.09",)),
        ("20.8+/-13.3 and 27 kg/m^2", ("20.8", "13.3", "27", "2")),
    ],
)
def test_a_text_states_its_numbers_in_digits_and_in_words(
    text: str, values: tuple[str, ...]
) -> None:
    assert stated_numbers(text) == set(map(Decimal, values))


def test_a_dash_between_two_numbers_is_no_sign() -> None:
    assert numbers_in("0.5-0.9; -3") == [Decimal("0.5"), Decimal("0.9"), Decimal("-3")]
