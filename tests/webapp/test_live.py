"""The page of a run that goes on: what changes on it leads from any version of it to any later one,
and says what happened.
"""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask

from clinfo.pipelines.literature.events import ArticleSummarised
from clinfo.records.articles import RunRequest
from clinfo.runs.events import Event, RunFailed
from tests.webapp import recorded
from tests.webapp.watched import (
    asked,
    eventful,
    form,
    messages,
    patched,
    stored_events,
    tree,
    watch_page,
)
from webapp.pipelines.literature.declared import reading_left
from webapp.records import Lease
from webapp.storage.store import Store

pytestmark = pytest.mark.slow


class Playing:
    """A run in the app's database, whose events this test appends as a worker would."""

    def __init__(
        self, app: Flask, request: RunRequest, events: Sequence[Event], visitor: str | None = None
    ) -> None:
        self.store: Store = app.extensions["clinfo"].store
        self.events = list(events)
        self.at = 0
        self.id = self.store.create(request, visitor=visitor).id
        self.lease: Lease | None = None

    def claim(self) -> None:
        claimed = self.store.claim("a test", 600.0)
        assert claimed is not None
        self.lease = claimed[1]
        assert self.lease.run_id == self.id

    def add(self, count: int = 1, **end: Any) -> None:
        assert self.lease is not None
        new = self.events[self.at : self.at + count]
        self.store.append(self.lease, [(event, time.time()) for event in new], 600.0, **end)
        self.at += len(new)

    @property
    def last_seq(self) -> int:
        return self.at - 1


def demo_events(folder: Path) -> tuple[RunRequest, list[Event]]:
    """A real run of the chain, but for its answer."""
    request = recorded.request(max_seconds=20)
    events = recorded.events_of(request, folder)
    assert events[-1].type == "answer"
    return request, events[:-1]


def eventful_run(_: Path) -> tuple[RunRequest, list[Event]]:
    request = asked()
    return request, eventful(request)


RUNS = pytest.mark.parametrize("run", [demo_events, eventful_run], ids=["demo", "eventful"])


# ---- what changes


@RUNS
@pytest.mark.parametrize("frame", [5, 1000])
def test_changes_lead_from_any_page_to_any_later_one(
    app: Flask, tmp_path: Path, run: Any, frame: int
) -> None:
    """However many events a process takes at a time, and wherever a viewer's page was rendered."""
    request, events = run(tmp_path)
    stored = stored_events(events)
    with app.app_context():
        seen, whole = {}, {}
        page = watch_page(app, request)
        for event in [None, *stored]:
            page.take([event] if event else [])
            seen[page.seq], whole[page.seq] = page.html, _document(page)
        live = watch_page(app, request)
        for start in range(0, len(stored), frame):
            live.take(stored[start : start + frame])
            for after in {-1, start, max(-1, live.seq - 3), live.seq}:
                changes = live.changes(seen[after])
                once = patched(tree(whole[after]), changes)
                assert form(once) == form(tree(whole[live.seq])) == form(patched(once, changes))
        assert live.changes(seen[live.seq]) == []


def _document(page: Any) -> str:
    return (
        "<html><body><div "
        "id='watch' "
        f"data-seq='{page.seq}'>{''.join(map(page.part, page.html))}</div></body></html>"
    )


def test_the_end_is_told_and_then_there_is_no_more(app: Flask, url: str) -> None:
    request, events = eventful_run(Path())
    playing = Playing(app, request, events)
    playing.claim()
    playing.add(20)
    failed = RunFailed(
        seq=20,
        problem="the model is gone",
        error="ModelError",
        exit_status=4,
        retryable=True,
        after=20,
    )
    playing.events[20] = failed
    playing.add(1, end="failed", problem=failed.problem, retryable=True)
    with requests.get(
        f"{url}/runs/{playing.id}/live", params={"after": 4}, stream=True, timeout=60
    ) as answer:
        said = list(messages(answer.iter_lines()))
    assert [one["over"] for one in said] == [True]
    after = requests.get(
        f"{url}/runs/{playing.id}/live", headers={"Last-Event-ID": said[-1]["id"]}, timeout=60
    )
    assert after.status_code == 204


# ---- what it says


@pytest.fixture
def whole(app: Flask) -> Any:
    """The last page of the eventful run."""
    request, events = eventful_run(Path())
    page = watch_page(app, request)
    page.take(stored_events(events))
    return page


def text(page: Any, name: str) -> str:
    return re.sub(r"\s+", " ", " ".join(tree(str(page.part(name))).itertext())).strip()


def test_queries_tell_what_became_of_them(whole: Any) -> None:
    queries = tree(str(whole.part("queries")))
    said = [re.sub(r"\s+", " ", one.text_content()) for one in queries]
    assert "46 hits" in said[0]
    assert "A bracket was closed" in said[0]
    assert "It is long." in said[0]
    assert "3 hits" in said[1]
    assert "It found nothing; without “zinc”" in said[1]
    assert "Nothing more can be left out" in said[1]
    assert "the same as query 1" in said[2]
    assert "PubMed answered 500" in said[4]
    links = [one.xpath(".//a/@href") for one in queries]
    assert links[0] == ["https://pubmed.ncbi.nlm.nih.gov/?term=drug%20%5Btiab%5D"] * 2, (
        "the hits and the query"
    )
    assert "9 articles found" in text(whole, "found")
    assert "population adults" in text(whole, "understood").lower()


