"""Passages that ask, aim or stand as background vouch for nothing."""

import pytest

from clinfo.claims.verify import check
from clinfo.records.articles import Article, Section, Study

LABELLED = Study(
    1,
    Article(
        "pmid:2",
        "Is a cooling vest superior to rest for heat cramps?",
        sections=(
            Section("Cooling vests prevent repeated heat cramps in bakers.", "BACKGROUND"),
            Section("We hypothesised that a vest shortens recovery.", "OBJECTIVE"),
            Section("Cramps came back sooner with the vest than with rest.", "RESULTS"),
            Section("Rest was better than the vest.", "CONCLUSIONS"),
        ),
    ),
    None,
)
PLAIN = Study(
    1,
    Article(
        "pmid:4",
        "Cooling vest versus rest for heat cramps in bakers",
        sections=(
            Section(
                "Cooling vests prevent repeated heat cramps in bakers. It was tested whether vests "
                "shorten recovery."
            ),
        ),
    ),
    None,
)


@pytest.mark.parametrize(
    ("text", "study", "verdict"),
    [
        ("A cooling vest is superior to rest for heat cramps", LABELLED, "not_verified"),
        (
            "A study concluded that cooling vests prevent repeated heat cramps in bakers",
            LABELLED,
            "not_verified",
        ),
        ("A vest shortens recovery", LABELLED, "not_verified"),
        ("Rest was better than the vest", LABELLED, "supported"),
        ("Cooling vests prevent repeated heat cramps in bakers", PLAIN, "supported"),
        ("Vests shorten recovery", PLAIN, "not_verified"),
        ("Cooling vest is inferior to rest for heat cramps in bakers", PLAIN, "not_verified"),
    ],
)
def test_only_what_asserts_vouches(text: str, study: Study, verdict: str) -> None:
    (sentence,) = check(f"{text} [1].", "synthesis", (study,)).sentences
    assert sentence.verdict == verdict, sentence.reason
