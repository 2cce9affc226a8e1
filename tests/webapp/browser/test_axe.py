"""axe-core on every page and state, light and dark: no violation (WCAG 2.2 A and AA, and axe's best
practices).
"""

from __future__ import annotations

from collections.abc import Callable
from time import time
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect
from sqlalchemy import update

from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.runs.events import Event
from tests.webapp.browser.conftest import PHONE, Tabs, World
from tests.webapp.handmade import answered, judged_as, judged_by_older_rules, withheld_run
from tests.webapp.running import DEMO_QUESTION, SCRIPTED
from webapp.storage.database import connect, writing
from webapp.storage.store import Store
from webapp.storage.tables import runs as stored_runs

pytestmark = pytest.mark.slow

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def ask_page(page: Page, world: World, run: str) -> None:
    page.goto("/")


def options_open(page: Page, world: World, run: str) -> None:
    page.goto("/")
    page.locator("#options > summary").click()


def prompts_open(page: Page, world: World, run: str) -> None:
    page.goto("/")
    page.locator("#prompts > summary").click()
    area = page.locator("#prompt-question2query")
    area.fill(area.input_value().replace("{question}", "") + " Be brief.")
    expect(page.locator("#prompt-question2query-fault")).not_to_be_empty()


def error_summary(page: Page, world: World, run: str) -> None:
    page.goto("/?from=yesterday&max_articles=many")
    page.get_by_role("button", name="Ask", exact=True).last.click()
    expect(page.locator("#faults")).to_be_visible()


def identifiers_found(page: Page, world: World, run: str) -> None:
    page.goto(f"/?model={SCRIPTED}&question=Does+zinc+help+Mr+John+Smith,+born+12/03/1950%3F")
    page.get_by_role("button", name="Ask", exact=True).last.click()
    expect(page.locator("#held")).to_be_visible()


def watching(page: Page, world: World, run: str) -> None:
    world.pace(0.5, 0.08)
    page.goto(f"/runs/{world.app.ask(model=SCRIPTED)}")
    page.locator("#synthesis .streamed").first.wait_for()


def answer(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{run}")
    expect(page.locator("p.tldr-text")).to_be_visible()


def all_open(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{run}")
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")


def card_open(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{run}")
    page.locator(".synthesis a.cite").first.click()
    expect(page.locator("#cite-card")).to_be_visible()


def evidence_sorted(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{run}")
    page.get_by_role("button", name="Year").click()
    page.get_by_text("Columns, filters, files").click()
    page.get_by_label("Words").fill("yoga")


def tool_open(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{run}")
    page.get_by_text("Export", exact=True).click()


def source(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{run}/sources/1")
    expect(page.locator("#cite-card mark").first).to_be_visible()


def passages(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{run}?passages=1")
    expect(page.locator(".endnotes")).to_be_visible()


def nothing_found(page: Page, world: World, run: str) -> None:
    run_id = world.app.ask(question="Does zyxomma glorbify quibbles?")
    world.app.ended(run_id)
    page.goto(f"/runs/{run_id}")
    expect(page.locator("#nothing-head")).to_be_visible()


def cancelled(page: Page, world: World, run: str) -> None:
    world.pace(2.0)
    page.goto(f"/?model={SCRIPTED}&question=Does+yoga+help%3F")
    page.get_by_role("button", name="Ask", exact=True).last.click()
    page.get_by_role("button", name="Cancel this run").click()
    expect(page.locator(".ended")).to_be_visible()


def kept(world: World, events: list[Event], again_of: str | None = None) -> str:
    """The id of a run with these events, put into the app's database."""
    store = Store(connect(world.app.engine_url))
    started = LiteratureLog(events).started
    assert started is not None
    run = store.create(started.request, begun=events, own_key=True, again_of=again_of)
    ended = {"status": "done", "own_key": False, "started_at": time(), "ended_at": time()}
    with writing(store.engine) as connection:
        connection.execute(update(stored_runs).where(stored_runs.c.id == run.id).values(**ended))
    store.engine.dispose()
    return run.id


def older(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{kept(world, judged_by_older_rules())}")
    expect(page.locator("main :visible", has_text="Judged by clinfo").first).to_be_visible()


def not_verified(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{kept(world, answered(judged_as('not_verified')))}")
    page.locator(".synthesis a.cite").first.click()
    expect(page.locator("#cite-card")).to_contain_text("not verified")


def withheld(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{kept(world, withheld_run())}")
    page.locator("details.removed > summary").first.click()


def asked_again(page: Page, world: World, run: str) -> None:
    earlier = kept(world, answered(judged_as("not_verified")))
    page.goto(f"/runs/{kept(world, answered(judged_as('partial')), earlier)}")
    expect(page.locator(".since")).to_contain_text("verdicts on sentences changed")


def runs(page: Page, world: World, run: str) -> None:
    page.goto(f"/?question={DEMO_QUESTION}")
    page.get_by_role("button", name="Ask", exact=True).last.click()
    page.wait_for_url("**/runs/*")
    world.app.ended(page.url.rpartition("/")[2])
    page.goto("/runs?q=yoga")
    expect(page.get_by_text("1 run matches.")).to_be_visible()


def no_runs(page: Page, world: World, run: str) -> None:
    page.goto("/runs")


def articles(page: Page, world: World, run: str) -> None:
    page.goto(f"/runs/{run}/articles")


def how(page: Page, world: World, run: str) -> None:
    page.goto("/how")


def not_found(page: Page, world: World, run: str) -> None:
    page.goto("/nowhere")


STATES: list[Callable[[Page, World, str], None]] = [
    *(
        ask_page,
        options_open,
        prompts_open,
        error_summary,
        identifiers_found,
        watching,
        answer,
        all_open,
        card_open,
    ),
    *(
        evidence_sorted,
        tool_open,
        source,
        passages,
        nothing_found,
        cancelled,
        older,
        not_verified,
        withheld,
        asked_again,
        runs,
        no_runs,
        articles,
        how,
        not_found,
    ),
]


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__.replace("_", "-"))
def test_axe_finds_nothing(
    tabs: Tabs, world: World, finished_run: str, state: Callable[[Page, World, str], None]
) -> None:
    tabs.allow(r"status of (404|422)")
    page = tabs.open()
    state(page, world, finished_run)
    found = {"light": _violations(page)}
    _turn(page, "dark")
    found["dark"] = _violations(page)
    _turn(page, "light")
    page.set_viewport_size(PHONE)
    found["phone"] = _violations(page)
    assert found == {"light": [], "dark": [], "phone": []}


def _turn(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    page.wait_for_timeout(400)  # colours may take a moment to turn


def _violations(page: Page) -> list[Any]:
    if page.evaluate("() => typeof window.axe") == "undefined":
        page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": TAGS}}
    results = page.evaluate("options => axe.run(options)", options)
    return [
        (
            one["id"],
            node["target"],
            node["any"][0]["message"] if node["any"] else node["failureSummary"],
        )
        for one in results["violations"]
        for node in one["nodes"][:3]
    ]
