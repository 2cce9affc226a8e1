"""Disagreement of strong studies: where there is one, what differs, whether a synthesis says so,
and the sentence that does.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.balance import balance
from clinfo.evidence.conflict import says_so, statement
from clinfo.records.appraisal import Conflict, EvidenceRow
from clinfo.records.articles import Sentence, Stance
from clinfo.text.citations import citation_marks
from clinfo.text.disagreement import opposed
from clinfo.text.sentences import sentences

CONFLICT = Conflict((("supports", (1, 3)), ("contradicts", (2,))))

SAYS_SO = [
    "The trials disagree [1], [2].",
    "[1] and [2] disagree.",
    "Evidence from randomised trials is conflicting [1], [2].",
    "Two strong studies reached opposite conclusions [1], [2].",
    "Results were mixed, with a benefit in one trial [1] and none in another [2].",
    "Conflicting results have been reported [2,3].",
    "There is disagreement between the two largest trials [1], [2].",
    "The findings were not consistent across studies [1-3].",
    "Of the 3 relevant studies retrieved, 2 support this [1], [3] and 1 does not support this [2].",
    (
        "Metformin reduced mortality in one trial [1], whereas a second found no reduction in "
        "mortality [2]."
    ),
    "Mortality fell in one trial [1] and did not change in another [2].",
    "Although [1] found a benefit, [2] did not.",
    "[1] found a reduction in falls and [2] found no such effect.",
    (
        "Vitamin D reduced falls in a meta-analysis [3], but had no effect on falls in the largest "
        "trial [2]."
    ),
    "The benefit found by one review [1] was not confirmed in a later trial [2].",
    "In contrast to the trial of 2015 [1], a larger one found no reduction in pain [2].",
    (
        "Blood pressure increased with the drug in one study [1]; blood pressure decreased in "
        "another [2]."
    ),
    (
        "A meta-analysis reported lower HbA1c [1], but a Danish cohort reported no change in HbA1c "
        "[2]."
    ),
    "Exercise improved pain [1], [3]. However, a larger trial found no improvement in pain [2].",
    "One review supports this [1]. In contrast, a trial does not [2].",
    (
        "A trial found fewer relapses [1]. A later trial, however, found no difference in relapses "
        "[2]."
    ),
    (
        "The evidence is conflicting. Statins lowered the risk in two trials [1], [3]. A third "
        "trial showed none of this [2]."
    ),
    "A trial found fewer strokes [1]. Another found as many [2]. The studies therefore disagree.",
    (
        "In support, a review concluded that zinc shortens colds [3]. Against it, a trial found "
        "that zinc did not shorten colds [2]."
    ),
    "Estimates for mortality differed between the two reviews [1], [2].",
    "Trials point in different directions [1], [2].",
    (
        "The evidence on probiotics is inconsistent: a meta-analysis favours them [1], while the "
        "largest trial does not [2]."
    ),
    "Findings are contradictory [1-3].",
    (
        "Whereas older work suggested that it shortens recovery [1], a recent trial showed no "
        "shortening of recovery [2]."
    ),
    (
        "A review found that melatonin prevents delirium [1]; by contrast, a trial reported "
        "similar rates of delirium [2]."
    ),
    "Two studies reported lower mortality [1], [3], but a third reported higher mortality [2].",
    "Results across studies are inconsistent [1], [2].",
    "Trials conflict on whether fish oil prevents arrhythmia [1], [2].",
    "The strongest studies do not agree [2], [3].",
    "Early trials were positive [1], but the most recent trial was negative [2].",
    "Steroids improved survival in one trial [1], but not in the other [2].",
    "Fish oil was effective in two trials [1], [3] and ineffective in a third [2].",
    "However, a large trial contradicts the meta-analysis [1], [2].",
    (
        "Zinc shortened colds in a review [3]. A larger trial found no effect on duration [2]. The "
        "literature is therefore divided."
    ),
    (
        "Antibiotics reduced complications [1]. Conversely, a pragmatic trial found that "
        "complications were not reduced [2]."
    ),
    "Observational studies suggest benefit [1], yet randomised evidence shows none [2].",
    (
        "A meta-analysis supports early feeding [1]. This was not replicated in a multicentre "
        "trial [2]."
    ),
    "There are discrepancies between trials in the effect on relapse [1], [2].",
    "Not all studies found this: a benefit was seen in two trials [1], [3] but not in a third [2].",
    "Pooled data favour the drug [1], [3]; the one large trial does not [2].",
    "Reviews reach different conclusions about hearing aids [1], [2].",
    "While most studies point to a benefit [1], [3], the largest shows none [2].",
    (
        "A Cochrane review found that exercise lowers the risk of falls [3], although a cluster "
        "trial found no lower risk [2]."
    ),
    (
        "Whether magnesium helps is disputed: one trial reported fewer cramps [1], another no "
        "difference in cramps [2]."
    ),
    (
        "Acupuncture relieved pain in one trial [1]. A sham-controlled trial, in contrast, found "
        "no relief of pain [2]."
    ),
    "In contrast to these results [1], [3], the most recent trial found no benefit [2].",
    "Two trials were positive [1], [3] and one was negative [2].",
    "Evidence is mixed, with trials for [1] and against it [2].",
    "The trials gave conflicting answers [1], [2].",
    (
        "Metformin reduced weight in adolescents [1], but a longer trial did not find a reduction "
        "in weight [2]."
    ),
    "Studies of green tea are divided [1], [2].",
]
DOES_NOT = [
    "The trials agree [1], [2].",
    "There is no conflict between the studies [1], [2].",
    "The results do not conflict [1], [2].",
    "The authors of both declared a conflict of interest [1], [2].",
    "Both trials enrolled a mixed population [1], [2].",
    "Both used mixed methods [1], [2].",
    "Participants of both trials were divided into two groups [1], [2].",
    "The trials used different doses [1], [2].",
    "The studies differed in follow-up [1], [2].",
    "Outcomes differed between groups in both trials [1], [2].",
    "The results differed between men and women in both trials [1], [2].",
    "The evidence is conflicting [1], [3].",
    "Metformin reduced mortality [1], whereas a cohort found no reduction in mortality [4].",
    "Vitamin D reduced falls [1], but did not change bone density [2].",
    "Vitamin D reduced falls [1], whereas no harms were found [2].",
    "The drug reduced pain [1] but increased nausea [2].",
    "Falls were reduced [1] and quality of life was increased [2].",
    "Both reduced mortality, in adults [1] and in children [2].",
    "Although [1] was small, [2] confirmed the benefit.",
    "Metformin reduced mortality [1]. Evidence on dosing is inconsistent [2].",
    "Exercise improved pain [1]. However, it is costly [2].",
    "A trial found fewer relapses [1]. However, the risk of infection was not reported [2].",
    "Results might seem conflicting, but both trials agree [1], [2].",
    "Unlike the trial of adults [1], the trial of children measured sleep [2].",
    "Two trials support this [1], [3].",
    "A benefit was found [1], and a benefit was found again [2].",
    "The evidence is conflicting. Two trials found a benefit [1], [3].",
    "Both trials showed reduced mortality [1], [2], but neither reported quality of life.",
    "A review found lower pain scores [1] and a trial found shorter stays [2].",
    "Statins reduce events [1]. However, the follow-up of the second trial was short [2].",
    "Although the trials differ in size, both show a benefit [1], [2].",
    "Despite earlier conflicting evidence, two recent trials show that it works [1], [2].",
    "The studies differ in design but reach the same conclusion [1], [2].",
    "Adverse effects were more frequent with the drug [1], while efficacy was similar [2].",
    "No difference in mortality was found in either trial [1], [2].",
    "Neither trial found an effect on weight [1], [2].",
    "Sleep improved [1], but mood did not change [2].",
    "The drug lowered LDL [1] and raised HDL [2].",
    "Conflicting interests were declared by the authors of both [1], [2].",
    "Effects varied by age in both trials [1], [2].",
    "The first trial used 400 mg [1], whereas the second used 800 mg [2].",
    "The reviews included different trials [1], [2].",
    "A benefit was found in adults [1], whereas children were not studied [2].",
    "Mortality fell in both [1], [2], however costs rose.",
    "Both reviews note inconsistent reporting of outcomes [1], [2].",
    "Heterogeneity between included trials was high in both reviews [1], [2].",
    "Statins reduced stroke [1]. But the risk of myopathy increased [2].",
    "Two trials found lower blood pressure [1], [3], and a third confirmed it [2].",
    "Bleeding was more common [1], but stroke was less common [2].",
    "The drug was given orally [1] or by injection [2].",
    "Evidence for adults is strong [1], but evidence for children is lacking [2].",
    "Weight fell by 3 kg [1] and by 5 kg [2].",
    "Weight fell by 3 kg in one trial [1], but only by 1 kg in another [2].",
    "The trials differed in the dose they used [1], [2], but both found benefit.",
    "Pain was reduced [1]; function was not assessed [2].",
    "One study was not blinded [1], whereas the other was [2].",
    "Exercise and diet both improved HbA1c [1], [2], and neither changed weight.",
    "The benefit was seen at 12 weeks [1] and at 1 year [2].",
    "No trial compared the two drugs directly [1], [2].",
    "Both studies conclude that opposing muscle groups gain strength [1], [2].",
    "Mortality was lower [1]. However, quality of life was similar [2].",
    "",
]


@pytest.mark.parametrize("text", SAYS_SO)
def test_a_synthesis_that_says_so(text: str) -> None:
    assert says_so(checked(text), CONFLICT)


@pytest.mark.parametrize("text", DOES_NOT)
def test_a_synthesis_that_does_not(text: str) -> None:
    assert not says_so(checked(text), CONFLICT)


def checked(text: str) -> tuple[Sentence, ...]:
    return tuple(
        Sentence(
            "synthesis",
            each,
            tuple(n for mark in citation_marks(each) for n in mark.numbers),
            "supported",
            "",
        )
        for each in sentences(text)
    )


def row(
    n: int, stance: Stance | None = "supports", level: int | None = 2, **cells: object
) -> EvidenceRow:
    made = EvidenceRow(
        id=f"pmid:{n}",
        n=n,
        title=f"Title {n}",
        year=2020,
        design="randomised controlled trial",
        level=level,
        level_reason="",
        sample_size=None,
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


def conflict_of(*rows: EvidenceRow, closed: bool = True) -> Conflict | None:
    found = balance(rows, closed)
    assert found is not None
    return found.conflict


def test_strong_studies_of_opposite_relations_conflict() -> None:
    found = conflict_of(
        row(1), row(2, "contradicts"), row(3), row(4, "mixed"), row(5, "other outcomes")
    )
    assert found is not None
    assert found.sides == (("supports", (1, 3)), ("contradicts", (2,)))


@pytest.mark.parametrize(
    "rows",
    [
        (row(1), row(2)),
        (row(1), row(2, "mixed")),
        (row(1), row(2, "other outcomes")),
        (row(1, level=2), row(2, level=2), row(3, "contradicts", level=3)),
        (row(1, level=None), row(2, "contradicts", level=None)),
        (row(1, level=2, group=1), row(2, "contradicts", level=2, group=1)),
        (
            row(1, level=2, group=1),
            row(2, "contradicts", level=2, group=1),
            row(3, level=2),
            row(4, "mixed", level=2),
        ),
    ],
)
def test_no_conflict_without_two_strong_sides_of_different_studies(
    rows: tuple[EvidenceRow, ...],
) -> None:
    assert conflict_of(*rows) is None


def test_the_two_best_levels_count_where_fewer_than_two_studies_are_strong() -> None:
    found = conflict_of(
        row(1, level=3), row(2, "contradicts", level=4), row(3, "contradicts", level=5)
    )
    assert found is not None
    assert found.sides == (("supports", (1,)), ("contradicts", (2,)))


def test_a_trial_that_a_review_of_the_other_side_holds_takes_no_side() -> None:
    review = row(1, level=1, design="systematic review")
    assert conflict_of(review, row(2, "contradicts", in_reviews=("pmid:1",))) is None
    assert conflict_of(review, row(2, "contradicts", in_reviews=("pmid:9",))) is not None


@pytest.mark.parametrize(
    ("rose", "fell"),
    [
        ("bone mineral density", "bone loss"),
        ("survival", "mortality"),
        ("pain relief", "pain"),
        ("fracture healing rate", "fracture rate"),
        ("blood pressure control", "systolic blood pressure"),
        ("HDL cholesterol", "LDL cholesterol"),
        ("cognitive function", "cognitive decline"),
        ("hospital length of stay", "hospital mortality"),
    ],
)
def test_a_rise_and_a_fall_that_agree_or_are_of_two_outcomes_are_no_conflict(
    rose: str, fell: str
) -> None:
    found = balance(
        [
            row(1, None, effect_direction="increased", outcome=rose),
            row(2, None, effect_direction="decreased", outcome=fell),
        ],
        False,
    )
    assert found is not None
    assert found.conflict is None


def test_directions_conflict_only_on_one_outcome() -> None:
    falls = row(1, None, effect_direction="decreased", outcome="rate of falls")
    same = row(2, None, effect_direction="no difference", outcome="risk of falling")
    other = row(3, None, effect_direction="increased", outcome="bone density")
    found = conflict_of(falls, same, other, closed=False)
    assert found is not None
    assert found.sides == (("decreased", (1,)), ("no difference", (2,)))
    assert conflict_of(falls, other, closed=False) is None
    assert conflict_of(replace(falls, outcome=None), same, closed=False) is None


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (
            {"intervention": "vitamin D3 400 IU/day"},
            {"intervention": "vitamin D 4,000 IU daily"},
            "dose (400 IU/day [1] against 4,000 IU daily [2])",
        ),
        (
            {"intervention": "high-dose statin"},
            {"intervention": "low-dose statin"},
            "dose (high dose or intensity [1] against low dose or intensity [2])",
        ),
        (
            {"population": "children with asthma"},
            {"population": "adults with asthma"},
            "population (children with asthma [1]",
        ),
        (
            {"population": "patients with COPD"},
            {"population": "people with asthma"},
            "population (patients with COPD [1] against",
        ),
        (
            {"follow_up": "12 weeks"},
            {"follow_up": "median 5.2 years"},
            "follow-up (12 weeks [1] against median 5.2 years [2])",
        ),
        (
            {"sample_size": 40},
            {"sample_size": 4300},
            "number of participants (40 [1] against 4,300 [2])",
        ),
        (
            {"comparator": "placebo"},
            {"comparator": "usual care"},
            "comparator (placebo [1] against usual care [2])",
        ),
        ({"year": 1999}, {"year": 2019}, "year (1999 [1] against 2019 [2])"),
        (
            {"design": "meta-analysis"},
            {},
            "design (meta-analysis [1] against randomised controlled trial [2])",
        ),
    ],
)
def test_what_differs_as_stated(
    one: dict[str, object], other: dict[str, object], told: str
) -> None:
    found = conflict_of(row(1, **one), row(2, "contradicts", **other))
    assert found is not None
    assert len(found.differences) == 1
    assert found.differences[0].startswith(told)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"intervention": "aspirin 0.1 g daily"}, {"intervention": "aspirin 100 mg/day"}),
        ({"intervention": "aspirin 75-325 mg"}, {"intervention": "aspirin 100 mg"}),
        ({"intervention": "aspirin 100 mg"}, {"intervention": "vitamin D 400 IU"}),
        ({"intervention": "aspirin 100 mg"}, {}),
        ({"intervention": "5 mg/kg"}, {"intervention": "400 mg daily"}),
        ({"population": "adults with type 2 diabetes"}, {"population": "diabetic patients"}),
        ({"population": "men and women"}, {"population": "men"}),
        ({"follow_up": "12 weeks"}, {"follow_up": "3 months"}),
        ({"follow_up": "not stated"}, {"follow_up": "5 years"}),
        ({"sample_size": 400}, {"sample_size": 600}),
        ({"comparator": "placebo"}, {"comparator": "sham injection"}),
        ({"year": 2018}, {"year": 2020}),
    ],
)
def test_what_does_not_differ_or_is_not_stated_twice(
    one: dict[str, object], other: dict[str, object]
) -> None:
    found = conflict_of(row(1, **one), row(2, "contradicts", **other))
    assert found is not None
    assert found.differences == ()


def test_one_study_that_states_the_same_as_one_of_the_other_side_ends_the_difference() -> None:
    found = conflict_of(
        row(1, follow_up="12 weeks"),
        row(2, "contradicts", follow_up="2 years"),
        row(3, follow_up="2 years"),
    )
    assert found is not None
    assert found.differences == ()


def test_the_statement_says_it_and_is_seen_to_say_it() -> None:
    rows = (
        row(1, follow_up="12 weeks", intervention="vitamin D 400 IU"),
        row(2, "contradicts", follow_up="5 years", intervention="vitamin D 4,000 IU"),
        row(3, follow_up="8 weeks", intervention="vitamin D 400 IU"),
    )
    found = conflict_of(*rows)
    assert found is not None
    text = statement(found, rows)
    assert text == (
        "The strongest studies retrieved disagree: [1] and [3] support the claim, whereas [2] "
        "contradicts the claim; they differ "
        "in dose "
        "(400 IU [1] and [3] against 4,000 IU [2]) and follow-up (12 weeks [1] and 8 weeks [3] "
        "against 5 years [2])."
    )
    assert says_so(checked(text), found)
    assert sentences(text) == [text]


def test_the_statement_says_when_nothing_is_stated_differently() -> None:
    rows = (row(1), row(2, "contradicts"))
    found = conflict_of(*rows)
    assert found is not None
    assert statement(found, rows) == (
        "The strongest studies retrieved disagree: a randomised controlled trial of 2020 [1] "
        "supports the claim, whereas a "
        "randomised "
        "controlled trial of 2020 [2] contradicts the claim; their abstracts do not explain the "
        "difference."
    )


def test_a_cell_can_neither_cite_nor_grow() -> None:
    rows = (
        row(1, population="children [7] " + "x" * 500),
        row(2, "contradicts", population="adults"),
    )
    found = conflict_of(*rows)
    assert found is not None
    text = statement(found, rows)
    assert {n for mark in citation_marks(text) for n in mark.numbers} == {1, 2}
    assert len(text) < 400


@given(st.text(max_size=300), st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read(one: str, other: str) -> None:
    says_so(checked(f"{one} [1] {other} [2]. However, {other} [2]."), CONFLICT)
    assert isinstance(opposed(one, other), bool)
