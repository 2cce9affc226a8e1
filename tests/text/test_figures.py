"""Figures of medical prose: every search strategy that abstracts and models use; the sentences are
ours.
"""

from __future__ import annotations

import gzip
import xml.etree.ElementTree as ET
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.pubmedrs200.measures.figures import states
from clinfo.text.figures import NumericExpression, find_figures
from tests.shared_data import SHARED, needs_shared


def read(text: str) -> list[str]:
    """Each figure as one word: comparator, kind, measure, values, unit and level."""
    return [shown(figure) for figure in find_figures(text)]


def shown(figure: NumericExpression) -> str:
    values = "/".join(f"{value.normalize():f}" for value in figure.values)
    named = f"{figure.measure} " if figure.measure else ""
    compared = figure.comparator if figure.comparator != "=" else ""
    level = f" @{figure.level}" if figure.level else ""
    return (
        f"{figure.kind}: {named}{compared}{values}{' ' + figure.unit if figure.unit else ''}{level}"
    )


CASES = {
    "12/50 patients died": ["proportion: 12/50 participants"],
    "12 of 50 (24%)": ["proportion: 12/50", "percent: 24 %"],
    "12 (24 %) of the 50 women": ["proportion: 12/50 participants", "percent: 24 %"],
    "4 of the 9 trials": ["proportion: 4/9 studies"],
    "one in five": ["proportion: 1/5"],
    "1 in 5 children": ["proportion: 1/5 participants"],
    "fell by 5 in 12 weeks": ["number: 5", "quantity: 12 week"],
    "0.75 (95 % CI 0.60–0.94)": ["number: 0.75", "interval: 0.6/0.94 @95"],
    "95% CI: 0.60 to 0.94": ["interval: 0.6/0.94 @95"],
    "95% confidence interval (CI), 0.60, 0.94": ["interval: 0.6/0.94 @95"],
    "95 per cent c.i. 0.60 to 0.94": ["interval: 0.6/0.94 @95"],
    "95% CI [−1.2, 0.3]": ["interval: -1.2/0.3 @95"],
    "95% CI −2.1 to −0.3": ["interval: -2.1/-0.3 @95"],
    "a 95% CI was computed": [],
    "95% CI [3, 8] days": ["interval: 3/8 @95"],
    "0.75 (0.60, 0.94)": ["number: 0.75", "range: 0.6/0.94"],
    "p < .001": ["p value: <0.001"],
    "P<0.001": ["p value: <0.001"],
    "p=0·03": ["p value: 0.03"],
    "P value of 0.04": ["p value: 0.04"],
    "P for trend = .02": ["p value: 0.02"],
    "p ≤ 0.05": ["p value: ≤0.05"],
    "p < or = 0.05": ["p value: ≤0.05"],
    "p = <0.0001": ["p value: <0.0001"],
    "p = 0. 05 was": ["p value: 0.05"],
    "p = 3 × 10−5": ["p value: 0.00003"],
    "p = 1.2e-8": ["p value: 0.000000012"],
    "hazard ratio for death from any cause was 0.75": ["ratio: HR 0.75"],
    "odds ratio [OR], 1.2": ["ratio: OR 1.2"],
    "aHR=0.8; RR 0.9": ["ratio: HR 0.8", "ratio: RR 0.9"],
    "HR0.75": ["ratio: HR 0.75"],
    "OR (95% CI) 2.72 (1.1 to 4.5)": ["ratio: OR 2.72", "range: 1.1/4.5"],
    "mean difference −1.2 mmHg": ["difference: MD -1.2 mm Hg"],
    "SMD = 0.88": ["difference: SMD 0.88"],
    "NNT 12": ["ratio: NNT 12"],
    "1,234 participants": ["count: 1234 participants"],
    "1\u2009234 participants": ["count: 1234 participants"],
    "1\u202f234 participants": ["count: 1234 participants"],
    "12 345 women": ["count: 12345 participants"],
    "1.2 million people": ["count: 1200000 participants"],
    "n=45 and N = 1,000": ["sample size: 45", "sample size: 1000"],
    "a sample size of 80": ["sample size: 80"],
    "three trials": ["count: 3 studies"],
    "One of the studies": ["count: 1 studies"],
    "nine small double-blind randomised trials": ["count: 9 studies"],
    "one hundred and twenty patients": ["count: 120 participants"],
    "thirty-five adults": ["count: 35 participants"],
    "20 deaths": ["count: 20 deaths"],
    "56 paper cases and 12 trial participants": [
        "count: 56 participants",
        "count: 12 participants",
    ],
    "a total of 1834 LT patients": ["count: 1834 participants"],
    "of 2015 Chinese patients": ["count: 2015 participants"],
    "6543 eligible records identified 12 studies": ["count: 6543 studies", "count: 12 studies"],
    "the two groups": [],
    "no one knew": [],
    "30 type 2 diabetic patients": ["count: 30 participants"],
    "12 and 15%": ["percent: 12 %", "percent: 15 %"],
    "45 vs 32%": ["percent: 45 %", "percent: 32 %"],
    "5, 10, and 20 mg": ["quantity: 5 mg", "quantity: 10 mg", "quantity: 20 mg"],
    "twelve percent, 2 per cent": ["percent: 12 %", "percent: 2 %"],
    "more than 50 % but <60%": ["percent: >50 %", "percent: <60 %"],
    "5 percentage points": ["percent: 5 %"],
    "−20 % or –20 %": ["percent: -20 %", "percent: -20 %"],
    "0,75 mg": ["quantity: 0.75 mg"],
    "10–20%": ["range: 10/20 %"],
    "10% to 20%": ["range: 10/20 %"],
    "fell from 12% to 8%": ["percent: 12 %", "percent: 8 %"],
    "fell from 12 to 8 weeks": ["quantity: 12 week", "quantity: 8 week"],
    "between 2 and 5 weeks": ["range: 2/5 week"],
    "−0.5–0.2 kg": ["range: -0.5/0.2 kg"],
    "7.5 ± 1.2 kg": ["spread: 7.5/1.2 kg"],
    "7.5 +/- 1.2 kg": ["spread: 7.5/1.2 kg"],
    "7.5 kg (SD 1.2)": ["spread: 7.5/1.2 kg"],
    "5 mg/day and 10 mg daily and 5mg": [
        "quantity: 5 mg/day",
        "quantity: 10 mg/day",
        "quantity: 5 mg",
    ],
    "4,000 IU, 5 μg, 5 mcg": ["quantity: 4000 IU", "quantity: 5 µg", "quantity: 5 µg"],
    "a 12-week trial in 65-year-olds": ["quantity: 12 week", "quantity: 65 year"],
    "120/80 mm Hg": ["quantity: 120/80 mm Hg"],
    "weeks 4, 8 and 12": ["quantity: 4 week", "quantity: 8 week", "quantity: 12 week"],
    "12 per 1,000 person-years": ["quantity: 12 per 1000 person-year"],
    "at least six months": ["quantity: ≥6 month"],
    "half of them, halved, half-life": ["fraction: 1/2", "fraction: 1/2"],
    "a third of women; two-thirds of men": ["fraction: 1/3", "fraction: 2/3"],
    "a third trial": [],
    "two-fold, twofold, doubled, double-blind": ["fold: 2", "fold: 2", "fold: 2"],
    "three times higher": ["fold: 3"],
    # What is not a number:
    "as shown [3], [1,2] and [4–6]": [],
    "by 20% [1,2]": ["percent: 20 %"],
    "in 2010, 2005-2010 and May 2011 (2012)": [],
    "Smith 2010 reports, Jones (2011) and O'Neil 2012 in their 60s": [],
    "in 2010 patients": ["count: 2010 participants"],
    "12 May 2010, 3rd visit, 10:30 am": [],
    "CYP3A4, vitamin B12, GLP-1, COVID-19, IL-6, IL-17/23, omega-3, n-3, HbA1c": [],
    "type 2 diabetes, phase 3, grades 3 and 4, group 2, SGLT2, PD-1/PD-L1": [],
    "25(OH)D, 5-HT, 5-fluorouracil, 1,25-dihydroxyvitamin D, SF-36, a 36-item scale": [],
    "NCT00000000, doi:10.1000/182, www.example.org/12, SPSS version 20.0": [],
    "in group 12 patients left": ["count: 12 participants"],
}


