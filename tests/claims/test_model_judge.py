"""The model judge: what it is asked, and how its replies are read."""

import asyncio
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.claims.joining import TOLD, Opinion
from clinfo.claims.model_judge import GROUP_SENTENCES, OWN_TEXT, Verdicts, opinions
from clinfo.errors import ModelError
from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.records.articles import Article, Part, Section, Sentence, Study
from clinfo.runs.protocols import ModelReply, ModelRequest
from clinfo.runs.replies import read

PROMPT = PROMPTS.parse("verify", PROMPTS.defaults()["verify"])
ABSTRACT = "We gave zinc to 40 adults. Colds were two days shorter\nwith zinc than with placebo."
STUDIES = (
    Study(1, Article("pmid:1", "Zinc for colds", sections=(Section(ABSTRACT),)), None),
    Study(2, Article("pmid:2", "Syrup for colds", sections=(Section("Syrup did nothing."),)), None),
)


def sentence(text: str, *cites: int, part: Part = "synthesis") -> Sentence:
    return Sentence(part, text, cites, "not_verified", "", judges=())


def reply(*entries: dict[str, object]) -> str:
    return "Here it is:\n```json\n" + json.dumps({"verdicts": entries}) + "\n```"


def ask(
    text: str | ModelError, sentences: list[Sentence], own: bool = False, question: str = ""
) -> tuple[list[ModelRequest], dict[int, Opinion]]:
    asked: list[ModelRequest] = []
    places = [place for place, one in enumerate(sentences) if one.cites]

    async def answer(call: str, request: ModelRequest) -> ModelReply:
        asked.append(request)
        if isinstance(text, ModelError):
            raise text
        return ModelReply(text, "a-judge")

    found = opinions(sentences, places, STUDIES, "text", PROMPT, answer, own=own, question=question)
    return asked, asyncio.run(found)[0]


def test_a_verdict_with_words_of_the_article_counts_and_shows_where_they_stand():
    quote = {"article": 1, "words": "two days shorter with ZINC…"}
    entry = {"label": "S1", "verdict": "Supported", "reason": "It says so.", "quotes": [quote]}
    asked, found = ask(reply(entry), [sentence("Zinc shortens colds by 2 days [1].", 1)])
    judgement = found[0]
    assert (judgement.verdict, judgement.reason, judgement.judge) == (
        "supported",
        "It says so.",
        "a-judge",
    )
    (span,) = judgement.spans
    whole = "Colds were two days shorter\nwith zinc than with placebo."
    assert ABSTRACT[span.start : span.end] == whole, "the sentence that holds the words"
    assert len(asked) == 1
    text = asked[0].messages[-1].content
    assert "S1: Zinc shortens colds by 2 days [1]." in text
    assert ABSTRACT.splitlines()[0] in text
    assert "Syrup" not in text
    assert asked[0].temperature == 0.0


@pytest.mark.parametrize(
    ("quotes", "why"),
    [
        ([], "it quoted nothing"),
        (
            [{"article": 1, "words": "three days shorter"}],
            "its quotation is not in any cited article",
        ),
        (
            [{"article": 2, "words": "Syrup did nothing"}],
            "its quotation is not in any cited article",
        ),
        ("", "it quoted nothing"),
        ("three days", "its quotation is not in any cited article"),
        ([{"article": 1, "words": "the"}], "its quotation is too short to prove anything"),
        (
            [{"article": 1, "words": "than with placebo."}],
            "its quotation is too short to prove anything",
        ),
        (
            [{"article": 1, "words": "ays shorter with zin"}],
            "its quotation is not in any cited article",
        ),
        ([{"article": 1, "words": "0 adults"}], "its quotation is not in any cited article"),
        ([{"article": 1, "words": "41 adults"}], "its quotation is not in any cited article"),
    ],
)
def test_support_without_words_of_the_article_is_no_verdict(quotes, why):
    entry = {"label": "S1", "verdict": "supported", "reason": "Yes.", "quotes": quotes}
    judgement = ask(reply(entry), [sentence("Zinc works.", 1)])[1][0]
    assert judgement.verdict is None
    assert judgement.reason.endswith(why)


OTHERS = [reply({"label": "S2", "verdict": "supported"}), reply({"label": "S1", "verdict": "fine"})]
OTHERS += [reply({"label": "S1", "verdict": verdict}) for verdict in ("not_verified", "uncited")]


