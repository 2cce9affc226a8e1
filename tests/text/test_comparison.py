"""An abstract read for one outcome: which statements name it, what they say of it, and whose change
it is.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.records.articles import Article
from clinfo.text.arms import arms
from clinfo.text.compared_sentence import says
from clinfo.text.comparison import read, sections
from clinfo.text.outcome_names import OutcomeName
from clinfo.text.outcome_valence import is_harm, valence


def told(
    sentence: str, outcome: str, intervention: str = "zinc", comparator: str = "placebo"
) -> dict[str, float]:
    sides = arms(intervention, comparator, sentence, {})
    name = OutcomeName(outcome, [sentence], {}, sides)
    found = says(sentence, name.named(sentence)[1], sides, name.is_fall)
    return {key: value for key, value in found.items() if not key.startswith("nearest")}


def strongest(sentence: str, outcome: str, **more: str) -> str:
    found = told(sentence, outcome, **more)
    return max(found, key=lambda key: found[key])


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Pain was lower with zinc than with placebo.", "down"),
        ("Pain was lower with placebo than with zinc.", "up"),
        ("Pain was higher in the placebo group.", "down"),
        ("Placebo raised pain compared with zinc.", "down"),
        ("Compared with placebo, zinc lowered pain.", "down"),
        ("Zinc, but not placebo, lowered pain.", "down"),
        ("Pain fell in both groups.", "down both"),
        ("Pain fell.", "down free"),
        ("Pain fell with zinc more than with aspirin.", "down of another"),
        ("Pain did not differ.", "denied"),
        ("Sleep was longer with zinc than with placebo but pain was lower.", "down"),
    ],
)
def test_whose_change_a_sentence_tells(sentence, expected):
    assert strongest(sentence, "pain") == expected


def test_the_nearest_word_of_change_says_most():
    found = told("Zinc raised sleep time, but lowered pain.", "pain")
    assert found["down"] > 2 * found["up"]


def test_an_exception_is_not_denied():
    found = told(
        "There were no differences between groups except for pain, which was lower with zinc.",
        "pain",
    )
    assert "denied" not in found
    assert found["excepted"] >= 1
    assert found["down"] > 0.5


def test_a_fall_as_outcome_turns_up_and_down():
    assert (
        strongest(
            "The reduction in pain was greater with zinc than with placebo.", "reduction in pain"
        )
        == "up"
    )


def test_values_in_brackets_are_read_by_the_arms_order():
    assert "pair down significant" in told(
        "Pain with zinc and placebo was 12% vs 30% (p=0.01).", "pain"
    )
    assert "pair up significant" in told(
        "Pain with placebo and zinc was 12% vs 30% (p=0.01).", "pain"
    )


def test_an_outcome_is_named_by_acronym_beginning_and_synonym():
    sentences = [
        "Overall survival (OS) was the endpoint.",
        "Median OS was 41 months.",
        "Adverse events were rare.",
    ]
    expansions = {"OS": "overall survival"}
    sides = arms("a", "b", "", {})
    assert OutcomeName("overall survival", sentences, expansions, sides).named(sentences[1])[
        0
    ] == pytest.approx(1.0)
    assert OutcomeName("safety", sentences, {}, sides).named(sentences[2])[0] > 0.5
    assert (
        OutcomeName("inflammatory markers", ["Inflammation fell."], {}, sides).named(
            "Inflammation fell."
        )[0]
        > 0.5
    )
    missing = OutcomeName("bone density", sentences, {}, sides)
    assert (missing.named(sentences[1])[0], missing.absent) == (0.0, pytest.approx(1.0))


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [("pain", "unwanted"), ("muscle strength", "wanted"), ("ferritin", "plain")],
)
def test_valence(outcome, expected):
    assert valence(outcome) == expected
    assert is_harm("serious adverse events")
    assert not is_harm("pain")


def test_sections_give_the_abstract_back():
    abstract = (
        "BACKGROUND: Zinc is given: often.\nRESULTS: Pain fell.\n\nplain line: with a colon\n"
        "CONCLUSIONS:no space"
    )
    own = sections(abstract)
    assert [part.label for part in own] == ["BACKGROUND", "RESULTS", None, None, None]
    assert Article(id="", title="", sections=own).abstract == abstract


def test_places_are_those_of_the_text_as_given():
    abstract = (
        "METHODS: We gave zinc or placebo.\nRESULTS: Pain fell with zinc. Sleep did not differ."
    )
    found = read("zinc", "placebo", "pain", "Zinc", abstract)
    for item in found.statements:
        assert (abstract if item.field == "abstract" else "Zinc")[
            item.start : item.end
        ] == item.text
    best = max(found.statements, key=lambda item: item.share)
    assert best.text == "Pain fell with zinc."
    assert sum(item.share for item in found.statements) == pytest.approx(1.0)


def test_how_the_arms_were_at_entry_says_nothing_of_an_effect():
    abstract = (
        "RESULTS: At baseline, pain was similar in both groups. After a week pain was lower with "
        "zinc than with placebo."
    )
    found = read("zinc", "placebo", "pain", "", abstract)
    assert max(found.statements, key=lambda item: item.share).text.startswith("After a week")


@settings(max_examples=60, deadline=None)
@given(
    *[st.text(max_size=60)] * 4,
    st.text(alphabet="pain zinc lower than but not, (12 vs 8; p=0.1).\nRESULTS: ", max_size=300),
)
def test_odd_text_raises_nothing(intervention, comparator, outcome, title, abstract):
    found = read(intervention, comparator, outcome, title, abstract)
    assert all(
        0 <= item.start < item.end <= max(len(title), len(abstract)) for item in found.statements
    )
    assert all(abs(value) < 1e3 for value in found.features.values())
