"""Runs that follow another one up: what they keep, who may start them, the links between, and what
is new since an earlier run.
"""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from lxml import html

from clinfo.pipelines.literature.answer import answer_json, build_answer
from clinfo.pipelines.literature.events import (
    ArticleExcluded,
    ArticleJudged,
    FollowUpResolved,
    LiteratureLog,
    QuestionsLeft,
)
from clinfo.records.answer import Resolved
from clinfo.runs.events import Answered, Event, RunStarted
from tests.webapp.handmade import QUESTION, handmade
from tests.webapp.recorded import DEMO_QUESTION, app_in, events_of, numbered, request
from tests.webapp.test_run_pages import post, put, seen, words
from webapp.records import StoredRun

MORE = "And in people over 60?"
PROXY = {"trusted_proxies": 1, "user_header": "X-Remote-User"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    asked = request(**{"limits": ["english"], "from": "2005", "per_query": 20})
    return events_of(asked, tmp_path_factory.mktemp("demo"))


def started(app: Flask, response: Any) -> StoredRun:
    assert response.status_code in (202, 303), response.get_data(as_text=True)[-2000:]
    run = app.extensions["clinfo"].store.get(response.headers["Location"].rpartition("/")[2])
    assert isinstance(run, StoredRun)
    return run


def pmids(events: list[Event]) -> list[str]:
    return [one.pmid for one in LiteratureLog(events).relevant if one.pmid]


def test_a_new_question_is_asked_alone_and_filters_and_articles_are_kept_as_told(app, client, demo):
    parent = put(app, demo)
    follow = {"parent": parent.id, "question": MORE}
    run = started(app, client.post("/api/v1/runs", json=follow))
    assert run.parent == parent.id
    assert (run.request.question, run.request.follows) == (MORE, DEMO_QUESTION)
    assert run.request.limits == ("english",)
    assert run.request.published_from == date(2005, 1, 1)
    assert run.request.own_queries == ()
    assert run.request.models == {**parent.request.models, "resolve": "extractive"}
    assert run.request.per_query == 20

    run = started(app, client.post("/api/v1/runs", json={**follow, "keep": ["articles"]}))
    assert (run.request.question, run.request.follows) == (MORE, None)
    assert run.request.own_queries == (" OR ".join(f"{one}[pmid]" for one in pmids(demo)),)
    assert run.request.limits == ()
    run = started(app, client.post("/api/v1/runs", json={**follow, "keep": ["filters"]}))
    assert (run.request.question, run.request.follows) == (MORE, None)
    assert (run.request.limits, run.request.own_queries) == (("english",), ())
    run = started(app, client.post("/api/v1/runs", json={**follow, "keep": "question"}))
    assert (run.request.question, run.request.follows) == (MORE, DEMO_QUESTION)
    assert (run.request.limits, run.request.published_from) == ((), None)
    run = started(app, client.post("/api/v1/runs", json={"parent": parent.id, "to": "2020"}))
    assert (run.request.question, run.request.follows) == (DEMO_QUESTION, None)
    removed = {"from": None, "to": "2020", "limits": ["rct"]}
    run = started(app, client.post("/api/v1/runs", json={**follow, **removed}))
    assert (run.request.published_from, run.request.limits) == (None, ("rct",))
    assert run.request.published_to == date(2020, 12, 31)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"parent": "nowhere"}, "parent"),
        ({"parent": 3}, "parent"),
        ({"keep": ["question"]}, "keep"),
        ({"parent": "PARENT", "keep": ["prompts"]}, "keep"),
        ({"parent": "PARENT", "keep": 3}, "keep"),
        ({"parent": "PARENT", "keep": ["filters"], "question": None}, "question"),
        ({"parent": "RUNNING"}, "parent"),
    ],
)
def test_what_cannot_be_followed_is_named(app, client, demo, fields, field):
    store = app.extensions["clinfo"].store
    ids = {"PARENT": put(app, demo).id, "RUNNING": put(app, demo[:3], "running").id}
    before = sum(store.counts().values())
    given = {name: ids.get(str(value), value) for name, value in fields.items()}
    refused = client.post("/api/v1/runs", json={"question": MORE, **given})
    assert refused.status_code == 422
    assert [one["field"] for one in refused.get_json()["errors"]] == [field]
    assert sum(store.counts().values()) == before


