"""Levels of evidence against the printed table: OCEBM Levels of Evidence Working Group, "The Oxford
2011 Levels of Evidence".

The expected levels are those of the table's cells
(https://www.cebm.ox.ac.uk/resources/levels-of-evidence/ocebm-levels-of-evidence).
"""

from __future__ import annotations

import pytest

from clinfo.evidence.cebm import Row, level, question_row
from clinfo.records.articles import Article, Section


def _article(text: str, *types: str, title: str = "Walking and sleep") -> Article:
    return Article(
        id="pmid:1", title=title, sections=(Section(text, "METHODS"),), publication_types=types
    )


REVIEW_OF_TRIALS = _article(
    "We pooled randomised trials of walking.", "Systematic Review", "Meta-Analysis"
)
REVIEW_OF_COHORTS = _article("We pooled cohort studies of walking.", "Meta-Analysis")
REVIEW_OF_BLINDED = _article(
    (
        "Cross-sectional studies were pooled. All patients underwent the same reference standard, "
        "read by blinded assessors."
    ),
    "Systematic Review",
)
TRIAL = _article("Adults were randomly assigned to walking or rest.", "Randomized Controlled Trial")
COHORT = _article("A prospective cohort of adults was followed.")
INCEPTION = _article("An inception cohort was followed prospectively.")
CASE_CONTROL = _article("In this case-control study we asked adults.")
SERIES = _article("A case series of consecutive patients.")
RATS = _article("Wistar rats walked on a wheel in this animal experiment.")
SURVEY = _article("A cross-sectional survey of adults.")
RANDOM_SURVEY = _article("A cross-sectional survey of randomly selected adults.")
ACCURACY = _article(
    "Diagnostic accuracy, sensitivity and specificity were measured in consecutive patients."
)
ACCURACY_LATE = _article(
    "Diagnostic accuracy, sensitivity and specificity were read from records retrospectively."
)


@pytest.mark.parametrize(
    ("row", "article", "expected"),
    [
        ("treatment benefit", REVIEW_OF_TRIALS, 1),
        ("treatment benefit", TRIAL, 2),
        ("treatment benefit", COHORT, 3),
        ("treatment benefit", CASE_CONTROL, 4),
        ("treatment benefit", SERIES, 4),
        ("treatment benefit", RATS, 5),
        ("treatment harm", REVIEW_OF_TRIALS, 1),
        ("treatment harm", _article("We pooled nested case-control studies.", "Meta-Analysis"), 1),
        ("treatment harm", TRIAL, 2),
        ("treatment harm", COHORT, 3),
        ("treatment harm", CASE_CONTROL, 4),
        ("screening", REVIEW_OF_TRIALS, 1),
        ("screening", TRIAL, 2),
        ("screening", COHORT, 3),
        ("screening", CASE_CONTROL, 4),
        ("diagnosis", REVIEW_OF_BLINDED, 1),
        ("diagnosis", _article("We pooled studies of accuracy.", "Systematic Review"), 2),
        ("diagnosis", _article("We pooled case-control studies.", "Systematic Review"), 4),
        ("diagnosis", _article("We pooled retrospective studies.", "Systematic Review"), 3),
        ("diagnosis", ACCURACY, 2),
        ("diagnosis", ACCURACY_LATE, 3),
        ("diagnosis", CASE_CONTROL, 4),
        ("diagnosis", RATS, 5),
        ("prognosis", _article("We pooled inception cohorts of walkers.", "Meta-Analysis"), 1),
        ("prognosis", _article("We pooled cohorts of newly diagnosed adults.", "Meta-Analysis"), 1),
        ("prognosis", REVIEW_OF_COHORTS, 3),
        ("prognosis", REVIEW_OF_TRIALS, 3),
        ("prognosis", _article("We pooled case series.", "Systematic Review"), 4),
        ("prognosis", INCEPTION, 2),
        ("prognosis", COHORT, 3),
        ("prognosis", TRIAL, 3),
        ("prognosis", CASE_CONTROL, 4),
        ("prognosis", SERIES, 4),
        ("prognosis", RATS, None),
        ("frequency", RANDOM_SURVEY, 1),
        ("frequency", SURVEY, 3),
        ("frequency", SERIES, 4),
    ],
)
def test_the_cells_of_the_table(row: Row, article: Article, expected: int | None) -> None:
    found = level(row, article)
    assert found.level == expected, found.reason
    assert expected is None or found.reason.endswith(f": level {expected}")


