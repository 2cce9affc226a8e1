"""Typed replies: what is asked for, what is read out of what models write, what of it is
grounded.
"""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from clinfo.runs.events import CostIncurred
from clinfo.runs.protocols import Message, ModelReply, ModelRequest
from clinfo.runs.replies import (
    AlsoCalled,
    Figure,
    Listed,
    OutOf,
    Quotation,
    Reply,
    grounded,
    layout_of,
    read,
    recorded,
    schema_of,
    typed,
)
from clinfo.runs.run_log import RunLog


class Effect(Reply):
    """An effect as printed."""

    measure: str | None = None
    estimate: Annotated[float | None, Figure()] = None
    p: Annotated[str | None, Figure()] = None


class Study(Reply):
    """The finding of a study."""

    prose = "finding"
    finding: Annotated[str, Field(description="one sentence")]
    n: Annotated[int | None, Figure(), AlsoCalled(("sample size",))] = None
    marks: Annotated[int | None, OutOf(10)] = None
    result: Literal["found benefit", "no clear difference"] | None = None
    randomised: bool | None = None
    effect: Effect | None = None
    terms: Annotated[tuple[str, ...], Listed()] = ()
    quotes: tuple[Annotated[str, Quotation()], ...] = ()


class Quote(Reply):
    """Words of an article."""

    article: int
    words: str


class Entry(Reply):
    """A verdict on one sentence."""

    label: str
    quotes: tuple[Quote, ...] = ()
    reason: str = ""
    verdict: Literal["supported", "partial", "not verified"]


class Verdicts(Reply):
    """Verdicts on sentences."""

    verdicts: tuple[Entry, ...]


class Tree(Reply):
    """A form that holds itself."""

    op: Literal["and", "has"]
    args: tuple[Tree, ...] = ()


def test_the_schema_is_closed_and_asks_for_every_field() -> None:
    assert schema_of(Verdicts) == {
        "type": "object",
        "properties": {
            "verdicts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "label": {"type": "string"},
                        "quotes": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "article": {"type": "integer"},
                                    "words": {"type": "string"},
                                },
                                "required": ["article", "words"],
                                "additionalProperties": False,
                            },
                        },
                        "reason": {"type": "string"},
                        "verdict": {
                            "type": "string",
                            "enum": ["supported", "partial", "not verified"],
                        },
                    },
                    "required": ["label", "quotes", "reason", "verdict"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["verdicts"],
        "additionalProperties": False,
    }


def test_what_may_be_missing_may_be_null() -> None:
    fields = schema_of(Study)["properties"]
    assert fields["n"] == {"type": ["integer", "null"]}
    assert fields["result"] == {
        "type": ["string", "null"],
        "enum": ["found benefit", "no clear difference", None],
    }
    assert [one["type"] for one in fields["effect"]["anyOf"]] == ["object", "null"]
    assert "$defs" not in json.dumps(schema_of(Study))


def test_a_form_that_holds_itself_is_referred_to() -> None:
    schema = schema_of(Tree)
    assert schema["type"] == "object"
    assert schema["properties"]["args"]["items"] == {"$ref": "#/$defs/Tree"}
    assert schema["$defs"]["Tree"]["required"] == ["op", "args"]
    assert read(Tree, '{"op": "and", "args": [{"op": "has", "args": []}]}') == Tree(
        op="and", args=(Tree(op="has"),)
    )


def test_the_layout_says_the_same_in_words() -> None:
    assert layout_of(Verdicts).splitlines()[1] == (
        '{"verdicts": [{"label": "…", "quotes": [{"article": number, "words": "…"}], "reason": "…",'
        ' "verdict": "supported" | "partial" | "not verified"}]}'
    )
    assert '"finding": "one sentence", "n": number or null' in layout_of(Study)
    assert '"randomised": true | false or null' in layout_of(Study)