def test_only_who_may_read_a_run_may_follow_it_up(tmp_path, demo):
    app = app_in(tmp_path, **PROXY)
    client, parent = app.test_client(), put(app, demo, owner="zoe")
    fields = {"question": MORE, "parent": parent.id}
    other = client.post("/api/v1/runs", json=fields, headers={"X-Remote-User": "max"})
    none = client.post("/api/v1/runs", json={**fields, "parent": "no" + parent.id[2:]})
    assert other.status_code == none.status_code == 422
    assert other.get_json()["errors"] == none.get_json()["errors"]
    page = client.post(f"/runs/{parent.id}/follow", headers={"X-Remote-User": "max"})
    assert page.status_code in (400, 404)  # no token of a form is to be had either
    hers = started(app, client.post("/api/v1/runs", json=fields, headers={"X-Remote-User": "zoe"}))
    assert (hers.parent, hers.owner) == (parent.id, "zoe")


def test_the_page_asks_a_follow_up_and_both_runs_lead_to_each_other(app, client, demo):
    parent = put(app, demo)
    page = seen(client, f"/runs/{parent.id}")
    sent = page.xpath(
        "//form[@id='next']//input[@name='keep'] | //input[@form='next' and @checked]"
    )
    assert [one.get("value") for one in sent] == ["question", "filters"]
    assert page.xpath("//input[@id='follow-from']/@value") == ["2005-01-01"]
    said = words(page.xpath("//section[contains(@class, 'foot')]")[0])
    assert "Asked alone: without a language model" in said
    asked = {"question": MORE, "keep": ["question", "filters"]}
    run = started(app, post(client, f"/runs/{parent.id}/follow", f"/runs/{parent.id}", **asked))
    assert (run.parent, run.request.own_queries) == (parent.id, ())
    assert (run.request.question, run.request.follows) == (MORE, DEMO_QUESTION)
    down = f"//div[contains(@class, 'followed')]//a[@href='/runs/{run.id}']"
    assert seen(client, f"/runs/{parent.id}").xpath(down)
    assert not seen(app.test_client(), f"/runs/{parent.id}").xpath(down)  # none of theirs
    app.extensions["clinfo"].store.ask_cancel(run.id)
    up = f"//div[contains(@class, 'followed')]//a[@href='/runs/{parent.id}']"
    assert seen(client, f"/runs/{run.id}").xpath(up)
    told = client.get(f"/api/v1/runs/{parent.id}").get_json()
    assert (told["parent"], told["follow_ups"]) == (None, [run.id])
    assert client.get(f"/api/v1/runs/{run.id}").get_json()["parent"] == parent.id
    app.extensions["clinfo"].store.delete(parent.id)
    assert not seen(client, f"/runs/{run.id}").xpath(up)


def test_a_follow_up_that_was_resolved_shows_what_was_understood_and_asks_again_with_it(
    app, client
):
    parent = put(app, handmade())
    events = resolved("rewritten", "Does drug A reduce mortality in children?", ("a child is <18",))
    assert section(app, put(app, events, again_of=parent.id)) is None  # another question
    run = put(app, events)
    page = seen(client, f"/runs/{run.id}")
    box = page.xpath("//div[contains(@class, 'understood')]")[0]
    assert "Understood as: Does drug A reduce mortality in children? (a child is <18)" in words(box)
    assert box.xpath(".//textarea")[0].text.strip() == "Does drug A reduce mortality in children?"
    kept = {one.get("name"): one.get("value") for one in box.xpath(".//input[@name='keep']")}
    edited = {"question": "Does drug A reduce mortality in girls?", **kept}
    again = started(app, post(client, f"/runs/{run.id}/follow", f"/runs/{run.id}", **edited))
    assert (again.request.question, again.request.follows) == (edited["question"], None)
    more = {"parent": run.id, "question": "And harms?"}
    later = started(app, client.post("/api/v1/runs", json=more))
    assert later.request.follows == "Does drug A reduce mortality in children?"
    for asked in ({"to": "2020"}, {"question": QUESTION}):  # the same, with other filters or none
        same = started(app, client.post("/api/v1/runs", json={"parent": run.id, **asked}))
        assert (same.request.question, same.request.follows) == (
            "Does drug A reduce mortality in children?",
            None,
        )
    fields = {"question": QUESTION, "source": "demo", "parent": run.id}
    same = started(app, post(client, "/", "/", **fields))
    assert same.request.question == "Does drug A reduce mortality in children?"
    form = seen(client, f"/?again={run.id}").xpath("//textarea[@name='question']")[0]
    assert form.text.strip() == "Does drug A reduce mortality in children?"


