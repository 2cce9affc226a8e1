"""axe-core on every page and state, light, dark and on a phone: no violation (WCAG 2.2 A and AA,
and axe's best practices).
"""

from __future__ import annotations

from time import time
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect
from sqlalchemy import update

from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.runs.events import Event
from tests.webapp.browser.conftest import DESK, PHONE, TAGS, Tabs, World
from tests.webapp.handmade import answered, judged_as, judged_by_older_rules, withheld_run
from tests.webapp.running import SCRIPTED
from webapp.storage.database import connect, writing
from webapp.storage.store import Store
from webapp.storage.tables import runs as stored_runs

pytestmark = pytest.mark.slow


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


ASK, CITE, TOOLS = "button#ask", ".synthesis a.cite", ".table-tools summary, .tool summary"
NAMED = f"/?model={SCRIPTED}&question=Does+zinc+help+Mr+John+Smith,+born+12/03/1950%3F"
FORM = [  # a page, what is pressed on it, and what is to be seen then
    ("/", "", "#question"),
    ("/", "header.site summary", ".menu-list"),
    ("/advanced", "", "[role=tab]"),
    ("/?from=yesterday&max_articles=many", ASK, "#faults"),
    (NAMED, ASK, "#held"),
    ("/?question=Does+yoga+help%3F&documents=12,+thirteen", ASK, "#faults"),
    ("/runs", "", "main h1"),
    ("/how", "", "main h1"),
    ("/nowhere", "", "main h1"),
]
ANSWER = [
    ("", "", "p.tldr-text"),
    ("", CITE, "#cite-card"),
    ("", "th button", "table.evidence"),
    ("/sources/1", "", "#cite-card mark"),
    ("?passages=1", "", ".endnotes"),
    ("/articles", "", "main h1"),
    ("/delete", "", "main h1"),
]


def test_the_form_and_what_is_wrong_with_it(tabs: Tabs, world: World) -> None:
    tabs.allow(r"status of (404|422)")
    page = tabs.open()
    assert [found for state in FORM for found in looked_at(page, *state)] == []


def test_an_answer_and_what_belongs_to_it(tabs: Tabs, world: World, finished_run: str) -> None:
    page = tabs.open()
    states = [(f"/runs/{finished_run}{path}", pressed, seen) for path, pressed, seen in ANSWER]
    found = [one for state in states for one in looked_at(page, *state)]
    page.goto(f"/runs/{finished_run}")
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert found + violations(page, "all open") == []


def test_runs_that_are_no_plain_answers(tabs: Tabs, world: World) -> None:
    page = tabs.open()
    nothing = world.app.ask(question="Does zyxomma glorbify quibbles?")
    world.app.ended(nothing)
    doubtful = kept(world, answered(judged_as("not_verified")))
    again = kept(world, answered(judged_as("partial")), doubtful)
    found = [
        one
        for run, pressed, seen in (
            (nothing, "", "#nothing-head"),
            (doubtful, CITE, "#cite-card"),
            (again, "", ".since"),
            (kept(world, judged_by_older_rules()), "", "main .notice"),
            (kept(world, withheld_run()), "details.removed > summary", "details.removed"),
        )
        for one in looked_at(page, f"/runs/{run}", pressed, seen)
    ]
    world.pace(0.5, 0.08)
    page.goto(f"/?model={SCRIPTED}&question=Does+yoga+help%3F")
    page.locator(ASK).click()
    page.locator("#synthesis .streamed").first.wait_for()
    found += violations(page, "watched")
    page.get_by_role("button", name="Cancel this run").click()
    expect(page.locator(".ended")).to_be_visible()
    found += violations(page, "cancelled")
    assert found + looked_at(page, "/runs?q=yoga", "", ".run-question") == []


def looked_at(page: Page, path: str, pressed: str, seen: str) -> list[Any]:
    page.goto(path)
    if pressed:
        page.locator(pressed).first.click()
    expect(page.locator(seen).first).to_be_visible()
    return violations(page, f"{path} {pressed}")


def violations(page: Page, state: str) -> list[Any]:
    """The violations of a page as it stands: light, dark, on a phone."""
    if page.evaluate("() => typeof window.axe") == "undefined":
        page.evaluate(Axe().axe_script)
    found = []
    for scheme, viewport in (("light", DESK), ("dark", DESK), ("light", PHONE)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size(viewport)
        page.wait_for_timeout(300)  # colours may take a moment to turn
        options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": TAGS}}
        results = page.evaluate("options => axe.run(options)", options)
        found += [
            (state, scheme, one["id"], node["target"], node["failureSummary"])
            for one in results["violations"]
            for node in one["nodes"][:3]
        ]
    page.set_viewport_size(DESK)
    return found
