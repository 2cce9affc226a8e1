"""The page of a run that goes on, in a real browser: what the changes make of it, and what they
leave alone.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from clinfo.pipelines.literature.answer import answer_json, build_answer
from clinfo.runs.events import Answered
from tests.webapp.browser.conftest import PHONE, Tabs
from tests.webapp.running import free_port
from tests.webapp.serving import served
from tests.webapp.small_app import small_app
from tests.webapp.test_live import Playing
from tests.webapp.watched import asked, eventful

pytestmark = pytest.mark.slow

AS_RENDERED = """() => {
  const watch = document.getElementById('watch').cloneNode(true);
  watch.removeAttribute('data-seq');
  for (const id of ['left', 'connection', 'announcement']) watch.querySelector('#' + id).remove();
  for (const one of watch.querySelectorAll('[name=csrf_token]')) one.removeAttribute('value');
  for (const one of watch.querySelectorAll('.fresh')) one.classList.remove('fresh');
  for (const one of watch.querySelectorAll('[class=""]')) one.removeAttribute('class');
  for (const one of watch.querySelectorAll('details')) { one.removeAttribute('open'); one.removeAttribute('data-folds-after'); }
  return watch.innerHTML;
}"""  # noqa: E501
SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver(list => { for (const one of list.getEntries()) window.shifts.push(one.value); })
    .observe({type: 'layout-shift'});
  window.said = [];
  const place = document.getElementById('announcement');
  new MutationObserver(() => window.said.push(place.textContent)).observe(place, {childList: true});
}"""  # noqa: E501
LOW = {"width": 1280, "height": 700}
TOP = "id => document.getElementById(id).getBoundingClientRect().top"


@pytest.fixture
def tabs(browser: Browser, app: Flask) -> Iterator[Tabs]:
    """The tabs close before their server does: a page still loading would see its connection
    reset.
    """
    with served(app, free_port()) as address:
        opened = Tabs(browser, address)
        faults = []
        try:
            yield opened
        finally:
            faults = opened.close()
        assert faults == []


@pytest.fixture
def playing(app: Flask) -> Playing:
    request = asked()
    found = Playing(app, request, eventful(request))
    found.claim()
    return found


def reached(page: Page, seq: int) -> None:
    expect(page.locator("#watch")).to_have_attribute("data-seq", str(seq))


def at(playing: Playing, type: str) -> int:
    """The number of events up to and with the last one of a type."""
    return 1 + max(event.seq for event in playing.events if event.type == type)


def end(playing: Playing) -> None:
    """Append the answer, which ends the run."""
    seq = len(playing.events)
    playing.events.append(
        Answered(seq=seq, t=seq / 10, answer=answer_json(build_answer(playing.events)))
    )
    playing.add(1, end="done")


def answered(page: Page, playing: Playing) -> None:
    """End the run and see the answer take the place of what was watched."""
    end(playing)
    expect(page.locator("#watch")).to_have_count(0)
    expect(page.locator("#announcement")).to_have_text("The answer is ready")


def test_a_watched_page_is_the_page_as_loaded_and_nothing_moves(
    tabs: Tabs, playing: Playing
) -> None:
    """By the browser's own measure of what moved without being asked to, 0.1 and less is good
    (web.dev/cls); steps are announced, and not every word.
    """
    playing.add(3)
    page = tabs.open(f"/runs/{playing.id}", viewport=PHONE)
    page.wait_for_timeout(500)
    page.evaluate(SHIFTS)
    began = time.monotonic()
    while playing.at < len(playing.events):
        playing.add()
        time.sleep(0.06)
    reached(page, playing.last_seq)
    page.wait_for_function("() => window.said.length > 0", timeout=60_000)
    assert sum(page.evaluate("() => window.shifts")) < 0.1
    said = page.evaluate("() => window.said")
    assert 1 <= len(said) <= 2 + (time.monotonic() - began) / 5, "at most one in five seconds"
    assert "Sentence" not in " ".join(said)
    live = page.locator("[aria-live], [role=status], [role=alert], [role=log]")
    assert [one.get_attribute("id") for one in live.all()] == ["announcement"]
    fresh = tabs.open(f"/runs/{playing.id}", viewport=PHONE)
    assert page.evaluate(AS_RENDERED) == fresh.evaluate(AS_RENDERED)


