"""The pages /chart, /cohort, /copilot and /trials as somebody meets them who has not seen them:
the forms, what is wrong with them, and what answers look like on a desk and on a phone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
import requests
from playwright.sync_api import Browser, FilePayload, Page, expect

from clinfo.pipelines.cohort.store import build
from tests.pipelines.cohort.notes import RECORDS
from tests.webapp.browser.conftest import DESK, PHONE, Tabs, _require_chromium
from tests.webapp.browser.test_trials import clean
from tests.webapp.running import Running, running_app
from tests.webapp.test_trials_edits import counts, edited
from tests.webapp.test_trials_pages import PAPERS, QUESTION

pytestmark = pytest.mark.slow

NOTES = """patient,visit,date,category,text
MRN-4711,v1,2019-01-05,Nursing,Slept well. No pain.
MRN-4711,v2,2019-03-02,Clinic,Atrial fibrillation was found. Warfarin 5 mg was started.
MRN-4711,v3,2020-06-01,Clinic,Warfarin was stopped; apixaban 5 mg twice a day was started.
"""
RECORD: FilePayload = {"name": "notes.csv", "mimeType": "text/csv", "buffer": NOTES.encode()}
FORMS = {
    "/chart": ("Ask the record", "Question: must not be empty"),
    "/cohort": ("Find patients", "Query: must not be empty"),
    "/copilot": ("Ask the copilot", "Question: must not be empty"),
    "/trials": ("Read the papers", "Files: at least one paper is needed"),
}
"""By page: its button, and what is said of an empty form."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    _require_chromium()
    folder = tmp_path_factory.mktemp("pipelines")
    build(RECORDS, folder / "ward")
    more = {
        "CLINFO_WEB_CHART": "true",
        "CLINFO_WEB_COPILOT": "true",
        "CLINFO_WEB_COHORTS": json.dumps({"Ward": str(folder / "ward")}),
        "CLINFO_PATIENTS_DIR": str(folder / "patients"),
        "CLINFO_WEB_MODELS": "extractive,openai/nowhere",
        "OPENAI_API_BASE": "http://127.0.0.1:9/v1",
        "OPENAI_API_KEY": "sk-test",
        "CLINFO_WEB_SOURCES": "demo",
    }
    with running_app(folder, settings=more) as found:
        yield found


@pytest.fixture
def tabs(browser: Browser, app: Running) -> Iterator[Tabs]:
    opened = Tabs(browser, app.url)
    opened.allow("422")
    yield opened
    assert opened.close() == []


def heads(page: Page) -> list[str]:
    return page.locator("main h2").all_inner_texts()


def ask_chart(page: Page) -> None:
    page.goto("/chart")
    page.get_by_label("Question", exact=True).fill("When was warfarin started?")
    page.locator("#record").set_input_files(RECORD)
    page.get_by_role("button", name="Ask the record").click()
    expect(page.get_by_role("heading", name="Export, ask again")).to_be_visible(timeout=60_000)


def ask_copilot(page: Page) -> None:
    page.goto("/copilot")
    page.get_by_label("Question", exact=True).fill("Which drugs for BRAF V600E melanoma?")
    page.locator("#tool-literature").uncheck()
    page.get_by_role("button", name="Ask the copilot").click()
    expect(page.get_by_role("heading", name="Export, ask again")).to_be_visible(timeout=60_000)


def ask_cohort(page: Page) -> None:
    page.goto("/cohort")
    page.get_by_label("Query", exact=True).fill("condition epilepsy and not condition hypertension")
    page.get_by_role("button", name="Find patients").click()
    expect(page.get_by_role("heading", name="Export")).to_be_visible()


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_an_empty_form_says_what_is_missing_and_leads_there(
    tabs: Tabs, path: str, scripts: bool
) -> None:
    button, said = FORMS[path]
    page = tabs.open(path, viewport=PHONE, javascript=scripts)
    page.get_by_role("button", name=button).click()
    summary = page.get_by_role("alert")
    expect(summary).to_contain_text(said)
    expect(summary).to_be_focused()
    link = summary.get_by_role("link").first
    label, _, _ = said.partition(":")
    expect(page.locator(str(link.get_attribute("href")))).to_have_accessible_name(
        re.compile(f"^{label}")
    )
    if scripts:
        clean(page)


