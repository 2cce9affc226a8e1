"""The strategy kinds: three queries in one call; and questions that are asked back."""

import json
from typing import Any

import pytest

from clinfo.pipelines.literature.events import QuestionAskedBack
from clinfo.runs.events import Answered, RunFailed
from clinfo.runs.protocols import ModelRequest
from tests.fakes import FakeModel, FakeSource, articles, request, run_events, sensible_reply

KINDS = {
    "narrow": "vitamin D AND falls AND adults",
    "broad": "vitamin D AND falls",
    "studies": "vitamin D AND falls AND systematic[sb]",
    "ask_back": "",
}


def writing(said: dict[str, str] | str) -> FakeModel:
    """A model that writes this in place of queries."""

    def reply(request: ModelRequest) -> str:
        if request.stage != "question2query":
            return sensible_reply(request)
        return said if isinstance(said, str) else json.dumps(said)

    return FakeModel(reply)


def test_one_call_writes_three_queries_each_of_its_kind() -> None:
    model = writing(KINDS)
    last = run_events(request(strategy="kinds"), model, FakeSource(articles(9)))[-1]
    assert isinstance(last, Answered)
    assert [one.form for one in model.asked if one.stage == "question2query"] == ["kinds"]
    queries = last.answer["queries"]
    assert [one["breadth"] for one in queries] == ["narrow", "broad", "studies"]
    assert [one["text"] for one in queries] == [KINDS[one["breadth"]] for one in queries]


def test_the_same_query_is_sent_once_and_prose_leads_to_seeds() -> None:
    model = writing(KINDS | {"studies": "Vitamin d  AND Falls"})
    last = run_events(request(strategy="kinds"), model, FakeSource(articles(9)))[-1]
    assert isinstance(last, Answered)
    assert len(last.answer["queries"]) == 2

    last = run_events(
        request(strategy="kinds"), writing("vitamin D AND falls"), FakeSource(articles(9))
    )[-1]
    assert isinstance(last, Answered)
    assert any("The strategy kinds could not be used" in one for one in last.answer["warnings"])
    assert last.answer["references"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "ASK: For which condition?"),
        ({"strategy": "kinds"}, {"narrow": "", "ask_back": "For which condition?"}),
        ({"strategy": "pico"}, {"population": "", "ask_back": "For which condition?"}),
    ],
)
def test_a_question_that_cannot_be_searched_is_asked_back(
    fields: dict[str, Any], said: dict[str, str] | str
) -> None:
    source = FakeSource(articles(9))
    events = run_events(request(**fields), writing(said), source)
    (back,) = (one for one in events if isinstance(one, QuestionAskedBack))
    assert back.text == "For which condition?"
    last = events[-1]
    assert isinstance(last, RunFailed)
    assert last.exit_status == 2
    assert "For which condition?" in last.problem
