"""Terms: words, stems, concepts, acronyms, coverage."""

import pytest

from clinfo.text.terms import (
    acronyms,
    is_acronym,
    stem,
    stems,
    vocabulary,
    weight,
)


def test_special_words_weigh_more_than_generic_ones() -> None:
    assert (
        weight("the")
        == 0
        < weight("patients")
        < weight("women")
        < weight("falls")
        < weight("dexmedetomidine")
    )
    assert weight("COPD") > weight("lung")


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("diarrhoea", "diarrhea"),
        ("glycaemic", "glycemic"),
        ("randomised", "randomized"),
        ("tumours", "tumors"),
        ("oestrogen", "estrogen"),
        ("anaesthesia", "anesthesia"),
        ("haemorrhage", "hemorrhage"),
        ("paediatric", "pediatric"),
        ("foetal", "fetal"),
        ("ischaemic", "ischemic"),
        ("glycaemia", "glycemic"),
        ("wellbeing", "well-being"),
    ],
)
def test_british_and_american_spellings_meet(british: str, american: str) -> None:
    assert stem(british) == stem(american)


def test_acronyms_are_read_from_their_definition() -> None:
    text = (
        "Chronic obstructive pulmonary disease (COPD) and body mass index (BMI; kg/m2) in the "
        "trial (see Table)."
    )
    assert acronyms(text) == {
        "COPD": "Chronic obstructive pulmonary disease",
        "BMI": "body mass index",
    }


@pytest.mark.parametrize(
    ("word", "expected"),
    [("COPD", True), ("mRNA", True), ("Aspirin", False), ("I", False), ("RCTs", True)],
)
def test_is_acronym(word: str, expected: bool) -> None:
    assert is_acronym(word) is expected


def test_a_vocabulary_has_synonyms_acronyms_and_spellings() -> None:
    article = (
        "Pulmonary rehabilitation in older people with chronic obstructive pulmonary disease (COPD)"
    )
    held = vocabulary(article, acronyms(article))
    assert all(held.has(stem(word)) for word in ("copd", "elderly", "lung", "rehabilitation"))
    assert vocabulary("chronic obstructive pulmonary disease", acronyms(article)).has(stem("copd"))
    assert not vocabulary("asthma in children").has(stem("copd"))


def test_a_lone_letter_belongs_to_its_word() -> None:
    assert vocabulary("vitamin D3 daily").has("vitamin d")
    assert not vocabulary("vitamin B12 daily").has("vitamin d")


def test_a_long_form_begins_with_the_whole_of_a_hyphenated_word() -> None:
    text = "Antibiotic-associated diarrhea (AAD) is no C-reactive protein (CRP)."
    assert acronyms(text) == {
        "AAD": "Antibiotic-associated diarrhea",
        "CRP": "C-reactive protein",
    }


def test_a_position_is_nothing_positive() -> None:
    assert stems("positions, positioning, positioned") == ["position"] * 3
    assert "position" not in stems("positive positivity")
