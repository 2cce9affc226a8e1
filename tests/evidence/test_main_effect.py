"""Which effect answers for an article, what it is of, and whose it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.main_effect import main_effect
from clinfo.records.articles import Article, Section
from clinfo.text.arm_values import arm_values, size
from clinfo.text.arms import arms
from clinfo.text.asked_parts import AskedParts, asked_parts
from clinfo.text.study_question import StudyQuestion, study_question


def article(results: str, title: str = "Tablets in adults") -> Article:
    return Article(id="pmid:1", pmid="1", title=title, sections=(Section(results, "RESULTS"),))


def estimate(question: str, results: str, title: str = "Tablets in adults") -> float | None:
    found = main_effect(article(results, title), 1, question, StudyQuestion())
    return found.effect.estimate if found else None


HEART = "Is rofecoxib associated with myocardial infarction?"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (HEART, AskedParts("rofecoxib", "", "myocardial infarction", True)),
        (
            "Does bright light reduce the risk of falls in nurses?",
            AskedParts("bright light", "", "falls", True),
        ),
        (
            "Is walking superior to rest for back pain?",
            AskedParts("walking", "rest", "back pain", False),
        ),
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
        (
            (
                "The relative risk of myocardial infarction with rofecoxib was 1.40 (95% CI 1.10 "
                "to 1.80)."
            ),
            1.4,
        ),
        (
            (
                "Myocardial infarction was rarer with naproxen than with rofecoxib (relative risk "
                "0.30, 95% CI 0.10 to 0.80)."
            ),
            None,
        ),
        (
            (
                "Myocardial infarction was rarer in the naproxen group than in the rofecoxib group "
                "(RR 0.30, 95% CI 0.1 to 0.8)."
            ),
            None,
        ),
        (
            (
                "The relative risk of myocardial infarction was 0.90 (95% CI 0.70 to 1.20) with "
                "celecoxib."
            ),
            None,
        ),
        (
            (
                "The relative risk of myocardial infarction was 1.50 (95% CI 1.10 to 2.00) with "
                "rofecoxib versus placebo."
            ),
            1.5,
        ),
        (
            (
                "Compared with naproxen, rofecoxib raised the risk of myocardial infarction (RR "
                "1.60, 95% CI 1.10 to 2.30)."
            ),
            1.6,
        ),
        ("The relative risk of ulcers with rofecoxib was 0.50 (95% CI 0.30 to 0.80).", None),
    ],
)
def test_only_effects_of_the_asked_drug_the_asked_way_round(
    results: str, wanted: float | None
) -> None:
    assert estimate(HEART, results, "Rofecoxib, naproxen and celecoxib in adults") == wanted


def test_a_study_of_another_drug_gives_no_effect() -> None:
    results = (
        "Weight gain was larger (mean difference 2.1 kg, 95% CI 1.0 to 3.2). Olanzapine was "
        "mentioned."
    )
    assert (
        estimate("Does olanzapine cause weight gain?", results, "Reboxetine in depression") is None
    )
    assert (
        estimate("Does olanzapine cause weight gain?", results, "Olanzapine in schizophrenia")
        == 2.1
    )


def test_an_outcome_is_that_of_its_clause() -> None:
    results = (
        "Supplements reduced the risk of mortality (odds ratio 0.50, 95% CI 0.30 to 0.80) in "
        "patients with influenza."
    )
    assert estimate("Do supplements reduce influenza severity?", results) is None
    assert estimate("Do supplements reduce mortality?", results) == 0.5


def test_a_clause_without_an_outcome_gives_none() -> None:
    assert (
        estimate("Does tea help?", "Overall, tea did well (odds ratio 0.50, 95% CI 0.30 to 0.80).")
        is None
    )


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_odd_text_is_read(question: str, text: str) -> None:
    asked_parts(question)
    main_effect(
        article(f"{text} odds ratio for {text} 0.5 (95% CI 0.4 to 0.6) {text}"),
        1,
        question,
        StudyQuestion("tea", None, (text,)),
    )


@pytest.mark.parametrize(
    "junk", ["does a ", "risk of a ", "than x versus ", "reduced the a was lower ", " "]
)
def test_long_junk(junk: str) -> None:
    text = junk * (60_000 // len(junk))
    asked_parts(text)
    assert (
        main_effect(
            article(f"{text} RR 0.5 (95% CI 0.4 to 0.6)"),
            1,
            "Does zinc reduce colds?",
            StudyQuestion(),
        )
        is None
    )


VALUES = [
    ("Pain was lower with tea than with coffee (3.1 vs 4.2, p = 0.02).", (3.1, 4.2)),
    ("Pain was 3.1 in the tea group and 4.2 in the coffee group.", (3.1, 4.2)),
    (
        "Pain was higher in the coffee group (4.2 ± 1.1) than in the tea group (3.1 ± 1.0).",
        (3.1, 4.2),
    ),
    ("Compared with coffee, tea lowered pain (3.1 versus 4.2).", (3.1, 4.2)),
    (
        (
            "Nausea occurred in 12/50 (24%) and 6/50 (12%) patients of the tea and coffee groups, "
            "respectively."
        ),
        (24.0, 12.0),
    ),
    ("Nausea occurred in 12/50 patients on tea and 6/50 on coffee.", (24.0, 12.0)),
    ("Pain was lower with coffee than with tea (4.2 vs 3.1).", None),  # its words deny its figures
    ("Pain fell from 8.2 to 3.1 in the tea group.", None),
    ("Pain at baseline was 8.1 with tea and 8.2 with coffee.", None),
    ("Pain was assessed at 6 and 12 hours in the tea and coffee groups.", None),
    ("The tea group had less pain (3.1 vs 4.2, p = 0.02).", (3.1, 4.2)),
    ("The tea group had less pain (4.2 vs 3.1, p = 0.02).", None),
    ("Pain fell in the tea group (4.2 vs 3.1, p = 0.02).", None),  # two times, not two groups
    ("Pain was lower with tea than with water (3.1 vs 4.2).", None),  # held against another arm
    ("The difference between tea and coffee was of 3 and 4 points.", None),
    ("Pain was 3.1, 4.2 and 5.3 with tea, coffee and water, respectively.", None),
]


@pytest.mark.parametrize(("sentence", "wanted"), VALUES)
def test_values_of_two_arms(sentence: str, wanted: tuple[float, float] | None) -> None:
    found = [
        pair
        for pair in arm_values(sentence, arms("tea", "coffee", sentence, {}))
        if pair.arm is not None
    ]
    assert [(size(pair.own), size(pair.other)) for pair in found] == ([wanted] if wanted else [])


TEA = "Does tea affect {} compared with coffee?"


@pytest.mark.parametrize(
    ("outcome", "results", "wanted"),
    [
        ("pain", "Pain was lower with tea than with coffee (3.1 vs 4.2, p = 0.02).", (3.1, 4.2)),
        (
            "nausea",
            (
                "Pain was lower with tea than with coffee (3.1 vs 4.2, p = 0.02), and nausea was "
                "alike."
            ),
            None,
        ),
        (
            "nausea",
            "Pain and nausea were lower with tea than with coffee (3.1 vs 4.2; 12% vs 20%).",
            None,
        ),
        (
            "pain",
            "Pain was less with tea than with coffee, and it was cheaper (166 vs. 464 dollars).",
            None,
        ),
        (
            "clinical response",
            "Clinical remission was higher with tea than with coffee (68% vs 50%).",
            None,
        ),
        (
            "pain and nausea",
            "Pain was lower with tea than with coffee (3.1 vs 4.2).",
            (3.1, 4.2),
        ),  # shown as pain's
        ("pain", "Acceptability of pain was lower with tea than with coffee (3.1 vs 4.2).", None),
        ("pain", "Time to pain was lower with tea than with coffee (3.1 vs 4.2).", None),
        ("pain", "Pain reduction was lower with tea than with coffee (3.1 vs 4.2).", None),
        (
            "pain",
            "Pain in Norwegian smokers was lower with tea than with coffee (3.1 vs 4.2).",
            None,
        ),
        ("pain", "Pain was lower with tea than with coffee (3.1 vs 4.2) in Norwegian women.", None),
        (
            "pain",
            "Moreover, mean pain at 6 weeks was lower with tea than with coffee (3.1 vs 4.2).",
            (3.1, 4.2),
        ),
        (
            "pain",
            "In smokers with asthma, pain was lower with tea than with coffee (3.1 vs 4.2).",
            None,
        ),
    ],
)
def test_values_of_the_asked_outcome(
    outcome: str, results: str, wanted: tuple[float, float] | None
) -> None:
    found = main_effect(
        article(results, "Tea or coffee in adults"), 1, TEA.format(outcome), StudyQuestion()
    )
    assert ((found.effect.estimate, found.effect.against) if found else None) == wanted


@pytest.mark.parametrize(
    ("results", "wanted"),
    [
        ("Stroke was rarer with tea than with coffee (HR 0.60, 95% CI 0.40 to 0.90).", 0.6),
        (
            "Stroke was rarer with tea than with coffee (HR 1.60, 95% CI 1.10 to 1.90).",
            None,
        ),  # its words deny its figure
        (
            (
                "HRs of tea against coffee were 0.60 (95% CI 0.4 to 0.9) and 0.30 (95% CI 0.2 to "
                "0.6) for stroke and falls, respectively."
            ),
            None,
        ),
        (
            "High levels of PAX2 were associated with stroke (HR 1.60, 95% CI 1.10 to 1.90).",
            None,
        ),  # neither arm
        (
            (
                "Stroke occurred in 6% with routine care and 8% with others (HR 1.30, 95% CI 1.10 "
                "to 1.90)."
            ),
            None,
        ),
        ("Stroke occurred in 8% with tea and 6% with coffee (HR 1.30, 95% CI 1.10 to 1.90).", 1.3),
        ("Stroke occurred in 8% with tea and 6% with coffee (HR 0.70, 95% CI 0.50 to 0.90).", 8.0),
    ],
)
def test_a_ratio_agrees_with_what_stands_beside_it(results: str, wanted: float | None) -> None:
    found = main_effect(
        article(results, "Tea or coffee in adults"), 1, TEA.format("stroke"), StudyQuestion()
    )
    assert (found.effect.estimate if found else None) == wanted


def test_an_asked_comparator_that_was_not_studied_gives_no_effect() -> None:
    told = article(
        "Pain was lower with tea than in the control group (3.1 vs 4.2).", "Tea in adults"
    )
    assert (
        main_effect(told, 1, "Does tea affect pain compared with ibuprofen?", study_question(told))
        is None
    )
    found = main_effect(
        told, 1, "Does tea affect pain compared with placebo?", study_question(told)
    )
    assert found is not None
    assert (found.outcome, found.intervention, found.comparator) == ("pain", "tea", "placebo")