def test_a_review_has_the_level_of_what_it_pools() -> None:
    assert level("treatment benefit", REVIEW_OF_COHORTS).level == 3
    both = _article("We pooled randomised trials and cohort studies.", "Meta-Analysis")
    assert level("treatment benefit", both).level == 1
    assert "trials and other studies" in level("treatment benefit", both).reason
    none = _article("There were no randomised trials; we pooled cohort studies.", "Meta-Analysis")
    assert level("treatment benefit", none).level == 3


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "We pooled 12 prospective cohort studies. Further clinical trials are needed.",
            "Walking and sleep: a meta-analysis",
        ),
        (
            "We pooled 14 non-randomized studies; sleep was longer.",
            "Walking and sleep: a meta-analysis",
        ),
        (
            "Cohort studies were pooled.\nRandomised controlled trials are warranted",
            "Walking and sleep: a meta-analysis",
        ),
        (
            (
                "The Cochrane Central Register of Controlled Trials was searched. We pooled cohort "
                "studies."
            ),
            "Walking and sleep",
        ),
        (
            "None of the included studies was randomised; 9 cohort studies were pooled.",
            "Walking and sleep",
        ),
        (
            "Findings of randomised trials were set beside ours.",
            "Walking and sleep: a meta-analysis of observational studies",
        ),
        ("Walkers slept longer than placebo users in cohort studies.", "Walking and sleep"),
    ],
)
def test_trials_that_a_review_calls_for_searched_for_or_did_not_find_do_not_lift_it(
    text: str, title: str
) -> None:
    found = level("treatment benefit", _article(text, "Meta-Analysis", title=title))
    assert found.level == 3, found.reason


def test_a_call_for_more_does_not_hide_the_trials_that_a_review_pooled() -> None:
    text = "Six randomised trials and two cohort studies were pooled. Further trials are needed."
    assert level("treatment benefit", _article(text, "Meta-Analysis")).level == 1
    assert (
        level(
            "treatment benefit", _article("Walking against placebo was pooled.", "Meta-Analysis")
        ).level
        == 1
    )


def test_what_a_review_pools_is_not_guessed() -> None:
    found = level("treatment benefit", _article("We pooled what we found.", "Meta-Analysis"))
    assert found.level is None
    assert "does not state of which studies" in found.reason


@pytest.mark.parametrize(
    ("row", "text", "expected"),
    [
        (
            "diagnosis",
            (
                "Accuracy studies with the same reference standard were pooled; blinding was not "
                "reported."
            ),
            2,
        ),
        (
            "diagnosis",
            (
                "Accuracy studies were pooled; few applied the same reference standard. Readers "
                "were blinded."
            ),
            2,
        ),
        (
            "diagnosis",
            (
                "Accuracy studies with the same reference standard were pooled by two blinded "
                "reviewers."
            ),
            2,
        ),
        ("diagnosis", "We pooled what we found. Prospective studies are needed.", None),
        ("prognosis", "We pooled cohort studies. Inception cohorts are needed.", 3),
        ("prognosis", "We pooled cohort studies; none was an inception cohort.", 3),
        ("prognosis", "We pooled what we found. Cohort studies are warranted.", None),
        ("prognosis", "Newly diagnosed adults were asked about in 9 studies.", None),
    ],
)
def test_a_review_of_prognosis_or_accuracy_is_not_lifted_by_what_its_abstract_does_not_say(
    row: Row, text: str, expected: int | None
) -> None:
    found = level(row, _article(text, "Systematic Review"))
    assert found.level == expected, found.reason
    assert (
        "does not state of which studies" in found.reason
        if expected is None
        else "level of the studies it pools" in found.reason
    )


@pytest.mark.parametrize(
    ("article", "word"),
    [
        (_article("Walk.", "Practice Guideline"), "guideline"),
        (_article("Walk.", "Clinical Trial Protocol"), "protocol"),
        (_article("Walk.", "Review"), "narrative review"),
        (_article("Walk.", "Editorial"), "editorial"),
        (Article(id="pmid:1", title="Walking"), "does not state the design"),
    ],
)
def test_articles_without_a_level_say_why(article: Article, word: str) -> None:
    found = level("treatment benefit", article)
    assert found.level is None
    assert word in found.reason
    assert "level" in found.reason


def test_the_rule_is_given_in_words() -> None:
    assert (
        level("treatment benefit", TRIAL).reason
        == "randomised controlled trial, question of treatment benefit: level 2"
    )


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Does walking improve sleep?", "treatment benefit"),
        ("Is yoga effective for migraine?", "treatment benefit"),
        ("Is metformin effective and safe in pregnancy?", "treatment benefit"),
        ("Does metformin increase the risk of lactic acidosis?", "treatment harm"),
        ("Is ibuprofen safe in the elderly?", "treatment harm"),
        ("What are the side effects of statins?", "treatment harm"),
        ("Is coffee associated with gout?", "treatment harm"),
        ("Can ultrasound detect appendicitis?", "diagnosis"),
        ("What is the accuracy of MRI for knee infection?", "diagnosis"),
        ("Does troponin predict death after stroke?", "prognosis"),
        ("What are prognostic factors in sarcoma?", "prognosis"),
        ("Does screening for breast cancer reduce mortality?", "screening"),
        ("How common is gout?", "frequency"),
        ("What is the prevalence of asthma in children?", "frequency"),
        ("Does vitamin D reduce the incidence of hip fracture?", "treatment benefit"),
        ("Does tranexamic acid reduce desmopressin-induced bleeding?", "treatment benefit"),
    ],
)
def test_the_row_of_a_question(question: str, row: Row) -> None:
    assert question_row(question) == row
