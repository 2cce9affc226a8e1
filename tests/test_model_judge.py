"""The model judge: what it is asked, how its replies are read, and how two verdicts become one."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.model_judge import GROUP_SENTENCES, SEVERITY, UNREAD, combined, judged, read_verdicts
from clinfo.prompts import default_prompts, parse
from clinfo.protocols import ModelReply, ModelRequest
from clinfo.records import Article, JudgeChoice, Section, Sentence, Span, Study, Verdict

PROMPT = parse("verify", default_prompts()["verify"])
ABSTRACT = "We gave zinc to 40 adults. Colds were two days shorter\nwith zinc than with placebo."
STUDIES = (
    Study(1, Article("pmid:1", "Zinc for colds", sections=(Section(ABSTRACT),)), None),
    Study(2, Article("pmid:2", "Syrup for colds", sections=(Section("Syrup did nothing."),)), None),
)


def sentence(text: str, *cites: int, verdict: Verdict = "partial") -> Sentence:
    return Sentence("synthesis", text, cites, verdict, "by rules")


def reply(*entries: dict[str, object]) -> str:
    return "Here it is:\n```json\n" + json.dumps({"verdicts": entries}) + "\n```"


def ask(text: str, sentences: list[Sentence], choice: JudgeChoice = "model") -> tuple[list[ModelRequest], tuple[Sentence, ...]]:
    asked: list[ModelRequest] = []

    async def answer(call: str, request: ModelRequest) -> ModelReply:
        asked.append(request)
        return ModelReply(text, "a-judge")

    return asked, asyncio.run(judged(sentences, STUDIES, choice, "synthesis", PROMPT, answer))


def test_a_verdict_with_words_of_the_article_counts_and_shows_where_they_stand():
    quote = {"article": 1, "words": "two days shorter with ZINC…"}
    entry = {"label": "S1", "verdict": "Supported", "reason": "It says so.", "quotes": [quote]}
    asked, (judgement,) = ask(reply(entry), [sentence("Zinc shortens colds by 2 days [1].", 1)])
    assert (judgement.verdict, judgement.why, judgement.judges) == ("supported", "It says so.", ("a-judge",))
    (span,) = judgement.spans
    assert ABSTRACT[span.start : span.end] == "two days shorter\nwith zinc"
    assert len(asked) == 1
    text = asked[0].messages[-1].content
    assert "S1: Zinc shortens colds by 2 days [1]." in text
    assert ABSTRACT.splitlines()[0] in text
    assert "Syrup" not in text
    assert asked[0].temperature == 0.0


def test_quoted_letters_that_have_a_longer_form_are_found_as_they_stand():
    study = Study(1, Article("pmid:1", "Die Größe der Straße", sections=(Section("Nichts."),)), None)

    async def answer(call: str, request: ModelRequest) -> ModelReply:
        quote = {"article": 1, "words": "die Größe der Straße"}
        return ModelReply(reply({"label": "S1", "verdict": "supported", "reason": "Yes.", "quotes": [quote]}), "a-judge")

    (found,) = asyncio.run(judged([sentence("It is large [1].", 1)], [study], "model", "synthesis", PROMPT, answer))
    assert (found.verdict, found.spans) == ("supported", (Span(1, "title", 0, 20),))


@pytest.mark.parametrize(
    ("quotes", "why"),
    [
        ([], "it quoted nothing"),
        ([{"article": 1, "words": "three days shorter"}], "its quotation stands in no cited article"),
        ([{"article": 2, "words": "Syrup did nothing"}], "its quotation stands in no cited article"),
        ("two days", "it quoted nothing"),
        ([{"article": 1, "words": "the"}], "its quotation is too short to prove anything"),
        ([{"article": 1, "words": "than with placebo."}], "its quotation is too short to prove anything"),
        ([{"article": 1, "words": "ays shorter with zin"}], "its quotation stands in no cited article"),
        ([{"article": 1, "words": "0 adults"}], "its quotation stands in no cited article"),
    ],
)
def test_support_without_words_of_the_article_is_partial(quotes, why):
    entry = {"label": "S1", "verdict": "supported", "reason": "Yes.", "quotes": quotes}
    _, (judgement,) = ask(reply(entry), [sentence("Zinc works.", 1)])
    assert judgement.verdict == "partial"
    assert judgement.why.endswith(why)


@pytest.mark.parametrize("words", ["zinc to 40", "40 adults", "with zinc than with placebo", "Zinc for colds"])
def test_a_figure_or_two_content_words_of_the_article_carry_a_verdict(words):
    entry = {"label": "S1", "verdict": "supported", "reason": "Yes.", "quotes": [{"article": 1, "words": words}]}
    _, (judgement,) = ask(reply(entry), [sentence("Zinc works.", 1)])
    assert (judgement.verdict, judgement.why) == ("supported", "Yes.")


OTHERS = [reply({"label": "S2", "verdict": "supported"}), reply({"label": "S1", "verdict": "fine"})]


@pytest.mark.parametrize("text", ["", "no idea", "{}", '{"verdicts": 3}', *OTHERS])
def test_a_verdict_that_cannot_be_read_leaves_that_of_the_rules(text):
    _, (judgement,) = ask(text, [sentence("Zinc works [1].", 1, verdict="unsupported")])
    assert (judgement.verdict, judgement.judges) == ("unsupported", ("rules",))
    assert judgement.why == f"by rules; {UNREAD}"


def test_sentences_go_in_groups_of_one_call_each_and_those_without_citation_stay():
    sentences = [sentence(f"Claim {number} [1].", 1) for number in range(2 * GROUP_SENTENCES + 1)]
    sentences.insert(3, sentence("It is a matter of taste.", verdict="uncited"))
    asked, judgements = ask("{}", sentences)
    assert len(asked) == 3
    assert judgements[3] == sentences[3]
    assert ask("{}", [sentences[3]])[0] == []
    assert ask("{}", sentences, "rules") == ([], tuple(sentences))


@pytest.mark.parametrize("rules", list(SEVERITY))
@pytest.mark.parametrize("model", ["supported", "partial", "unsupported", "contradicted"])
def test_of_two_verdicts_the_graver_stands_but_for_wording_that_was_not_found(rules, model):
    by_model = Sentence("synthesis", "Zinc.", (1,), model, "said", (Span(1, "abstract", 0, 2),), judges=("a-judge",))
    both = combined(sentence("Zinc.", 1, verdict=rules), by_model)
    if (rules, model) == ("partial", "supported"):
        assert both.verdict == "supported"
    else:
        assert SEVERITY[both.verdict] == max(SEVERITY[rules], SEVERITY[model])
    assert both.judges == ("rules", "a-judge")
    assert both.why == "rules: by rules; a-judge: said"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(JSON)
def test_any_reply_is_read_without_an_error(value):
    read_verdicts(json.dumps(value))
    read_verdicts(json.dumps({"verdicts": value}))
    entry = {"label": "S1", "verdict": "supported", "reason": value, "quotes": [{"article": value, "words": value}]}
    _, (judgement,) = ask(json.dumps({"verdicts": [entry]}), [sentence("Zinc works [1].", 1)], "both")
    assert judgement.verdict in SEVERITY
