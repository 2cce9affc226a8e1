"""How long people were followed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.records.articles import Article, Section
from clinfo.text.follow_up import follow_up

TRIAL = "randomised controlled trial"


def _article(text: str, label: str = "METHODS", title: str = "Walking for sleep") -> Article:
    return Article(id="pmid:1", title=title, sections=(Section(text, label),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Adults were followed for a median of 3.2 years.", "median 3.2 years"),
        ("The median follow-up was 35 months (range 2 to 60).", "median 35 months"),
        ("Mean duration of follow-up was 10.6 years.", "mean 10.6 years"),
        ("Median follow-up, 14 months.", "median 14 months"),
        ("The minimum follow-up after surgery was 2 years.", "minimum 2 years"),
        ("After an average follow-up of 18 months, walkers slept longer.", "mean 18 months"),
        ("Sleep was measured at 24-month follow-up.", "24 months"),
        ("All adults were followed up for two years.", "2 years"),
        ("Follow-up lasted 12 weeks.", "12 weeks"),
        ("Follow-up at 6 and 12 months was complete.", "12 months"),
        ("There was a 1-year follow-up.", "1 year"),
        ("The primary outcome was sleep at 12 weeks; mood was measured at 24 weeks.", "12 weeks"),
        ("In this 16-week randomised trial adults walked.", "16 weeks"),
        ("Sleep was assessed at baseline and after 8 weeks.", "8 weeks"),
        ("Sleep was assessed at 2, 4 and 6 months.", "6 months"),
        ("Scores were taken at baseline and at week 12.", "12 weeks"),
    ],
)
def test_what_is_said(text: str, expected: str) -> None:
    assert follow_up(_article(text), TRIAL) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Adults aged 18 to 65 years walked every 2 days.",
        "Children at 6 years of age were asked.",
        "Patients were recruited over 3 years.",
        "Symptoms in the previous 12 months were recorded.",
        "The trial was conducted during 18 months.",
        "Adults walked.",
        "After a 2-week washout they changed over.",
        "Stay fell from 17.8 to 11.8 days.",
    ],
)
def test_other_times_are_none(text: str) -> None:
    assert follow_up(_article(text), TRIAL) is None


def test_only_trials_are_read_by_their_times_of_assessment() -> None:
    article = _article("Records were read at 12 months.")
    assert follow_up(article, TRIAL) == "12 months"
    assert follow_up(article, "retrospective cohort study") is None


def test_a_review_says_only_what_it_calls_follow_up() -> None:
    assert (
        follow_up(_article("The primary outcome was sleep at 12 weeks."), "systematic review")
        is None
    )
    assert (
        follow_up(_article("Median follow-up was 2 years."), "systematic review")
        == "median 2 years"
    )


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="followupmedian 0123456789-–.,weksyarhotd()", max_size=150))
def test_odd_text_never_raises(text: str) -> None:
    found = follow_up(_article(text, title=text), TRIAL)
    assert found is None or found.split()[-1].rstrip("s") in (
        "hour",
        "day",
        "week",
        "month",
        "year",
    )


def test_long_junk_is_read_in_linear_time() -> None:
    for junk in ("followed for a ", "at 1, 2, ", "12-week ", "median follow-up of ", "1 and "):
        follow_up(_article(junk * (100_000 // len(junk))), TRIAL)


def test_a_measurement_of_a_day_is_no_follow_up() -> None:
    trial = "randomised controlled trial"
    text = "Adults received zinc for 8 weeks. Acid was read during 24 hours of pH monitoring."
    assert follow_up(_article(text), trial) != "24 hours"
    assert (
        follow_up(_article("Adults received zinc for 8 weeks. Acid was read over 24 hours."), trial)
        == "8 weeks"
    )
