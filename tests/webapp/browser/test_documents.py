"""A visitor's own documents in a browser, with and without scripts, on a desk and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.webapp.browser.chromium import ANSWER
from tests.webapp.browser.conftest import Tabs
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
