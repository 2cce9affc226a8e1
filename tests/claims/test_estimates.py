"""Sentences that are this program's own estimates and counts, held against the record."""

from __future__ import annotations

import pytest

from clinfo.claims.verify import check
from clinfo.records.articles import Article, Section, Study, Summary
from clinfo.views.verdicts import reason_of

TRIAL = "randomised controlled trial"


def study(n: int, size: int | None, design: str = TRIAL) -> Study:
    article = Article(
        str(n), f"Zinc and colds, part {n}", sections=(Section("Colds were shorter with zinc."),)
    )
    return Study(n, article, Summary("", stance="supports", design=design, sample_size=size))


THREE = (study(1, 100), study(2, 200), study(3, None, "cohort study"))


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("Probably yes (one trial, 100 participants) [1].", "estimated from [1]"),
        (
            "The studies retrieved do not settle this (two trials, 300 participants) [1], [2].",
            "estimated from [1], [2]",
        ),
        (
            "The studies disagree (three studies, 300 participants where stated) [1–3].",
            "estimated from",
        ),
        ("Yes (two trials) [1], [2].", "estimated from"),
        (
            "The studies retrieved do not settle this: no study names weight loss [1–3].",
            "estimated from",
        ),
        (
            "The studies retrieved do not settle this: none is relevant.",
            "estimated from the studies",
        ),
        (
            (
                "All 3 relevant studies retrieved (300 participants where stated) bear on the "
                "question [1–3]."
            ),
            "",
        ),
        (
            (
                "2 of the 3 relevant studies retrieved (300 participants) bear on the question "
                "[1], [2]."
            ),
            "computed from",
        ),
        ("None of the 3 relevant studies retrieved bears on the question [1–3].", "computed from"),
        ("Two trials, 300 participants, bear on this [1], [2].", "computed from"),
    ],
)
def test_numbers_that_agree_with_the_record_are_shown_apart(text: str, begins: str) -> None:
    (sentence,) = check(text, "tldr", THREE).sentences
    assert (sentence.verdict, sentence.counts_only) == ("not_verified", True)
    assert sentence.reason.startswith(begins)
    assert reason_of(sentence).startswith(
        "an estimate:" if sentence.reason.startswith("estimated") else "a count:"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Probably yes (two trials, 100 participants) [1].",
        "Probably yes (one trial, 150 participants) [1].",
        "The studies disagree (three studies, 300 participants) [1–3].",
        (
            "All 4 relevant studies retrieved (300 participants where stated) bear on the question "
            "[1–3]."
        ),
        "1 of the 3 relevant studies retrieved (300 participants) bears on the question [1], [2].",
        "A study protocol gives no results yet [1].",
    ],
)
def test_numbers_that_do_not_agree_are_unsupported(text: str) -> None:
    (sentence,) = check(text, "tldr", THREE).sentences
    assert (sentence.verdict, sentence.counts_only) == ("unsupported", False)


@pytest.mark.parametrize(
    "text",
    ["Probably yes [1].", "The studies disagree [1], [2].", "Probably yes, in most adults [1]."],
)
def test_a_verdict_without_a_count_is_not_verified(text: str) -> None:
    (sentence,) = check(text, "tldr", THREE).sentences
    assert (sentence.verdict, sentence.counts_only) == ("not_verified", False)


def test_study_and_number_is_a_label_of_its_citation() -> None:
    (sentence,) = check(
        "Study 1 showed colds were shorter with zinc [1].", "synthesis", THREE
    ).sentences
    assert sentence.verdict == "supported"
