"""The same pages by other ways: keyboard only, without JavaScript, dark, with little motion; their
weight and contrast.
"""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.webapp.browser.conftest import Tabs, World
from tests.webapp.running import DEMO_QUESTION

pytestmark = pytest.mark.slow

ANSWER = "p.tldr-text"

_FOCUSED = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect(), look = getComputedStyle(one);
  const outlined = parseFloat(look.outlineWidth) >= 2 && look.outlineStyle !== 'none';
  return {tag: one.tagName, id: one.id, text: (one.textContent || '').trim().slice(0, 60),
          inside: box.bottom > 0 && box.top < innerHeight && box.width > 0,
          marked: outlined || look.boxShadow !== 'none', top: box.top + scrollY, tabindex: one.tabIndex};
}"""  # noqa: E501


def _tab_to(page: Page, found: str, presses: int = 80) -> list[dict[str, Any]]:
    """Press Tab until the element that has focus is what the selector finds; every stop on the way
    must show its focus.
    """
    stops = []
    for _ in range(presses):
        page.keyboard.press("Tab")
        stop = page.evaluate(_FOCUSED)
        stops.append(stop)
        assert stop["inside"], f"the focus is out of sight: {stop}"
        assert stop["marked"], f"the focus cannot be seen: {stop}"
        if page.evaluate("selector => document.activeElement.matches(selector)", found):
            return stops
    raise AssertionError(
        f"no way to {found} in {presses} presses: {[stop['text'] or stop['id'] for stop in stops]}"
    )


def test_the_whole_way_with_the_keyboard_alone(tabs: Tabs) -> None:
    page = tabs.open()
    page.keyboard.press("Tab")
    assert page.evaluate(_FOCUSED)["text"] == "Skip to main content"
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"
    _tab_to(page, "#question", 5)
    page.keyboard.type(DEMO_QUESTION)
    stops = _tab_to(page, "button[name=go]", 15)
    assert any(stop["id"] == "ask" for stop in stops)
    page.keyboard.press("Enter")
    page.wait_for_url("**/advanced")
    _tab_to(page, "[role=tab]", 40)
    first = page.evaluate(_FOCUSED)["text"]
    page.keyboard.press("ArrowRight")
    assert page.evaluate(_FOCUSED)["text"] != first
    page.keyboard.press("Home")
    assert page.evaluate(_FOCUSED)["text"] == first
    page.locator("#question").focus()
    page.keyboard.press("Control+Enter")

    expect(page.locator(ANSWER)).to_be_visible()
    _tab_to(page, ".synthesis a.cite")
    expect(page.locator("#cite-card")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#cite-card")).to_be_focused()  # the card may still be on its way
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.closest('#cite-card') !== null")
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.matches('.synthesis a.cite')")
    page.locator(".skip").focus()
    _tab_to(page, ".tool summary", 20)
    page.keyboard.press("Enter")
    _tab_to(page, ".exports a[download]", 5)
    with page.expect_download() as fetched:
        page.keyboard.press("Enter")
    assert fetched.value.path().stat().st_size > 100


def test_without_javascript(tabs: Tabs, world: World) -> None:
    world.pace(0.2, 0.01)
    page = tabs.open(javascript=False)
    page.get_by_label("What do the published studies say?").fill(DEMO_QUESTION)
    page.get_by_role("button", name="Advanced").click()
    page.locator("#model").select_option("openai/scripted")
    page.get_by_role("button", name="Ask", exact=True).last.click()
    assert re.search(r"/runs/[\w-]{20,}$", page.url)
    expect(page.get_by_role("button", name="Cancel this run")).to_be_visible()
    expect(page.locator(ANSWER)).to_be_visible()  # the page asks for itself again until then
    address = page.url
    page.locator(".synthesis a.cite").first.click()
    assert re.search(r"#ref-\d+$", page.url)
    page.locator("tr:target th a").click()
    expect(page.locator("#cite-card mark").first).to_be_visible()
    page.go_back()
    for link in page.locator(".exports a").evaluate_all("all => all.map(one => one.href)"):
        assert page.request.get(link).status == 200, link
    page.get_by_text("Ask again", exact=True).click()
    page.get_by_role("button", name="Search again: what is new?", exact=True).click()
    assert page.url != address
    page.goto(address)
    page.get_by_text("Share", exact=True).click()
    page.get_by_role("link", name="Delete…").click()
    page.get_by_role("button", name="Delete it").click()
    tabs.allow("status of 404")
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert (
        world.app.session.get(
            f"{world.app.url}/api/v1/runs/{address.rsplit('/', 1)[1]}"
        ).status_code
        == 404
    )
