"""Stages of tumours in questions and passages; every sentence here was made for the test."""

from __future__ import annotations

import pytest

from clinfo.pipelines.copilot.stages import end_before_heading, of_other_stages, stages


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
