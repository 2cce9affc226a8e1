"""Runs that follow another one up: what they keep, who may start them, the links between, and what
is new since an earlier run.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from lxml import html

from clinfo.pipelines.literature.events import ArticleExcluded, ArticleJudged, LiteratureLog
from clinfo.runs.events import Event
from tests.webapp.handmade import handmade
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


def test_question_filters_and_articles_are_kept_unless_told_otherwise(app, client, demo):
    parent = put(app, demo)
    follow = {"parent": parent.id, "question": MORE}
    run = started(app, client.post("/api/v1/runs", json=follow))
    assert run.parent == parent.id
    assert run.request.question == f"{DEMO_QUESTION} {MORE}"
    assert run.request.limits == ("english",)
    assert run.request.published_from == date(2005, 1, 1)
    assert run.request.own_queries == (" OR ".join(f"{one}[pmid]" for one in pmids(demo)),)
    assert (run.request.models, run.request.per_query) == (parent.request.models, 20)

    run = started(app, client.post("/api/v1/runs", json={**follow, "keep": ["filters"]}))
    assert run.request.question == MORE
    assert (run.request.limits, run.request.own_queries) == (("english",), ())
    run = started(app, client.post("/api/v1/runs", json={**follow, "keep": "question"}))
    assert run.request.question == f"{DEMO_QUESTION} {MORE}"
    assert (run.request.limits, run.request.published_from) == ((), None)
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
    kept = page.xpath("//form[contains(@action, '/follow')]//input[@name='keep' and @checked]")
    assert [one.get("value") for one in kept] == ["question", "filters", "articles"]
    said = words(page.xpath("//section[contains(@class, 'follow')]")[0])
    assert "In English" in said
    assert "2005-01-01" in said
    asked = {"question": MORE, "keep": ["question", "filters"]}
    run = started(app, post(client, f"/runs/{parent.id}/follow", f"/runs/{parent.id}", **asked))
    assert (run.parent, run.request.own_queries) == (parent.id, ())
    assert run.request.question == f"{DEMO_QUESTION} {MORE}"
    down = f"//section[contains(@class, 'follow')]//a[@href='/runs/{run.id}']"
    assert seen(client, f"/runs/{parent.id}").xpath(down)
    assert not seen(app.test_client(), f"/runs/{parent.id}").xpath(down)  # none of theirs
    app.extensions["clinfo"].store.ask_cancel(run.id)
    up = f"//section[contains(@class, 'follow')]//a[@href='/runs/{parent.id}']"
    assert seen(client, f"/runs/{run.id}").xpath(up)
    told = client.get(f"/api/v1/runs/{parent.id}").get_json()
    assert (told["parent"], told["follow_ups"]) == (None, [run.id])
    assert client.get(f"/api/v1/runs/{run.id}").get_json()["parent"] == parent.id
    app.extensions["clinfo"].store.delete(parent.id)
    assert not seen(client, f"/runs/{run.id}").xpath(up)


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
