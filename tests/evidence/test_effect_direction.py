"""The direction of an outcome with an intervention against a comparator, and the passage that
carries it.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.own.stance import counted, labelled, macro_f1, scores
from clinfo.evidence.effect_direction import CLASSES, effect_direction
from clinfo.evidence.table import rows
from clinfo.records.articles import DIRECTIONS, Article, Section, Study
from clinfo.text.comparison_weights import BIAS, WEIGHTS
from clinfo.text.direction import direction as text_direction
from tests.shared_data import SHARED, needs_shared

TITLE = "Zinc lozenges for the common cold: a randomised trial"
ABSTRACT = (
    "BACKGROUND: Zinc may shorten colds.\n"
    "METHODS: We gave zinc or placebo to 100 adults for a week.\n"
    "RESULTS: Colds were 2.1 days shorter with zinc than with placebo (p=0.01). Taste disturbance "
    "was more frequent with zinc "
    "(32% vs 8%, p=0.002). Nausea did not differ between groups (p=0.4). No deaths occurred.\n"
    "CONCLUSIONS: Zinc shortened colds at the price of taste disturbance."
)


def found(outcome: str, intervention: str = "zinc", comparator: str = "placebo"):
    return effect_direction(intervention, comparator, outcome, TITLE, ABSTRACT)


@pytest.mark.parametrize(
    ("outcome", "direction", "passage"),
    [
        ("duration of colds", "decreased", "shorter"),
        ("taste disturbance", "increased", "more frequent"),
        ("nausea", "no difference", "Nausea did not differ between groups (p=0.4)."),
    ],
)
def test_direction_and_the_passage_that_carries_it(outcome, direction, passage):
    own = found(outcome)
    assert own.direction == direction
    assert own.field == "abstract"
    assert passage in ABSTRACT[own.start : own.end]
    assert "probability" in own.reason


def test_swapped_arms_turn_the_direction():
    assert found("duration of colds", "placebo", "zinc").direction == "increased"
    assert found("taste disturbance", "placebo", "zinc").direction == "decreased"
    assert found("nausea", "placebo", "zinc").direction == "no difference"


def test_what_no_passage_names_is_unclear():
    own = found("bone mineral density")
    assert (own.direction, own.field, own.start, own.end) == ("unclear", None, 0, 0)
    assert own.reason
    assert effect_direction("zinc", "placebo", "pain", "", "").direction == "unclear"


def test_the_title_can_carry_it():
    own = effect_direction(
        "zinc",
        "placebo",
        "duration of colds",
        "Zinc reduces the duration of colds compared with placebo",
        "",
    )
    assert (own.direction, own.field, own.start) == ("decreased", "title", 0)


def test_the_weights_are_of_named_features_and_turn_with_the_words():
    assert len(BIAS) == len(CLASSES) == 3
    assert all(len(row) == 3 for row in WEIGHTS.values())
    up, down, alike = (WEIGHTS[name] for name in ("up", "down", "denied"))
    assert max(up) == up[0]
    assert max(down) == down[1]
    assert max(alike) == alike[2]


@settings(max_examples=60, deadline=None)
@given(*[st.text(max_size=60)] * 3, st.text(max_size=100), st.text(max_size=300))
def test_odd_text_raises_nothing(intervention, comparator, outcome, title, abstract):
    own = effect_direction(intervention, comparator, outcome, title, abstract)
    assert own.direction in DIRECTIONS
    if own.field is None:
        assert own.direction == "unclear"
    else:
        assert 0 <= own.start < own.end <= len(title if own.field == "title" else abstract)


def test_scores_by_hand():
    labels = ["increased", "increased", "decreased", "no difference"]
    guesses = counted(["increased", "unclear", "mixed", "no difference"])
    assert guesses == ["increased", "no difference", "no difference", "no difference"]
    assert scores(labels, guesses) == pytest.approx(
        {"increased": 2 / 3, "decreased": 0.0, "no difference": 0.5}
    )
    assert macro_f1(labels, guesses) == pytest.approx((2 / 3 + 0.5) / 3)


@needs_shared
def test_prompts_of_real_trials():
    """642 prompts with even PMIDs, as counted in the table itself; the weights were fitted on them,
    so this is a floor only.
    """
    prompts = labelled(0, SHARED)
    assert len(prompts) == 642
    own = prompts[::4]
    told = [
        effect_direction(
            one.intervention, one.comparator, one.outcome, one.article.title, one.article.abstract
        ).direction
        for one in own
    ]
    assert macro_f1([one.label for one in own], counted(told)) > 0.6


def test_a_row_of_the_evidence_table_points_where_its_outcome_went():
    sections = (
        Section(
            (
                "We randomised 100 adults with a cold to zinc or placebo. The primary outcome was "
                "taste disturbance."
            ),
            "METHODS",
        ),
        Section(
            (
                "Taste disturbance was more frequent with zinc than with placebo (RR 4.0, 95% CI "
                "1.6 to 9.8)."
            ),
            "RESULTS",
        ),
        Section("Zinc may be chosen by those who accept its taste.", "CONCLUSIONS"),
    )
    types = ("Randomized Controlled Trial",)
    article = Article(
        "pmid:1",
        "Zinc versus placebo for the common cold",
        "1",
        sections=sections,
        publication_types=types,
    )
    (row,) = rows("Does zinc cause taste disturbance?", [Study(1, article, None)], ())
    assert all((row.intervention, row.comparator, row.outcome))
    assert text_direction(sections[-1].text) == "unclear"  # all that the conclusion says
    assert row.effect_direction == "increased"