@pytest.mark.parametrize("how", ["no model", "unusable"])
def test_a_follow_up_that_was_asked_as_typed_says_so(app, client, how):
    run = put(app, resolved(how, QUESTION))
    said = words(seen(client, f"/runs/{run.id}").xpath("//div[contains(@class, 'understood')]")[0])
    assert said.startswith("Asked alone, as typed: ")
    assert "Asked alone, as typed" in client.get(f"/runs/{run.id}.md").get_data(as_text=True)
    assert client.get(f"/runs/{run.id}.json").get_json()["resolved"]["how"] == how


def test_a_model_suggests_questions_that_are_asked_as_follow_ups(app, client):
    events = handmade()
    left = QuestionsLeft(questions=("In children?", "<b>What</b> are the harms?"))
    run = put(app, numbered([*events[:-1], left, events[-1]]))
    offered = seen(client, f"/runs/{run.id}").xpath("//form[@class='suggestion']//button")
    assert [one.get("value") for one in offered] == list(left.questions)
    asked = {"question": "In children?", "keep": ["question", "filters"]}
    new = started(app, post(client, f"/runs/{run.id}/follow", f"/runs/{run.id}", **asked))
    assert (new.request.question, new.request.follows) == ("In children?", QUESTION)


def test_without_a_model_nothing_is_suggested(app, client, demo):
    page = seen(client, f"/runs/{put(app, demo).id}")
    assert page.xpath("//form[@id='next']")
    assert not page.xpath("//form[@class='suggestion']")


def resolved(how: str, question: str, assumptions: tuple[str, ...] = ()) -> list[Event]:
    """The handmade run as one that followed up another question."""
    first, *rest = handmade()
    assert isinstance(first, RunStarted)
    asked = replace(first.request, follows="Is it safe?")
    event = FollowUpResolved(resolved=Resolved("Is it safe?", question, how, assumptions))
    events = numbered([replace(first, request=asked), event, *rest[:-1]])
    return [*events, Answered(answer=answer_json(build_answer(events)), seq=len(events))]


def test_the_address_of_a_run_is_not_given_away_with_that_of_its_follow_up(app, client, demo):
    parent = put(app, demo)
    client.get("/")  # the browser's cookie
    run = started(app, client.post("/api/v1/runs", json={"parent": parent.id, "question": MORE}))
    stranger = app.test_client()
    assert stranger.get(f"/api/v1/runs/{run.id}").json["parent"] is None
    assert parent.id not in stranger.get(f"/runs/{run.id}").get_data(as_text=True)


# ---- what is new since an earlier run


def without(id: str) -> list[Event]:
    """The handmade run in which an article is retracted."""
    events = [
        event
        for event in handmade()
        if not (isinstance(event, ArticleJudged) and event.judgement.id == id)
    ]
    place = next(i for i, event in enumerate(events) if isinstance(event, ArticleExcluded))
    events.insert(place, ArticleExcluded(id=id, reason="retracted: made up"))
    return numbered(events)


def section(app: Flask, run: StoredRun, headers: dict[str, str] | None = None) -> Any:
    """The section that says what is new, or None."""
    answer = app.test_client().get(f"/runs/{run.id}", headers=headers)
    assert answer.status_code == 200
    return next(iter(html.fromstring(answer.data).xpath("//section[@class='since']")), None)


def said(node: Any) -> str:
    return " ".join(node.text_content().split())


def test_a_run_asked_again_says_what_is_gone_right_after_the_tldr(app: Flask) -> None:
    earlier = put(app, handmade())
    later = put(app, without("pmid:102"), again_of=earlier.id)
    found = section(app, later)
    assert "1 study is gone. The TL;DR is the same." in said(found)
    assert "excluded now: retracted: made up." in said(found)
    assert found.xpath(f".//h2/a[@href='/runs/{earlier.id}']")
    page = html.fromstring(app.test_client().get(f"/runs/{later.id}").data)
    assert page.xpath("//section[@class='since']/preceding::section[contains(@class, 'tldr')]")
    links = found.xpath(".//li/a/@href")
    assert links == ["https://pubmed.ncbi.nlm.nih.gov/102/"]
    back = section(app, put(app, handmade(), again_of=later.id))
    assert "1 new study." in said(back)
    assert back.xpath(".//li/a/@href") == ["#ref-2"]


def test_a_private_run_is_not_told_of_through_a_later_one(tmp_path: Path) -> None:
    app = app_in(tmp_path, user_header="X-User", trusted_proxies=1)
    earlier = put(app, handmade(), owner="ada")
    later = put(app, without("pmid:102"), again_of=earlier.id, owner="ada")
    app.extensions["clinfo"].store.share(later.id, True)
    assert section(app, later, {"X-User": "ada"}) is not None
    assert section(app, later, {"X-User": "bob"}) is None
