"""The many ways of writing one figure, each with what must be read: values, comparator, unit. The sentences are ours."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.text.figures import Figure, find_figures, worded_numbers


def shown(figure: Figure) -> str:
    """Kind, comparator unless "=", values and unit as one word: "percent <12 %"."""
    values = "/".join(f"{value.normalize():f}" for value in figure.values)
    compared = "" if figure.comparator == "=" else figure.comparator
    return f"{figure.kind} {compared}{values}{' ' + figure.unit if figure.unit else ''}"


SAME = {
    "percent 24 %": (
        "24% of them", "24 % of them", "24\u00a0% of them", "24\u202f% of them", "24\u2009% of them", "24 percent of them",
        "24 per cent of them", "24-percent rate", "twenty-four percent", "twenty four per cent", "24％ of them", "in (24%) died",
        "24.0%", "24·0 %", "a rate of 24%,", "24 percentage points", "24 % points",
    ),
    "percent 0.5 %": ("0.5%", ".5 %", "0·5%", "0∙5 per cent", "0,5 %", "0.50%"),
    "percent -3.2 %": ("was −3.2%", "was -3.2 %", "was –3.2%", "was ‑3.2 percent", "was －3.2%", "(−3·2 %)", "was ﹣3.2 %"),
    "percent >50 %": ("more than 50%", "over 50 %", "above 50 per cent", ">50%", "> 50 %", "＞50%", "exceeding 50%", "greater than 50%"),
    "percent ≥50 %": ("at least 50%", "≥50%", "≥ 50 %", ">= 50%", "⩾50%", "no less than 50 %", "> or = 50%"),
    "percent ≤50 %": ("up to 50%", "at most 50 %", "≤50%", "<= 50 %", "⩽ 50%", "no more than 50%"),
    "percent ≈50 %": ("about 50%", "around 50 %", "approximately 50 per cent", "≈50%", "~50%", "nearly 50%", "roughly 50 %", "∼50%"),
    "p value <0.001": ("p < .001", "p<0.001", "P<0·001", "P < 0.001", "p-value < 0.001", "P value <.001", "p values were <0.001",
                       "p less than 0.001", "p = <0.001", "p for trend < 0.001", "P＜0.001"),
    "p value 0.04": ("p = 0.04", "p=.04", "P = 0·04", "p-value of 0.04", "P=0.040", "p for interaction = .04",
                     "p value was 0.04"),
    "p value ≤0.05": ("p ≤ 0.05", "p <= .05", "p < or = 0.05", "P⩽0·05"),
    "p value >0.05": ("p > 0.05", "P>.05", "p greater than 0.05", "p > 0·05"),
    "interval 0.6/0.94": (
        "(95 % CI 0.60–0.94)", "(95% CI 0.60-0.94)", "95% CI: 0.60 to 0.94", "95% CI, 0.60, 0.94", "95% CI [0.60; 0.94]", "95% CI=0.60–0.94",
        "95% confidence interval 0.60 to 0.94", "95% confidence interval (CI) 0.60–0.94", "95 per cent confidence interval 0·60–0·94",
        "95 percent CI .60-.94", "CI 95% 0.60–0.94", "95% CrI 0.60 to 0.94", "95%CI 0.60-0.94",
        "95% confidence limits 0.60 and 0.94", "95 % c.i. 0·60 to 0·94", "95% CI from 0.60 to 0.94", "95% CI was 0.60–0.94",
        "confidence interval (95% CI) = 0.60, 0.94", "95%-CI 0.60–0.94",
    ),
    "interval -2.1/-0.3": ("95% CI −2.1 to −0.3", "95% CI -2.1 to -0.3", "95% CI –2.1 to –0.3", "95% CI, −2.1, −0.3", "95% CI [−2.1; −0.3]",
                           "95% CI -2.1--0.3", "95% CI −2.1–−0.3"),
    "interval 2.5/12 %": ("95% CI 2.5% to 12%", "95% CI 2.5–12%", "95% CI 2.5 per cent–12 per cent", "95 % CI 2.5 %–12 %", "95% CI 2.5%-12%"),
    "proportion 12/50 participants": (
        "12/50 patients", "12 of 50 patients", "12 out of 50 women", "12 of the 50 participants", "12 (24%) of 50 patients",
        "12 (24 %) of the 50 children", "12 [24 per cent] of 50 men", "twelve of 50 patients", "12 / 50 patients", "12 of a total of 50 patients",
    ),
    "proportion 1/5": ("one in five", "1 in 5", "one of five", "one out of five", "one out of every five", "one in every five"),
    "fraction 1/3": ("a third of them", "one third of them", "one-third of them", "by a third."),
    "fraction 2/3": ("two thirds of them", "two-thirds of them"),
    "fraction 3/4": ("three quarters of them", "three-quarters were"),
    "fraction 1/2": ("half of them", "was halved", "halving the rate", "by half", "one half of them"),
    "fraction 1/4": ("a quarter of them", "one quarter of them", "a fourth of them"),
    "fold 2": ("doubled", "a doubling of risk", "two-fold", "twofold", "2-fold", "twice as many", "two times higher", "2 times more", "double the risk"),
    "fold 3": ("tripled", "threefold", "three-fold", "3-fold", "three times as many", "trebled"),
    "count 1234 participants": (
        "1234 patients", "1,234 patients", "1 234 patients", "1\u00a0234 patients", "1\u2009234 adults", "1\u202f234 women", "1'234 people", "1’234 people",
    ),
    "count 1200000 participants": ("1.2 million people", "1,200,000 people", "1 200 000 people"),
    "count 35 participants": ("thirty-five adults", "35 adults", "thirty five patients", "35 healthy male volunteers"),
    "count ≥35 participants": ("at least 35 patients", "≥35 patients"),
    "sample size 120": ("n=120", "N = 120", "n = 120.", "(n: 120)", "sample size of 120", "a sample size was 120"),
    "ratio 0.75": ("HR 0.75", "HR=0.75", "hazard ratio 0.75", "hazard ratio (HR) 0·75", "hazard ratio of .75", "HR, 0.75", "HR: 0.75", "aHR 0.75",
                   "adjusted hazard ratio = 0.75", "hazard ratio [HR], 0.75", "OR 0.75", "odds ratio was 0.75", "RR = 0.75", "relative risk, 0.75",
                   "risk ratio for death 0.75", "rate ratio 0·75"),
    "difference -1.2 mm Hg": ("MD −1.2 mm Hg", "mean difference -1.2 mmHg", "mean difference of –1.2 mmHg", "WMD −1·2 mmHg"),
    "range 10/20 %": ("10–20%", "10-20 %", "10% to 20%", "10 to 20 per cent", "between 10% and 20%", "between 10 and 20 %", "10%–20%", "10 % – 20 %"),
    "range 5/10 mg": ("5–10 mg", "5 to 10 mg", "5-10mg", "5 mg to 10 mg", "between 5 and 10 mg"),
    "spread 7.5/1.2 kg": ("7.5 ± 1.2 kg", "7.5±1.2 kg", "7.5 +/- 1.2 kg", "7·5 ± 1·2 kg", "7.5 kg (SD 1.2)", "7.5 kg ± 1.2 kg", "7.5 (SD 1.2) kg", "7.5 +/− 1.2 kg"),
    "quantity 12 week": ("12 weeks", "12-week", "12 wk", "twelve weeks", "week 12", "12wks"),
    "quantity ≥6 month": ("at least six months", "≥6 months", "at least 6 mo", ">=6 months"),
    "quantity 5 mg/day": ("5 mg/day", "5 mg daily", "5 mg per day", "5mg/d", "5 mg a day", "5 mg once daily"),
    "quantity 4000 IU": ("4000 IU", "4,000 IU", "4 000 IU", "4\u2009000 international units"),
    "quantity 5 µg": ("5 µg", "5 μg", "5 mcg", "5 micrograms", "5 ug"),
    "quantity 120/80 mm Hg": ("120/80 mm Hg", "120/80 mmHg"),
    "quantity 3.5 per 1000 person-year": ("3.5 per 1000 person-years", "3.5 per 1,000 person-years", "3·5/1000 person years"),
}  # fmt: skip
SPELLINGS = [(text, expected) for expected, texts in SAME.items() for text in texts]


@pytest.mark.parametrize(("text", "expected"), SPELLINGS)
def test_spelling(text: str, expected: str) -> None:
    assert expected in [shown(figure) for figure in find_figures(text)]
