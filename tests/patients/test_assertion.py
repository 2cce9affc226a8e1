"""What is said of a named thing, by sentences of our own and by sections."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from clinfo.patients.assertion import asserted
from clinfo.patients.entities import find_mentions, named_in
from clinfo.patients.lexicon import standard
from clinfo.patients.mentions import Mention
from clinfo.patients.sections import sections, unwrapped

SENTENCES = Path(__file__).with_name("assertion_sentences.tsv")
ROWS = [
    tuple(line.replace("\\n", "\n").split("\t"))
    for line in SENTENCES.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("label", "sentence"), ROWS, ids=[row[1] for row in ROWS])
def test_a_sentence_is_read_as_it_is_meant(label: str, sentence: str) -> None:
    before, _, rest = sentence.partition("[")
    term, _, after = rest.partition("]")
    text = before + term + after
    start, end, parts = len(before), len(before) + len(term), sections(text)
    found = named_in(text, parts, standard())
    others = [one for one in found if one.end <= start or end <= one.start]
    types = next((one.types for one in found if one not in others), ())
    named = sorted((*others, Mention(start, end, term, term, types)), key=lambda one: one.start)
    told = {each.start: each.assertion for each in asserted(text, parts, named)}
    assert told[start] == label


def said(text: str) -> dict[str, str]:
    return {each.text: each.assertion for each in find_mentions(text, standard())}


def test_headings_say_what_their_sentences_do_not() -> None:
    text = (
        "# Past Medical History\nGout\nNo asthma.\n\n# Family History\nDiabetes (father)\n"
        "The patient has migraine.\n\n# Assessment and Plan\nPneumonia"
    )
    assert said(text) == {
        "Gout": "history",
        "asthma": "negated",
        "Diabetes": "family",
        "migraine": "present",
        "Pneumonia": "present",
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "**Family history**\n- gout\n**PMH**\n- migraine",
            {"gout": "family", "migraine": "history"},
        ),
        ("Family Hx -\nGlaucoma\nPMH -\nGout", {"Glaucoma": "family", "Gout": "history"}),
        ("Seen by Dr. A. Graves, Prof Burns, Mr Gout. J. Rash, MD", {}),
        ("He doesn't deny dyspnoea.", {"dyspnoea": "present"}),
        ("Mother had gout, but the patient has asthma.", {"gout": "family", "asthma": "present"}),
        (
            "Asthma. Plan: continue lisinopril; colonoscopy",
            {"Asthma": "present", "lisinopril": "present", "colonoscopy": "uncertain"},
        ),
        ("PLAN:\n- colonoscopy\n- biopsy", {"colonoscopy": "uncertain", "biopsy": "uncertain"}),
    ],
)
def test_titles_and_headings(text: str, told: dict[str, str]) -> None:
    assert said(text) == told


WRAPPED = """\
She has had gout for years. She denies any history of
tuberculosis or of contact with it, and she has never had a
stroke.

Problems: asthma
gout, no pain in
Elbows - rest

metformin 500 mg twice daily with breakfast and with dinner
lisinopril 10 mg daily
aspirin 100 mg
"""


def test_lines_that_the_width_of_a_page_made_are_one() -> None:
    assert unwrapped(WRAPPED) == WRAPPED.replace("of\n", "of ").replace("a\ns", "a s")


def test_a_list_of_items_is_read_line_by_line() -> None:
    text = "ROS:\n- Denies fever\n- Cough\n- No nausea, vomiting"
    assert said(text) == {
        "fever": "negated",
        "Cough": "present",
        "nausea": "negated",
        "vomiting": "negated",
    }


def test_sections_are_the_whole_of_the_note() -> None:
    text = "A line.\nPMH: gout.\n## Plan\nRest.\nRESULTS\n\nNormal."
    parts = sections(text)
    assert [part.kind for part in parts] == ["", "past", "planned", "results"]
    assert "".join(text[part.heading : part.end] for part in parts) == text


@pytest.mark.parametrize("unit", ["but no ", "mother ", "no x x x gout, "])
def test_each_word_of_a_long_sentence_costs_no_more_than_of_a_short_one(unit: str) -> None:
    def steps(length: int) -> float:
        text = unit * (length // len(unit))
        words = [Mention(*one.span(), one[0], "", ()) for one in re.finditer(r"\w+", text)]
        return _calls(lambda: asserted(text, sections(text), words)) / len(words)

    steps(20)  # what is read once
    assert steps(1000) < 1.5 * steps(250)


def _calls(work: Callable[[], object]) -> int:
    """Lines of Python that are run within ``clinfo.patients``."""
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        nonlocal lines
        lines += event == "line"
        return trace if "patients" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines
