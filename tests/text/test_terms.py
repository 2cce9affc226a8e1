"""Terms: words, stems, concepts, acronyms, coverage."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.text.terms import (
    acronyms,
    concepts,
    fold,
    is_acronym,
    stem,
    vocabulary,
    weight,
    words,
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Does vitamin D supplementation reduce the risk of falls in older adults?",
            ["vitamin D supplementation", "falls", "older adults"],
        ),
        (
            (
                "Is the use of SGLT2 inhibitors in patients with type 2 diabetes and heart failure "
                "safe?"
            ),
            ["SGLT2 inhibitors", "type 2 diabetes", "heart failure"],
        ),
        (
            "Does low-dose aspirin improve quality of life in COPD?",
            ["low-dose aspirin", "quality of life", "COPD"],
        ),
        ("Is cognitive behavioural therapy effective?", ["cognitive behavioural therapy"]),
        ("Does it work?", ["work"]),
        ("?!", []),
        ("", []),
    ],
)
def test_concepts(question: str, expected: list[str]) -> None:
    assert [concept.text for concept in concepts(question)] in (
        expected,
        [text for text in expected if text != "work"],
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
    assert vocabulary("cholecalciferol").has("vitamin d")
    assert vocabulary("vitamin D3 daily").has("vitamin d")
    assert not vocabulary("vitamin B12 daily").has("vitamin d")


def test_wide_words_are_named_by_narrower_ones_but_not_the_other_way_round() -> None:
    assert vocabulary("blood pressure").has(stem("cardiovascular"))
    assert not vocabulary("cardiovascular").has(stem("pressure"))
    assert vocabulary("After cholecystectomy").has(stem("surgery"))
    assert not vocabulary("A dichotomy").has(stem("surgery"))
    assert vocabulary("inhaled indacaterol").has(stem("bronchodilators"))


def test_a_concept_knows_its_place() -> None:
    question = "Does vitamin D use help the elderly?"
    assert [question[concept.start : concept.end] for concept in concepts(question)] == [
        "vitamin D",
        "elderly",
    ]


@pytest.mark.slow
@given(st.text(max_size=200))
def test_any_text_has_terms(text: str) -> None:
    for concept in concepts(text):
        assert concept.weight > 0
        assert 0 <= concept.start < concept.end <= len(text)
        assert concept.stems
    assert all(word == fold(word) for word in words(text))
    acronyms(text)


def test_threads_that_stem_at_once_do_not_mix_their_words_up() -> None:
    endings = ("ational", "iveness", "tensions", "izing", "ements")
    lists = [
        [
            f"{letter}a{number:b}{end}".replace("0", "o").replace("1", "t")
            for number in range(60)
            for end in endings
        ]
        for letter in "bcdfghkl"
    ]
    interval = sys.getswitchinterval()
    stem.cache_clear()
    try:
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(len(lists)) as pool:
            at_once = list(pool.map(lambda each: [stem(word) for word in each], lists))
    finally:
        sys.setswitchinterval(interval)
        stem.cache_clear()
    assert at_once == [[stem(word) for word in each] for each in lists]


def test_a_long_form_begins_with_the_whole_of_a_hyphenated_word() -> None:
    text = "Antibiotic-associated diarrhea (AAD) is no C-reactive protein (CRP)."
    assert acronyms(text) == {
        "AAD": "Antibiotic-associated diarrhea",
        "CRP": "C-reactive protein",
    }
