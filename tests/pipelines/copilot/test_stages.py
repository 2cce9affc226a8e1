"""Stages of tumours in questions and passages; every sentence here was made for the test."""

from __future__ import annotations

import pytest

from clinfo.pipelines.copilot.stages import (
    described,
    end_before_heading,
    not_described,
    of_other_stages,
    stages,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How is stage III anal cancer treated?", {"III"}),
        ("Stage IIIA and stage IIIB Anal Cancer", {"III"}),
        ("Stages I, II and IV", {"I", "II", "IV"}),
        ("stage I to III disease", {"I", "II", "III"}),
        ("in situ (stage 0)", {"0"}),
        ("The first stage is surgery.", set()),
    ],
)
def test_stages_are_read(text: str, found: set[str]) -> None:
    assert stages(text) == found


@pytest.mark.parametrize(
    ("question", "passage", "other"),
    [
        ("How is stage III cancer treated?", "Stage IV: surgery as palliative therapy.", True),
        ("How is stage III cancer treated?", "Stage IIIB: radiation and chemotherapy.", False),
        ("How is stage III cancer treated?", "Radiation is one treatment.", False),
        ("How is it treated?", "Stage IV: surgery as palliative therapy.", False),
    ],
)
def test_what_is_said_of_one_stage_answers_for_no_other(
    question: str, passage: str, other: bool
) -> None:
    assert of_other_stages(question, passage) == other


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Stage II: surgery.\n\nStage IIIA Anal Cancer\n", "Stage II: surgery."),
        ("- Pain.\n- Fever", "- Pain.\n- Fever"),
        ("One line only", "One line only"),
        ("Signs are these:\nFever is one of them.", "Signs are these:\nFever is one of them."),
    ],
)
def test_the_next_heading_is_not_of_a_passage(text: str, kept: str) -> None:
    assert text[: end_before_heading(text, 0, len(text))] == kept


PAGE = (
    "The following are used: - Stage I - Stage II. Stage I In stage I, it is in one lymph node. "
    "Stage II Stage II is divided into stages IIA and IIB. - In stage IIA, it is in two. "
    "- In stage IIB, it is in three. Stage III In stage III, it is on both sides."
)


@pytest.mark.parametrize(
    ("question", "begins", "ends"),
    [
        ("What does stage IIB mean?", "In stage IIB, it is in three", "three. "),
        ("What does stage IB mean?", "Stage I In stage I,", "node. "),
        ("What does stage III mean?", "Stage III In stage III,", "both sides."),
    ],
)
def test_the_passage_that_describes_a_stage(question: str, begins: str, ends: str) -> None:
    place = described(question, PAGE)
    assert place is not None
    passage = PAGE[slice(*place)]
    assert passage.startswith(begins)
    assert passage.endswith(ends)


def test_a_stage_that_is_described_nowhere() -> None:
    assert described("What does stage IV mean?", PAGE) is None
    assert described("Stage I or stage III lymphoma?", PAGE) is None
    assert not_described("What does stage IB mean?", [PAGE]) == "IB"
    assert not_described("What does stage IIB mean?", [PAGE]) == ""
    assert not_described("What does stage IV mean?", [PAGE]) == ""
