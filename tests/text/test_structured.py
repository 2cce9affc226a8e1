"""JSON objects in the replies of language models."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.text.structured import json_object, texts_of, well_formed, without_reasoning, words_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": "x\ny"}\n```', {"a": "x\ny"}),
        ('Sure {not json} but {"a": {"b": 2}} done', {"a": {"b": 2}}),
        ('[{"a": 1}]', {"a": 1}),
        ("{", None),
        ("", None),
        ("[" * 5000 + "{" * 5000, None),
        (r'{"a": "\ud83d", "b": ["\ud83d\ude00"]}', {"a": "\ufffd", "b": ["\U0001f600"]}),
    ],
)
def test_first_object(text: str, value: object) -> None:
    assert json_object(text) == value


@given(
    st.text(alphabet=st.characters(exclude_characters="{")),
    st.dictionaries(st.text(), st.integers() | st.text()),
    st.text(),
)
def test_an_object_is_found_whatever_stands_around_it(
    before: str, value: dict[str, object], after: str
) -> None:
    assert json_object(before + json.dumps(value) + after) == value


@pytest.mark.parametrize(
    "value", [None, "", " ", "null", "N/A", "Not stated.", "unknown", True, [], {}]
)
def test_what_says_nothing(value: object) -> None:
    assert words_of(value) is None


def test_words_are_one_line() -> None:
    assert words_of(" two\n lines ") == "two lines"
    assert words_of(12) == "12"


def test_thinking_aloud_is_no_part_of_a_reply() -> None:
    assert (
        without_reasoning('<think>maybe {"relevant": "no"}?\n</think>\n{"relevant": "yes"}')
        == '{"relevant": "yes"}'
    )
    assert (
        without_reasoning("A reply <think>with</think> words")
        == "A reply <think>with</think> words"
    )


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("asthma; hay fever\n- eczema", ["asthma", "hay fever", "eczema"]),
        (
            ["one, two", None, "n/a", 3, True, ["nested", {"term": "deep"}]],
            ["one, two", "3", "nested", "deep"],
        ),
        ({"a": "x", "b": ["y"]}, ["x", "y"]),
        (None, []),
        (7, ["7"]),
    ],
)
def test_lists_of_texts(value: object, texts: list[str]) -> None:
    assert texts_of(value) == texts


@given(st.text(alphabet=st.characters(exclude_categories=()) | st.characters(categories=["Cs"])))
def test_well_formed_text_can_be_written_and_nothing_else_changes(text: str) -> None:
    well_formed(text).encode()
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert well_formed(text) == text
