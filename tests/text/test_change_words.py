"""Words of change and what denies, turns or sizes them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.text.change_words import breaks, cues


def said(sentence: str) -> list[str]:
    return [("not " if cue.denied else "") + cue.change for cue in cues(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Pain was lower.", ["down"]),
        ("Pain was not lower.", ["not alike"]),
        ("There was a greater reduction in pain.", ["down"]),
        ("There was a smaller increase in weight.", ["down"]),
        ("The reduction in pain was greater with zinc.", ["down", "down"]),
        ("The group reduced more fat.", ["down"]),
        ("Function improved.", ["better"]),
        ("There was less improvement.", ["worse"]),
        ("Zinc, but not placebo, reduced pain.", ["down"]),
        ("NO inhalation lowered pressure.", ["down"]),
        ("Pain was similar.", ["alike"]),
        ("No significant difference was found.", ["not alike", "not alike"]),
        ("Pregnancy-induced hypertension was rare.", []),
        ("There was a trend towards less pain.", ["trend", "down"]),
        ("The lower limb was studied.", []),
    ],
)
def test_words_of_change(sentence, expected):
    assert said(sentence) == expected


def test_clauses_end_at_conjunctions_for_certain_and_at_commas_perhaps():
    sentence = "Pain fell, sleep rose, but mood did not"
    assert [(sentence[place:].split()[0], hard) for place, hard in breaks(sentence)] == [
        (",", False),
        (",", True),
    ]


@settings(max_examples=80, deadline=None)
@given(
    st.text(alphabet="ab NOnot lower,; but reduction greater was\n", max_size=200)
    | st.text(max_size=100)
)
def test_cues_lie_in_their_sentence(sentence):
    assert all(0 <= cue.start < len(sentence) for cue in cues(sentence))
