"""Why this is not certain: each sentence only where the rows say so, with figures and citations,
and never a grade.
"""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.balance import balance
from clinfo.evidence.uncertainty import ABSTRACTS_ONLY, MOST, why_uncertain
from clinfo.records.appraisal import Effect, EvidenceRow, Notice, NoticeKind, Scale
from clinfo.records.articles import Article, Author, Span, Stance
from clinfo.text.citations import citation_marks

YES: Stance = "supports"
GRADES = re.compile(
    r"certainty|quality|GRADE|imprecis|indirect|inconsisten|risk of bias|strong recommendation",
    re.IGNORECASE,
)


def effect(
    estimate: float,
    low: float,
    high: float,
    measure: str = "RR",
    scale: Scale = "ratio",
    unit: str | None = None,
) -> Effect:
    return Effect(measure, scale, estimate, low, high, 95.0, unit, Span(1, "abstract", 0, 1))


def row(n: int, stance: Stance | None = YES, **cells: object) -> EvidenceRow:
    values: dict[str, object] = {
        "year": 2020,
        "design": "randomised controlled trial",
        "level": 2,
        "level_reason": "",
        "sample_size": 300,
        "population": None,
        "intervention": None,
        "comparator": None,
        "outcome": None,
        "effect": None,
        "effect_direction": "unclear",
        "follow_up": "2 years",
        "group": n,
        **cells,
    }
    return EvidenceRow(id=f"pmid:{n}", n=n, title=f"Title {n}", stance=stance, **values)  # type: ignore[arg-type]


def why(
    *rows: EvidenceRow,
    question: str = "",
    articles: dict[str, Article] | None = None,
    closed: bool = True,
) -> tuple[str, ...]:
    return why_uncertain(rows, balance(rows, closed), question, articles)


FOUR = tuple(row(n) for n in (1, 2, 3, 4))
"""Four trials of whom nothing uncertain can be said."""


def test_nothing_retrieved_says_nothing_and_nothing_uncertain_says_what_was_read() -> None:
    assert why() == ()
    assert why(*FOUR) == (ABSTRACTS_ONLY,)


def test_no_answer_is_all_that_is_said() -> None:
    assert why(row(1, "other outcomes", sample_size=3), row(2, "other outcomes")) == (
        "Neither of the 2 studies retrieved answers the question [1] and [2].",
    )
    assert why(row(1), closed=False) == (
        "The one study retrieved does not say clearly which way its effect went [1].",
    )
    assert why(*FOUR, closed=False)[0].startswith(
        "None of the 4 studies retrieved says clearly which way its effect went [1], "
    )
    assert why(row(1, "other outcomes")) == (
        "The one study retrieved does not answer the question [1].",
    )


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ((row(1),), "Only one study answers the question [1]."),
        (
            (row(1), row(2, "other outcomes")),
            "Only one study of the 2 retrieved answers the question [1].",
        ),
        (
            (row(1), row(2, group=1)),
            "Only one study answers the question, in 2 reports [1] and [2].",
        ),
        (
            (row(1), row(2), row(3, "other outcomes")),
            "Few studies: 2 of the 3 studies retrieved answer the question [1] and [2].",
        ),
        (
            (row(1), row(2), row(3)),
            "Few studies: 3 studies retrieved answer the question [1], [2] and [3].",
        ),
        (
            (row(1, design="meta-analysis"),),
            "Only one study answers the question, counting a review as one [1].",
        ),
    ],
)
def test_few_studies_are_counted(rows: tuple[EvidenceRow, ...], told: str) -> None:
    assert why(*rows)[0] == told


def test_strong_studies_that_disagree_come_first_with_what_differs() -> None:
    first = why(
        row(1, follow_up="6 weeks"),
        row(2, "contradicts", follow_up="3 years"),
        row(3, follow_up="8 weeks"),
    )[0]
    assert first == (
        "The strongest studies retrieved disagree: [1] and [3] support the claim, whereas [2] "
        "contradicts the claim; they differ "
        "in follow-up "
        "(6 weeks [1] and 8 weeks [3] against 3 years [2])."
    )


def test_weaker_disagreement_is_told_too() -> None:
    rows = (*FOUR, row(5, "contradicts", design="case series", level=4))
    assert (
        why(*rows)[0]
        == "The studies retrieved disagree: in support [1], [2], [3] and [4], against [5]."
    )


