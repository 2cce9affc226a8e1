"""Intervention, comparator and outcomes as title and abstract word them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.records.articles import Article, Section
from clinfo.text.study_question import StudyQuestion, fitting_outcome, study_question


def _article(title: str, *parts: tuple[str, str]) -> Article:
    return Article(
        id="pmid:1", title=title, sections=tuple(Section(text, label) for label, text in parts)
    )


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Walking versus yoga for chronic insomnia", ("Walking", "yoga", ())),
        (
            "A comparison of ondansetron and metoclopramide in children: a trial",
            ("ondansetron", "metoclopramide", ()),
        ),
        (
            "Comparison of oral versus intravenous iron in anaemia",
            ("oral versus intravenous iron", "intravenous iron", ()),
        ),
        (
            "Oral iron: a comparison of oral versus intravenous iron",
            ("oral versus intravenous iron", "intravenous iron", ()),
        ),
        (
            "The effect of brisk walking on sleep quality in older adults",
            ("brisk walking", None, ("sleep quality",)),
        ),
        (
            "Efficacy and safety of zinc compared with placebo in common cold",
            ("zinc", "placebo", ()),
        ),
        (
            "Effects of zinc, iron, and copper on growth in infants",
            ("zinc, iron, and copper", None, ("growth",)),
        ),
        (
            "Does melatonin improve sleep onset in adolescents?",
            ("melatonin", None, ("sleep onset",)),
        ),
        (
            "Melatonin does not improve sleep onset in adolescents",
            ("Melatonin", None, ("sleep onset",)),
        ),
        ("Association between coffee intake and gout in men", ("coffee intake", None, ("gout",))),
        ("Coffee intake and the risk of gout in men", ("Coffee intake", None, ("risk of gout",))),
        ("Melatonin for the treatment of jet lag", ("Melatonin", None, ())),
        ("Treatment of jet lag with melatonin in pilots", ("melatonin", None, ())),
        ("A randomized trial of melatonin in pilots", ("melatonin", None, ())),
        (
            "Melatonin in pilots with jet lag: a randomised controlled trial",
            ("Melatonin", None, ()),
        ),
        ("Chronic pain: a dilemma", (None, None, ())),
        ("Factors influencing sleep", (None, None, ())),
        ("[Not Available].", (None, None, ())),
    ],
)
def test_titles(title: str, expected: tuple[str | None, str | None, tuple[str, ...]]) -> None:
    assert study_question(_article(title)) == StudyQuestion(*expected)


def test_the_aim_and_the_arms_are_read_where_the_title_says_nothing() -> None:
    aim = _article(
        "The LARK study",
        (
            "OBJECTIVE",
            "To compare the efficacy of melatonin and valerian on sleep onset in adults.",
        ),
    )
    assert study_question(aim) == StudyQuestion("melatonin", "valerian", ("sleep onset",))
    arms = _article(
        "The LARK study",
        ("METHODS", "Adults were randomly assigned to receive melatonin (n = 20) or placebo."),
    )
    assert study_question(arms) == StudyQuestion("melatonin", "placebo", ())


def test_a_control_told_elsewhere_is_the_comparator() -> None:
    article = _article(
        "Effect of melatonin on sleep onset in pilots",
        ("METHODS", "This was a placebo-controlled trial."),
    )
    assert study_question(article).comparator == "placebo"


def test_the_primary_outcome_goes_first() -> None:
    article = _article(
        "Effect of melatonin on sleep quality in pilots",
        (
            "METHODS",
            (
                "The primary outcome was time to sleep onset at 4 weeks. Secondary outcomes were "
                "mood and appetite."
            ),
        ),
    )
    assert study_question(article).outcomes == ("time to sleep onset", "sleep quality")


def test_no_phrase_ends_or_begins_in_a_word_that_hangs() -> None:
    assert study_question(_article("Effect of the on sleep quality")).intervention is None
    assert study_question(_article("Effect of melatonin on sleep quality when")).outcomes == (
        "sleep quality",
    )


def test_people_are_no_outcome() -> None:
    assert study_question(_article("Effect of melatonin on older adults")).outcomes == ()


def test_phrases_stand_in_the_article() -> None:
    title = "Efficacy of  brisk walking versus   gentle yoga on sleep quality in nurses"
    found = study_question(_article(title))
    for phrase in (found.intervention, found.comparator, *found.outcomes):
        assert phrase is not None
        assert phrase in " ".join(title.split())


def test_the_outcome_of_an_effect() -> None:
    outcomes = ("time to sleep onset", "mood")
    assert fitting_outcome(outcomes, "Mood scores did not differ (MD 0.2)") == "mood"
    assert fitting_outcome(outcomes, "Falls were rarer (RR 0.8)") is None


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="effect of versus on in to :;,.()-placebo 0123é", max_size=150))
def test_odd_text_never_raises(text: str) -> None:
    found = study_question(_article(text, ("METHODS", text)))
    flat = " ".join(text.split())
    for phrase in (found.intervention, found.comparator, *found.outcomes):
        assert phrase is None or phrase in flat


def test_long_junk_is_read_in_linear_time() -> None:
    for junk in (
        "effect of ",
        "versus ",
        "compare the ",
        "primary outcome was the ",
        "assigned to ",
        "a, b and ",
    ):
        study_question(
            _article(junk * (100_000 // len(junk)), ("METHODS", junk * (100_000 // len(junk))))
        )