@pytest.mark.parametrize(
    ("written", "field", "value"),
    [
        ('"n = 1,511"', "n", 1511),
        ("1511.0", "n", 1511),
        ('{"value": 40, "unit": "people"}', "n", 40),
        ('{"value": "found benefit", "why": "p"}', "result", "found benefit"),
        ('"12 of 50"', "n", None),
        ("[40]", "n", 40),
        ('"8 out of 10"', "marks", 8),
        ('"8/20"', "marks", None),
        ('""', "n", None),
        ('"No_Clear-Difference."', "result", "no clear difference"),
        ('"FOUND BENEFIT (in women)"', "result", "found benefit"),
        ('"found benefit or no clear difference"', "result", None),
        ('"unknown"', "result", None),
        ('"Yes"', "randomised", True),
        ('"maybe"', "randomised", None),
        ('"a; b, c"', "terms", ("a", "b", "c")),
        ('["a, b", null, 3, ["c"]]', "terms", ("a, b", "3", "c")),
        ('{"first": "a", "second": ["b"]}', "terms", ("a", "b")),
        ("null", "terms", ()),
        ('"words, with a comma"', "quotes", ("words, with a comma",)),
        ('""', "effect", None),
        ('"{\\"measure\\": \\"RR\\"}"', "effect", Effect(measure="RR")),
        ('{"Measure": "RR", "estimate": "−0.98", "other": 1}', "effect",
         Effect(measure="RR", estimate=-0.98)),
    ],
)  # fmt: skip
def test_fields_are_read_leniently(written: str, field: str, value: Any) -> None:
    said = read(Study, f'{{"finding": "F.", "{field}": {written}}}')
    assert said is not None
    assert getattr(said, field) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"finding": "Fewer fell.", "n": 40}',
        '{"answer": {"finding": "Fewer fell.", "n": 40}}',
        '{"type": "object", "properties": {"finding": "Fewer fell.", "n": 40}}',
        '{"result": {"finding": "Fewer fell.", "n": 40}}',
        '[{"Finding": "Fewer fell.", "Sample-Size": "40"}]',
        'Say {"finding": "an example"}. So:\n```json\n{"finding": "Fewer fell.", "n": 40,}\n```',
        '{"finding": "Fewer fell.", "n": 40}\n{"note": "that is all"}',
        '<think>{"finding": "No"}</think>{"finding": "Fewer fell.", "n": 40}',
        "**Finding:** Fewer fell.\n**n:** 40",
    ],
)
def test_the_reply_is_found_in_its_wrapping(text: str) -> None:
    assert read(Study, text) == Study(finding="Fewer fell.", n=40)


@pytest.mark.parametrize(
    "text", ["", "{}", '{"n": 40}', '{"finding": null}', '{"finding": "n/a"}', "<think>Fewer fell."]
)
def test_what_must_be_given_and_is_not_is_no_reply(text: str) -> None:
    assert read(Study, text) is None


def test_objects_of_which_none_can_be_read_are_no_empty_list() -> None:
    assert read(Verdicts, '{"verdicts": [{"label": "S1", "verdict": "excellent"}]}') is None
    assert read(Verdicts, '{"verdicts": [{"label": "S1", "quotes": [{"article": 1, "wo') is None
    assert read(Verdicts, '{"verdicts": [{"label": "", "verdict": null}]}') == Verdicts(verdicts=())
    assert read(Verdicts, '{"verdicts": []}') == Verdicts(verdicts=())


def test_prose_fills_the_field_that_is_prose() -> None:
    assert read(Study, "The trial found\nno effect.") == Study(finding="The trial found no effect.")
    assert read(Verdicts, "All are supported.") is None


@pytest.mark.parametrize(
    "text",
    [
        '{"verdicts": [{"label": "S1", "verdict": "partial"}, {"label": 2, "verdict": "SUPPORTED"}'
        "]}",
        '[{"label": "S1", "verdict": "partial"}, {"label": "2", "verdict": "supported"}]',
        '{"label": "S1", "verdict": "partial"}\n{"label": "2", "verdict": "supported"}',
        '{"S1": {"verdict": "partial"}, "2": {"verdict": "supported"}}',
        '{"verdicts": {"S1": {"verdict": "partial"}, "2": {"verdict": "supported"}}}',
        '{"verdicts": {"S1": "partial", "2": "supported"}}',
        '{"S1": "partial", "2": "supported"}',
        '{"verdicts": [{"label": "S1", "verdict": "partial"}, {"label": "2", "verdict": "supported"'
        '}, {"label": "S3", "quotes": [{"article": 1, "wo',
        '{"verdicts": [{"label": "S1", "verdict": "partial"}, {"label": "2", "verdict": "supported"'
        '}, {"label": "S4", "verdict": "excellent"}, null]}',
    ],
)
def test_lists_come_in_many_shapes(text: str) -> None:
    assert read(Verdicts, text) == Verdicts(
        verdicts=(Entry(label="S1", verdict="partial"), Entry(label="2", verdict="supported"))
    )


class Told(Verdicts):
    """Verdicts with a line before and words after them."""

    line: str = ""
    words: tuple[str, ...] = ()


