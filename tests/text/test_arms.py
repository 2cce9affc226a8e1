"""Which arm a sentence names: by its own words, acronyms, group labels, doses, and the words of a
control.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.text.arms import arms, tokens
from clinfo.text.terms import acronyms


def named(sentence: str, intervention: str, comparator: str, text: str = "") -> list[str]:
    own = arms(intervention, comparator, text, acronyms(text))
    return [arm for _, arm in own.named(sentence)]


@pytest.mark.parametrize(
    ("sentence", "intervention", "comparator", "expected"),
    [
        ("Zinc was better than placebo.", "zinc", "placebo", ["intervention", "comparator"]),
        ("Controls lost weight.", "yoga", "usual care", ["comparator"]),
        ("The treatment group lost weight.", "yoga", "usual care", ["intervention"]),
        ("The treatment group lost weight.", "placebo", "yoga", []),
        (
            "More in the 2,000 IU group.",
            "4,000 IU of vitamin D",
            "2,000 IU of vitamin D",
            ["comparator"],
        ),
        (
            "A ratio of 3:1 gave more than 9:3.",
            "ratio of 9:3",
            "ratio of 3:1",
            ["comparator", "intervention"],
        ),
        (
            "Knees bent less with a tourniquet.",
            "knee surgery with tourniquet",
            "without tourniquet",
            ["intervention"],
        ),
        (
            "Recovery without tourniquet was slower.",
            "surgery with tourniquet",
            "without tourniquet",
            ["comparator"],
        ),
        (
            "The non-tourniquet group bent more.",
            "surgery with tourniquet",
            "without tourniquet",
            ["comparator"],
        ),
        (
            "Ketamine with propofol and propofol alone.",
            "ketamine and propofol",
            "propofol alone",
            ["intervention", "comparator"],
        ),
        ("The weather was mild.", "zinc", "placebo", []),
    ],
)
def test_arms_by_their_words(sentence, intervention, comparator, expected):
    found = named(sentence, intervention, comparator)
    assert [
        arm for place, arm in enumerate(found) if not place or found[place - 1] != arm
    ] == expected


def test_a_group_is_known_by_what_it_received():
    text = (
        "Patients received tramadol (group 1) or ketorolac (group 2). Pain was lower in group 2 "
        "than in group 1."
    )
    assert named("Pain was lower in group 2 than in group 1.", "ketorolac", "tramadol", text) == [
        "intervention",
        "comparator",
    ]
    described = "Group A received yoga; group B received stretching."
    assert named("Group B slept more than group A.", "yoga", "stretching", described) == [
        "comparator",
        "intervention",
    ]


def test_acronyms_name_an_arm():
    text = "We compared high-intensity training (HIT) with moderate continuous training (MCT)."
    found = named(
        "Glucose fell more after HIT than after MCT.",
        "high-intensity training",
        "moderate continuous training",
        text,
    )
    assert found == ["intervention", "comparator"]


def test_a_word_number_is_found_by_its_place():
    words = tokens("Pain fell by 2,000 units.")
    assert [words.at(place) for place in (0, 5, 13, 20)] == [0, 1, 3, 4]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=200))
def test_odd_text_raises_nothing(intervention, comparator, text):
    for place, arm in arms(intervention, comparator, text, acronyms(text)).named(text):
        assert 0 <= place < max(1, len(tokens(text).starts))
        assert arm in ("intervention", "comparator")
