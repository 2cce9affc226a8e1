"""Quotations located in their source: what is forgiven, and what never is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.text.quotes import locate, locate_all, sentences_around

ABSTRACT = (
    "BACKGROUND: Hypertension is common in patients with type 2 diabetes.\n"
    "METHODS: We randomised 1,234 adults (aged 40–75 years) to drug X 10mg/day or placebo for 12 "
    "weeks; follow-up was 24 months.\n"
    "RESULTS: Systolic pressure fell more with drug X (mean difference −0.98 mm Hg, 95% CI −1.40 "
    "to −0.56; P<0.001). Stroke occurred in 14.7% v 5.8% of patients (hazard ratio 0·62 [95% CI "
    "0·41–0·93]; p=0·02). Mean HbA1c was 7.1 ± 0.6 % at baseline and 6.8±0.5 % at 12 weeks. "
    "Mortality did not differ between groups (relative risk, 1.02; 95 % CI, 0.81 to 1.28), and no "
    "serious adverse events were reported. Platelets were 250 × 10⁹/L and BMI was ≥30 kg/m² in 45 "
    "of 120 women. Interleukin-6 and TNF-α fell; HER2− tumours did not respond. The “primary” "
    "endpoint wasn’t met in the patients’ subgroup receiving high-dose X.\n"
    "CONCLUSIONS: Drug X lowered blood pressure – modestly – but it did not reduce mortality in "
    "adults with well-controlled type 2 diabetes. Trial registration: NCT01234567."
)

USUAL = (
    "mean difference -0.98 mm Hg",
    "mean difference –0.98 mm Hg",
    "mean difference ‑0.98 mm Hg",
    "95% CI -1.40 to -0.56",
    "95 % CI −1.40 to −0.56",
    "P < 0.001",
    "p<.001",
    "P <0.001",
    "p &lt; 0.001",
    "hazard ratio 0.62",
    "hazard ratio 0.62 [95% CI 0.41-0.93]",
    "hazard ratio 0.62 (95% CI 0.41–0.93)",
    "hazard ratio 0·62 [95% CI 0·41 – 0·93]; p = 0·02",
    "p = 0.02",
    "HbA1c was 7.1±0.6% at baseline",
    "HbA1c was 7.1 +/- 0.6% at baseline",
    "6.8 ± 0.5% at 12 weeks",
    "RESULTS: Systolic pressure fell more with drug X",
    "Results: Systolic pressure fell more with drug X",
    "**Results:** Systolic pressure fell more with drug X",
    "RESULTS Systolic pressure fell more with drug X",
    "Systolic pressure fell more with drug X",
    "systolic pressure fell more with Drug X",
    "SYSTOLIC PRESSURE FELL MORE WITH DRUG X",
    "…fell more with drug X",
    "Systolic pressure fell more with drug X…",
    "Systolic pressure fell more … (mean difference −0.98 mm Hg",
    "Systolic pressure fell more... (mean difference -0.98 mm Hg",
    "Systolic pressure fell more [...] P<0.001",
    "Stroke occurred in 14.7% […] of patients",
    "Stroke occurred in 14.7% (...) of patients",
    "Stroke occurred in 14.7 % v 5.8 % of patients.",
    "“Stroke occurred in 14.7% v 5.8% of patients”",
    "'Stroke occurred in 14.7% v 5.8% of patients'",
    "Stroke occurred in 14.7% v 5.8%\nof patients",
    "Stroke occurred in 14.7%\u00a0v\u20095.8% of patients",
    "1234 adults (aged 40-75 years)",
    "1 234 adults",
    "1\u2009234 adults",
    "adults (aged 40 – 75 years)",
    "adults aged 40—75 years",
    "adults (aged 40~75 years)",
    "drug X 10 mg/day or placebo",
    "drug X 10mg / day or placebo",
    "follow up was 24 months",
    "followup was 24 months",
    "follow\u2011up was 24 months",
    "fol\u00adlow-up was 24 months",
    "Mortality did not differ between groups (relative risk, 1.02; 95% CI, 0.81 to 1.28)",
    "relative risk 1.02, 95% CI 0.81 to 1.28",
    "relative risk = 1.02; 95% CI: 0.81 to 1.28",
    "no serious adverse events were reported.",
    "No serious adverse events were reported",
    "Platelets were 250 x 10^9/L",
    "Platelets were 250 × 10<sup>9</sup>/L",
    "Platelets were 250 × 10(9)/L",
    "BMI was ≥ 30 kg/m2",
    "BMI was >= 30 kg/m²",
    "BMI was ≥30 kg/m<sup>2</sup> in 45 of 120 women",
    "Interleukin 6 and TNF-α fell",
    "Interleukin‐6 and TNF-alpha fell",
    "HER2- tumours did not respond",
    'The "primary" endpoint wasn\'t met',
    "The primary endpoint wasn't met in the patients' subgroup",
    "high dose X",
    "Drug X lowered blood pressure — modestly — but it did not reduce mortality",
    "Drug X lowered blood pressure - modestly - but it did not reduce mortality",
    "Drug X lowered blood pressure, modestly, but it did not reduce mortality",
    "CONCLUSION: Drug X lowered blood pressure",
    "[D]rug X lowered blood pressure",
    "well controlled type 2 diabetes",
    "Hypertension is common in patients with type\u202f2 diabetes",
    "ｐ＝０．０２",
    "*Mortality did not differ between groups*",
    "(p=0·02)",
    "high-dose X. Conclusions: Drug X lowered blood pressure",
)

WRONG = (
    "mean difference 0.98 mm Hg",
    "0.98 mm Hg",
    "0.98",
    "mean difference +0.98 mm Hg",
    "mean difference −0.89 mm Hg",
    "mean difference −0.9 mm Hg",
    "mean difference −9.8 mm Hg",
    "mean difference −0.98 cm Hg",
    "95% CI 1.40 to 0.56",
    "95% CI −1.40 to 0.56",
    "95% CI −1.4 to −0.56",
    "90% CI −1.40 to −0.56",
    "P>0.001",
    "P=0.001",
    "P≤0.001",
    "P<0.01",
    "P<0.0001",
    "hazard ratio 0.26",
    "hazard ratio 62",
    "hazard ratio 0·62 [95% CI 0·41–0·39]",
    "hazard ratio 0·62 [95% CI 0·41 to −0·93]",
    "odds ratio 0·62",
    "hazard ratio 1·62",
    "p=0·2",
    "p<0·02",
    "4.7%",
    "14% v 5.8% of patients",
    "14.7% v 5.8% of adults",
    "14.7% v 8.5% of patients",
    "5.8% v 14.7% of patients",
    "14.7 v 5.8 of patients",
    "HbA1c was 7.1 at baseline",
    "HbA1c was 7.1 ± 0.5 % at baseline",
    "HbA1c was 6.8 ± 0.6 % at baseline",
    "7.1 + 0.6 % at baseline",
    "1,243 adults",
    "234 adults",
    "12,340 adults",
    "12345 adults",
    "adults (aged 40–70 years)",
    "drug X 100mg/day",
    "drug X 1 mg/day",
    "drug X 10 mcg/day",
    "drug Y 10mg/day",
    "drug X 10mg/day or control",
    "Mortality did differ between groups",
    "Mortality differ between groups",
    "Mortality did … differ between groups",
    "it did … reduce mortality",
    "it did reduce mortality",
    "it did not increase mortality",
    "serious adverse events were reported",
    "reduce mortality in adults",
    "met in the patients’ subgroup",
    "aged 40, 75 years",
    "no adverse events were reported",
    "Platelets were 250 × 10⁸/L",
    "Platelets were 250 × 109/L",
    "Platelets were 250 × 10",
    "BMI was ≤30 kg/m²",
    "BMI was >30 kg/m²",
    "BMI was ≥35 kg/m²",
    "45 of 12",
    "54 of 120 women",
    "45 of 120 men",
    "Interleukin-8 and TNF-α fell",
    "Interleukin-6 and TNF-β fell",
    "HER2+ tumours did not respond",
    "HER2 tumours did not respond",
    "endpoint was met",
    "Systolic pressure rose more with drug X",
    "Diastolic pressure fell more with drug X",
    "Systolic pressure fell more with placebo",
    "Systolic [blood] pressure fell more with drug X",
    "Systolic pressure … fell less with drug X",
    "of patients … Stroke occurred in 14.7%",
    "controlled type 2 diabetes",
    "adults with type 2 diabetes",
    "patients with type 1 diabetes",
    "ortality did not differ",
    "Mortality did not diff",
    "NCT0123456",
    "NCT01234568",
    "Drug X lowered blood pressure substantially",
    "Drug X lowered blood pressure and reduced mortality",
    "week 12",
    "",
    "…",
)


@pytest.mark.parametrize("quotation", USUAL)
def test_a_usual_variant_is_found(quotation: str) -> None:
    found = locate(quotation, ABSTRACT)
    assert found is not None
    start, end = found
    assert locate(ABSTRACT[start:end], ABSTRACT) == (start, end)


@pytest.mark.parametrize("quotation", WRONG)
def test_another_number_sign_or_word_is_not_found(quotation: str) -> None:
    assert locate(quotation, ABSTRACT) is None


@pytest.mark.parametrize(
    ("quotation", "text", "found"),
    [
        ("5", "50 and 1.5", None),
        ("5", "50 and 5", "5"),
        ("1.2-3.4", "a rate of 1.2–3.4 was seen", "1.2–3.4"),
        ("1.2 to -3.4", "from 1.2 to −3.4", "1.2 to −3.4"),
        ("-3.4", "a rate of 1.2-3.4 was seen", None),
        ("3.4", "a rate of 1.2-3.4 was seen", "3.4"),
        ("3.4", "a rate of -3.4 was seen", None),
        ("-5.2--1.3", "(−5.2–−1.3)", "−5.2–−1.3"),
        ("-5.2-1.3", "(−5.2–−1.3)", None),
        ("0.41--0.93", "0.41–0.93", None),
        ("cardiovascular", "cardio-\nvascular death", "cardio-\nvascular"),
        ("Conclusions and Relevance: Fell", "CONCLUSION: Fell", "Fell"),
        ("p &lt; 0&middot;05", "p<0.05", "p<0.05"),
        ("-5.2–-1.3", "(−5.2–−1.3)", "−5.2–−1.3"),
        ("in three groups - 12 patients", "in three groups — 12 patients", "groups — 12"),
        ("19 patients", "COVID-19 patients", None),
        ("inferior to placebo", "non-inferior to placebo", None),
        ("e.g., aspirin", "drugs (eg, aspirin)", "eg, aspirin"),
        ("p < or = 0.05", "P ≤ 0.05", "P ≤ 0.05"),
        ("efficacy", "eﬃcacy was shown", "eﬃcacy"),
        ("naive", "naïve patients", "naïve"),
        ("𝑝 = 0.05", "p=0.05", "p=0.05"),
        ("CO2", "CO₂ rose", "CO₂"),
        ("10^-5", "a p of 10⁻⁵", "10⁻⁵"),
        ("10^5", "a p of 10⁻⁵", None),
        ("10 000 people", "10,000 people", "10,000 people"),
    ],
)
def test_signs_ranges_and_compounds(quotation: str, text: str, found: str | None) -> None:
    place = locate(quotation, text)
    if found is None:
        assert place is None
    else:
        assert place is not None
        assert found in text[slice(*place)]


def test_pieces_are_located_one_after_another() -> None:
    text = "Pain fell (by 3 points) in both groups. Pain fell again."
    first, second = locate_all("Pain fell … in both groups", text)
    assert text[slice(*first)] == "Pain fell"
    assert text[slice(*second)] == "in both groups"
    assert locate_all("in both groups … by 3 points", text) == ()


WORDS = ("mortality", "fell", "in", "patients", "given", "aspirin", "not", "long-term", "placebo")
_number = st.decimals(-500, 500, places=2).map(str)
_texts = st.lists(st.one_of(st.sampled_from(WORDS), _number), min_size=6, max_size=30)
_SPACES = st.sampled_from([" ", "  ", "\n", "\u00a0", "\u2009", "\u202f"])


@given(_texts, st.data())
def test_spacing_case_and_the_shape_of_a_minus_are_forgiven(
    tokens: list[str], data: st.DataObject
) -> None:
    starts = [at for at in range(len(tokens) - 1) if not at or tokens[at - 1] != "not"]
    first = data.draw(st.sampled_from(starts))
    last = data.draw(st.integers(first + 1, len(tokens)))
    quotation = data.draw(_SPACES).join(tokens[first:last])
    if data.draw(st.booleans()):
        quotation = quotation.upper()
    quotation = quotation.replace("-", data.draw(st.sampled_from("-−–‑")))
    if data.draw(st.booleans()):
        quotation = quotation.replace(".", "·")
    found = locate(quotation, " ".join(tokens))
    assert found is not None
    assert locate(" ".join(tokens)[slice(*found)], " ".join(tokens)) is not None


@given(_texts, _number, st.data())
def test_a_number_that_the_text_has_not_is_never_found(
    tokens: list[str], number: str, data: st.DataObject
) -> None:
    if number in tokens:
        return
    place = data.draw(st.integers(0, len(tokens)))
    near = [*tokens[max(0, place - 2) : place], number]
    assert locate(" ".join(near), " ".join(tokens)) is None


@given(st.text(max_size=200), st.text(max_size=40))
def test_any_text_is_read_and_a_place_lies_within_it(text: str, quotation: str) -> None:
    found = locate(quotation, text)
    assert found is None or 0 <= found[0] < found[1] <= len(text)


def test_a_quotation_joins_no_two_sentences() -> None:
    """Written by a fresh reader, who found that placebo was given the drug's side effects."""
    text = (
        "Rates fell (p < 0.01 versus placebo). Flushing and nausea were associated with the drug."
    )
    assert locate("Placebo: Flushing and nausea were associated", text) is None
    assert locate("versus placebo. Flushing and nausea", text) is not None