class Words(Reply):
    """A list of texts first."""

    words: tuple[str, ...] = ()
    line: str | None = None


def test_a_list_alone_is_the_list_of_objects_or_else_of_the_first_texts() -> None:
    entry = '[{"label": "S1", "verdict": "partial"}]'
    for text in (entry, entry[1:-1], f'{{"answer": {entry}}}'):
        said = read(Told, text)
        assert said is not None
        assert said.verdicts == (Entry(label="S1", verdict="partial"),)
    assert read(Words, '["age"]') == Words(words=("age",))
    assert read(Words, "[]") == Words()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["n", "effect", "a"]), inner),
)


@given(
    st.text()
    | VALUES.map(json.dumps)
    | st.fixed_dictionaries({"finding": VALUES, "effect": VALUES, "terms": VALUES}).map(json.dumps)
)
def test_any_text_is_a_reply_or_none(text: str) -> None:
    said = read(Study, text)
    assert said is None or said.finding
    assert read(Verdicts, text) is None or True


def test_figures_that_do_not_stand_in_the_text_are_emptied_and_counted() -> None:
    said = Study(
        finding="F.",
        n=1511,
        effect=Effect(measure="RR", estimate=-0.98, p="<0.001"),
        quotes=("fewer fell", "nobody fell"),
    )
    text = "In 1\u202f511 adults fewer fell (MD −0.98, 95% CI -1.2 to -0.7; p < 0.001)."
    assert grounded(said, text) == (said, 0)
    changed, emptied = grounded(
        said, "In 1,511 adults (MD 0.98; p = 0.01)", lambda quotation, _: None
    )
    assert emptied == 4
    assert changed.n == 1511
    assert changed.effect == Effect(measure="RR")
    assert changed.quotes == ()


@pytest.mark.parametrize(
    ("value", "text", "stands"),
    [
        ("0.5 to 0.7", "0.5-0.7", True),
        ("0.5", "0·50", True),
        ("-2.1", "a fall of 2.1 kg", False),
        ("2.1", "a change of −2.1 kg", False),
        ("12", "Twelve women", True),
        ("14.7 %", "14.7%", True),
        ("14.7", "147", False),
        ("45310", "45 310 adults", True),
        ("1.2", "11.25", False),
        ("<.05", "P<0.05", True),
    ],
)
def test_a_figure_stands_where_its_digits_and_sign_do(value: str, text: str, stands: bool) -> None:
    _, emptied = grounded(Effect(p=value), text)
    assert emptied == (0 if stands else 1)


class Scripted:
    """Replies in order, and what was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[str, ModelRequest]] = []

    async def __call__(self, call: str, request: ModelRequest) -> ModelReply:
        self.asked.append((call, request))
        text = self.replies.pop(0)
        return ModelReply(text, "scripted", warnings=() if text else ("scripted: It refused.",))


REQUEST = ModelRequest("verify", (Message("system", "Judge."), Message("user", "S1: yes")))


def test_one_that_cannot_be_read_is_asked_for_once_more_with_the_layout() -> None:
    ask = Scripted("hm", '{"finding": "F."}')
    said = asyncio.run(typed(ask, "call", REQUEST, Study))
    assert said.value == Study(finding="hm"), "prose is read"
    ask = Scripted("hm", '{"verdicts": []}')
    answer = asyncio.run(typed(ask, "call", REQUEST, Verdicts))
    assert (answer.value, answer.model) == (Verdicts(verdicts=()), "scripted")
    (first, _), (again, second) = ask.asked
    assert (first, again, second.attempt) == ("call", "call again", 1)
    assert [message.content for message in second.messages[2:]] == [
        "hm",
        f"Your reply could not be read. {layout_of(Verdicts)}",
    ]
    ask = Scripted("hm", "hm")
    assert asyncio.run(typed(ask, "call", REQUEST, Verdicts)).value is None


def test_what_was_recorded_is_read_of_the_second_asking_too() -> None:
    first = CostIncurred(call="call", where="s", model="m", reply="hm")
    second = CostIncurred(call="call again", where="s", model="m", reply='{"verdicts": []}')
    assert recorded(RunLog([first]), "call", Verdicts) is None
    assert recorded(RunLog([first, second]), "call", Verdicts) == Verdicts(verdicts=())


def test_a_reply_without_a_word_is_not_asked_for_again() -> None:
    ask = Scripted("")
    said = asyncio.run(typed(ask, "call", REQUEST, Verdicts))
    assert (said.value, said.withheld, len(ask.asked)) == (None, "It refused.", 1)
