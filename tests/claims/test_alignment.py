"""A claim compared with the passages of an article, and the tokens it is compared by."""

import pytest

from clinfo.claims.alignment import align, alike, read
from clinfo.claims.differences import differences
from clinfo.claims.tokens import expansions, tokens
from clinfo.records.articles import Article, Section

ARTICLE = Article(
    id="pmid:1",
    title="Zinc and chronic obstructive pulmonary disease (COPD)",
    sections=(
        Section(
            "At 12 weeks, cough fell from 40% to 20% in the zinc group (n=90). Fever was rarer "
            "with zinc than with placebo."
        ),
        Section("No deaths occurred; sleep was unchanged."),
    ),
)
READING = read(ARTICLE)


def keys(text: str) -> list[str]:
    return [token.key for token in tokens(text, expansions(ARTICLE))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "HR 0.60 (95% CI 0.5-0.9)",
            "hazard ratio .6 (95 per cent confidence interval 0.5 to 0.9)",
        ),
        ("five mg daily", "5 mg a day"),
        ("COPD", "chronic obstructive pulmonary disease"),
        ("the tumours were randomised", "tumors randomized"),
        ("compared with placebo", "versus placebo"),
        ("The authors found that zinc was safe", "zinc safe"),
        ("didn't", "not"),
    ],
)
def test_two_ways_to_write_one_thing_have_the_same_keys(one: str, other: str) -> None:
    assert keys(one) == keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fell by 5%", "fell to 5%"),
        ("12 weeks", "12 months"),
        ("66.8 kPa", "66.8 mmHg"),
        ("non-significant", "significant"),
        ("may help", "help"),
        ("5 %", "5 percentage points"),
    ],
)
def test_what_makes_another_claim_has_other_keys(one: str, other: str) -> None:
    assert keys(one) != keys(other)


def test_a_claim_of_two_sentences_lies_beside_both() -> None:
    alignment = align(
        "No deaths occurred, and fever was rarer with zinc than with placebo", READING
    )
    assert [source.text[:5] for source in alignment.sources] == ["No de", "Fever"]
    assert alignment.nearness == 1.0


def test_nothing_shared_is_nothing_near() -> None:
    assert align("Bananas ripen", READING).nearness == 0.0
    assert align("", READING).nearness == 0.0


def test_forms_of_a_word_are_alike_and_drugs_of_a_class_are_not() -> None:
    assert alike("randomis", "randomiz")
    assert not alike("prednison", "prednisolon")


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("At 12 weeks, cough fell from 40% to 20% in the zinc group", []),
        ("Cough fell from 40% to 20% in the zinc group at 12 weeks", []),
        ("Fever was rarer with zinc than with placebo", []),
        ("Fever was rarer with placebo than with zinc", ["hard"]),
        ("At 12 weeks, cough fell from 20% to 40% in the zinc group", ["hard"]),
        ("Deaths occurred", ["hard"]),
        ("Fever was rarer with zinc", ["soft"]),
        ("Sleep was unchanged", []),
    ],
)
def test_each_difference_is_harmless_soft_or_hard(text: str, levels: list[str]) -> None:
    assert [each.level for each in differences(text, align(text, READING), READING)][:1] == levels
