"""The lines under a TL;DR: counts of studies, effects by outcome, and what they are worth."""

from dataclasses import replace
from typing import Any

import pytest

from clinfo.evidence.effect_words import effect_text
from clinfo.evidence.forest import drawable
from clinfo.records.answer import Answer
from clinfo.records.appraisal import Appraisal, EvidenceRow, Notice
from clinfo.records.articles import Effect, Result
from clinfo.views.first_line import (
    COUNTED,
    RATED,
    UNCHECKED,
    best_source,
    caveat,
    outcomes,
    tally,
    tally_text,
)
from tests.evidence.test_balance import row
from tests.render.test_render import ANSWER

RR = Effect("RR", "ratio", 0.75, 0.6, 0.94, 95, None)
ARMS = Effect("", "values", 62.0, None, None, None, "%", against=22.0, p="p<0.001")


def answer(*rows: EvidenceRow, **more: Any) -> Answer:
    bare = replace(ANSWER, notices=(), warnings=(), appraisal=Appraisal(rows))
    return replace(bare, **more)


def some(count: int, result: Result | None, first: int = 1, **more: Any) -> tuple[EvidenceRow, ...]:
    return tuple(row(n, result, **more) for n in range(first, first + count))


def test_the_line_counts_kinds_years_and_results_with_the_studies_of_each() -> None:
    rows = (
        *some(2, "found benefit", 1, design="meta-analysis", year=2003),
        *some(9, "found benefit", 3, year=1999),
        *some(3, "no clear difference", 12, year=1998),
        *some(2, "not measured", 15, year=2001),
    )
    assert tally_text(answer(*rows)) == (
        "2 meta-analyses, 14 randomised trials · newest 2003 · of 14 articles that measured it 11 "
        "found benefit, 3 no clear difference"
    )
    numbers = [one.numbers for one in tally(answer(*rows))]
    assert numbers[2] == (1, 2)
    assert numbers[3:] == [tuple(range(1, 15)), tuple(range(1, 12)), (12, 13, 14)]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (some(1, "found benefit"), "the one that measured it found benefit"),
        (some(3, "harm"), "all 3 that measured it found harm"),
        (some(2, "not measured"), "none has a result on this"),
        (some(2, None, design=None), "2 studies · newest 2020"),
        ((*some(1, "mixed"), *some(1, "harm", 2)), "of 2 that measured it 1 found harm, 1 mixed"),
    ],
)
def test_what_was_not_measured_or_not_read_is_in_no_denominator(
    rows: tuple[EvidenceRow, ...], said: str
) -> None:
    assert said in tally_text(answer(*rows))


def test_kinds_beyond_the_third_are_counted_together() -> None:
    designs = ("meta-analysis", "cohort study", "case series", "animal study", None)
    rows = (row(n, design=design) for n, design in enumerate(designs, 1))
    assert tally_text(answer(*rows)).startswith("1 meta-analysis, 1 cohort study, 3 other studies ")


def test_the_strongest_study_states_the_effect_on_each_outcome() -> None:
    doubted = (Notice("pmid:9", "expression of concern", "Doubted.", "PubMed's record"),)
    rows = (
        row(1, effect=RR, outcome="deaths at 28 days", comparator="placebo", notices=doubted),
        row(2, effect=RR, outcome="Deaths at 28 days", comparator="placebo"),
        row(3, effect=RR, outcome="deaths at 28 days."),
        row(4, effect=ARMS, outcome="relief at 2 h", comparator="placebo"),
        row(5, "not measured", effect=RR, outcome="cost"),
        row(6, outcome="sleep"),
    )
    told = [(one.outcome, one.words, one.stated, one.n) for one in outcomes(answer(*rows))]
    assert told == [
        ("Deaths at 28 days", "25 % lower risk", "RR 0.75 (95 % CI 0.60 to 0.94)", 2),
        ("Relief at 2 h", "benefit", "62 % against 22 % with placebo (p<0.001)", 4),
    ]


def test_the_worth_of_the_lines_is_told_in_few_words() -> None:
    told = caveat(
        answer(
            row(1),
            notices=("Searched: 9 PubMed articles held here, to 29 Nov 2026.",),
            warnings=(f"{UNCHECKED}: the list could not be had.",),
        )
    )
    assert told[0] == COUNTED
    assert told[-2:] == ("Searched: 9 PubMed articles held here, to 29 Nov 2026", UNCHECKED)
    assert caveat(answer(row(1, None))) == ()


