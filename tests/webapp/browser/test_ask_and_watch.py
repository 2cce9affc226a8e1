"""The form in a real browser, and from a question to its answer with what may come between."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.webapp.browser.conftest import Tabs, World
from tests.webapp.running import DEMO_QUESTION, SCRIPTED

pytestmark = pytest.mark.slow

ANSWER = "p.tldr-text"


def ask(page: Page, question: str = DEMO_QUESTION, model: str = "extractive") -> None:
    """Fill the form in and send it, from the ask page to the page of the run."""
    page.get_by_label("What do the published studies say?").fill(question)
    page.get_by_role("button", name="Advanced").click()
    expect(page.get_by_label("Question", exact=True)).to_have_value(question)
    page.locator("#model").select_option(model)
    page.get_by_role("button", name="Ask", exact=True).last.click()
    page.wait_for_url(re.compile(r"/runs/[\w-]{20,}$"))


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
        assert reference["title"].rstrip(".")[:50] in str(
            page.locator("table.evidence").text_content()
        )
    expect(page.locator(".caveat")).to_contain_text("Demo corpus")
    expect(page.locator("footer.site")).to_contain_text("Not medical advice")


def test_an_edited_prompt_is_used_and_said(tabs: Tabs, world: World) -> None:
    page = tabs.open("/advanced")
    page.locator("#model").select_option(SCRIPTED)
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
    page.goto("/")  # kept in this browser
    expect(page.locator("#prompts-kept")).to_be_visible()
    page.get_by_role("button", name="Advanced").click()
    assert "Write it for the ward round." in page.locator("#prompt-synthesis").input_value()

    page.get_by_label("Question", exact=True).fill(DEMO_QUESTION)
    page.locator("#model").select_option(SCRIPTED)
    page.get_by_role("button", name="Ask", exact=True).last.click()
    expect(page.locator(ANSWER)).to_be_visible()
    assert "Write it for the ward round." in world.prompts_received()
    expect(page.locator("body")).to_contain_text("edited prompts")
    page.get_by_role("link", name="with edited prompts").click()
    page.locator("#prompts ~ details > summary").first.click()
    expect(page.locator("pre.differences ins")).to_contain_text("for the ward round")
