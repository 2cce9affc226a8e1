"""Claims against their own figures, and significance told two ways: invented sentences throughout."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.text.claim_consistency import against_itself, significance

LIES = (
    "Fewer fell in the intervention group (39.6% versus 29.3%)",
    "Falls were fewer in the exercise group (44 % vs 31 %)",
    "Mortality was lower in the statin group (12.4 % vs 9.8 %)",
    "Infection was lower with chlorhexidine than with iodine (8.1 % vs 5.2 %)",
    "Bleeding was less frequent with apixaban than with warfarin (4.9 % versus 3.1 %)",
    "Pain scores were lower with ketamine than with placebo (5.1 vs 3.2)",
    "Relapse was less common in the lithium group (40 of 80 versus 20 of 80)",
    "Patients on drug had fewer seizures than those on placebo (9.2 vs 4.4)",
    "Hospital stay was shorter in the early group (9 days vs 6 days)",
    "Operating time was longer in the robotic group (95 min vs 140 min)",
    "Response was higher with escitalopram than with placebo (30 % vs 52 %)",
    "More patients in the drug group responded (22 % vs 41 %)",
    "Nausea was more common with morphine than with oxycodone (12 % vs 25 %)",
    "Adherence was greater in the app group (48 % versus 67 %)",
    "Fewer patients relapsed in the maintenance arm (31/60 vs 18/60)",
    "Fewer falls occurred in the vitamin D group (35 %) than in the placebo group (28 %)",
    "HbA1c was lower with insulin glargine (8.1 %) than with metformin (7.4 %)",
    "Weight was higher with olanzapine (81.2 kg) than with aripiprazole (84.9 kg)",
    "Vitamin D reduced recurrent falls (HR 1.46, 95 % CI 1.03-2.09)",
    "Aspirin reduced colorectal cancer (RR 1.30, 95 % CI 1.10 to 1.52)",
    "Statins lowered stroke (OR 1.42; 95% CI 1.12-1.80)",
    "Coffee was associated with a lower risk of diabetes (RR 1.25, 95% CI 1.08-1.45)",
    "Breast feeding was associated with reduced odds of asthma (OR 1.8, 95% CI 1.2-2.7)",
    "The risk of death was lower with beta blockers (HR 1.34, 95 % CI 1.10-1.62)",
    "The risk of fracture was reduced (RR 1.22, 95 % CI 1.05-1.41)",
    "Vaccinated children were less likely to be admitted (OR 2.1, 95 % CI 1.4-3.2)",
    "Smokers were more likely to develop cataract (OR 0.60, 95 % CI 0.45-0.80)",
    "Smoking was associated with an increased risk of wound infection (RR 0.55, 95 % CI 0.40-0.76)",
    "The drug increased bleeding (HR 0.71, 95 % CI 0.58-0.87)",
    "Handwashing was protective against diarrhoea (OR 1.70, 95 % CI 1.20-2.40)",
    "Obesity raised the risk of stillbirth (RR 0.64, 95% CI 0.50-0.82)",
    "The rate of exacerbations was higher with salbutamol (RR 0.72, 95 % CI 0.60-0.86)",
    "The treated group had fewer exacerbations (RR 1.35, 95 % CI 1.15-1.58)",
    "Helmets prevented head injury (OR 1.95, 95% CI 1.30-2.92)",
    "Probiotics decreased necrotising enterocolitis (RR 1.62, 95% CI 1.21-2.16)",
    "Pain was significantly lower with gabapentin (p = 0.07)",
    "Blood pressure fell significantly (p = 0.21)",
    "There was a significant difference in mortality (P = 0.34)",
    "The groups differed significantly in quality of life (p > 0.05)",
    "Yoga significantly improved sleep (p=0.12)",
    "A significant effect on anxiety was found (p = 0.08)",
    "There was no significant difference in mortality (p = 0.01)",
    "The groups did not differ significantly in pain (P < 0.001)",
    "No statistically significant difference in stroke was seen (p=0.003)",
    "Cognition was not significantly better (p = 0.02)",
    "The change in weight was not significant (p<0.01)",
    "Blood pressure fell from 132 mm Hg to 148 mm Hg",
    "Pain decreased from 3.1 to 6.4",
    "Prevalence declined from 12 % to 19 %",
    "Adherence increased from 71 % to 54 %",
    "Haemoglobin rose from 11.2 g/dL to 9.8 g/dL",
    "The readmission rate dropped from 14.5 % to 21.0 %",
    "Mean HbA1c was reduced from 7.1 % to 8.4 %",
    "Vaccination coverage grew from 60 % to 41 %",
    "Superior response was seen in the drug group (12 % vs 30 %)",
    "Superior remission was seen with the drug than with placebo (14 % vs 29 %)",
    "Inferior abstinence in the patch group (40 % vs 22 %)",
    "Serum creatinine was lower in the balanced fluid group (1.9 mg/dL vs 1.2 mg/dL)",
    "Blood loss was smaller in the tranexamic acid group (620 mL vs 410 mL)",
    "Delirium was lower with dexmedetomidine than with midazolam (23 % versus 14 %)",
    "Ventilation was shorter with dexmedetomidine than with propofol (41 hours vs 28 hours)",
    "Wound infection was lower in the mupirocin group (12 of 100 vs 5 of 100)",
)
"""Lies that are found."""

HONEST = (
    "Fewer fell in the intervention group (29.3% versus 39.6%)",
    "Aspirin reduced colorectal cancer (RR 0.70, 95 % CI 0.60 to 0.82)",
    "Vitamin D reduced recurrent falls (HR 1.10, 95 % CI 0.90-1.35)",
    "Vitamin D did not reduce recurrent falls (HR 1.46, 95 % CI 1.03-2.09)",
    "Lower vitamin D was associated with fractures (HR 1.46, 95 % CI 1.03-2.09)",
    "Patients with reduced ejection fraction died more often (HR 1.46, 95 % CI 1.03-2.09)",
    "Chemotherapy was associated with a higher rate of survival (HR 0.70, 95 % CI 0.55-0.90)",
    "The odds of falling were lower for each further session (OR 1.2, 95 % CI 1.1-1.3)",
    "Compared with placebo, falls were fewer in the drug group (44 % vs 31 %)",
    "Falls were fewer in group B (44 % vs 31 %)",
    "Pain was lower after surgery (7.2 vs 3.1)",
    "The drug reduced falls and increased fractures (HR 1.46, 95 % CI 1.03-2.09)",
    "Pain might be lower in the drug group (5.1 vs 3.2)",
    "More than 12 % in the drug group responded versus 30 % of controls",
    "The lower limb was affected in the drug group (44 % vs 31 %)",
    "Pain was significantly lower with gabapentin (p = 0.007)",
    "There was no significant difference in mortality (p = 0.71)",
    "There was a trend towards significant benefit (p = 0.07)",
    "Blood pressure fell from 148 mm Hg to 132 mm Hg",
    "Doses were reduced from 3 months to 12 months",
    "The change from baseline was greater in the drug group (-5.1 vs -3.0)",
    "",
    "No figure at all",
)

TOLD_TWO_WAYS = (
    (
        "Gabapentin significantly reduced pain [1]",
        "Pain was reduced with gabapentin, but not significantly; sleep was better (p = 0.01).",
    ),
    ("Mortality was significantly lower with dexamethasone", "Mortality was lower with dexamethasone (12 % vs 15 %, p = 0.21)."),
    ("Yoga significantly improved sleep quality", "Yoga did not differ from stretching in sleep quality."),
    (
        "There was no significant difference in wound infection",
        "Wound infection was rarer with mupirocin (5 % vs 12 %, p = 0.004).",
    ),
    ("Aspirin made no significant difference to stroke", "Aspirin significantly reduced stroke (HR 0.70, 95 % CI 0.55-0.90)."),
    ("Statins significantly lowered dementia", "The effect of statins on dementia was not significant."),
    ("Zinc significantly shortened colds", "For colds, zinc gave a non-significant shortening."),
    ("Vitamin D significantly reduced fractures", "Vitamin D and fractures: RR 0.92, 95 % CI 0.80-1.07."),
)


@pytest.mark.parametrize("lie", LIES)
def test_figures_that_belie_the_words_are_found(lie: str) -> None:
    reason = against_itself(f"{lie} [1].")
    assert reason is not None
    assert reason.startswith("it says “")


@pytest.mark.parametrize("claim", HONEST)
def test_what_is_true_negated_hedged_or_not_plain_is_let_be(claim: str) -> None:
    assert against_itself(claim) is None


def test_the_reason_gives_word_and_figures() -> None:
    assert against_itself(LIES[0]) == "it says “fewer”, and its own figures (39.6% versus 29.3%) say more"


@pytest.mark.parametrize(("claim", "passage"), TOLD_TWO_WAYS)
def test_significance_that_the_passage_denies_is_found(claim: str, passage: str) -> None:
    assert significance(claim, passage) is not None
    assert significance(passage, passage) is None
    assert significance(claim, claim) is None


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Gabapentin significantly reduced pain", "Gabapentin reduced pain (p = 0.01), and nausea was not different."),
        ("Gabapentin significantly reduced pain", "Nausea did not differ."),
        ("Gabapentin reduced pain", "Gabapentin did not reduce pain (p = 0.3)."),
        ("Pain was clinically significant with gabapentin", "Pain with gabapentin was not significantly different."),
        ("", ""),
    ],
)
def test_significance_of_another_outcome_is_let_be(claim: str, passage: str) -> None:
    assert significance(claim, passage) is None


_VOCABULARY = (
    *("fewer", "lower", "significantly", "no", "(12 %", "vs", "30 %)", "than", "from", "to", "HR", "1.4", ",", "95% CI 1.1-1.9"),
    *("p = 0.07", ".", ";", "in the group"),
)
_WORDS = st.lists(st.sampled_from(_VOCABULARY))


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), _WORDS.map(" ".join)), st.one_of(st.text(), _WORDS.map(" ".join)))
def test_nothing_is_raised_and_a_text_agrees_with_itself(one: str, other: str) -> None:
    against_itself(one)
    significance(one, other)
    assert significance(one, one) is None