def test_without_an_interval_no_clear_difference_is_never_a_lower_risk() -> None:
    bare = replace(RR, estimate=0.98, low=None, high=None)
    rows = (
        row(1, "no clear difference", effect=bare, outcome="deaths"),
        row(2, "found benefit", effect=bare, outcome="stroke"),
    )
    assert [one.words for one in outcomes(answer(*rows))] == [
        "no clear difference",
        "2 % lower risk",
    ]


def test_an_effect_that_is_printed_for_the_comparator_says_so() -> None:
    turned = replace(RR, estimate=3.53, low=1.2, high=9.8, turned=True)
    asked = {"intervention": "omeprazole", "comparator": "loratadine", "outcome": "wheals"}
    (line,) = outcomes(answer(row(1, "found benefit", effect=turned, **asked)))
    told = "RR 3.53 (95 % CI 1.20 to 9.80) for loratadine against omeprazole"
    assert (line.words, line.stated) == ("benefit", told)
    assert drawable([row(n, effect=turned, group=n, **asked) for n in (1, 2)]) == ()


def test_the_best_source_is_named_and_its_effect_stands_first() -> None:
    rows = (
        row(1, effect=RR, outcome="deaths"),
        row(2, effect=ARMS, outcome="relief", design="cohort study", sample_size=1334),
    )
    assert best_source(answer(*rows)) is None
    told = answer(*rows, best_source=2, certainty="low")
    best = best_source(told)
    assert best is not None
    assert (best.n, best.text) == (2, "cohort study, 1,334 people")
    assert [one.n for one in outcomes(answer(*rows))] == [1, 2]
    assert [one.n for one in outcomes(told)] == [2, 1]
    assert RATED in caveat(told)


def test_a_review_that_retells_has_measured_nothing() -> None:
    rows = (row(1), row(2, design="narrative review"), row(3, design="guideline"))
    assert "the one that measured it found benefit" in tally_text(answer(*rows))


def test_what_is_left_out_of_the_counts_is_told() -> None:
    part = replace(RR, subset="people who failed treatment before")
    rows = (row(1), row(2, "no clear difference"), row(3, effect=part), row(4, usefulness=2))
    last = tally(answer(*rows))[-1]
    assert tally_text(answer(*rows)).endswith(
        "of 2 that measured it 1 found benefit, 1 no clear difference · 2 of little use or of a "
        "part of a trial not counted"
    )
    assert last.numbers == (3, 4)


def test_results_that_differ_are_counted_by_kind_of_comparator() -> None:
    rows = (
        *some(2, "found benefit", 1, control="placebo or none", comparator="placebo"),
        row(3, "found benefit", control="other treatment", comparator="cimetidine"),
        *some(2, "no clear difference", 4, control="other treatment", comparator="ranitidine"),
        row(6, "no clear difference", control="other dose", comparator="a lower dose"),
    )
    assert tally_text(answer(*rows)).endswith(
        "of 6 that measured it: against placebo or no treatment 2 found benefit; against another "
        "treatment 1 found benefit, 2 no clear difference; against another dose or way 1 found no "
        "clear difference"
    )
    unread = tuple(replace(one, control=None) for one in rows)
    assert tally_text(answer(*unread)).endswith(
        "of 6 that measured it, against different comparators, 3 found benefit, 3 no clear "
        "difference"
    )


def test_an_effect_tells_its_arms_and_the_part_that_it_is_of() -> None:
    arms = Effect("difference", "difference", -1.5, -6.8, 3.8, 95, "%", arms=("4.9 %", "6.4 %"))
    part = replace(RR, subset="trials at low risk of bias")
    asked = {"intervention": "celecoxib", "comparator": "diclofenac"}
    rows = (
        row(1, "no clear difference", effect=arms, outcome="bleeding", **asked),
        row(2, effect=part, outcome="birth", **asked),
        row(3, "no clear difference", effect=replace(RR, measure="IRR"), outcome="falls"),
    )
    words = [one.words for one in outcomes(answer(*rows))]
    assert words == ["no clear difference", "25 % lower risk", ""]
    assert [one.stated for one in outcomes(answer(*rows))] == [
        "celecoxib 4.9 % against 6.4 % with diclofenac (−1.5 %, 95 % CI −6.8 to 3.8)",
        "RR 0.75 (95 % CI 0.60 to 0.94) with celecoxib in trials at low risk of bias",
        "rate ratio 0.75 (95 % CI 0.60 to 0.94)",
    ]
    of = Effect("", "values", 75.5, None, None, None, "% of migraines", None, 31.9)
    printed = replace(of, arms=("75.5%", "31.9%"))
    assert effect_text(printed) == "75.5 % of migraines against 31.9 % of migraines"
