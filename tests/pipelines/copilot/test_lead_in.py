"""A quoted passage is understandable alone."""

from __future__ import annotations

import pytest

from clinfo.pipelines.copilot.lead_in import with_lead

TEXT = (
    "Key points of the page.\n \n \nRemoval of the ovaries starts menopause. Its signs include:\n"
    " - Hot flushes. - Poor sleep. - Low mood. These signs differ between women. Ask a doctor.\n"
    " \n \nThese are general facts. Cysts are common."
)


@pytest.mark.parametrize(
    ("first_words", "begins"),
    [
        ("- Poor sleep", "Removal of the ovaries"),  # "Its signs include:" points back in turn
        ("Low mood", "Removal of the ovaries"),
        ("These signs differ", "Removal of the ovaries"),
        ("Ask a doctor", "Ask a doctor"),
        ("Removal of", "Removal of"),
        ("These are general", "Cysts are common"),  # nothing of its paragraph stands before it
    ],
)
def test_a_passage_begins_with_what_introduces_it(first_words: str, begins: str) -> None:
    start, end = with_lead(TEXT, TEXT.index(first_words), len(TEXT))
    assert TEXT[start:end].lstrip().startswith(begins)


def test_a_list_whose_beginning_is_far_is_left_for_what_follows_it() -> None:
    text = "Signs are: " + "".join(f"- Sign of number {n}. " for n in range(90)) + "Tests help."
    start, end = with_lead(text, text.index("- Sign of number 80"), len(text))
    assert text[start:end] == "Tests help."


def test_a_text_without_any_beginning_stays() -> None:
    assert with_lead("- Pain. - Fever.", 0, 16) == (0, 16)
