"""What figures say without words: p values, intervals against no effect, values side by side."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.text.contrasts import contrasts


def said(sentence: str) -> list[str]:
    return [contrast.says for contrast in contrasts(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Pain fell (p=0.03).", ["significant"]),
        ("Pain fell (p = 0.3).", ["alike"]),
        ("Pain fell (P > 0.05).", ["alike"]),
        ("Pain fell (p < .001).", ["significant"]),
        ("Pain fell (p = NS).", ["alike"]),
        ("Death was rarer (RR 0.75, 95% CI 0.60 to 0.94).", ["significant", "down"]),
        ("Death was as common (HR 0.95, 95% CI 0.80–1.13).", ["alike"]),
        ("A mean difference of 2.0 (95% CI 0.4 to 3.6).", ["significant", "up"]),
        ("A mean difference of -0.2 (95% CI -0.9 to 0.5).", ["alike"]),
        ("Sleep lasted longer (21 ± 6 vs 14.5 ± 4 min, p = 0.6).", ["first higher", "alike"]),
        ("Cure in 30/50 (60%) versus 20/50 (40%).", ["first higher"]),
        ("Rates were 1.2%, 1.9% and 3.4%.", ["first lower"]),
        ("It fell from 14 mm to 12 mm.", []),
        ("We saw 40 patients.", []),
    ],
)
def test_contrasts(sentence, expected):
    assert said(sentence) == expected


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="0123456789.,%±()vspCIHR <>=-and ", max_size=120) | st.text(max_size=80))
def test_odd_text_raises_nothing(sentence):
    assert all(0 <= contrast.start < len(sentence) for contrast in contrasts(sentence))
