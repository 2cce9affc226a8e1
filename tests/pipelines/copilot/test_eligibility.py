"""Criteria of eligibility against a case: decided only where both sides say it plainly."""

from __future__ import annotations

import pytest

from clinfo.pipelines.copilot.eligibility import Criterion, against, criteria, limits, patient_of

CASE = (
    "A 52-year-old woman with metastatic breast cancer, HER2-positive, ER negative, PR negative. "
    "ECOG 1. She has hypertension. No diabetes mellitus."
)
TEXT = """Inclusion Criteria:

* ER-positive locally advanced or metastatic breast cancer
* ECOG performance status 0-1
1. Adequate organ function

Exclusion Criteria:

- HER2-negative disease
- Hypertension
- Diabetes mellitus
"""


def test_criteria_keep_their_place_and_their_side() -> None:
    found = list(criteria(TEXT))
    assert [one.text for one in found if one.excludes] == [
        "HER2-negative disease",
        "Hypertension",
        "Diabetes mellitus",
    ]
    assert all(TEXT[one.start : one.end] == one.text for one in found)
    assert len(found) == 6


@pytest.mark.parametrize(
    ("text", "excludes", "fit"),
    [
        ("ER-positive locally advanced or metastatic breast cancer", False, "does not fit"),
        ("HER2-positive disease", False, "fits"),
        ("HER2 negative, ER negative", False, "does not fit"),
        ("HER2-positive or ER-positive disease", False, "unclear"),
        ("ER-positive or unknown", False, "unclear"),
        ("KRAS mutated", False, "unclear"),
        ("HER2-negative disease", True, "fits"),
        ("HER2-positive disease", True, "does not fit"),
        ("HER2-positive disease treated within 4 weeks", True, "unclear"),
        ("ECOG performance status 0-1", False, "fits"),
        ("ECOG PS of 0", False, "does not fit"),
        ("ECOG ≤ 2", False, "fits"),
        ("Hypertension", True, "does not fit"),
        ("Diabetes mellitus", True, "fits"),
        ("Uncontrolled hypertension", True, "unclear"),
        ("Prior malignancy within 5 years", True, "unclear"),
        ("Able to give informed consent", False, "unclear"),
    ],
)
def test_a_criterion_fits_or_not_or_is_unclear(text: str, excludes: bool, fit: str) -> None:
    patient = patient_of(CASE)
    assert against(Criterion(text, excludes, 0, len(text)), patient)[0] == fit


def test_what_a_case_does_not_say_stays_unclear() -> None:
    patient = patient_of("A patient with cancer.")
    for one in criteria(TEXT):
        assert against(one, patient)[0] == "unclear"


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ({"minimum_age": "18 Years", "maximum_age": "75 Years"}, ["fits"]),
        ({"minimum_age": "60 Years"}, ["does not fit"]),
        ({"maximum_age": "21 Years", "sex": "MALE"}, ["does not fit", "does not fit"]),
        ({"sex": "FEMALE"}, ["fits"]),
        ({"sex": "ALL"}, []),
    ],
)
def test_ages_and_sex_are_compared(fields: dict[str, str], fits: list[str]) -> None:
    assert [fit for _, fit, _ in limits(fields, patient_of(CASE))] == fits


def test_a_case_that_says_both_of_a_marker_says_neither() -> None:
    assert patient_of("ER-positive at first, ER-negative now.").markers == {}
