"""What a user does with trials in a browser: hands papers over, corrects a number, undoes that,
groups papers anew; with and without scripts, on a desk and on a phone.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.webapp.browser.conftest import DESK, PHONE, Tabs
from tests.webapp.test_trials_pages import PAPERS, QUESTION

pytestmark = pytest.mark.slow


def hand_over(page: Page, folder: Path) -> None:
    """Fill the form in with three papers and send it."""
    for name, text in PAPERS.items():
        (folder / name).write_text(text)
    page.get_by_label("Question", exact=True).fill(QUESTION)
    page.locator("#papers").set_input_files([folder / name for name in PAPERS])
    page.get_by_role("button", name="Read the papers").click()
    page.wait_for_url("**/runs/*")


def read(page: Page) -> Locator:
    """The card of the first study, once the run has ended."""
    expect(page.locator(".trials-studies > li")).to_have_count(3, timeout=60_000)
    return page.locator("#study-0")


def correct(card: Locator, events: str, why: str, **others: str) -> None:
    card.locator("summary", has_text=re.compile("(Correct|Give) the numbers")).click()
    for name, text in {"intervention_events": events, "why": why, **others}.items():
        card.locator(f"input[name={name}]").fill(text)


def give(page: Page, place: int, events: str, against: str) -> None:
    """Give the numbers of a study by hand."""
    card = page.locator(f"#study-{place}")
    people = {"intervention_total": "40", "comparator_total": "40"}
    correct(card, events, "table 2", comparator_events=against, **people)
    card.get_by_role("button", name="Save", exact=True).click()
    expect(card).to_contain_text(f"{events} of 40")


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_a_number_is_corrected_in_place(tabs: Tabs, tmp_path: Path, viewport: ViewportSize) -> None:
    tabs.allow("422")
    page = tabs.open("/trials", viewport=viewport)
    hand_over(page, tmp_path)
    card = read(page)
    expect(card).to_contain_text("quoted, not judged")
    page.evaluate("() => { window.__same = true }")
    give(page, 0, "10", "22")
    expect(card).to_contain_text("less with zinc cream")
    correct(card, "21", "the cell is of week 4")
    card.get_by_role("button", name="Save", exact=True).click()
    expect(card).to_contain_text("no clear difference")
    expect(card).to_be_focused()
    expect(card).to_contain_text("RR 0.95")
    correct(card, "99", "typing")
    card.get_by_role("button", name="Save", exact=True).click()
    expect(card.get_by_role("alert")).to_contain_text("more events than people")
    card.get_by_role("button", name="Undo").last.click()
    expect(card).to_contain_text("less with zinc cream")
    expect(card).to_contain_text("(undone)")
    assert page.evaluate("() => window.__same"), "the page was not loaded anew"
    page.reload()
    expect(card).to_contain_text("less with zinc cream")
