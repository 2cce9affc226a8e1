"""Which effect answers for an article, what it is of, and whose it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.records import Article, Section
from clinfo.text.asked_parts import AskedParts, asked_parts
from clinfo.text.effect_naming import is_about, named_outcome
from clinfo.text.effects import stated_effects
from clinfo.text.main_effect import main_effect


def article(results: str, title: str = "Tablets in adults") -> Article:
    return Article(id="pmid:1", pmid="1", title=title, sections=(Section(results, "RESULTS"),))


def estimate(question: str, results: str, title: str = "Tablets in adults") -> float | None:
    found = main_effect(article(results, title), 1, question)
    return found.effect.estimate if found else None


HEART = "Is rofecoxib associated with myocardial infarction?"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (HEART, AskedParts("rofecoxib", "", "myocardial infarction", True)),
        ("Does bright light reduce the risk of falls in nurses?", AskedParts("bright light", "", "falls", True)),
        ("Is walking superior to rest for back pain?", AskedParts("walking", "rest", "back pain", False)),
        ("Do warm baths work?", AskedParts("warm baths", "", "", False)),
        ("What is the effect of tea on sleep?", AskedParts("tea", "", "sleep", True)),
        ("Tea and sleep", AskedParts()),
    ],
)
def test_parts_of_a_question(question: str, parts: AskedParts) -> None:
    assert asked_parts(question) == parts


@pytest.mark.parametrize(
    ("results", "wanted"),
    [
        ("The relative risk of myocardial infarction with rofecoxib was 1.40 (95% CI 1.10 to 1.80).", 1.4),
        ("Myocardial infarction was rarer with naproxen than with rofecoxib (relative risk 0.30, 95% CI 0.10 to 0.80).", None),
        ("Myocardial infarction was rarer in the naproxen group than in the rofecoxib group (RR 0.30, 95% CI 0.1 to 0.8).", None),
        ("The relative risk of myocardial infarction was 0.90 (95% CI 0.70 to 1.20) with celecoxib.", None),
        ("The relative risk of myocardial infarction was 1.50 (95% CI 1.10 to 2.00) with rofecoxib versus placebo.", 1.5),
        ("Compared with naproxen, rofecoxib raised the risk of myocardial infarction (RR 1.60, 95% CI 1.10 to 2.30).", 1.6),
        ("The relative risk of ulcers with rofecoxib was 0.50 (95% CI 0.30 to 0.80).", None),
    ],
)  # fmt: skip
def test_only_effects_of_the_asked_drug_the_asked_way_round(results: str, wanted: float | None) -> None:
    assert estimate(HEART, results, "Rofecoxib, naproxen and celecoxib in adults") == wanted


def test_a_study_of_another_drug_gives_no_effect() -> None:
    results = "Weight gain was larger (mean difference 2.1 kg, 95% CI 1.0 to 3.2). Olanzapine was mentioned."
    assert estimate("Does olanzapine cause weight gain?", results, "Reboxetine in depression") is None
    assert estimate("Does olanzapine cause weight gain?", results, "Olanzapine in schizophrenia") == 2.1


def test_an_outcome_is_that_of_its_clause() -> None:
    results = "Supplements reduced the risk of mortality (odds ratio 0.50, 95% CI 0.30 to 0.80) in patients with influenza."
    assert estimate("Do supplements reduce influenza severity?", results) is None
    assert estimate("Do supplements reduce mortality?", results) == 0.5
    (effect,) = stated_effects(article(results), 1)
    assert named_outcome(effect, ("influenza severity",)) == "mortality"


def test_a_clause_without_an_outcome_gives_none() -> None:
    assert estimate("Does tea help?", "Overall, tea did well (odds ratio 0.50, 95% CI 0.30 to 0.80).") is None


@pytest.mark.parametrize(
    ("results", "outcome"),
    [
        ("The odds ratio for early waking was 0.75 (0.60 to 0.90).", "early waking"),
        ("Walkers had a lower risk of hip fracture (RR 0.75, 95% CI 0.6 to 0.9).", "hip fracture"),
        ("Back pain was significantly lower with walking (mean difference -4 points, 95% CI -6 to -2).", "Back pain"),
        ("Walking reduced back pain (mean difference -4 points, 95% CI -6 to -2).", "back pain"),
        ("The hazard ratio was 0.75 (95% CI 0.6 to 0.9) for death from any cause.", "death"),
        ("Walkers did better (RR 0.75, 95% CI 0.6 to 0.9).", None),
    ],
)
def test_named_outcomes(results: str, outcome: str | None) -> None:
    (effect,) = stated_effects(article(results), 1)
    assert named_outcome(effect) == outcome


def test_is_about() -> None:
    assert is_about("change in body weight", "weight gain")
    assert is_about("death", "mortality")
    assert not is_about("mortality of COVID-19", "COVID-19 severity")
    assert not is_about("operative time", "length of stay")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_odd_text_is_read(question: str, text: str) -> None:
    asked_parts(question)
    main_effect(article(f"{text} odds ratio for {text} 0.5 (95% CI 0.4 to 0.6) {text}"), 1, question, (text,))


@pytest.mark.parametrize("junk", ["does a ", "risk of a ", "than x versus ", "reduced the a was lower ", " "])
def test_long_junk(junk: str) -> None:
    text = junk * (60_000 // len(junk))
    asked_parts(text)
    assert main_effect(article(f"{text} RR 0.5 (95% CI 0.4 to 0.6)"), 1, "Does zinc reduce colds?") is None