@pytest.mark.parametrize(
    ("question", "cells", "told"),
    [
        ("Does zinc shorten colds?", {"population": "weaned mice"}, "animals [5]"),
        ("Does zinc shorten colds?", {"design": "animal study"}, "animals [5]"),
        ("Does zinc shorten colds in children?", {"population": "adult volunteers"}, "adults [5]"),
        (
            "Does zinc shorten colds in older adults?",
            {"population": "school children"},
            "children [5]",
        ),
        (
            "Is metformin safe in type 1 diabetes?",
            {"population": "patients with type 2 diabetes"},
            "type 2 diabetes [5]",
        ),
        ("Does finasteride help women?", {"population": "men with alopecia"}, "men [5]"),
    ],
)
def test_others_than_those_asked_about(question: str, cells: dict[str, object], told: str) -> None:
    assert why(*FOUR, row(5, **cells), question=question) == (
        f"Not all studies that answer were in the people asked about: {told}.",
    )
    alone = why(row(5, **cells), question=question)
    assert alone[0] == f"The study that answers was not in the people asked about: {told}."


@pytest.mark.parametrize(
    ("question", "population"),
    [
        ("Does zinc shorten colds?", "children"),
        ("Does zinc shorten colds in children?", "children and adults"),
        ("Does zinc shorten colds in children?", "patients"),
        ("Does zinc shorten colds in mice?", "mice"),
        ("Is it safe in men and women?", "women"),
        ("Does it help in diabetes?", "patients with type 2 diabetes"),
    ],
)
def test_people_who_may_be_those_asked_about_are_not_held_against_a_study(
    question: str, population: str
) -> None:
    assert why(*FOUR, row(5, population=population), question=question) == (ABSTRACTS_ONLY,)


def test_wide_intervals_are_told_with_their_figures() -> None:
    rows = (
        *FOUR,
        row(5, effect=effect(0.8, 0.51, 1.26)),
        row(6, effect=effect(0.7, 0.4, 1.1, "OR")),
        row(7, effect=effect(0.95, 0.85, 1.05, "HR")),
        row(8, effect=effect(-1.5, -4, 1, "MD", "difference", "mmHg")),
        row(9, effect=effect(0.5, 0.3, 0.8)),
    )
    assert why(*rows) == (
        (
            "Intervals are wide: that of [5] (RR 0.80, 95 % interval 0.51 to 1.26) holds a large "
            "decrease and a large increase and "
            "[6] (OR 0.7, 95 % interval 0.4 to 1.1) holds a large decrease and none."
        ),
        (
            "The intervals of [7] (HR 0.95, 95 % interval 0.85 to 1.05) and [8] (MD −1.5 mmHg, 95 "
            "% interval −4.0 to 1.0) include no "
            "effect."
        ),
    )


def test_more_intervals_than_can_be_named_are_cited() -> None:
    rows = [row(n, effect=effect(0.95, 0.85, 1.05)) for n in range(1, 7)]
    assert why(*rows)[0].endswith(
        "[3] (RR 0.95, 95 % interval 0.85 to 1.05) and likewise [4], [5] and [6] include no effect."
    )


@pytest.mark.parametrize(
    "one", [effect(0.5, 0.3, 0.9), effect(2, 1.5, 3), effect(-3, -5, -1, "MD", "difference", "kg")]
)
def test_an_interval_away_from_no_effect_says_nothing(one: Effect) -> None:
    assert why(*FOUR, row(5, effect=one)) == (ABSTRACTS_ONLY,)


def test_small_samples_are_told_with_their_numbers_where_half_are_small() -> None:
    small = [row(n, sample_size=size) for n, size in ((5, 60), (6, 24), (7, 36), (8, 99))]
    assert why(*FOUR, *small) == (
        "Small samples: participants numbered 24 [6], 36 [7] and 60 [5], and 1 more below 100 [8].",
    )
    assert why(*FOUR, *small[:2]) == (ABSTRACTS_ONLY,)
    assert why(*FOUR, *small, row(9, sample_size=400)) == (ABSTRACTS_ONLY,)
    assert why(*FOUR, *(replace(each, sample_size=None) for each in small)) == (ABSTRACTS_ONLY,)


def test_observational_studies_only() -> None:
    cohorts = tuple(row(n, design="cohort study", level=3) for n in (1, 2, 3, 4))
    assert why(*cohorts) == (
        "All studies that answer are observational, so other causes are not ruled out [1], [2], "
        "[3] and [4].",
    )
    assert why(*cohorts, row(5)) == (ABSTRACTS_ONLY,)
    assert why(*cohorts, row(5, design="systematic review")) == (ABSTRACTS_ONLY,)
    assert why(*cohorts, row(5, design=None)) == (ABSTRACTS_ONLY,)


