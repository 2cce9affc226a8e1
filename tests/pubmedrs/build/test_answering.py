"""Sentences about the review itself are dropped, findings and calls for research stay."""

from __future__ import annotations

import pytest

from pubmedrs.build.answering import answer, judged

DROPPED = (
    "A total of 812 records were identified, of which nine met the inclusion criteria.",
    "The database search yielded 61 articles.",
    "We included 14 randomised trials with 2,310 patients.",
    "Seven RCTs (n = 501) were eligible.",
    "The studies were published between 1990 and 2015.",
    "Mean age was 54 years.",
    "Three studies were of good quality.",
    "Methodological quality was poor overall.",
    "The protocol was registered with PROSPERO (CRD42020111111).",
)
KEPT = (
    "Twelve trials were included and showed that zinc significantly reduced lesions.",
    "Pain was lower with zinc than with placebo (MD -1.2, 95% CI -1.8 to -0.6).",
    "Infections occurred in 4% of the zinc group.",
    "Nausea was the commonest harm.",
)


@pytest.mark.parametrize("sentence", DROPPED)
def test_dropped_from_results(sentence: str) -> None:
    found = judged(sentence, "")
    assert len(found) == 1
    assert found[0].rule


@pytest.mark.parametrize("sentence", KEPT)
def test_kept_in_results(sentence: str) -> None:
    assert [one.rule for one in judged(sentence, "")] == [""]


def test_a_call_for_research_stays_because_the_annotators_kept_it() -> None:
    assert (
        answer(judged("", "Zinc helps. Further research is needed."))
        == "Zinc helps. Further research is needed."
    )


def test_results_first_and_no_empty_paragraph() -> None:
    assert answer(judged("Zinc helps.", "Use zinc.")) == "Zinc helps.\nUse zinc."
    assert answer(judged("Seven studies were included.", "Use zinc.")) == "Use zinc."
    assert answer(judged("", "")) == ""