def test_the_mark_of_a_list_is_no_sign_of_the_number_after_it() -> None:
    text = "Prescribed:\n- 24 hr donepezil capsule\n- 5 mg amlodipine tablet\nChange: -5 mg"
    for quotation in (
        "24 hr donepezil capsule",
        "- 24 hr donepezil capsule",
        "- 24 hr donepezil capsule\n- 5 mg amlodipine tablet",
        "5 mg amlodipine",
    ):
        place = locate(quotation, text)
        assert place is not None
        assert text[slice(*place)].removeprefix("- ") == quotation.removeprefix("- ")
    assert locate("-24 hr donepezil", text) is None
    assert locate("Change: 5 mg", text) is None


def test_no_as_the_last_cell_of_a_row_denies_nothing_of_the_next_row() -> None:
    """A paper's table ended each row with its answer to "Further research?"."""
    text = "Pain | 0.39 | No\nTotal scores | 12.52 | No\nRisk was no\nhigher with zinc\n"
    assert locate("Total scores | 12.52 | No", text) == (17, 42)
    assert locate("higher with zinc", text) is None
    assert locate("difference | 3", "Pain | No difference | 3\n") is None


def test_the_label_of_a_section_is_no_part_of_a_sentence_around() -> None:
    text = "CONCLUSIONS: Zinc did shorten colds in adults. More is needed."
    place = sentences_around("shorten colds in adults", text)
    assert place is not None
    assert text[slice(*place)] == "Zinc did shorten colds in adults."
    labelled = sentences_around("CONCLUSIONS: Zinc did shorten colds", text)
    assert labelled is not None
    assert "shorten colds in adults." in text[slice(*labelled)]