def test_a_lost_connection_is_said_and_made_good(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    first = small_app(tmp_path)
    request = asked()
    playing = Playing(first, request, eventful(request))
    playing.claim()
    tabs = Tabs(browser, f"http://127.0.0.1:{port}")
    tabs.allow("ERR_")
    with served(first, port):
        page = tabs.open(f"/runs/{playing.id}")
        playing.add(30)
        reached(page, playing.last_seq)
        expect(page.locator("#connection")).to_be_hidden()
    expect(page.locator("#connection")).to_be_visible(timeout=60_000)
    playing.add(12)
    with served(small_app(tmp_path), port):
        expect(page.locator("#connection")).to_be_hidden(timeout=60_000)
        playing.add(100)
        reached(page, playing.last_seq)
        fresh = tabs.open(f"/runs/{playing.id}")
        assert page.evaluate(AS_RENDERED) == fresh.evaluate(AS_RENDERED)
        assert tabs.close() == []


def test_what_the_reader_opened_and_where_the_focus_is_stay(tabs: Tabs, playing: Playing) -> None:
    page = tabs.open(f"/runs/{playing.id}", viewport=PHONE)
    playing.add(at(playing, "query_generated"))
    search = page.locator("#queries-part > details")
    expect(search).to_have_attribute("open", "")
    playing.add(at(playing, "article_judged") - playing.at)
    reached(page, playing.last_seq)
    expect(search).not_to_have_attribute("open", "")  # it folds once the articles are there
    search.locator("summary").first.click()
    card = page.locator("#article-1 summary")
    card.click()
    card.focus()
    assert "Fewer died" not in page.locator("#article-1").inner_text()
    playing.add(100)
    reached(page, playing.last_seq)
    expect(page.locator("#article-1")).to_contain_text("Fewer died with drug A")
    expect(page.locator("#article-1 details")).to_have_attribute("open", "")
    expect(search).to_have_attribute("open", "")  # the reader's choice is kept
    assert page.evaluate("() => document.activeElement.closest('li').id") == "article-1"


@pytest.mark.parametrize(
    ("watched", "answer", "viewport"),
    [("article-1", "ref-1", LOW), ("article-2", "article-2", PHONE), ("s3", "s3", PHONE)],
    ids=["studies", "not in the answer", "sentence"],
)
def test_what_is_read_stays_where_it_is_when_the_run_ends(
    tabs: Tabs, playing: Playing, watched: str, answer: str, viewport: Any
) -> None:
    """The element that has the focus keeps its place in the window, and the focus; a card that is
    open stays open, or comes along where the answer has none.
    """
    page = tabs.open(f"/runs/{playing.id}", viewport=viewport)
    playing.add(100)
    reached(page, playing.last_seq)
    focused = page.locator(f"#{watched}").locator("summary, a").first
    focused.focus()
    if watched.startswith("article"):
        focused.click()
    page.evaluate("() => window.scrollBy({top: 150, behavior: 'instant'})")
    page.wait_for_timeout(200)
    before = page.evaluate(TOP, watched)
    answered(page, playing)
    # A card of the live page is a row of the answer that opens, or comes along where none does.
    answer = answer if page.locator(f"#{watched}").count() == 0 else watched
    assert page.evaluate(TOP, answer) == pytest.approx(before, abs=4)
    assert page.evaluate("id => document.activeElement.closest('#' + id) !== null", answer)
    if watched.startswith("article"):
        expect(page.locator(f"#{answer} details").first).to_have_attribute("open", "")


def test_trusted_types_are_required(tabs: Tabs, playing: Playing) -> None:
    """The script needs one policy, and nothing but it makes HTML of text."""
    tabs.allow("TrustedHTML|TrustedTypePolicy|trusted-types")
    page = tabs.open(f"/runs/{playing.id}")
    playing.add(100)
    reached(page, playing.last_seq)
    expect(page.locator("#tldr")).to_contain_text("Drug A may help")
    for script, told in (
        ("document.createElement('p').innerHTML = '<b>x</b>'", "TrustedHTML"),
        ("window.trustedTypes.createPolicy('other', {createHTML: html => html})", "disallowed"),
    ):
        with pytest.raises(Exception, match=told):
            page.evaluate(f"() => {{ {script}; }}")
