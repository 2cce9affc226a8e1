"""Conclusions by rule, each with the sentence that says so."""

from __future__ import annotations

import pytest

from clinfo.pipelines.trials.asked_sentences import with_short_forms
from clinfo.pipelines.trials.concluding import UNCLEAR, concluded, favoured
from clinfo.records.trials import Direction
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.chunking import by_sentence
from clinfo.retrieval.readers.plain import of_text

PAPER = of_text(
    """ABSTRACT.BACKGROUND:
Whether zinc cream eases itching in eczema is not known.

ABSTRACT.RESULTS:
Itching was significantly lower with zinc cream than with placebo (P = 0.003).

RESULTS:
Redness did not differ significantly between zinc cream and placebo (P = 0.4).
Sleep lasted significantly longer with zinc cream than with placebo (P = 0.01).
""",
    "sha256:1",
)


@pytest.mark.parametrize(
    ("outcome", "direction", "quoted"),
    [
        ("itching", "decrease", "Itching was"),
        ("redness", "no_difference", "Redness did"),
        ("sleep duration", "increase", "Sleep lasted"),
        ("blood pressure", "not_stated", None),
    ],
)
def test_each_conclusion_has_its_sentence(
    outcome: str, direction: Direction, quoted: str | None
) -> None:
    found = concluded(Asked("", outcome, "zinc cream", "placebo"), by_sentence(PAPER))
    assert found.direction == direction
    texts = [PAPER.text[one.start : one.end] for one in found.quotes]
    assert [text.startswith(quoted) for text in texts if quoted] == ([True] if quoted else [])


@pytest.mark.parametrize(
    ("outcome", "comparator", "sentence", "direction"),
    [
        ("itching", "placebo", "Itching did not differ between groups at baseline (P = 0.4).", ""),
        ("itching", "placebo", "Itching did not differ between groups at week 4 (P = 0.4).", "no"),
        ("pain", "no block", "Pain did not differ between the TAP and IHG groups (P = 0.6).", ""),
        ("pain", "no block", "Pain did not differ between the TAP and CG groups (P = 0.6).", "no"),
        (
            "pain",
            "no block",
            "Pain was similar in both nerve groups, but lower than in the control group.",
            "",
        ),
        ("LDL cholesterol", "placebo", "HDL cholesterol rose significantly (P = 0.02).", ""),
        (
            "HbA1c",
            "control",
            "When controlling for age, only zinc cream participants significantly decreased HbA1c"
            " (P < 0.001).",
            "decrease",
        ),
    ],
)
def test_a_sentence_of_another_thing_concludes_nothing(
    outcome: str, comparator: str, sentence: str, direction: str
) -> None:
    paper = of_text(f"RESULTS:\n{sentence}\n", "sha256:2")
    found = concluded(Asked("", outcome, "zinc cream", comparator), by_sentence(paper))
    assert found.direction.startswith(direction or "not_stated")
    assert bool(found.quotes) == bool(direction)


def test_the_reason_does_not_deny_that_the_outcome_is_named() -> None:
    paper = of_text("RESULTS:\nBody weight was 60 kg at baseline in all.\n", "sha256:4")
    asked = Asked("", "body weight", "zinc cream", "placebo")
    assert concluded(asked, by_sentence(paper)).reason == UNCLEAR


def test_the_short_forms_of_a_paper_name_its_arms() -> None:
    paper = of_text(
        """METHODS:
Patients had salt bath therapy (SBT) or warm mud therapy (WMT).

RESULTS:
Patients treated with WMT had a shorter hospital stay (P < 0.001).
""",
        "sha256:3",
    )
    asked = Asked("", "hospital stay", "salt bath therapy", "warm mud therapy")
    asked = with_short_forms(asked, [paper])
    assert (asked.intervention, asked.comparator) == (
        "salt bath therapy (SBT)",
        "warm mud therapy (WMT)",
    )
    assert concluded(asked, by_sentence(paper)).direction == "increase"


def test_whom_a_direction_favours() -> None:
    assert favoured("decrease", "lower") == favoured("increase", "higher") == "intervention"
    assert favoured("increase", "lower") == favoured("decrease", "higher") == "comparator"
    assert favoured("no_difference", None) == "neither"
    assert favoured("increase", None) is None
    assert favoured("not_stated", "lower") is None
