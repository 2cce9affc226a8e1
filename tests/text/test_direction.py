"""Direction and polarity: negation aware."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.text.direction import direction
from clinfo.text.polarity import negated_spans, polar_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Walking increased bone density.", "increased"),
        ("Walking reduced pain.", "decreased"),
        ("Walking did not reduce pain.", "no difference"),
        ("There was no significant difference between groups.", "no difference"),
        ("Pain was similar in both arms.", "no difference"),
        ("Walking failed to improve sleep.", "no difference"),
        ("Walking improved sleep but did not affect weight.", "mixed"),
        ("Walking was recorded with a pedometer.", "unclear"),
        ("", "unclear"),
    ],
)
def test_directions(text: str, expected: str) -> None:
    assert direction(text) == expected


def test_a_negator_reaches_to_the_next_clause_only() -> None:
    words = polar_words("Walking was not associated with falls, but it was effective.")
    assert words["link", True] == 1
    assert words["good", False] == 1
    assert words["good", True] == 0


def test_not_only_is_no_negation() -> None:
    assert polar_words("Walking is not only safe.")["good", False] == 1


def test_a_side_remark_is_no_finding() -> None:
    assert polar_words("Doses were halved without increasing pain.")["link", True] == 0


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert direction(text) in ("increased", "decreased", "no difference", "mixed", "unclear")
    assert all(0 <= start <= end <= len(text) for start, end in negated_spans(text))
    assert all(count > 0 for count in polar_words(text).values())