@pytest.mark.parametrize("text", CASES)
def test_reading(text: str) -> None:
    assert read(text) == CASES[text]


def test_offsets_hold_the_figure_as_written() -> None:
    text = (
        "Deaths fell (HR 0.75, 95 % CI 0.60–0.94; p=0·03) in 1\u202f234 men given 5 mg/day for "
        "more than 12 %."
    )
    written = [text[figure.start : figure.end] for figure in find_figures(text)]
    assert written == [
        "0.75",
        "95 % CI 0.60–0.94",
        "p=0·03",
        "1\u202f234 men",
        "5 mg/day",
        "more than 12 %",
    ]


STATED = [
    ("12 %", "12%"),
    ("0.750", "HR 0.75"),
    ("0.75", "0.7532"),
    ("12 %", "12.4%"),
    ("half of them", "50% of them"),
    ("50 %", "half of all"),
    ("a third of them", "33.3 %"),
    ("one in five", "20%"),
    ("doubled", "RR 2.0"),
    ("p < 0.001", "P<.001"),
    ("120 patients", "n = 120"),
    ("50 patients", "12/50 patients"),
    ("12/50", "12 of 50 women"),
    ("fell by 1.2 mmol/L", "MD −1.2 mmol/L"),
    ("a reduction of 1.2 (95% CI 0.3 to 2.1)", "MD −1.2 (95% CI −2.1 to −0.3)"),
    ("between 10% and 20%", "10% in one group and 20% in the other"),
    ("95% CI 0.60 to 0.94", "0.75 (0.60, 0.94)"),
    ("7.5 kg", "7.5 ± 1.2 kg"),
    ("12 weeks", "twelve weeks"),
    ("10 mg", "10 mg daily"),
    ("about 50 %", "49.6%"),
    ("up to 30 %", "10–30%"),
    ("1,234 people", "1\u2009234 adults"),
]
NOT_STATED = [
    ("12 %", "0.12"),
    ("12 %", "12 patients"),
    ("24 %", "12/50 patients"),
    ("p < 0.05", "p = 0.03"),
    ("p = 0.03", "p = 0.034"),
    ("0.8", "0.7532"),
    ("1.0", "0.996"),
    ("HR 0.75", "OR 0.75"),
    ("HR 0.60", "HR 0.75 (95% CI 0.60 to 0.94)"),
    ("12 weeks", "12 months"),
    ("52 weeks", "1 year"),
    ("12 trials", "12 patients"),
    ("10 mg/day", "10 mg/week"),
    ("more than 50 %", "50 %"),
    ("12/50", "12 patients and 50 women"),
    ("95% CI 0.60 to 0.94", "95% CI 0.60 to 0.95"),
    ("95% CI 0.60 to 0.94", "90% CI 0.60 to 0.94"),
    ("95% CI −0.3 to 2.1", "95% CI 0.3 to 2.1"),
    ("50 %", "51 %"),
    ("3", "type 3 and [3]"),
]


