"""A visitor's own documents in a browser, with and without scripts, on a desk and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.webapp.browser.chromium import ANSWER
from tests.webapp.browser.conftest import PHONE, Tabs
from tests.webapp.running import DEMO_QUESTION
from tests.webapp.test_documents import YOGA, text_of

pytestmark = pytest.mark.slow

HOSTILE = "TY  - JOUR\nTI  - Yoga <img src=x onerror='window.__ran=1'> & pressure\nER  - \n"


def start(page: Page) -> None:
    page.locator("#question").fill(DEMO_QUESTION)
    page.locator("button#ask").click()


@pytest.mark.parametrize("javascript", [True, False], ids=["scripts", "no scripts"])
def test_a_file_chosen_in_the_form_is_answered_from(
    tabs: Tabs, tmp_path: Path, javascript: bool
) -> None:
    file = tmp_path / "mine.ris"
    file.write_text(text_of(YOGA[:3]) + HOSTILE, encoding="utf-8")
    page = tabs.open(javascript=javascript)
    page.locator("#own-documents > summary").click()
    page.get_by_label("Citation file").set_input_files(file)
    start(page)
    page.wait_for_url("**/runs/*")
    if not javascript:
        expect(page.locator("body")).to_contain_text("Yoga")
        return
    page.locator(ANSWER).first.wait_for()
    expect(page.locator("body")).to_contain_text("the documents given")


def test_a_file_that_cannot_be_read_is_told_beside_it_and_asked_for_again(
    tabs: Tabs, tmp_path: Path
) -> None:
    tabs.allow("422")
    file = tmp_path / "notes.txt"
    file.write_text("some notes", encoding="utf-8")
    page = tabs.open(viewport=PHONE)
    page.locator("#own-documents > summary").click()
    page.get_by_label("Citation file").set_input_files(file)
    start(page)
    expect(page.locator("#faults")).to_be_visible()
    expect(page.locator("#own-documents .notice")).to_contain_text("notes.txt")
    expect(page.locator("#documents-fault")).to_contain_text("line 1")
    expect(page.locator("#question")).to_have_value(DEMO_QUESTION)
    page.locator("#faults a").click()
    expect(page.locator("#documents_file")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
