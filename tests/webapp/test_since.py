"""What is new on the page of a run that repeats an earlier one, over the real app and database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from lxml import html

from clinfo.pipelines.literature.events import ArticleExcluded, ArticleJudged
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.runs.events import Event
from tests.webapp.handmade import handmade
from tests.webapp.recorded import app_in, events_of, numbered, request, stored
from webapp.records import StoredRun


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    return app_in(tmp_path)


def put(app: Flask, events: Sequence[Event], **options: Any) -> StoredRun:
    started = LiteratureLog(events).started
    assert started is not None
    return stored(app.extensions["clinfo"].store, started.request, events, **options)


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


def test_a_run_asked_again_says_what_is_gone_above_the_tldr(app: Flask) -> None:
    earlier = put(app, handmade())
    later = put(app, without("pmid:102"), again_of=earlier.id)
    found = section(app, later)
    assert "1 study is gone. The TL;DR is the same." in said(found)
    assert "excluded now: retracted: made up." in said(found)
    assert found.xpath(f".//h2/a[@href='/runs/{earlier.id}']")
    page = html.fromstring(app.test_client().get(f"/runs/{later.id}").data)
    assert page.xpath("//section[@class='since']/following::section[contains(@class, 'tldr')]")
    links = found.xpath(".//li/a/@href")
    assert links == ["https://pubmed.ncbi.nlm.nih.gov/102/"]
    back = section(app, put(app, handmade(), again_of=later.id))
    assert "1 new study." in said(back)
    assert back.xpath(".//li/a/@href") == ["#ref-2"]


def test_the_same_chain_twice_has_nothing_new(app: Flask, tmp_path: Path) -> None:
    """Two real runs of the demo corpus, one after the other."""
    first, second = (events_of(request(), tmp_path) for _ in range(2))
    found = section(app, put(app, second, again_of=put(app, first).id))
    assert "Nothing has changed: the same" in said(found)
    assert not found.xpath(".//li")
    assert "Set differently" not in said(found)


def test_what_was_set_differently_is_told(app: Flask, tmp_path: Path) -> None:
    first = put(app, events_of(request(), tmp_path))
    fewer = put(app, events_of(request(max_articles=3), tmp_path), again_of=first.id)
    found = said(section(app, fewer))
    assert "Most articles judged: 3 (then: 100)" in found
    assert "gone" in found


def test_where_there_is_nothing_to_compare_with_nothing_is_said(app: Flask) -> None:
    store = app.extensions["clinfo"].store
    earlier = put(app, handmade())
    assert section(app, earlier) is None
    unfinished = put(app, handmade(end=False), status="failed")
    assert section(app, put(app, handmade(), again_of=unfinished.id)) is None
    stopped = put(app, handmade(end=False), status="failed", again_of=earlier.id)
    assert section(app, stopped) is None
    asked = handmade(replace(LiteratureLog(handmade()).started.request, question="Another?"))
    assert section(app, put(app, asked, again_of=earlier.id)) is None
    later = put(app, handmade(), again_of=earlier.id)
    assert section(app, later) is not None
    store.delete(earlier.id)
    assert section(app, later) is None


def test_a_private_run_is_not_told_of_through_a_later_one(tmp_path: Path) -> None:
    app = app_in(tmp_path, user_header="X-User", trusted_proxies=1)
    earlier = put(app, handmade(), owner="ada")
    later = put(app, without("pmid:102"), again_of=earlier.id, owner="ada")
    app.extensions["clinfo"].store.share(later.id, True)
    assert section(app, later, {"X-User": "ada"}) is not None
    assert section(app, later, {"X-User": "bob"}) is None
