"""Reading of one article: when one call does it, what is asked for, what becomes of the reply."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from clinfo.pipelines.literature.reading_stage import UNREADABLE
from clinfo.pipelines.literature.replies import Finding, Reading, summary_of
from clinfo.pipelines.literature.spending_plan import in_one_call
from clinfo.pipelines.literature.stages import MODEL_STAGES, PROMPTS
from clinfo.records.articles import Article, Effect, RunRequest, Section
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.events import Answered
from clinfo.runs.protocols import ModelRequest
from clinfo.runs.replies import read
from tests.fakes import (
    FakeModel,
    FakeSource,
    articles,
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
def test_when_one_call_does_both(fields: dict[str, Any], expected: bool) -> None:
    assert in_one_call(request(**fields)) is expected


def stages(model: FakeModel) -> Counter[str]:
    return Counter(asked.stage for asked in model.asked)


def answer_of(
    run: RunRequest, model: FakeModel, found: Sequence[Article] | None = None
) -> dict[str, Any]:
    last = run_events(run, model, FakeSource(list(found or articles(9))))[-1]
    assert isinstance(last, Answered)
    return last.answer


def test_a_title_without_abstract_costs_no_call_and_is_counted() -> None:
    found = [replace(one, sections=()) if one.pmid == "5" else one for one in articles(9)]
    model = FakeModel(reply_in_one)
    answer = answer_of(request(), model, found)
    assert stages(model)["relevance"] == 8
    (left,) = (one for one in answer["articles"] if one["id"] == "pmid:5")
    assert (left["relevant"], left["reason"]) == (None, "no abstract to be read")
    assert answer["counts"]["not_assessed"] == 1
    assert "1 article was not judged: no abstract to be read" in answer["warnings"]


def test_the_article_comes_last_and_what_is_always_the_same_first() -> None:
    model = FakeModel(reply_in_one)
    answer_of(request(), model)
    asked = [one.messages for one in model.asked if one.stage == "relevance"]
    assert len({system.content for system, _ in asked}) == 1
    beginnings = {user.content.split("<article ")[0] for _, user in asked}
    assert len(beginnings) == 1
    assert request().question in beginnings.pop()
    assert all(user.content.rstrip(">").rpartition("</article ")[1] for _, user in asked)


@pytest.mark.parametrize(
    "reply", ['{"relevant": "yes", "reason": "fits"}', '{"relevant": "yes", "finding": null}']
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
    judged = answer["articles"]
    assert {one["relevant"] for one in judged} == {None}
    assert all(UNREADABLE in one["flags"] for one in judged)


ARTICLE = Article(
    id="pmid:1",
    title="Zinc in 1,204 adults",
    sections=(
        Section(
            "Of 1,204 adults twelve left. Colds: hazard ratio 0·75 (95% CI 0.60–0.94; p = .01), "
            "21.5 % v 28.1 %. Change −0.98."
        ),
    ),
)
FULL = {
    "relevant": "yes",
    "finding": "Zinc shortened colds.",
    "answer": "yes",
    "result": "Found Benefit",
    "outcome": "colds",
    "design": "RCT",
    "n_randomised": "1,204",
    "n_analysed": 1192,
    "effect": {
        "measure": "hazard ratio",
        "estimate": "0.75",
        "low": "0.60",
        "high": "0.94",
        "level": "95",
        "p": ".01",
    },
    "limits": "short",
    "usefulness": "8/10",
    "quotes": ["Colds: hazard ratio 0.75", "zinc cures all"],
}


def test_fields_are_read_and_what_does_not_stand_there_is_emptied() -> None:
    reply = read(Reading, json.dumps(FULL))
    assert reply is not None
    summary = summary_of(reply, ARTICLE)
    assert summary is not None
    assert (summary.answer, summary.stance, summary.result) == ("yes", "supports", "found benefit")
    assert (summary.design, summary.bias) == ("randomised controlled trial", "short")
    assert (summary.sample_size, summary.analysed) == (1204, None), "1192 stands nowhere"
    assert summary.effect == Effect("HR", "ratio", 0.75, 0.6, 0.94, 95.0, None, None, None, ".01")
    whole = "Colds: hazard ratio 0·75 (95% CI 0.60–0.94; p = .01), 21.5 % v 28.1 %."
    assert summary.quotes == (whole,), "the sentence that holds the words"
    assert summary.ungrounded == 2
    assert summary.usefulness == 8


def test_the_sign_of_a_number_is_never_forgiven() -> None:
    reply = read(Finding, json.dumps({"finding": "x", "effect": {"estimate": "0.98"}}))
    assert reply is not None
    assert summary_of(reply, ARTICLE).effect is None  # type: ignore[union-attr]


def test_not_measured_is_no_stance_for_or_against() -> None:
    told = json.dumps({"finding": "x", "answer": "unclear", "result": "not measured"})
    reply = read(Finding, told)
    assert reply is not None
    summary = summary_of(reply, ARTICLE)
    assert summary is not None
    assert (summary.stance, summary.result) == ("other outcomes", "not measured")


def test_prose_is_kept_as_the_finding_with_no_field() -> None:
    reply = read(Finding, "Zinc shortened colds in adults.")
    assert reply is not None
    summary = summary_of(reply, ARTICLE)
    assert summary is not None
    assert summary.finding == "Zinc shortened colds in adults."
    assert (summary.design, summary.result, summary.sample_size) == (None, None, None)
