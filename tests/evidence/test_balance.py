"""The balance: studies and participants by way and design, each counted once, led by the strongest
source.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.balance import balance
from clinfo.evidence.included_studies import designs, led, plural
from clinfo.records.appraisal import Balance, EvidenceRow, Notice, NoticeKind, Share
from clinfo.records.articles import DIRECTIONS, STANCES, Stance
from clinfo.text.design import DESIGNS

TRIAL = "randomised controlled trial"
REVIEW = "systematic review"


def row(
    n: int, stance: Stance | None = "supports", size: int | None = None, **cells: object
) -> EvidenceRow:
    made = EvidenceRow(
        id=f"pmid:{n}",
        n=n,
        title=f"Title {n}",
        year=2020,
        design=TRIAL,
        level=2,
        level_reason="",
        sample_size=size,
        population=None,
        intervention=None,
        comparator=None,
        outcome=None,
        effect=None,
        effect_direction="unclear",
        stance=stance,
        follow_up=None,
        group=n,
    )
    return replace(made, **cells)  # type: ignore[arg-type]


def of(*rows: EvidenceRow, closed: bool = True) -> Balance:
    found = balance(rows, closed)
    assert found is not None
    return found


def notice(kind: NoticeKind) -> tuple[Notice, ...]:
    return (Notice("pmid:1", kind, "A sentence.", "PubMed's record"),)


def test_no_rows_have_no_balance() -> None:
    assert balance((), True) is None
    assert balance((row(1, notices=notice("retracted")),), True) is None


def test_studies_and_participants_by_way_and_design() -> None:
    found = of(
        row(1, "supports", 1000),
        row(2, "supports", 204),
        row(3, "supports", None),
        row(4, "contradicts", 300, design="cohort study", level=3),
        row(5, "mixed", None),
        row(6, "other outcomes", 80),
    )
    assert found.sides == "stance"
    assert found.shares == (
        Share("supports", TRIAL, 3, 1204, 1, (1, 2, 3)),
        Share("contradicts", "cohort study", 1, 300, 0, (4,)),
        Share("mixed", TRIAL, 1, 0, 1, (5,)),
        Share("other outcomes", TRIAL, 1, 80, 0, (6,)),
    )
    assert found.text == (
        "Of 6 studies retrieved, 3 support the claim (3 randomised controlled trials with 1,204 "
        "participants), 1 contradicts the "
        "claim (1 cohort "
        "study with 300 participants), 1 is mixed (1 randomised controlled trial) and 1 does not "
        "answer the question. 2 "
        "of those that answer state no number of participants."
    )


def test_reports_of_one_study_count_once_by_the_strongest_that_answers_and_with_the_largest_number() -> (  # noqa: E501
    None
):
    found = of(
        row(1, "other outcomes", 900, group=1, level=1),
        row(3, "contradicts", 140, group=1, year=2021),
        row(2, "contradicts", 150, group=1, year=2015),
        row(4, "supports", 50, group=4),
    )
    assert found.shares == (
        Share("supports", TRIAL, 1, 50, 0, (4,)),
        Share("contradicts", TRIAL, 1, 900, 0, (3,)),
    )
    assert found.text.startswith("Of 2 studies retrieved, ")


def test_a_study_whose_reports_point_different_ways_takes_no_side() -> None:
    found = of(
        row(1, "supports", 140, group=1),
        row(2, "contradicts", 150, group=1),
        row(3, "other outcomes", 900, group=1),
        row(4, "supports", 50, group=4),
    )
    assert found.shares == (
        Share("supports", TRIAL, 1, 50, 0, (4,)),
        Share("mixed", TRIAL, 1, 900, 0, (1,)),
    )
    assert found.conflict is None
    assert (
        "The reports of one study disagree, so it counts for no side: [1], [2] and [3]."
        in found.text
    )
    assert found.lead_text.endswith(
        " [1], supports the claim, but not all reports of its study do."
    )


def test_a_report_under_an_expression_of_concern_has_no_say_in_the_way_of_its_study() -> None:
    found = of(
        row(1, "supports", group=1, notices=notice("expression of concern")),
        row(2, "contradicts", group=1),
        row(3),
    )
    assert {share.side: share.numbers for share in found.shares} == {
        "contradicts": (2,),
        "supports": (3,),
    }
    assert "reports of one study disagree" not in found.text


def test_participants_of_reviews_are_apart_and_never_summed() -> None:
    found = of(
        row(1, size=5000, design=REVIEW, level=1),
        row(2, size=3000, design=REVIEW, level=1),
        row(3, size=100),
    )
    assert [(share.design, share.participants) for share in found.shares] == [
        (REVIEW, 5000),
        (TRIAL, 100),
    ]
    assert (
        "2 systematic reviews, the largest with 5,000 participants; 1 randomised controlled "
        "trial with 100"
    ) in found.text


def test_a_study_held_by_a_review_of_the_same_way_counts_no_people_of_its_own() -> None:
    review = row(1, size=5000, design=REVIEW, level=1)
    found = of(review, row(2, size=100, in_reviews=("pmid:1",)), row(3, size=30))
    assert [share.participants for share in found.shares] == [5000, 30]
    assert [share.without_size for share in found.shares] == [0, 0]
    assert found.text.endswith(
        "The participants of [2] are counted with the review that includes it."
    )


@pytest.mark.parametrize(
    "review",
    [
        row(1, size=None, design=REVIEW, level=1),
        row(1, "contradicts", 5000, design=REVIEW, level=1),
        row(9, size=5000, design=REVIEW, level=1),
    ],
)
def test_it_keeps_them_where_the_review_states_none_or_points_another_way_or_is_not_there(
    review: EvidenceRow,
) -> None:
    found = of(review, row(2, size=100, in_reviews=("pmid:1",)))
    assert {share.design: share.participants for share in found.shares}[TRIAL] == 100
    assert "counted with" not in found.text


@pytest.mark.parametrize(
    "design",
    ["study protocol", "animal study", "guideline", "narrative review", "editorial or letter"],
)
def test_what_has_no_participants_of_its_own_adds_none_and_lacks_none(design: str) -> None:
    found = of(row(1, size=400, design=design), row(2, size=10))
    assert sum(share.participants for share in found.shares) == 10
    assert sum(share.without_size for share in found.shares) == 0


def test_directions_tell_where_the_question_is_open_or_relations_are_not_known() -> None:
    rows = (
        row(1, effect_direction="increased"),
        row(2, effect_direction="no difference"),
        row(3, effect_direction="unclear"),
    )
    found = of(*rows, closed=False)
    assert found.sides == "effect_direction"
    assert found.text == (
        "Of 3 studies retrieved, 1 reports an increase (1 randomised controlled trial), 1 finds no "
        "difference (1 randomised "
        "controlled trial) and 1 gives no clear direction. None of those that answer states a "
        "number of participants. "
        "Directions refer to each study's own outcome."
    )
    unknown = tuple(replace(each, stance=None) for each in rows)
    assert of(*unknown).sides == "effect_direction"
    assert of(rows[0], *unknown[1:]).sides == "effect_direction"
    half = of(*rows[:2], *unknown[2:])
    assert half.sides == "stance"
    assert half.shares[-1].side == "not known"
    assert "1 could not be classified" in half.text


def test_more_designs_than_can_be_told_are_put_together() -> None:
    names = (
        "randomised controlled trial",
        "cohort study",
        "case series",
        "case report",
        "cross-sectional study",
    )
    rows = [row(n, size=10 * n, design=name) for n, name in enumerate(names, 1)]
    told = of(*rows, row(6, "contradicts")).text
    assert "2 of other designs with 70 participants)" in told
    assert "other designs" not in of(*rows[:4], row(6, "contradicts")).text


def test_one_study_and_studies_that_all_agree_are_said_plainly() -> None:
    assert of(row(1, size=120)).text == (
        "The one study retrieved, a randomised controlled trial with 120 participants, supports "
        "the claim."
    )
    assert of(row(1)).text.endswith("supports the claim. It states no number of participants.")
    assert of(row(1, size=120), row(2, size=1)).text == (
        "Both studies retrieved support the claim (2 randomised controlled trials with 121 "
        "participants)."
    )


def test_the_strongest_source_that_answers_leads_with_its_year() -> None:
    found = of(
        row(1, "other outcomes", level=1, design=REVIEW, year=2024),
        row(2, "contradicts", 5120, level=1, design=REVIEW, year=2019),
        row(3, "supports", level=1, design=REVIEW, year=2012),
        row(4, "supports", 9000, level=2, year=2024),
    )
    assert found.lead == 2
    assert found.lead_text == (
        "The strongest source retrieved, a systematic review of 2019 with 5,120 participants [2], "
        "contradicts the claim."
    )


def test_a_guideline_leads_and_one_under_concern_does_not() -> None:
    guideline = row(5, design="guideline", level=None, year=2018)
    assert of(guideline, row(1, level=1, design=REVIEW)).lead == 5
    doubted = replace(guideline, notices=notice("expression of concern"))
    found = of(doubted, row(1, level=2))
    assert found.lead == 1
    assert of(doubted).lead_text == (
        "The strongest source retrieved, a guideline of 2018 (under an expression of concern) [5], "
        "supports the claim."
    )


def test_a_lead_says_what_it_does_not_know_and_what_it_is() -> None:
    found = of(row(1, design=None, year=None, notices=notice("preprint")))
    assert found.lead_text == (
        "The strongest source retrieved, a study of unstated design, its year not stated (a "
        "preprint) [1], supports the claim."
    )


def test_nothing_leads_where_nothing_answers() -> None:
    found = of(row(1, "other outcomes"), row(2, "other outcomes"))
    assert (found.lead, found.lead_text) == (None, "")
    assert found.text.startswith("Both studies retrieved do not answer the question")


def test_designs_in_words() -> None:
    assert (
        designs(2, "systematic review and meta-analysis")
        == "2 systematic reviews and meta-analyses"
    )
    assert designs(1, "case series") == "1 case series"
    assert designs(1200, "") == "1,200 studies of unstated design"
    assert {plural(design.name) for design in DESIGNS} >= {
        "cohort studies",
        "case series",
        "guidelines",
        "meta-analyses",
    }


ROWS = st.lists(
    st.builds(
        row,
        st.integers(1, 40),
        st.sampled_from([*STANCES, None]),
        st.one_of(st.none(), st.integers(0, 10**7)),
        effect_direction=st.sampled_from(DIRECTIONS),
        design=st.one_of(
            st.none(), st.sampled_from([design.name for design in DESIGNS]), st.text(max_size=12)
        ),
        level=st.one_of(st.none(), st.integers(1, 5)),
        year=st.one_of(st.none(), st.integers(1900, 2030)),
        group=st.integers(1, 12),
        in_reviews=st.lists(st.integers(1, 40).map("pmid:{}".format), max_size=2).map(tuple),
        outcome=st.one_of(st.none(), st.text(max_size=20)),
        intervention=st.one_of(st.none(), st.text(max_size=20)),
    ),
    max_size=12,
    unique_by=lambda each: each.n,
)


@given(ROWS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_every_study_is_counted_once_whatever_the_rows(
    rows: list[EvidenceRow], closed: bool
) -> None:
    found = balance(rows, closed)
    if found is None:
        assert not rows
        return
    numbers = [n for share in found.shares for n in share.numbers]
    assert (
        sum(share.studies for share in found.shares)
        == len(numbers)
        == len(set(numbers))
        == len({each.group for each in rows})
    )
    groups = {each.n: each.group for each in rows}
    assert len({groups[n] for n in numbers}) == len(numbers)
    assert all(
        0 <= share.without_size <= share.studies and share.participants >= 0
        for share in found.shares
    )
    if found.conflict is not None:
        sides = [n for _, side in found.conflict.sides for n in side]
        assert len(found.conflict.sides) >= 2
        assert len(sides) == len(set(sides))
        assert set(sides) <= set(numbers)


def test_each_study_leads_one_row_with_its_further_reports() -> None:
    concern = notice("expression of concern")
    made = (
        row(1, group=7, notices=concern),
        row(2, group=8),
        row(3, group=7),
        row(5, group=7),
        row(4, group=0),
        row(6, group=0),
    )
    assert [(lead.n, also) for lead, also in led(made)] == [(3, (1, 5)), (2, ()), (4, ()), (6, ())]
