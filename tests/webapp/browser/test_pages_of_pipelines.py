"""The pages /chart, /cohort, /copilot and /trials as somebody meets them who has not seen them:
the forms, what is wrong with them, and what answers look like on a desk and on a phone.
"""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.webapp.browser.conftest import PHONE, Tabs
from tests.webapp.house import NOWHERE
from tests.webapp.running import SCRIPTED, Running
from tests.webapp.test_chart_pages import NOTES

pytestmark = pytest.mark.slow

RECORD: FilePayload = {"name": "notes.csv", "mimeType": "text/csv", "buffer": NOTES.encode()}


@pytest.fixture
def tabs(browser: Browser, house: Running) -> Iterator[Tabs]:
    opened = Tabs(browser, house.url)
    opened.allow("422")
    yield opened
    assert opened.close() == []


def ask_chart(page: Page, model: str = "extractive") -> None:
    page.goto("/chart")
    page.get_by_label("Question", exact=True).fill("When was warfarin started?")
    page.locator("#record").set_input_files(RECORD)
    page.locator("#model").select_option(model)
    page.get_by_role("button", name="Ask the record").click()


def ask_copilot(page: Page, model: str = SCRIPTED) -> None:
    page.goto("/copilot")
    page.get_by_label("Question", exact=True).fill("Which drugs for BRAF V600E melanoma?")
    page.locator("#tool-literature").uncheck()
    page.locator("#model").select_option(model)
    page.get_by_role("button", name="Ask the copilot").click()


def ask_cohort(page: Page) -> None:
    page.goto("/cohort")
    page.get_by_label("Query", exact=True).fill("condition epilepsy or condition fatigue")
    page.get_by_role("button", name="Find patients").click()


@pytest.mark.parametrize(
    ("ask", "order"),
    [
        (ask_chart, ["Answer", "Timeline", "How this was found"]),
        (ask_copilot, ["Sources", "How this was found"]),
        (
            ask_cohort,
            ["Answer", "Criteria as read", "Patients left after each criterion"],
        ),
    ],
    ids=["chart", "copilot", "cohort"],
)
def test_an_answer_stands_before_its_evidence_how_it_was_found_and_exports(
    tabs: Tabs, ask: Callable[[Page], None], order: list[str]
) -> None:
    page = tabs.open("/")
    ask(page)
    expect(page.get_by_role("heading", name="Export").first).to_be_visible(timeout=60_000)
    shown = page.locator("main h2").all_inner_texts()
    assert [one for one in shown if one in order] == order
    assert shown[-1].startswith("Export")
    warning = page.locator(".notice.caution").first
    expect(warning).to_contain_text("Do not use it for care.")
    if ask is ask_chart:
        page.locator(".chart-short a.quiet").first.focus()
        page.keyboard.press("Enter")
        page.locator("#here").wait_for()
        page.go_back()
        with page.expect_download() as caught:
            page.get_by_role("link", name="Markdown", exact=True).click()
        assert "arfarin" in caught.value.path().read_text()
    elif ask is ask_copilot:
        page.locator(".copilot-claims a[href^='#source-']").first.click()
        assert page.evaluate("document.querySelector(':target') !== null")
    else:
        page.locator("input[name='is-0.1']").fill("condition blorptitude")
        page.get_by_role("button", name="Count again").press("Enter")
        expect(page.get_by_role("alert")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("input[name='is-0.1']")).to_be_focused()


@pytest.mark.parametrize("ask", [ask_chart, ask_copilot], ids=["chart", "copilot"])
def test_a_run_whose_model_cannot_be_reached_does_not_look_like_an_answer(
    tabs: Tabs, ask: Callable[[Page, str], None]
) -> None:
    page = tabs.open("/", viewport=PHONE)
    ask(page, NOWHERE)
    main = page.locator("main")
    expect(main).to_contain_text("This run stopped early", timeout=60_000)
    expect(main).to_contain_text("stopped before an answer was written")
    expect(main).not_to_contain_text("No note is quoted")
    expect(main).not_to_contain_text("No answer")
    expect(page.get_by_role("button", name="Go on from here")).to_be_visible()
