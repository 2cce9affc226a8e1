"""Coordination: alternatives of a question, and how much of them an article names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.text.coordination import coverage, groups
from clinfo.text.terms import concepts, vocabulary


def told(question: str) -> list[str]:
    """The groups as text: alternatives joined by a bar, in brackets where they need not be
    named.
    """
    texts = [
        ("|".join(concept.text for concept in group.concepts), group.needed)
        for group in groups(question)
    ]
    return [text if needed else f"({text})" for text, needed in texts]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Does zinc prevent colds or shorten sore throats?", ["zinc", "colds|sore throats"]),
        (
            "Does tai chi reduce falls, dizziness and fractures in women?",
            ["tai chi", "falls|dizziness|fractures", "women"],
        ),
        (
            "Do statins prevent stroke in diabetes or hypertension?",
            ["statins", "stroke", "diabetes|hypertension"],
        ),
        ("In migraine, does magnesium reduce attacks?", ["migraine", "magnesium", "attacks"]),
    ],
)
def test_outcomes_and_populations_that_are_coordinated_are_alternatives(
    question: str, expected: list[str]
) -> None:
    assert told(question) == expected


def test_what_is_given_together_or_compared_is_no_alternative() -> None:
    assert told("Does calcium and zinc prevent fractures?") == ["calcium", "zinc", "fractures"]
    assert told("Does calcium or zinc prevent fractures?") == ["calcium|zinc", "fractures"]
    assert told("Is there a link between obesity and asthma?") == ["obesity", "asthma"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Does iron improve anaemia and clinical outcomes?", ["iron", "(anaemia)"]),
        ("Does iron improve clinical outcomes and anaemia?", ["iron", "(anaemia)"]),
        ("Does iron relieve symptoms in anaemia?", ["iron", "(symptoms)", "anaemia"]),
        ("Do splints and other measures relieve wrist pain?", ["(splints)", "wrist pain"]),
        (
            "Does lithium, alone or with valproate, prevent mania?",
            ["lithium", "(valproate)", "mania"],
        ),
        ("Does lithium, alone or with other drugs, prevent mania?", ["lithium", "mania"]),
        ("Does it relieve symptoms?", ["symptoms"]),
    ],
)
def test_an_open_alternative_need_not_be_named(question: str, expected: list[str]) -> None:
    assert told(question) == expected


def test_one_alternative_covers_most_and_all_cover_everything() -> None:
    wanted = groups("Does tai chi reduce falls or dizziness?")
    shares = [
        coverage(wanted, vocabulary(text))
        for text in ("tai chi", "tai chi falls", "tai chi, falls, dizziness")
    ]
    assert 0 < shares[0] < shares[1] < shares[2] == 1.0
    assert shares[1] > 0.9
    assert coverage((), vocabulary("")) == 1.0


@given(
    st.text(alphabet=st.sampled_from("ab ,?or and with other symptoms\n"), max_size=120)
    | st.text(max_size=120)
)
def test_groups_are_the_concepts_in_their_order(question: str) -> None:
    found = groups(question)
    assert [concept for group in found for concept in group.concepts] == list(concepts(question))
    assert not found or any(group.needed for group in found)
    assert 0.0 <= coverage(found, vocabulary(question)) <= 1.0


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Does iron help before knee and hip replacement?",
            ["knee replacement", "hip replacement"],
        ),
        (
            "Does strength or balance training prevent falls?",
            ["strength training", "balance training"],
        ),
        ("Does zinc reduce itching and blood loss?", ["itching", "blood loss"]),
    ],
)
def test_a_noun_that_belongs_to_all_alternatives_is_shared(
    question: str, expected: list[str]
) -> None:
    assert expected in [[each.text for each in group.concepts] for group in groups(question)]
