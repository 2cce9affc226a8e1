"""The sentence that comes closest to what is asked, and what is said where its article lacks a part
of it.
"""

from __future__ import annotations

from clinfo.extractive.closest import closest
from clinfo.extractive.synthesis import distil
from clinfo.records.articles import Article, Section, Study

QUESTION = "Is ginger any good for morning sickness?"


def study(n: int, title: str, *parts: tuple[str, str]) -> Study:
    return Study(
        n,
        Article(f"pmid:{n}", title, sections=tuple(Section(text, label) for label, text in parts)),
        None,
    )


GINGER = study(
    1,
    "Ginger in early pregnancy",
    ("METHODS", "In a randomised trial 120 women took ginger or placebo."),
    ("RESULTS", "Headache was similar in both groups."),
    (
        "CONCLUSIONS",
        "Ginger was effective for nausea and vomiting of pregnancy in women at less than 16 weeks.",
    ),
)
MICE = study(
    2, "Ginger in pregnant mice", ("RESULTS", "Ginger reduced nausea of pregnancy in 24 mice.")
)
TEA = study(
    3,
    "Mint tea for nausea of pregnancy",
    ("CONCLUSIONS", "Mint tea reduced nausea and vomiting of pregnancy in women."),
)


def test_the_closest_sentence_speaks_of_treatment_and_condition() -> None:
    found = closest(QUESTION, [GINGER])
    assert found is not None
    assert found.on_the_subject
    assert found.quotation.text.startswith("Ginger was effective for nausea")


def test_animals_and_other_treatments_are_not_quoted() -> None:
    assert closest(QUESTION, [MICE]) is None
    assert closest(QUESTION, [TEA]) is None


def test_what_the_article_lacks_is_said_before_it_is_quoted() -> None:
    question = "Does ginger prevent migraine in morning sickness?"
    assert distil(question, [GINGER]).startswith("The studies retrieved do not settle this: ")


def test_a_harm_is_answered_by_a_harm() -> None:
    question = "Is ginger safe in morning sickness?"
    found = closest(question, [GINGER])
    assert found is None