def test_articles_tell_what_became_of_them(whole: Any) -> None:
    said = [re.sub(r"\s+", " ", card.text_content()) for card in tree(str(whole.part("articles")))]
    expected = [
        "Excluded",
        "Relevant",
        "Not relevant",
        "unreadable",
        "Relevant",
        "Not judged",
        "Relevant",
        "Not judged",
        "Relevant",
    ]
    assert all(word in card for word, card in zip(expected, said, strict=True))
    assert "retracted" in said[0]
    assert "expression of concern" in said[1]
    assert "Fewer died with drug A" in said[1]
    assert "412" in said[1]
    assert "it is about children" in said[2]
    assert "Could not be summarised: the model did not answer" in said[4]
    assert "ranked below" in said[5]
    assert "ranked below the number that is summarised" in said[6]
    assert "not read by the deadline" in said[7]
    assert "left out of the synthesis" in said[8]


def test_a_sentence_that_is_not_supported_says_why(whole: Any) -> None:
    synthesis = tree(str(whole.part("synthesis")))
    sentences = synthesis.xpath("./span")
    assert sentences[0].xpath(".//*[contains(@class, 'verdict')]") == []
    assert sentences[1].xpath(".//*[contains(@class, 'verdict')]") == []  # by rule, of old
    words = (
        "not supported",
        "contradicted by its source",
        "without a citation",
    )
    for sentence, word in zip(sentences[2:], words, strict=True):
        (mark,) = sentence.xpath(".//a[contains(@class, 'verdict')]")
        assert word in mark.text_content()
        why = synthesis.get_element_by_id(mark.get("href")[1:]).getparent()
        assert "because" in why.text_content()
    assert sentences[0].xpath(".//a/@href") == ["#ref-1", "#ref-2"]
    cards = tree(str(whole.part("articles")))
    assert cards.get_element_by_id("ref-1").xpath("ancestor::li/@id") == ["article-1"]
    assert "1 sentence removed" in text(whole, "synthesis-state")


def test_the_first_reading_is_quoted_until_the_tldr_is_written(app: Flask) -> None:
    request, events = eventful_run(Path())
    first, second = [
        place
        for place, event in enumerate(events)
        if isinstance(event, ArticleSummarised) and event.summary
    ][:2]
    for place, quote in ((first, "Deaths fell with drug A."), (second, "A later sentence.")):
        event = events[place]
        assert isinstance(event, ArticleSummarised)
        assert event.summary is not None
        events[place] = replace(event, summary=replace(event.summary, quotes=(quote,)))
    stored = stored_events(events)
    page = watch_page(app, request)
    page.take(stored[:first])
    assert "From one study" not in text(page, "tldr")
    page.take(stored[: first + 1])
    early = text(page, "tldr")
    assert "“Deaths fell with drug A.”" in early
    assert "From one study so far" in early
    written = next(place for place, event in enumerate(events) if event.type == "tldr_text")
    page.take(stored[:written])
    assert "“Deaths fell with drug A.”" in text(page, "tldr")
    page.take(stored[: written + 1])
    assert "From one study" not in text(page, "tldr")


def test_until_it_is_checked_the_tldr_stands_as_a_draft(app: Flask) -> None:
    request, events = eventful_run(Path())
    stored = stored_events(events)
    written = next(event.seq for event in events if event.type == "tldr_text")
    page = watch_page(app, request)
    page.take(stored[: written + 1])
    assert text(page, "tldr").startswith("Draft, being checked")
    assert "Unchecked words" in text(page, "tldr")
    page.take(stored)
    assert "Drug A may help" in text(page, "tldr")
    assert "Draft" not in text(page, "tldr")
    assert "Unchecked words" not in text(page, "tldr")


# ---- the page around it


@pytest.mark.parametrize("seconds", [2.0, 20.0])
def test_the_time_that_is_left_is_an_estimate_from_this_run(
    app: Flask, tmp_path: Path, seconds: float
) -> None:
    """Reading at a steady pace takes as long as is foretold: within the first half to a factor of
    two, later to a third of the whole; nothing is foretold before three articles are through.
    """
    request, events = demo_events(tmp_path)
    first = next(n for n, event in enumerate(events) if event.type == "articles_fetched")
    work = [e.seq for e in events if e.type in ("article_judged", "article_summarised")]
    page, ends, told = watch_page(app, request), 10.0 + seconds, 0
    for event in events:
        steps = sum(seq <= event.seq for seq in work)
        at = 1.0 if event.seq < first else 10.0 + seconds * steps / len(work)
        page.take(stored_events([replace(event, t=at)]))
        left = reading_left(page.run_log)
        through = [*page.run_log.summaries, *page.run_log.judgements]
        if event.seq < first or len(set(through)) < 3 or "timed read" in page.run_log:
            assert left is None
        elif left is not None:
            told += 1
            assert left >= 0
            if steps > len(work) / 2:
                assert left == pytest.approx(ends - at, abs=seconds / 3)
            else:
                assert (ends - at) / 2 <= left <= 2 * (ends - at)
    assert told >= 5
