"""One call an article that judges and summarises: when, what is asked for, and what becomes of
its reply.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from clinfo.extractive.model import NOTICE, ExtractiveModel
from clinfo.pipelines.literature.declared import LITERATURE, MODEL_STAGES, PROMPTS
from clinfo.pipelines.literature.events import ArticleJudged, ArticleSummarised
from clinfo.pipelines.literature.reading import in_one_call
from clinfo.pipelines.literature.relevance import UNREADABLE
from clinfo.pipelines.literature.replies import Reading
from clinfo.pipelines.literature.summarize import parse_along
from clinfo.records.articles import RunRequest
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.events import Answered
from clinfo.runs.protocols import ModelRequest
from clinfo.runs.replies import read
from tests.fakes import (
    FakeModel,
    FakeSource,
    articles,
    chain,
    collected,
    reply_in_one,
    request,
    run_events,
    sensible_reply,
)

DEFAULTS = PROMPTS.defaults()
MODELS = dict.fromkeys(MODEL_STAGES, "fake")
EDITED = "Is it so? {question} {title} {abstract}"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"models": {**MODELS, "synthesis": "another"}}, True),
        ({"models": {**MODELS, "summary": "another"}}, False),
        ({"models": dict.fromkeys(MODEL_STAGES, EXTRACTIVE)}, False),
        ({"rerank": 20}, False),
        ({"prompts": {"relevance": EDITED}}, False),
        ({"prompts": {"summary": EDITED}}, False),
        ({"prompts": {"tldr": "{question} {synthesis}"}}, True),
        ({"prompts": DEFAULTS}, True),
        ({"prompts": {"relevance": DEFAULTS["relevance"].strip()}}, True),
    ],
)
def test_when(fields: dict[str, Any], expected: bool) -> None:
    assert in_one_call(request(**fields)) is expected


def stages(model: FakeModel) -> Counter[str]:
    return Counter(asked.stage for asked in model.asked)


def answer_of(run: RunRequest, model: FakeModel) -> dict[str, Any]:
    last = run_events(run, model, FakeSource(articles(9)))[-1]
    assert isinstance(last, Answered)
    return last.answer


def test_the_answer_is_that_of_two_calls() -> None:
    one, two = FakeModel(reply_in_one), FakeModel(sensible_reply)
    answers = [
        answer_of(request(), one),
        answer_of(request(prompts={"summary": EDITED}), two),
    ]
    assert stages(one)["relevance"] == stages(two)["relevance"] == 9
    assert (stages(one)["summary"], stages(two)["summary"]) == (0, 6)
    assert [answer["settings"]["read_in_one_call"] for answer in answers] == [True, False]
    for name in ("tldr", "synthesis", "sentences", "articles", "references", "counts"):
        assert answers[0][name] == answers[1][name]


def test_the_events_of_an_article_stay_two_in_their_order() -> None:
    events = run_events(request(), FakeModel(reply_in_one), FakeSource(articles(9)))
    judged = {event.judgement.id: event for event in events if isinstance(event, ArticleJudged)}
    summarised = {event.id: event for event in events if isinstance(event, ArticleSummarised)}
    assert len(judged) == 9
    assert {id for id, event in judged.items() if event.judgement.relevant} == set(summarised)
    assert all(judged[id].seq < event.seq for id, event in summarised.items())


def test_the_article_comes_last_and_what_is_always_the_same_first() -> None:
    model = FakeModel(reply_in_one)
    answer_of(request(), model)
    read = [asked.messages for asked in model.asked if asked.stage == "relevance"]
    assert len({system.content for system, _ in read}) == 1
    beginnings = {user.content.split("<article ")[0] for _, user in read}
    assert len(beginnings) == 1
    assert request().question in beginnings.pop()
    assert all(user.content.rstrip(">").rpartition("</article ")[1] for _, user in read)


@pytest.mark.parametrize(
    "reply",
    [
        '{"relevant": "yes", "reason": "fits"}',
        '{"relevant": "yes", "reason": "fits", "summary": null}',
        '{"relevant": "yes", "reason": "fits", "summary": {"finding": "cut o',
        "Yes, it fits.",
    ],
)
def test_a_summary_that_did_not_come_is_a_call_of_its_own(reply: str) -> None:
    def replies(asked: ModelRequest) -> str:
        return reply if asked.stage == "relevance" else sensible_reply(asked)

    model = FakeModel(replies)
    answer = answer_of(request(), model)
    assert (stages(model)["relevance"], stages(model)["summary"]) == (9, 9)
    assert answer["articles"][0]["summary"]["finding"].startswith("In 30 adults")


def test_a_reply_that_cannot_be_read_is_flagged_and_its_summary_asked_for() -> None:
    def replies(asked: ModelRequest) -> str:
        return "hm" if asked.stage == "relevance" else sensible_reply(asked)

    model = FakeModel(replies)
    answer = answer_of(request(), model)
    assert (stages(model)["relevance"], stages(model)["summary"]) == (18, 9)
    assert {article["relevant"] for article in answer["articles"]} == {None}
    assert all(UNREADABLE in article["flags"] for article in answer["articles"])
    (warning,) = (one for one in answer["warnings"] if "could not be read" in one)
    assert "Most replies of fake at the stage “relevance” could not be read (9 of 9)" in warning


def test_articles_read_by_rule_leave_the_synthesis_their_own_sentences() -> None:
    run = request(models={**MODELS, "relevance": EXTRACTIVE, "summary": EXTRACTIVE})
    model, by_rule = FakeModel(), ExtractiveModel(LITERATURE.stages)
    made = replace(
        chain(model, FakeSource(articles(9)), run),
        models={**dict.fromkeys(MODEL_STAGES, model), "relevance": by_rule, "summary": by_rule},
    )
    last = collected(made, run)[-1]
    assert isinstance(last, Answered)
    assert set(stages(model)) == {"question2query", "synthesis", "tldr"}
    abstracts = {one.id: f"{one.title} {one.abstract}" for one in articles(9)}
    read = [one for one in last.answer["articles"] if one["summary"]]
    assert read
    assert all(one["summary"]["finding"] in abstracts[one["id"]] for one in read)
    assert NOTICE not in last.answer["notices"]


FOUND = {"finding": "Fewer fell.", "sample_size": 40, "relation": "supports"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"relevant": "yes", "reason": "fits", "summary": FOUND}),
        json.dumps({"relevant": "yes", "reason": "fits", **FOUND}),
        json.dumps({"relevant": "yes", "reason": "fits", "summary": FOUND})[:-1],
        "```json\n" + json.dumps({"relevant": True, "reason": "fits", "summary": FOUND}) + "\n```",
    ],
)
def test_ways_in_which_models_lay_it_out(text: str) -> None:
    said = read(Reading, text)
    assert said is not None
    assert said.relevant == "yes"
    summary = parse_along(text)
    assert summary is not None
    assert (summary.finding, summary.sample_size, summary.stance) == ("Fewer fell.", 40, "supports")


def test_prose_for_a_summary_is_the_finding() -> None:
    summary = parse_along('{"relevant": "yes", "reason": "fits", "summary": "Fewer fell with it."}')
    assert summary is not None
    assert (summary.finding, summary.design) == ("Fewer fell with it.", None)


@pytest.mark.parametrize("stray", ["not relevant", "Not relevant.", "see above", "N/A", "yes"])
def test_a_stray_text_for_a_summary_is_none(stray: str) -> None:
    reply = {"relevant": "yes", "reason": "fits", "summary": stray}
    assert parse_along(json.dumps(reply)) is None
    found = parse_along(json.dumps(reply | {"finding": "Fewer fell."}))
    assert found is not None
    assert found.finding == "Fewer fell."


def test_a_long_reply_is_read_to_its_end() -> None:
    long = {**FOUND, "finding": "Fewer fell, whether yes or no. " * 150}
    text = json.dumps({"relevant": "no", "reason": "fits not", "summary": long})
    said = read(Reading, text)
    assert said is not None
    assert (said.relevant, said.reason) == ("no", "fits not")
