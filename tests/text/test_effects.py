"""Effects and the one that answers for an article; every sentence here was made for the test."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.main_effect import main_effect
from clinfo.records.articles import Article, Section
from clinfo.text.effects import stated_effects
from clinfo.text.study_question import StudyQuestion


def _article(*parts: tuple[str | None, str], title: str = "A trial of walking") -> Article:
    return Article(
        id="pmid:1", title=title, sections=tuple(Section(text, label) for label, text in parts)
    )


def _only(sentence: str) -> tuple[object, ...]:
    found = stated_effects(_article(("RESULTS", sentence)), 1)
    assert len(found) == 1, [each.effect for each in found]
    effect = found[0].effect
    return effect.measure, effect.estimate, effect.low, effect.high, effect.level, effect.unit


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Falls were rarer (RR 0.75; 95% CI, 0.60 to 0.94; P = 0.01).",
            ("RR", 0.75, 0.60, 0.94, 95.0, None),
        ),
        ("Falls were rarer: OR = 1.5, 95% CI: 1.1 to 2.0.", ("OR", 1.5, 1.1, 2.0, 95.0, None)),
        ("HR 0·62 [0·45–0·85] for falls.", ("HR", 0.62, 0.45, 0.85, None, None)),
        (
            "The odds ratio for falls was 0.75 (95 % CI 0.60–0.94).",
            ("OR", 0.75, 0.60, 0.94, 95.0, None),
        ),
        (
            "An adjusted odds ratio (aOR) of 1.8 (95% confidence interval [CI], 1.2-2.7).",
            ("OR", 1.8, 1.2, 2.7, 95.0, None),
        ),
        (
            "The adjusted hazard ratio was 0.62 (0.45 to 0.85).",
            ("HR", 0.62, 0.45, 0.85, None, None),
        ),
        ("Walkers fell less (aHR: 0.62, 95%CI: 0.45, 0.85).", ("HR", 0.62, 0.45, 0.85, 95.0, None)),
        (
            "Walkers fell less (relative risk=0.62 [95% CI=0.45-0.85]).",
            ("RR", 0.62, 0.45, 0.85, 95.0, None),
        ),
        (
            "Walkers fell less (RR=0.62, 95% CI=[0.45; 0.85], p<.001).",
            ("RR", 0.62, 0.45, 0.85, 95.0, None),
        ),
        (
            "The incidence rate ratio was 0.80 (95% CI 0.71 to 0.90).",
            ("IRR", 0.80, 0.71, 0.90, 95.0, None),
        ),
        ("Fewer fell (IRR 0.8 (CI 95% 0.71 - 0.90)).", ("IRR", 0.8, 0.71, 0.90, 95.0, None)),
        (
            "Balance improved (SMD -0.45 (95% CI -0.70 to -0.20)).",
            ("SMD", -0.45, -0.70, -0.20, 95.0, None),
        ),
        (
            "Balance improved, SMD = −0.45, 95% CI = −0.70, −0.20.",
            ("SMD", -0.45, -0.70, -0.20, 95.0, None),
        ),
        (
            "Balance improved (Hedges' g = 0.35; 95% CI: 0.10-0.60).",
            ("Hedges g", 0.35, 0.10, 0.60, 95.0, None),
        ),
        ("Balance improved (Hedges’ g 0.35).", ("Hedges g", 0.35, None, None, None, None)),
        ("Balance improved (Cohen's d = 0.35).", ("Cohen d", 0.35, None, None, None, None)),
        (
            "Balance improved (Cohen d, 0.35 [95% CI, 0.10 to 0.60]).",
            ("Cohen d", 0.35, 0.10, 0.60, 95.0, None),
        ),
        (
            "Standardized mean difference, -0.33; 95% CI, -0.53 to -0.13.",
            ("SMD", -0.33, -0.53, -0.13, 95.0, None),
        ),
        (
            "Pressure fell (WMD -4.2 mmHg; 95% CI -6.1 to -2.3 mmHg).",
            ("WMD", -4.2, -6.1, -2.3, 95.0, "mm Hg"),
        ),
        (
            "There was a mean difference of 2.5 kg (95% CI 1.2 to 3.8).",
            ("MD", 2.5, 1.2, 3.8, 95.0, "kg"),
        ),
        (
            "The weighted mean difference was -0.5% (95% CI: -0.8% to -0.2%).",
            ("WMD", -0.5, -0.8, -0.2, 95.0, "%"),
        ),
        (
            "An absolute risk reduction of 3.5% (95% CI 1.1% to 5.9%).",
            ("ARR", 3.5, 1.1, 5.9, 95.0, "%"),
        ),
        (
            "The risk difference was -0.05 (95% CI -0.09 to -0.01).",
            ("RD", -0.05, -0.09, -0.01, 95.0, None),
        ),
        (
            "A mean between-group difference of -3.4 points (95% CI, -5.6 to -1.2; P=.003)",
            ("MD", -3.4, -5.6, -1.2, 95.0, "point"),
        ),
        (
            "The difference between groups was 1.2 (95% CI 0.3 to 2.1).",
            ("difference", 1.2, 0.3, 2.1, 95.0, None),
        ),
        (
            "Hazard ratio for falls, 0.70; 95% confidence interval [CI], 0.56 to 0.87.",
            ("HR", 0.70, 0.56, 0.87, 95.0, None),
        ),
        (
            "Falls were rarer (hazard ratio [HR], 0.70 [95% CI, 0.56-0.87]).",
            ("HR", 0.70, 0.56, 0.87, 95.0, None),
        ),
        (
            "The odds ratio (OR) for falls was 2.3, 95% confidence interval 1.2-4.4.",
            ("OR", 2.3, 1.2, 4.4, 95.0, None),
        ),
        ("With an RR of 1.05 (95% CI .90 to 1.22).", ("RR", 1.05, 0.90, 1.22, 95.0, None)),
        (
            "Walkers fell less (OR 0.53, p = 0.01, 95% CI 0.33-0.86).",
            ("OR", 0.53, 0.33, 0.86, 95.0, None),
        ),
        ("Walkers fell less (RR, 0.85 (99% CI, 0.73–0.99)).", ("RR", 0.85, 0.73, 0.99, 99.0, None)),
        ("More fell (RR: 2.1; 95% CrI: 1.4 to 3.2).", ("RR", 2.1, 1.4, 3.2, 95.0, None)),
        ("More fell (relative risk, 0.66 [CI, 0.50-0.87]).", ("RR", 0.66, 0.50, 0.87, None, None)),
        ("Fewer fell (OR0.75 (95%CI0.60-0.94)).", ("OR", 0.75, 0.60, 0.94, 95.0, None)),
        ("The pooled RR was 0.75, 95% CI from 0.60 to 0.94.", ("RR", 0.75, 0.60, 0.94, 95.0, None)),
        ("Fewer fell (rate ratio 0.75 (0.60-0.94)).", ("RR", 0.75, 0.60, 0.94, None, None)),
        ("Fewer fell (RR 0.75 (0.60, 0.94)).", ("RR", 0.75, 0.60, 0.94, None, None)),
        (
            "Fewer fell (risk ratio [RR] = 0.75, 95% CI [0.60, 0.94]).",
            ("RR", 0.75, 0.60, 0.94, 95.0, None),
        ),
        (
            "Fewer fell: hazard ratio 0.76 (two-sided 95% CI 0.6-0.9).",
            ("HR", 0.76, 0.6, 0.9, 95.0, None),
        ),
        ("The OR for falls was 0.76, CI95% 0.6/0.9.", ("OR", 0.76, 0.6, 0.9, 95.0, None)),
        (
            "The mean difference (MD) was 1.5 days, 95% CI = 0.5 to 2.5 days.",
            ("MD", 1.5, 0.5, 2.5, 95.0, "day"),
        ),
        ("Fewer fell, HR = 0.62 (0.45;0.85).", ("HR", 0.62, 0.45, 0.85, None, None)),
        (
            "Adjusted difference, -1.9 mm Hg [95% CI, -3.2 to -0.6 mm Hg].",
            ("difference", -1.9, -3.2, -0.6, 95.0, "mm Hg"),
        ),
        ("Less pain (MD = -3.55 [- 6.15, - 0.95]).", ("MD", -3.55, -6.15, -0.95, None, None)),
        ("Odds ratio [95% CI] for falls: 0.34 [0.10–0.90].", ("OR", 0.34, 0.10, 0.90, 95.0, None)),
        (
            "More knew it (adjusted relative risk [ARR] 1.33, 95% CI 1.05-1.68).",
            ("RR", 1.33, 1.05, 1.68, 95.0, None),
        ),
        ("The prevalence ratio was 1.4 (95% CI 1.1 to 1.8).", ("PR", 1.4, 1.1, 1.8, 95.0, None)),
        (
            "Standardised mortality ratio 1.90, 95% CI 1.20 to 2.85.",
            ("SMR", 1.90, 1.20, 2.85, 95.0, None),
        ),
        (
            (
                "The relative risk of a fall that was confirmed by two readers, who did not know "
                "what the adults had been told to do, and "
                "that led to a visit was 2.38 (95% CI 1.39 to 4.00)."
            ),
            ("RR", 2.38, 1.39, 4.00, 95.0, None),
        ),
        ("Fewer fell (odds ratio 0.51, P = 0.02).", ("OR", 0.51, None, None, None, None)),
    ],
)
def test_spellings(sentence: str, expected: tuple[object, ...]) -> None:
    assert _only(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "The heart rate (HR) was 72.5 (68.1 to 77.0) at rest.",
        "OR 1,5 (IC 95% 1,1-2,0) was found.",
        "The pooled RR and HR of falls were 0.26 (95% CI, 0.16-0.41) and 0.28 (95% CI, 0.11-0.70).",
        "The RR was 0.75 (95% CI 0.80 to 0.94).",
        "The AUC was 0.85 (95% CI 0.80-0.90).",
        "Walkers did not differ from others in age (45 years, range 30 to 60).",
        "We calculated odds ratios with 95% confidence intervals.",
        "Patients with an OR < 1 walked or rested for 5 days.",
        "Mortality fell from 12.1 to 8.3 % (p = 0.02).",
        "The OR at 1-year and 2-year follow-up was not given.",
        "There was no significant difference, and 12.5 mg (10.0 to 15.0) were given.",
    ],
)
def test_what_is_no_effect_is_left_out(sentence: str) -> None:
    assert stated_effects(_article(("RESULTS", sentence)), 1) == ()


def test_a_list_keeps_its_measure_and_the_level_is_said_once() -> None:
    text = (
        "Risk ratios (95% CI) were 0.80 (0.70-0.90) for falls and 0.60 (0.40-0.85) for fractures."
    )
    found = [each.effect for each in stated_effects(_article(("RESULTS", text)), 1)]
    assert [(each.measure, each.estimate, each.low, each.level) for each in found] == [
        ("RR", 0.80, 0.70, 95.0),
        ("RR", 0.60, 0.40, 95.0),
    ]


def test_spans_point_into_title_and_canonical_abstract() -> None:
    article = _article(
        ("METHODS", "We asked 80 adults."),
        ("RESULTS", "Walkers fell less. The risk ratio was 0.80 (95% CI 0.70 to 0.90)."),
        title="Walking and falls: hazard ratio 0.70 (95% CI 0.50 to 0.98)",
    )
    first, second = (each.effect.span for each in stated_effects(article, 7))
    assert (first.n, first.field) == (7, "title")
    assert article.title[first.start : first.end] == "hazard ratio 0.70 (95% CI 0.50 to 0.98)"
    assert (
        article.abstract[second.start : second.end] == "risk ratio was 0.80 (95% CI 0.70 to 0.90)"
    )


def test_the_effect_on_the_question_is_taken() -> None:
    article = _article(
        (
            "RESULTS",
            (
                "Nausea was commoner (RR 2.10, 95% CI 1.20 to 3.60). Fractures were rarer (RR "
                "0.70, 95% CI 0.50 to 0.98)."
            ),
        ),
    )
    asked = main_effect(article, 1, "Does walking prevent fractures?", StudyQuestion())
    assert asked is not None
    assert asked.effect.estimate == 0.70
    other = main_effect(article, 1, "Does walking cause nausea?", StudyQuestion())
    assert other is not None
    assert other.effect.estimate == 2.10


def test_the_primary_outcome_goes_before_a_subgroup() -> None:
    article = _article(
        (
            "RESULTS",
            (
                "In a subgroup of women, falls were rarer (RR 0.50, 95% CI 0.30 to 0.90). Overall, "
                "the primary outcome of "
                "falls did not differ (RR 0.97, 95% CI 0.80 to 1.18)."
            ),
        ),
    )
    chosen = main_effect(
        article, 1, "Does walking prevent falls?", StudyQuestion(None, None, ("falls",))
    )
    assert chosen is not None
    assert chosen.effect.estimate == 0.97


def test_of_many_factors_none_is_taken_whose_clause_names_no_outcome() -> None:
    text = (
        "On regression, falls were predicted by age (OR 1.08, 95% CI 1.02-1.14), and walking (OR "
        "0.40, 95% CI 0.20-0.80)."
    )
    article = _article(("RESULTS", text), ("CONCLUSIONS", "Age predicted falls."))
    chosen = main_effect(article, 1, "Does walking prevent falls?", StudyQuestion())
    assert chosen is None  # the clause of walking does not name falls
    assert main_effect(article, 1, "Does yoga relieve migraine?", StudyQuestion()) is None


def test_an_effect_on_something_else_is_not_taken() -> None:
    article = _article(
        ("RESULTS", "Older age predicted dropping out (OR 1.90, 95% CI 1.20 to 3.00)."),
        ("CONCLUSIONS", "Walking did not change sleep quality."),
    )
    assert main_effect(article, 1, "Does yoga relieve migraine?", StudyQuestion()) is None


def test_no_abstract_no_effect() -> None:
    assert (
        main_effect(Article(id="pmid:1", title="Walking"), 1, "Does walking help?", StudyQuestion())
        is None
    )


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ORHCI 0123456789.,;:()[]%−-–=<>±βé\n½", max_size=120))
def test_odd_text_never_raises(text: str) -> None:
    for each in stated_effects(_article(("RESULTS", text), title=text), 1):
        effect = each.effect
        where = text if effect.span.field == "title" else f"RESULTS: {text}"
        assert 0 <= effect.span.start < effect.span.end <= len(where)
        if effect.low is not None and effect.high is not None:
            assert effect.low <= effect.estimate <= effect.high


def test_long_junk_is_read_in_linear_time() -> None:
    for junk in ("OR 1.5 (", "95% CI 1", "difference ", "0.5 (0.4-", "[- 6", "RR and HR "):
        stated_effects(_article(("RESULTS", junk * (100_000 // len(junk)))), 1)


@pytest.mark.parametrize(
    "sentence",
    [
        "Falls were rarer (RR {0}.5; 95% CI 0.60 to {0}9).",
        "Falls were rarer (RR 0.75; 95% CI 0.60 to {0}).",
        "Falls occurred in {0}% of the walking group and 2.5% of the sitting group.",
    ],
)
def test_a_number_of_hundreds_of_digits_is_no_effect(sentence: str) -> None:
    """A float of it is infinite, which a saved run cannot hold."""
    article = _article(("RESULTS", sentence.format("9" * 400)))
    told = [stated.effect for stated in stated_effects(article, 1)]
    chosen = main_effect(article, 1, "Does walking prevent falls?", StudyQuestion())
    told += [chosen.effect] if chosen is not None else []
    assert "inf" not in repr(told)
