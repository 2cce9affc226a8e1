"""JSON objects in the replies of language models."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.text.structured import json_values, prose, well_formed, well_formed_values


def json_object(text: str) -> object:
    """The last object in a text, one with keys and a whole one before others."""
    held = [(*value, whole) if isinstance(value, list) else (value, whole)
            for value, whole in json_values(text)]  # fmt: skip
    held.sort(key=lambda one: (bool(one[0]), one[-1]))
    return held[-1][0] if held else None


YES = {"relevant": "yes", "reason": "r"}


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
        (r'{"a": "\u001b[31mred\u001b[0m\b"}', {"a": "red"}),
        ('Maybe {"relevant": "no"}? No: {"relevant": "yes", "reason": "r"} as {} said', YES),
        ('Here is the JSON:\n{"relevant": "yes", "reason": "r",}', YES),
        ("{'relevant': 'yes', 'reason': 'r'}", YES),
        ("{relevant: yes, reason: r}", YES),
        ("{“relevant”: “yes”, “reason”: “r”}", YES),
        ('{"relevant": "yes", // sure\n "reason": "r" /* x */} # end', YES),
        ('{"relevant": "yes"\n "reason": "r"}', YES),
        ("｛“relevant”：“yes”，“reason”：“r”｝", YES),
        ('\ufeff{\u00a0"relevant": "yes", "reason": "r"}', YES),
        ('"{\\"relevant\\": \\"yes\\", \\"reason\\": \\"r\\"}"', YES),
        ('{\\"relevant\\": \\"yes\\", \\"reason\\": \\"r\\"}', YES),
        ("{&quot;relevant&quot;: &quot;yes&quot;, &quot;reason&quot;: &quot;r&quot;}", YES),
        ('{"relevant": "yes", "reason": "r"', YES),
        ('{"relevant": "yes", "reason": "breaks o', {"relevant": "yes"}),
        ('{"n": 412, "e": 0.8', {"n": 412}),
        ('{"w": "x", "n": 1,4', {"w": "x"}),
        ('```json\n{"w": "x", "d": "no', {"w": "x"}),
        ('{"n": 1 412, "w": "in p: <0.05, n: ~4"}', {"n": "1 412", "w": "in p: <0.05, n: ~4"}),
        ("{'a': True, 'b': None, 'n': 1,511, 'l': [1,200]}",
         {"a": True, "b": None, "n": "1,511", "l": [1, 200]}),
        ('{"a": "he said "no" then", "b": "x"}', {"a": 'he said "no" then', "b": "x"}),
        ("{'a': 'it's fine', 'b': 'x'}", {"a": "it's fine", "b": "x"}),
        ('{"p": <0.001, "q": 5.2%, "m": −0.98, "e": .5}',
         {"p": "<0.001", "q": 5.2, "m": -0.98, "e": 0.5}),
        ('{"a": "x", "b": , "c": ["x", ...],}', {"a": "x", "b": "", "c": ["x"]}),
        ('```json\n{"a": 1}\n```\nA reply such as {"a": 2} would be wrong.', {"a": 1}),
        ('For {this}:\n```json\n{"a": ["x"],\n "b": "see ```c``` {d}",\n}\n```\nor `e`.',
         {"a": ["x"], "b": "see ```c``` {d}"}),
        ('The set {1, 2} [3] holds {"a": 1}', {"a": 1}),
        ('{"v": [{"l": "S1"}, {"l": "S2", "w": "breaks',
         {"v": [{"l": "S1"}, {"l": "S2"}]}),
    ],
)  # fmt: skip
def test_the_object_in_a_text(text: str, value: object) -> None:
    assert json_object(text) == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"tldr": "A [1]."}', "A [1]."),
        ('```json\n{"synthesis": "A \\"x\\" [1]."}\n```', 'A "x" [1].'),
        ('{"TL;DR": "A [1].", "Synthesis": "B."}', "TL;DR: A [1].\n\nSynthesis: B."),
        ('A {x: "1"} [1].', 'A {x: "1"} [1].'),
        ('{"tldr": {"a": 1}}', '{"tldr": {"a": 1}}'),
        ('[{"text": "A [1]."}, {"text": "B."}]', "A [1].\n\nB."),
        ("```markdown\nA [1].\n```", "A [1]."),
        ("## Synthesis\n\nA [1].", "A [1]."),
        ("# X\n\nA.\n\n# Y\n\nB.", "# X\n\nA.\n\n# Y\n\nB."),
        ("A [1].\\n\\nB.", "A [1].\n\nB."),
    ],
)
def test_a_text_that_came_as_json(text: str, told: str) -> None:
    assert prose(text) == told


@pytest.mark.timeout(20)
def test_a_text_that_does_not_end_is_left_in_little_time() -> None:
    assert json_object('{"a":"' + '\\"' * 40_000) == {"a": ""}


@pytest.mark.parametrize("text", ['{"' * 4000, '{"a":' * 4000, "{" * 9000])
def test_what_degenerates_holds_nothing(text: str) -> None:
    assert not json_object(text)


@given(
    st.text(alphabet=st.characters(exclude_characters="{")),
    st.dictionaries(st.text(), st.integers() | st.text(), min_size=1),
    st.text(alphabet=st.characters(exclude_characters="{")),
)
def test_an_object_is_found_whatever_stands_around_it(
    before: str, value: dict[str, object], after: str
) -> None:
    assert json_object(before + json.dumps(value) + after) == well_formed_values(value)


@given(st.text(alphabet=st.characters(exclude_categories=()) | st.characters(categories=["Cs"])))
def test_well_formed_text_can_be_written_and_nothing_else_changes(text: str) -> None:
    well_formed(text).encode()
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert well_formed(text) == text
