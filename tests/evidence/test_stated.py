"""What cells of the evidence table state: doses, lengths of time, people."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.stated import days, doses, intensity, named, others, people


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("vitamin D3 4,000 IU/day", [(4000, 4000, "IU", "day")]),
        ("metformin 500-2000 mg daily", [(500, 2000, "mg", "day")]),
        ("0.1 g aspirin", [(100, 100, "mg", "")]),
        ("100 µg per week, then 0.2 mg", [(0.1, 0.1, "mg", "week"), (0.2, 0.2, "mg", "")]),
        ("ketamine 0.5 mg/kg", [(0.5, 0.5, "mg", "kg")]),
        ("0.9% saline, 30 mL/kg", [(0.9, 0.9, "%", ""), (30, 30, "mL", "kg")]),
        ("25(OH)D, COVID-19, omega-3, type 2 diabetes", []),
        ("a 12-week programme", []),
    ],
)
def test_doses(text: str, read: list[tuple[float, float, str, str]]) -> None:
    assert [(dose.low, dose.high, dose.unit, dose.per) for dose in doses(text)] == [
        (pytest.approx(low), pytest.approx(high), unit, per) for low, high, unit, per in read
    ]


def test_doses_are_compared_in_one_unit() -> None:
    gram, range_of_mg, units = doses("0.1 g")[0], doses("75-325 mg")[0], doses("100 IU")[0]
    assert gram.alike(range_of_mg)
    assert gram.comparable(range_of_mg)
    assert not gram.comparable(units)
    assert not doses("5 mg/kg")[0].comparable(doses("5 mg/day")[0])


@pytest.mark.parametrize(
    ("text", "shortest", "longest"),
    [
        ("12 weeks", 84, 84),
        ("median 5.2 years", 1899.3, 1899.3),
        ("6 and 12 months", 182.4, 364.8),
        ("two years", 730.5, 730.5),
        ("up to 24 h", 1, 1),
        ("3-month", 91.2, 91.2),
        ("90 d", 90, 90),
    ],
)
def test_lengths_of_time(text: str, shortest: float, longest: float) -> None:
    assert days(text) == (pytest.approx(shortest), pytest.approx(longest))


@pytest.mark.parametrize(
    "text", ["", "not stated", "adults aged 18 years", "over 65 years", "in 2019", "12 mg"]
)
def test_what_is_no_length_of_time(text: str) -> None:
    assert days(text) is None


def test_people_and_those_who_are_clearly_others() -> None:
    assert people("children with type 1 diabetes") == {"children", "type 1 diabetes"}
    assert others(people("older adults"), people("preterm infants")) == {"children"}
    assert others(people("colds"), people("Wistar rats")) == {"animals"}
    assert others(people("rats"), people("Wistar rats")) == frozenset()
    assert others(people("women"), people("men and women")) == frozenset()
    assert others(frozenset(), people("children")) == frozenset()


def test_words_that_name_something() -> None:
    assert named("patients with asthma or COPD") == named("COPD, asthma")
    assert named("the patients of this group") == frozenset()
    assert intensity("high-dose statins, low intensity exercise") == {"high", "low"}


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read(text: str) -> None:
    assert all(dose.low <= dose.high for dose in doses(text))
    length = days(text)
    assert length is None or 0 <= length[0] <= length[1]
    assert others(people(text), people(text)) == frozenset()
