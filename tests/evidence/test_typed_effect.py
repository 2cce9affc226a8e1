"""Effects from figures as abstracts print them."""

import pytest

from clinfo.evidence.effect_words import printed, typed_effect
from clinfo.records.articles import Effect


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.75", 0.75),
        ("0·75", 0.75),
        ("−0.98 mmHg", -0.98),
        ("-0.98", -0.98),
        ("− 0.98", -0.98),
        ("1.2 - 3.4", 1.2),
        ("1,4", 1.4),
        ("0,765", 0.765),
        ("1,234.5", 1234.5),
        (".5", 0.5),
        ("1,234", 1234.0),
        ("12 345 people", 12345.0),
        ("8.4 %", 8.4),
        ("n/a", None),
        ("", None),
        (None, None),
        ("9" * 400, None),
    ],
)
def test_a_printed_figure_is_a_number(text: str | None, value: float | None) -> None:
    assert printed(text) == value


def _read(measure: str | None, estimate: str | None, *rest: str | None, **more: object) -> object:
    low, high, *_ = (*rest, None, None)
    given = {"p": None, "arms": (), "unit": None, "level": None, **more}
    return typed_effect(measure, estimate, (low, high), **given)  # type: ignore[arg-type]


def test_measures_have_their_scale() -> None:
    assert _read("Hazard Ratio", "0·75", "0.6", "0.9", level="95 %") == Effect(
        "HR", "ratio", 0.75, 0.6, 0.9, 95.0, None
    )
    assert _read("mean difference", "−8.5", "−12.0", "−5.0", unit="mmHg") == Effect(
        "MD", "difference", -8.5, -12.0, -5.0, None, "mmHg"
    )


def test_an_interval_that_does_not_hold_its_estimate_is_left_out() -> None:
    assert _read("RR", "0.5", "0.6", "0.9") == Effect("RR", "ratio", 0.5, None, None, None, None)


def test_a_range_is_no_single_figure() -> None:
    for estimate in ("9 - 10", "9–10", "9 to 10"):
        assert _read("RR", estimate) is None
    assert isinstance(_read("RR", "1.21 (0.883-1.67)"), Effect)


def test_values_of_two_arms_stand_where_there_is_no_estimate() -> None:
    text = "8.0 % against 8.4 %"
    assert _read(None, None, arms=("8.0 %", "8.4 %"), p="0.02", text=text) == Effect(
        "", "values", 8.0, None, None, None, "%", None, 8.4, "0.02", ("8.0 %", "8.4 %")
    )
    assert _read(None, None, arms=("8.0",)) is None
    for text, unit in (("62 v 22 %", "%"), ("62 of 80, later 40 %", None)):
        found = _read(None, None, arms=("62", "22"), unit="%", text=text)
        assert isinstance(found, Effect)
        assert found.unit == unit


def test_p_is_left_out_where_it_may_compare_any_of_three_arms() -> None:
    effect = _read(None, None, arms=("35.5 %", "30.3 %", "16.4 %"), p="<0.001")
    assert isinstance(effect, Effect)
    assert (effect.p, effect.arms) == (None, ("35.5 %", "30.3 %", "16.4 %"))
    assert _read("RR", None) is None
