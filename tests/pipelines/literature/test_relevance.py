"""Reading yes and no out of what models really reply."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pipelines.literature.declared import PROMPTS
from clinfo.pipelines.literature.relevance import NO_ABSTRACT, UNREADABLE, judge, parse_judgement
from clinfo.records.articles import Article, Section
from clinfo.runs.protocols import ModelReply, ModelRequest

YES = [
    "No abstract available; judged by the title, the answer is yes.",
    '{"relevant": "yes", "reason": "a trial of it"}',
    '{"relevant": true}',
    '```json\n{"relevant": "Yes"}\n```',
    "yes",
    "Yes.",
    "**Yes**",
    "Yes, although it is not relevant for children.",
    "Relevant",
    "Relevant: yes",
    "Answer: yes",
    "True",
    "The article is relevant.",
    "This trial is directly relevant to the question.",
    "I think the answer is yes",
    'Sure! {"Relevant": "yes", "reason": "no harm"} Hope it helps',
    "Relevant to the question",
    '{"relevant": "yes", "reason": "The "other" drug"}',
    "{'relevant': 'yes', 'reason': 'x'}",
    '{"relevant": true, "reason": "cut o',
    "No doubt this is relevant.",
]
NO = [
    "Is the article relevant? No.",
    "**Is it relevant?** No",
    "Nothing here is relevant",
    "None of this is relevant",
    "Neither is relevant",
    "No relevance to the question",
    "No - another drug",
    '{"relevant": "no", "reason": "another drug"}',
    '{"relevant": false, "reason": "yes"}',
    "no",
    "No.",
    "NO, it is about mice",
    "Not relevant",
    "not relevant.",
    "irrelevant",
    "Irrelevant: a study of plants",
    "Answer: no",
    "The answer is no.",
    "False",
    "It is not relevant",
    "The article isn't really relevant",
    "This is not at all relevant here",
    "Relevance: No",
    '{"relevant": "no", "reason": "The "other" drug"}',
    '{"relevant": "no", "reason": "cut off',
    "{'relevant': 'no'}",
    '{"relevant": "no"',
    "**Relevant**: No",
    "Relevant? No.",
    "Relevant (no)",
    "Relevant or not: no",
    "```json\n{'relevant': false",
    '{"relevant": "not relevant"}',
    '{"relevant": "Irrelevant"}',
    "No, but it is relevant to another question",
]
UNCLEAR = [
    "No abstract was given",
    "No information was provided",
    '{"relevant": "no information"}',
    "No idea",
    "Yes and no",
    "It is unclear whether the article is relevant.",
    "Cannot determine if this is relevant",
    "Is it relevant?",
    "There is no reason to think it is relevant",
    '{"relevant": "yes" or "no", "reason": "x"}',
    "",
    "  \n",
    "I cannot say",
    "{}",
    '{"relevant": null}',
    '{"relevant": "yes or no"}',
    "yes/no",
    '{"relevant": "maybe"}',
    "42",
    '{"relevant',
    '{"relevant": "',
    '{"relevant": yes or no',
    "Relevant or not?",
    '{"reason": "yes"}',
    "{",
    "It is relevant to adults and it is not relevant to children",
]


@pytest.mark.parametrize("text", YES)
def test_yes(text: str) -> None:
    assert parse_judgement(text)[0] is True


@pytest.mark.parametrize("text", NO)
def test_no(text: str) -> None:
    assert parse_judgement(text)[0] is False


@pytest.mark.parametrize("text", UNCLEAR)
def test_neither_is_none(text: str) -> None:
    assert parse_judgement(text)[0] is None


def test_reasons_are_kept() -> None:
    assert parse_judgement('{"relevant": "no", "reason": "another drug"}')[1] == "another drug"
    assert parse_judgement("No, it is about mice") == (False, "it is about mice")


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert parse_judgement(text)[0] in (True, False, None)


def test_a_degenerate_reply_is_read() -> None:
    assert parse_judgement("!" * 200_000)[0] is None
    assert parse_judgement("relevant " * 50_000)[0] is True


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
    assert '"relevant": "yes" or "no"' in ask.asked[0][1].messages[0].content
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
    assert "one JSON object" in ask.asked[0][1].messages[-1].content


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
