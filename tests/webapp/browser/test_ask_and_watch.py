"""From a question to its answer in a real browser, with what may come between them."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.webapp.browser.conftest import PHONE, WAIT, Tabs, World
from tests.webapp.browser.wire import Wire
from tests.webapp.running import DEMO_QUESTION, SCRIPTED

pytestmark = pytest.mark.slow

ANSWER = "p.tldr-text"


def ask(page: Page, question: str = DEMO_QUESTION, model: str = "extractive") -> None:
    """Fill the form in and send it, from the ask page to the page of the run."""
    page.get_by_label("What do the published studies say?").fill(question)
    page.locator("#options > summary").click()
    page.locator("#model").select_option(model)
    page.get_by_role("button", name="Ask", exact=True).last.click()
    page.wait_for_url(re.compile(r"/runs/[\w-]{20,}$"))


def read_synthesis(page: Page) -> str:
    return " ".join(page.locator(".synthesis p.reading").all_inner_texts())


def test_ask_watch_and_read_the_answer(tabs: Tabs, world: World) -> None:
    world.pace(0.3, 0.02)
    page = tabs.open()
    ask(page, model=SCRIPTED)
    # Live: queries with their hits, cards that turn, text that streams, while the run is still
    # going on.
    expect(page.locator("#queries .hits").first).to_be_attached()
    expect(page.locator("li.article").first).to_be_visible()
    expect(page.locator("li.article.relevant").first).to_be_visible()
    expect(page.locator("#synthesis")).to_contain_text(re.compile(r"\w+ \w+"))
    expect(page.get_by_role("button", name="Cancel this run")).to_be_visible()
    assert world.app.run(page.url.rsplit("/", 1)[1])["status"] == "running"

    expect(page.locator(ANSWER)).to_be_visible()
    answer = world.app.run(page.url.rsplit("/", 1)[1])["answer"]
    shown = page.locator(ANSWER).inner_text()
    first = answer["sentences"][0]["text"].split("[")[0].strip()
    assert first[:60] in shown
    for reference in answer["references"]:
        assert reference["title"].rstrip(".")[:50] in page.locator("table.evidence").inner_text()
    expect(page.locator(".notice").first).to_contain_text("Demo corpus")
    expect(page.locator("footer.site")).to_contain_text("Not medical advice")


def test_streamed_text_is_what_the_run_recorded(tabs: Tabs, world: World) -> None:
    """What streams into the page is the recorded text, once and in order, however it was cut into
    changes.
    """
    world.pace(0.1, 0.02)
    page = tabs.open()
    ask(page, model=SCRIPTED)
    page.locator("#synthesis .streamed").nth(3).wait_for()
    so_far = re.sub(r"\s+", " ", page.locator("#synthesis").inner_text()).strip()
    run_id = page.url.rsplit("/", 1)[1]
    world.app.ended(run_id)
    recorded = "".join(
        event["text"] for event in _events(world, run_id) if event["type"] == "synthesis_text"
    )
    assert len(so_far) > 20
    assert re.sub(r"\s+", " ", recorded).strip().startswith(so_far)


def test_a_reload_half_way_shows_everything_once_and_goes_on(tabs: Tabs, world: World) -> None:
    world.pace(0.4, 0.02)
    page = tabs.open()
    ask(page, model=SCRIPTED)
    page.locator("li.article.relevant").first.wait_for()
    before = page.locator("li.article").count()
    page.reload()
    assert page.locator("li.article").count() == before
    _each_once(page)
    page.locator("#synthesis .streamed, #synthesis .sentence").nth(2).wait_for()
    page.reload()
    expect(page.locator(ANSWER)).to_be_visible()
    assert read_synthesis(page).count("[1]") >= 1
    run_id = page.url.rsplit("/", 1)[1]
    sentences = [
        one for one in world.app.run(run_id)["answer"]["sentences"] if one["in"] == "synthesis"
    ]
    assert page.locator(".synthesis .sentence").count() == len(sentences)


def test_a_dropped_connection_is_said_and_taken_up_where_it_broke(tabs: Tabs, world: World) -> None:
    tabs.allow(r"console: Failed to load resource: net::ERR_")
    world.pace(0.5, 0.03)
    with Wire(world.app.url) as wire:
        tabs.base_url = wire.url
        page = tabs.open()
        resumed: list[str | None] = []
        ask(page, model=SCRIPTED)
        page.locator("li.article").first.wait_for()
        page.on(
            "request",
            lambda request: (
                resumed.append(request.headers.get("last-event-id"))
                if "/live" in request.url
                else None
            ),
        )
        page.context.set_offline(True)
        wire.cut()
        expect(page.locator("#connection")).to_be_visible()
        expect(page.locator("#connection")).to_contain_text("The run continues")
        wire.mend()
        page.context.set_offline(False)
        expect(page.locator("#connection")).to_be_hidden()
        assert resumed, "the stream was not asked for again"
        expect(page.locator(ANSWER)).to_be_visible(timeout=2 * WAIT)
        run_id = page.url.rsplit("/", 1)[1]
        _each_once(page)
        sentences = [
            one for one in world.app.run(run_id)["answer"]["sentences"] if one["in"] == "synthesis"
        ]
        assert page.locator(".synthesis .sentence").count() == len(sentences)


def test_a_run_is_cancelled_and_goes_on(tabs: Tabs, world: World) -> None:
    world.pace(0.5, 0.05)
    page = tabs.open()
    ask(page, model=SCRIPTED)
    page.locator("li.article").first.wait_for()
    page.get_by_role("button", name="Cancel this run").click()
    expect(page.get_by_role("heading", name="This run was cancelled")).to_be_visible()
    assert world.app.ended(page.url.rsplit("/", 1)[1])["status"] == "cancelled"
    world.pace(0.0)
    page.get_by_role("button", name="Resume from here").click()
    expect(page.locator(ANSWER)).to_be_visible()


def test_two_browsers_see_the_same_run(tabs: Tabs, world: World) -> None:
    world.pace(0.4, 0.03)
    first = tabs.open()
    ask(first, model=SCRIPTED)
    address = first.url
    second = tabs.open(address)
    # A visitor who did not start the run watches it, and is not offered what only the one who did
    # may do.
    expect(second.locator("li.article.relevant").first).to_be_visible()
    expect(second.get_by_role("button", name="Cancel this run")).to_have_count(0)
    expect(first.get_by_role("button", name="Cancel this run")).to_be_visible()
    for page in (first, second):
        expect(page.locator(ANSWER)).to_be_visible()
    assert first.locator(ANSWER).inner_text() == second.locator(ANSWER).inner_text()
    assert read_synthesis(first) == read_synthesis(second)
    first.locator("summary", has_text="Share").click()
    expect(first.get_by_role("link", name="Delete…")).to_be_visible()
    second.locator("summary", has_text="Share").click()
    expect(second.get_by_role("link", name="Delete…")).to_have_count(0)


def test_an_edited_prompt_is_used_and_said(tabs: Tabs, world: World) -> None:
    page = tabs.open()
    page.locator("#options > summary").click()
    page.locator("#model").select_option(SCRIPTED)
    page.locator("#options > summary").click()
    page.locator("#prompts > summary").click()
    page.get_by_role("tab", name="Synthesis").click()
    area = page.locator("#prompt-synthesis")
    area.fill(area.input_value().replace("{question}", "{qestion}"))
    expect(page.locator("#prompt-synthesis-fault")).to_contain_text("qestion")
    page.get_by_role("button", name="Reset to the default").click()
    expect(page.locator("#prompt-synthesis-fault")).to_have_text("")

    area.press("Control+End")
    area.press_sequentially(" Write it for the ward round.")
    expect(page.get_by_role("tab", name="Synthesis")).to_contain_text("differs")
    expect(page.locator("ins", has_text="for the ward round")).to_be_visible()
    page.reload()  # kept in this browser
    page.locator("#prompts > summary").click()
    assert "Write it for the ward round." in page.locator("#prompt-synthesis").input_value()

    page.get_by_label("What do the published studies say?").fill(DEMO_QUESTION)
    page.locator("#options > summary").click()
    page.locator("#model").select_option(SCRIPTED)
    page.get_by_role("button", name="Ask", exact=True).last.click()
    expect(page.locator(ANSWER)).to_be_visible()
    assert "Write it for the ward round." in world.prompts_received()
    expect(page.locator("body")).to_contain_text("edited prompts")
    page.get_by_role("link", name="with edited prompts").click()
    page.locator("#prompts ~ details > summary").first.click()
    expect(page.locator("pre.differences ins")).to_contain_text("for the ward round")


def test_the_list_of_runs_is_this_browsers_own(tabs: Tabs) -> None:
    page = tabs.open()
    ask(page)
    expect(page.locator(ANSWER)).to_be_visible()
    page.get_by_role("link", name="Your runs").click()
    expect(page.get_by_role("link", name=DEMO_QUESTION, exact=True)).to_be_visible()
    assert DEMO_QUESTION not in tabs.open("/runs").locator("main").inner_text()


def test_the_screen_reader_is_told_steps_and_not_every_word(tabs: Tabs, world: World) -> None:
    world.pace(0.8, 0.03)
    page = tabs.open()
    ask(page, model=SCRIPTED)
    page.evaluate(
        """() => {
          window.said = [];
          const all = {childList: true, subtree: true, characterData: true};
          for (const live of document.querySelectorAll('[aria-live], [role=status], [role=alert]'))
            new MutationObserver(() => window.said.push(live.textContent)).observe(live, all);
        }"""
    )
    page.locator("#synthesis .streamed").nth(5).wait_for()
    said = page.evaluate("() => window.said")
    assert 1 <= len(said) <= 6, said
    assert all(len(line) < 120 for line in said)


def _events(world: World, run_id: str) -> list[dict[str, str]]:
    with world.app.session.get(
        f"{world.app.url}/api/v1/runs/{run_id}/events", timeout=30
    ) as answer:
        lines = answer.content.decode().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith('data: {"schema"')]


def _each_once(page: Page) -> None:
    ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


def test_on_a_phone_nothing_is_wider_than_the_screen(
    tabs: Tabs, world: World, finished_run: str
) -> None:
    world.pace(0.3, 0.05)
    page = tabs.open(viewport=PHONE, touch=True)
    _fits(page)
    page.locator("#prompts > summary").tap()
    _fits(page)
    page.locator("#prompts > summary").tap()
    ask(page, model=SCRIPTED)
    page.locator("#synthesis .streamed").first.wait_for()
    _fits(page)
    world.pace(0.0)
    for path in (
        f"/runs/{finished_run}",
        f"/runs/{finished_run}/articles",
        "/runs",
        "/how",
        "/nowhere",
    ):
        tabs.allow(r"status of 404")
        page.goto(path)
        _fits(page)


def _fits(page: Page) -> None:
    wide = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
             .filter(one => one.getBoundingClientRect().right > innerWidth + 1).slice(0, 5)
             .map(one => one.outerHTML.slice(0, 120))"""  # noqa: E501
    )
    assert wide == [], page.url