def test_a_judge_that_fails_gives_no_verdict_and_one_of_its_own_text_is_named_so():
    (failed,) = ask(ModelError("out of order"), [sentence("Zinc works [1].", 1)])[1].values()
    assert (failed.verdict, failed.reason) == (
        None,
        "the model judge gave no verdict (out of order)",
    )
    entry = {"label": "S1", "verdict": "unsupported", "reason": "No."}
    (own,) = ask(reply(entry), [sentence("Zinc works [1].", 1)], own=True)[1].values()
    assert (own.judge, own.own) == (f"a-judge {OWN_TEXT}", True)


def test_sentences_go_in_groups_of_one_call_each_and_those_without_citation_are_not_asked_of():
    sentences = [sentence(f"Claim {number} [1].", 1) for number in range(2 * GROUP_SENTENCES + 1)]
    sentences.insert(3, sentence("It is a matter of taste."))
    asked, found = ask("{}", sentences)
    assert len(asked) == 3
    assert set(found) == set(range(len(sentences))) - {3}
    assert ask("{}", [sentences[3]]) == ([], {})


def test_a_sentence_is_shown_with_what_stands_before_it_and_with_the_notes_on_it() -> None:
    first, second = sentence("Zinc was given."), sentence("It helped 9 people [1].", 1)
    second = replace(second, notes=("9 stands in none of [1]",))
    (asked,), _ = ask("{}", [first, second])
    said = asked.messages[-1].content
    assert "S2: It helped 9 people [1].\n  (it follows: “Zinc was given.”)" in said
    assert "(note: 9 stands in none of [1])" in said


def test_each_article_that_is_cited_must_be_quoted() -> None:
    both = sentence("Zinc helped, syrup did not [1][2].", 1, 2)
    quotes = [{"article": 1, "words": "two days shorter with zinc"}]
    entry: dict[str, object] = {"label": "S1", "verdict": "supported", "quotes": quotes}
    (lacking,) = ask(reply(entry), [both])[1].values()
    assert (lacking.verdict, lacking.lowered) == ("partial", True)
    assert lacking.reason == "nothing is quoted from [2]"
    entry["quotes"] = [*quotes, {"article": 2, "words": "Syrup did nothing."}]
    (whole,) = ask(reply(entry), [both])[1].values()
    assert (whole.verdict, whole.lowered) == ("supported", False)


@pytest.mark.parametrize(
    ("said", "answers"),
    [
        ({"answers": "no", "answers_reason": "It is of coughs."}, ("no", "It is of coughs.")),
        ({"answers": "In part"}, ("in part", "")),
        ({"answers": "perhaps"}, None),
        ({}, None),
    ],
)
def test_the_tldr_is_judged_with_the_question_and_the_text(
    said: dict[str, str], answers: tuple[str, str] | None
) -> None:
    sentences = [
        sentence("Zinc helps [1].", 1, part="tldr"),
        sentence("Colds were shorter with zinc [1].", 1),
    ]
    asked: list[ModelRequest] = []

    async def answer(call: str, request: ModelRequest) -> ModelReply:
        asked.append(request)
        return ModelReply(json.dumps({"verdicts": [], **said}), "a-judge")

    found = opinions(
        sentences, [0, 1], STUDIES, "text", PROMPT, answer, question="Does zinc cure colds?"
    )
    told = asyncio.run(found)[1]
    assert (told and (told.said, told.reason)) == answers
    assert len(asked) == 1
    content = asked[0].messages[-1].content
    assert "S1: (TL;DR) Zinc helps [1]." in content
    assert "Does zinc cure colds?" in content
    assert content.count("Colds were shorter with zinc [1].") == 1, "it is listed already"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_any_reply_is_read_without_an_error(value):
    assert read(Verdicts, json.dumps(value)) is None or True
    said = read(Verdicts, json.dumps({"verdicts": value}))
    assert said is None or all(one.label for one in said.verdicts)
    entry = {
        "label": "S1",
        "verdict": "supported",
        "reason": value,
        "quotes": [{"article": value, "words": value}],
    }
    _, found = ask(json.dumps({"verdicts": [entry]}), [sentence("Zinc works [1].", 1)])
    assert found[0].verdict in (None, *TOLD)
