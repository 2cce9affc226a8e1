"""Reading yes and no out of what models really reply."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pipelines.literature.declared import PROMPTS
from clinfo.pipelines.literature.relevance import NO_ABSTRACT, UNREADABLE, judge
from clinfo.pipelines.literature.replies import Relevance
from clinfo.records.articles import Article, Section
from clinfo.runs.protocols import ModelReply, ModelRequest
from clinfo.runs.replies import layout_of, read

YES = [
    '{"relevant": "yes", "reason": "a trial of it"}',
    '{"relevant": true}',
    '```json\n{"relevant": "Yes"}\n```',
    "yes",
    "Yes.",
    "**Yes**",
    "Yes, although it is not relevant for children.",
    "Relevant: yes",
    "Answer: yes",
    "True",
    'Sure! {"Relevant": "yes", "reason": "no harm"} Hope it helps',
    '{"relevant": "yes", "reason": "The "other" drug"}',
    "{'relevant': 'yes', 'reason': 'x'}",
    '{"relevant": true, "reason": "cut o',
    '{"relevant": "Yes, directly", "reason": "x"}',
    '[{"relevant": "yes"}]',
    '{"answer": {"relevant": "yes"}}',
    '{"judgement": "yes", "relevance": "yes"}',
    '"{\\"relevant\\": \\"yes\\"}"',
    'It may be {"relevant": "no"}? {"relevant": "yes"}',
    '<think>{"relevant": "no"}</think>yes',
    "<relevant>yes</relevant><reason>it fits</reason>",
]
NO = [
    "No - another drug",
    '{"relevant": "no", "reason": "another drug"}',
    '{"relevant": false, "reason": "yes"}',
    "no",
    "No.",
    "NO, it is about mice",
    "Answer: no",
    "False",
    "Relevance: No",
    '{"relevant": "no", "reason": "The "other" drug"}',
    '{"relevant": "no", "reason": "cut off',
    "{'relevant': 'no'}",
    '{"relevant": "no"',
    "**Relevant**: No",
    "```json\n{'relevant': false",
    "No, but it is relevant to another question",
    "relevant: no\nreason: about mice",
]
UNCLEAR = [
    "No abstract was given",
    "The article is relevant.",
    "Not relevant",
    '{"relevant": "no information"}',
    "No idea",
    "Yes and no",
    "Is it relevant?",
    '{"relevant": "yes" or "no", "reason": "x"}',
    "",
    "  \n",
    "{}",
    '{"relevant": null}',
    '{"relevant": "yes or no"}',
    "yes/no",
    '{"relevant": "maybe"}',
    "42",
    '{"relevant',
    '{"relevant": "',
    '{"reason": "yes"}',
    "{",
]


def said(text: str) -> bool | None:
    found = read(Relevance, text)
    return None if found is None else found.relevant == "yes"


@pytest.mark.parametrize("text", YES)
def test_yes(text: str) -> None:
    assert said(text) is True


@pytest.mark.parametrize("text", NO)
def test_no(text: str) -> None:
    assert said(text) is False


@pytest.mark.parametrize("text", UNCLEAR)
def test_neither_is_none(text: str) -> None:
    assert said(text) is None


def test_reasons_are_kept() -> None:
    found = read(Relevance, '{"relevant": "no", "reason": "another drug"}')
    assert found is not None
    assert found.reason == "another drug"


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert said(text) in (True, False, None)


def test_a_degenerate_reply_is_read() -> None:
    assert said("!" * 200_000) is None
    assert said("relevant: " * 50_000) is None


class Scripted:
    """Replies in order, and what was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[str, ModelRequest]] = []

    async def __call__(self, call: str, request: ModelRequest) -> ModelReply:
        self.asked.append((call, request))
        return ModelReply(self.replies.pop(0), "scripted")


PROMPT = PROMPTS.parse("relevance", PROMPTS.defaults()["relevance"])
ARTICLE = Article(
    id="pmid:1",
    title="Braces {title} and 5 % of \\n",
    sections=(Section("Text {question} 100%", "RESULTS"),),
)


def test_title_abstract_and_format_are_shown_untouched() -> None:
    ask = Scripted('{"relevant": "yes", "reason": "fits"}')
    judgement = asyncio.run(judge("Does {abstract} help?", ARTICLE, PROMPT, ask))
    shown = ask.asked[0][1].messages[-1].content
    assert "Braces {title} and 5 % of \\n" in shown
    assert "RESULTS: Text {question} 100%" in shown
    assert "Does {abstract} help?" in shown
    assert ask.asked[0][1].layout == layout_of(Relevance)
    assert (judgement.relevant, judgement.reason, judgement.judge, judgement.flags) == (
        True,
        "fits",
        "scripted",
        (),
    )


def test_the_format_is_asked_for_whatever_the_prompt_says() -> None:
    ask = Scripted("no")
    prompt = PROMPTS.parse("relevance", "{question} {title} {abstract}")
    assert asyncio.run(judge("Q", ARTICLE, prompt, ask)).relevant is False
    assert "one JSON object" in ask.asked[0][1].in_words().messages[-1].content


def test_an_unreadable_reply_is_asked_again_once_then_kept_and_flagged() -> None:
    ask = Scripted("hm", "hm")
    judgement = asyncio.run(judge("Q", ARTICLE, PROMPT, ask))
    assert judgement.relevant is None
    assert judgement.flags == (UNREADABLE,)
    assert [call for call, _ in ask.asked] == ["relevance pmid:1", "relevance pmid:1 again"]
    assert [request.attempt for _, request in ask.asked] == [0, 1]
    ask = Scripted("hm", "no")
    assert asyncio.run(judge("Q", ARTICLE, PROMPT, ask)).relevant is False


def test_without_an_abstract_the_title_is_judged_and_flagged() -> None:
    ask = Scripted("yes")
    judgement = asyncio.run(judge("Q", Article(id="pmid:2", title="T"), PROMPT, ask))
    assert judgement.flags == (NO_ABSTRACT,)
    assert "(no abstract)" in ask.asked[0][1].messages[-1].content