@pytest.mark.parametrize(("claim", "source"), STATED)
def test_stated(claim: str, source: str) -> None:
    figures = find_figures(source)
    assert all(states(figure, figures) for figure in find_figures(claim))
    assert find_figures(claim)


@pytest.mark.parametrize(("claim", "source"), NOT_STATED)
def test_not_stated(claim: str, source: str) -> None:
    figures = find_figures(source)
    claimed = find_figures(claim)
    assert claimed
    assert not all(states(figure, figures) for figure in claimed)


WORDS = (
    "12 50 0.75 ·03 .001 1,234 % / ± +/- – − - to of in ( ) [ ] 95% CI p < = ≤ HR OR n= patients "
    "trials mg/day weeks two third "
    "half twenty hundred and thousand million [3] [1,2] 2010 × 10−5 per \ue000 \ue001 e-5 ٣ ² a "
    "fold times 0. 0,5"
)
pieces = st.one_of(st.sampled_from(WORDS.split()), st.text(max_size=3))
prose = st.lists(pieces, max_size=25).flatmap(
    lambda words: st.sampled_from([" ".join(words), "".join(words)])
)


@given(st.one_of(st.text(), prose))
@example("1" * 6000 + "%")
@example("\ue000 12 %")
def test_reading_never_fails_and_offsets_are_in_order(text: str) -> None:
    figures = find_figures(text)
    for figure in figures:
        assert 0 <= figure.start < figure.end <= len(text)
        assert figure.values
    assert [figure.start for figure in figures] == sorted(figure.start for figure in figures)
    for claim in figures:
        assert states(claim, figures) is not None


@given(prose, prose)
def test_matching_never_fails(one: str, other: str) -> None:
    for claim in find_figures(one):
        found = states(claim, find_figures(other))
        assert found is None or found in find_figures(other)


@given(
    st.decimals(min_value=0, max_value=100, places=2),
    st.sampled_from(["%", " %", "\u00a0%", "\u202f%", " percent", " per cent"]),
)
def test_a_percentage_is_read_however_it_is_set(value: Decimal, sign: str) -> None:
    (figure,) = find_figures(f"It was {value}{sign} of them.")
    assert (figure.kind, figure.values) == ("percent", (value,))


@given(st.integers(1000, 999_999_999), st.sampled_from([",", "\u2009", "\u202f", "\u00a0", ""]))
@example(1999, "")
def test_thousands_are_read_however_they_are_set(value: int, separator: str) -> None:
    text = f"There were {value:,} patients.".replace(",", separator)
    (figure,) = find_figures(text)
    assert figure.values == (Decimal(value),)


@given(
    st.decimals(-50, 50, places=2),
    st.decimals(-50, 50, places=2),
    st.sampled_from(["-", "–", "−"]),
    st.sampled_from([" to ", ", ", "; "]),
)
def test_an_interval_is_read_with_any_minus(
    low: Decimal, high: Decimal, minus: str, between: str
) -> None:
    ends = [str(value).replace("-", minus) for value in (low, high)]
    (figure,) = find_figures(f"(95% CI {between.join(ends)})")
    assert (figure.kind, figure.values) == ("interval", (low, high))


@needs_shared
def test_real_abstracts_state_their_own_figures() -> None:
    with gzip.open(SHARED / "citations" / "pubmedqa_citations.xml.gz") as file:
        abstracts = ["".join(part.itertext()) for part in ET.parse(file).iter("AbstractText")][
            :1500
        ]
    found = [find_figures(abstract) for abstract in abstracts]
    assert sum(map(len, found)) > 3000
    assert all(states(figure, figures) for figures in found for figure in figures)
