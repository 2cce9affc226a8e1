"""What the ask page's scripts add to it: examples, what was changed, the prompts' editors."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.webapp.browser.conftest import PHONE, Tabs

pytestmark = pytest.mark.slow


def open_prompts(page: Page, name: str) -> None:
    page.locator("#prompts > summary").click()
    page.locator(f"#prompt-{name}-tab").click()


def test_changed_options_are_counted_and_fields_of_a_regime_show_with_it(tabs: Tabs) -> None:
    page = tabs.open()
    page.locator("#options > summary").click()
    expect(page.locator("#options-changed")).to_be_hidden()
    expect(page.locator("#before")).to_be_hidden()
    page.get_by_label("Only what was published before a day").check()
    page.locator("#before").fill("2019-01-01")
    page.locator("#strict").uncheck()
    expect(page.locator("#options-changed")).to_have_text("3 changed")
    page.get_by_label("Everything in the source").check()
    page.locator("#strict").check()
    expect(page.locator("#options-changed")).to_be_hidden()


def test_tabs_of_the_prompts_move_with_the_arrow_keys(tabs: Tabs) -> None:
    page = tabs.open()
    page.locator("#prompts > summary").click()
    names = page.get_by_role("tab").all()
    names[0].focus()
    for key, place in (
        ("ArrowLeft", -1),
        ("ArrowRight", 0),
        ("End", -1),
        ("Home", 0),
        ("ArrowRight", 1),
    ):
        page.keyboard.press(key)
        expect(names[place]).to_be_focused()
        expect(names[place]).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tabpanel")).to_have_count(1)
    page.keyboard.press("Tab")  # out of the tabs, into the panel
    expect(page.get_by_role("tabpanel").locator(":focus")).to_have_count(1)


def test_a_variable_goes_in_at_the_caret_and_can_be_undone(tabs: Tabs) -> None:
    page = tabs.open()
    open_prompts(page, "tldr")
    area = page.locator("#prompt-tldr")
    area.fill("Before  after")
    area.evaluate("area => area.setSelectionRange(7, 7)")
    page.get_by_role("tabpanel").get_by_role("button", name="{synthesis}").click()
    expect(area).to_have_value("Before {synthesis} after")
    page.keyboard.press("Control+z")
    expect(area).to_have_value("Before  after")


def test_a_fault_in_a_folded_tab_is_led_to(tabs: Tabs) -> None:
    tabs.allow("422")
    page = tabs.open()
    open_prompts(page, "tldr")
    page.locator("#prompt-tldr").fill("Say {synthesis}")
    page.locator("#question").fill("Does yoga lower blood pressure?")
    page.locator("#ask").click()
    expect(page.locator("#faults")).to_be_focused()
    page.get_by_role("tab", name="Queries").click()
    page.locator("#faults a").click()
    expect(page.locator("#prompt-tldr")).to_be_focused()


def test_nothing_is_wider_than_the_screen_with_everything_open(tabs: Tabs) -> None:
    for javascript in (True, False):
        for viewport in (PHONE, {"width": 360, "height": 700}, {"width": 1600, "height": 900}):
            page = tabs.open(viewport=viewport, javascript=javascript)
            page.locator("#options > summary").click()
            page.locator("#prompts > summary").click()
            page.mouse.wheel(0, 1_500)
            page.wait_for_timeout(100)
            assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