def test_short_follow_up_is_that_of_the_longest() -> None:
    rows = [
        row(1, follow_up="12 weeks"),
        row(2, follow_up="6 months"),
        row(3, follow_up=None),
        row(4, follow_up="10 days"),
    ]
    assert why(*rows) == (
        "No follow-up is stated beyond 6 months [2]; 1 of 4 answering studies states none.",
    )
    assert why(*rows[:3], row(4, follow_up="5 years")) == (ABSTRACTS_ONLY,)
    assert why(*(replace(each, follow_up=None) for each in rows)) == (ABSTRACTS_ONLY,)


def notices(n: int, *kinds: NoticeKind) -> tuple[Notice, ...]:
    return tuple(Notice(f"pmid:{n}", kind, "A sentence.", "PubMed's record") for kind in kinds)


def test_notices_that_bear_on_trust_are_told() -> None:
    rows = (
        *FOUR,
        row(5, notices=notices(5, "preprint")),
        row(6, notices=notices(6, "preprint", "erratum")),
        row(7, notices=notices(7, "expression of concern")),
        row(8, "other outcomes", notices=notices(8, "preprint")),
    )
    assert why(*rows) == (
        "Read with care: [7] is under an expression of concern and [5] and [6] are preprints.",
    )
    assert why(*FOUR, row(5, notices=notices(5, "erratum"))) == (ABSTRACTS_ONLY,)


def test_studies_and_reviews_that_hold_each_other_are_not_independent() -> None:
    reviews = (row(5, design="systematic review"), row(6, design="meta-analysis"))
    once = (*FOUR[:2], *reviews, row(7, in_reviews=("pmid:5",)), row(8, in_reviews=("pmid:5",)))
    assert why(*once) == (
        "[7] and [8] are also part of the review [5], so they add little new evidence.",
    )
    assert why(*once, row(9, in_reviews=("pmid:5", "pmid:6"))) == (
        "The reviews [5] and [6] are not independent: they include some of the same studies [9].",
    )


def test_one_group_of_authors_is_seen_by_two_shared_names() -> None:
    def articles(*names: str) -> dict[str, Article]:
        authors = tuple(Author(name, initials="A") for name in names)
        return {
            f"pmid:{n}": Article(
                f"pmid:{n}", "T", authors=(Author(f"Own{n}", initials="B"), *authors)
            )
            for n in (1, 2, 3, 4)
        }

    told = (
        "All studies that answer share authors, so none retrieved is by another group [1], [2], "
        "[3] and [4]."
    )
    assert why(*FOUR, articles=articles("Rossi", "Okafor")) == (told,)
    assert why(*FOUR, articles=articles("Rossi")) == (ABSTRACTS_ONLY,)
    assert why(*FOUR, row(5), articles=articles("Rossi", "Okafor")) == (ABSTRACTS_ONLY,)


WORDS = st.one_of(
    st.none(),
    st.text(max_size=30),
    st.sampled_from(["mice", "adults", "3 weeks", "2 years", "10 mg [9]"]),
)
ROWS = st.lists(
    st.builds(
        row,
        st.integers(1, 30),
        st.sampled_from(["supports", "contradicts", "mixed", "other outcomes", None]),
        sample_size=st.one_of(st.none(), st.integers(1, 5000)),
        design=st.one_of(
            st.none(),
            st.sampled_from(["meta-analysis", "cohort study", "animal study", "guideline"]),
        ),
        level=st.one_of(st.none(), st.integers(1, 5)),
        population=WORDS,
        follow_up=WORDS,
        intervention=WORDS,
        effect_direction=st.sampled_from(["increased", "decreased", "unclear"]),
        outcome=WORDS,
        effect=st.one_of(
            st.none(), st.builds(effect, st.just(1.0), st.floats(0.01, 1), st.floats(1, 50))
        ),
        in_reviews=st.lists(st.integers(1, 30).map("pmid:{}".format), max_size=3, unique=True).map(
            tuple
        ),
        group=st.integers(1, 20),
    ),
    max_size=9,
    unique_by=lambda each: each.n,
)


@given(ROWS, st.booleans(), st.text(max_size=40))
@settings(max_examples=120, deadline=None)
def test_every_sentence_cites_rows_and_none_grades(
    rows: list[EvidenceRow], closed: bool, question: str
) -> None:
    told = why(*rows, question=question, closed=closed)
    assert bool(told) == bool(rows)
    assert len(told) <= MOST
    for sentence in told:
        cited = {n for mark in citation_marks(sentence) for n in mark.numbers}
        assert cited or sentence == ABSTRACTS_ONLY
        assert cited <= {each.n for each in rows}
        assert sentence.endswith(".")
        assert GRADES.search(sentence) is None
