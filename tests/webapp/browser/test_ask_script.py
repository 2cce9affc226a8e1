"""What the ask page's scripts add to it: examples, what was changed, the prompts' editors."""

from __future__ import annotations

import re

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


def test_problems_are_named_while_typing_and_differences_are_shown(tabs: Tabs) -> None:
    page = tabs.open()
    open_prompts(page, "tldr")
    area = page.locator("#prompt-tldr")
    default = area.input_value()
    area.fill(default + "\n{sinthesis}")
    problem = page.locator("#prompt-tldr-fault")
    expect(problem).to_contain_text(
        re.compile(rf"^Line {default.count(chr(10)) + 2}: .*did you mean synthesis")
    )
    expect(area).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#prompt-tldr-tab")).to_contain_text("problem")
    area.fill(default.replace("{synthesis}", ""))
    expect(problem).to_contain_text("has no placeholder {synthesis}")
    expect(page.get_by_role("button", name="Insert {synthesis}, which is missing")).to_be_visible()
    lines = default.split("\n")
    area.fill("\n".join(["# A new first line", *lines[1:], "A last one"]))
    expect(problem).to_be_empty()
    expect(page.locator("#prompt-tldr-tab")).to_contain_text("differs")
    listing = page.get_by_role("tabpanel").locator(".listing")
    expect(listing.locator("del")).to_have_text([f"- {lines[0]}"])
    expect(listing.locator("ins")).to_have_text(["+ # A new first line", "+ A last one"])
    page.get_by_role("button", name="Reset to the default").click()
    expect(area).to_have_value(default)
    expect(page.locator("#prompts-changed")).to_be_hidden()
    expect(listing.locator("ins, del")).to_have_count(0)


def test_edits_are_kept_in_the_browser_until_they_are_reset(tabs: Tabs) -> None:
    page = tabs.open()
    open_prompts(page, "summary")
    area = page.locator("#prompt-summary")
    mine = area.input_value() + "\n<img src=x onerror=alert(1)> {{7*7}}"
    area.fill(mine)
    page.reload()
    expect(page.locator("#prompts-changed")).to_have_text("1 edited")
    page.locator("#prompts > summary").click()
    expect(page.locator("#prompt-summary-tab")).to_have_attribute("aria-selected", "true")
    expect(area).to_have_value(mine)
    page.get_by_role("button", name="Reset all to the default").click()
    page.reload()
    expect(page.locator("#prompts-changed")).to_be_hidden()


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
