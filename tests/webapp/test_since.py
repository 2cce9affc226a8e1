"""What is new on the page of a run that repeats an earlier one, over the real app and database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flask import Flask
from lxml import html

from clinfo.pipelines.literature.events import ArticleExcluded, ArticleJudged
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.runs.events import Event
from tests.webapp.handmade import handmade
from tests.webapp.recorded import app_in, events_of, numbered, request, stored
from webapp.records import StoredRun


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


def test_a_private_run_is_not_told_of_through_a_later_one(tmp_path: Path) -> None:
    app = app_in(tmp_path, user_header="X-User", trusted_proxies=1)
    earlier = put(app, handmade(), owner="ada")
    later = put(app, without("pmid:102"), again_of=earlier.id, owner="ada")
    app.extensions["clinfo"].store.share(later.id, True)
    assert section(app, later, {"X-User": "ada"}) is not None
    assert section(app, later, {"X-User": "bob"}) is None