@pytest.mark.parametrize(
    ("ask", "order"),
    [
        (ask_chart, ["Answer", "The nearest notes", "Timeline", "How this was found"]),
        (ask_copilot, ["Evidence, by source", "Sources, each kept apart", "How this was found"]),
        (ask_cohort, ["Answer", "Read as", "Patients", "How many are left after each criterion"]),
    ],
    ids=["chart", "copilot", "cohort"],
)
def test_an_answer_stands_before_its_evidence_how_it_was_found_and_exports(
    tabs: Tabs, ask: Callable[[Page], None], order: list[str]
) -> None:
    page = tabs.open("/")
    ask(page)
    shown = heads(page)
    assert [one for one in shown if one in order] == order
    assert shown[-1].startswith("Export")
    warning = page.locator(".notice.caution").first
    expect(warning).to_contain_text("Do not use it for care.")
    tops = [one.bounding_box() for one in (warning, page.locator("main h2").first)]
    assert tops[0]
    assert tops[1]
    assert tops[0]["y"] < tops[1]["y"]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_timeout(400)
        clean(page)
    for size in (PHONE, {"width": 640, "height": 450}):  # the second: 200 % of a small window
        page.set_viewport_size(size)  # type: ignore[arg-type]
        clean(page)


@pytest.mark.parametrize("path", ["/chart", "/copilot"])
def test_a_run_whose_model_cannot_be_reached_does_not_look_like_an_answer(
    tabs: Tabs, path: str
) -> None:
    page = tabs.open(path, viewport=PHONE)
    page.get_by_label("Question", exact=True).fill("When was warfarin started?")
    if path == "/chart":
        page.locator("#record").set_input_files(RECORD)
    else:
        page.locator("#tool-literature").uncheck()
    page.locator("#model").select_option("openai/nowhere")
    page.get_by_role("button", name=FORMS[path][0]).click()
    main = page.locator("main")
    expect(main).to_contain_text("This run stopped early", timeout=60_000)
    expect(main).to_contain_text("stopped before an answer was written")
    expect(main).not_to_contain_text("No note is quoted")
    expect(main).not_to_contain_text("No claim stands")
    expect(page.get_by_role("button", name="Go on from here")).to_be_visible()
    clean(page)


def test_a_phone_shows_the_effects_without_scrolling_sideways(tabs: Tabs, app: Running) -> None:
    asked = {"pipeline": "trials", "question": QUESTION, "papers": PAPERS, "better": "lower"}
    run = requests.post(f"{app.url}/api/v1/runs", json=asked, timeout=60).json()["id"]
    names = [one["name"] for one in app.ended(run)["answer"]["studies"]]
    for name, (one, other) in zip(names, ((10, 22), (12, 20)), strict=False):
        edited(app, run, study=name, why="table 2", numbers=counts(one, other))
    page = tabs.open(f"/runs/{run}", viewport=PHONE)
    rows = page.locator(".trials-narrow li")
    expect(rows).to_have_count(3)
    expect(rows.last).to_contain_text("Pooled")
    for row in rows.all():
        box = row.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE["width"]
        expect(row.locator("svg rect")).to_be_visible()
    expect(page.locator(".trials-plot")).to_be_hidden()
    clean(page)
    page.set_viewport_size(DESK)
    expect(page.locator(".trials-plot")).to_be_visible()
    expect(rows.first).to_be_hidden()


def test_a_keyboard_reaches_every_control_of_the_record_form_in_order(tabs: Tabs) -> None:
    page = tabs.open("/chart")
    page.locator("#main").focus()
    wanted = ["question", "record", "folder", "patient", "SUMMARY", "stage", "model", "BUTTON"]
    reached = []
    for _ in wanted:
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("() => document.activeElement.id || document.activeElement.tagName")
        )
        outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", reached
    assert reached == wanted


def test_how_it_works_tells_of_the_pages_that_are_there(tabs: Tabs) -> None:
    page = tabs.open("/how")
    for name in ("Trials", "Chart", "Cohorts", "Copilot"):
        expect(page.locator("#others + dl dt", has_text=name)).to_be_visible()
    expect(page.locator("main")).to_contain_text("seen by whoever started it only")
    clean(page)
