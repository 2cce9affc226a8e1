"""axe-core on every page and state, light and dark, on a desk and on a phone: no violation (WCAG
2.2 AA and axe's best practices), nothing wider than the screen.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from flask import abort
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import insert, update

from clinfo.pipelines import pipeline
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.runs.events import Event
from tests.webapp.browser.conftest import Tabs, violations
from tests.webapp.browser.test_pages_of_pipelines import ask_chart, ask_cohort, ask_copilot
from tests.webapp.browser.test_trials import give, hand_over
from tests.webapp.handmade import answered, handmade, judged_as, judged_by_older_rules, withheld_run
from tests.webapp.house import ADMIN, NOWHERE
from tests.webapp.running import DEMO_QUESTION, SCRIPTED, Running
from tests.webapp.serving import served
from tests.webapp.small_app import small_app
from webapp.records import Status
from webapp.storage.database import connect, writing
from webapp.storage.store import Store, _event_row
from webapp.storage.tables import events as stored_events
from webapp.storage.tables import runs as stored_runs

pytestmark = pytest.mark.slow

DESK, PHONE = (1440, 900), (390, 844)
LOOKS: Final = [("light", PHONE), ("dark", PHONE), ("dark", DESK), ("light", DESK)]
OPENED: Final = "() => document.querySelectorAll('main details').forEach(d => { d.open = true })"
BELOW: Final = "() => document.querySelectorAll('.foot').forEach(f => f.style.position = 'static')"
"""The sticky foot goes to the end: what it happens to cover is too small a target for axe."""
ASK, ALL = "button#ask", "all details"
NAMED = f"/?model={SCRIPTED}&question=Does+zinc+help+Mr+John+Smith,+born+12/03/1950%3F"

STATES: Final = [  # a page, what is pressed on it, and what is to be seen then
    ("/", "", "#question"),
    ("/", "header.site summary", ".menu-list"),
    ("/advanced", ALL, "[role=tab]"),
    ("/advanced?from=yesterday&max_articles=many", ASK, "#faults"),
    ("/?from=yesterday&max_articles=many", ASK, "#faults"),
    ("/?question=Does+yoga+help%3F&documents=12,+thirteen", ASK, "#faults"),
    (NAMED, ASK, "#held"),
    ("/how", "", "main h1"),
    ("/nowhere", "", "main h1"),
    ("/runs/nothing", "", "main h1"),
    ("/runs", "", ".run-question"),
    ("/runs?q=nobody+asked+this", "", "main h1"),
    ("/runs?status=odd", "", "main h1"),
    ("/trials", ALL, "#question"),
    ("/trials", "Read the papers", "[role=alert]"),
    ("/chart", ALL, "#question"),
    ("/chart", "Ask the record", "[role=alert]"),
    ("/cohort", ALL, "#query"),
    ("/cohort", "Find patients", "[role=alert]"),
    ("/copilot", ALL, "#question"),
    ("/copilot", "Ask the copilot", "[role=alert]"),
    ("/admin", "", "#token"),
    ("/admin", "Show the numbers", "#queue"),
    # runs, by the names below
    ("{extractive}", "", "p.tldr-text"),
    ("{extractive}", ALL, "table.evidence"),
    ("{extractive}", ".synthesis a.cite", "#cite-card"),
    ("{extractive}", "th button", "table.evidence"),
    ("{extractive}/sources/1", "", "#cite-card mark"),
    ("{extractive}?passages=1", "", ".endnotes"),
    ("{extractive}/articles", "", "main h1"),
    ("{extractive}/delete", "", "main h1"),
    ("{modelled}", "", "p.tldr-text"),
    ("{modelled}", ALL, "table.evidence"),
    ("{modelled}", ".synthesis a.cite", "#cite-card"),
    ("{nothing}", ALL, "#nothing-head"),
    ("{doubtful}", ".synthesis a.cite", "#cite-card"),
    ("{again}", "", ".since"),
    ("{older}", ALL, "main .notice"),
    ("{withheld}", ALL, "main h1"),
    ("{queued}", "", "main h1"),
    ("{key}", "", "main h1"),
    ("{begun}", ALL, "#said"),
    ("{judging}", ALL, "#said"),
    ("{running}", ALL, "#said"),
    ("{failed}", "", ".ended"),
    ("{cancelled}", "", ".ended"),
    ("{trials}", ALL, ".trials-studies"),
    ("{trials of numbers}", ALL, ".trials-studies"),
    ("{trials running}", ALL, "#said"),
    ("{chart}", ALL, "main h1"),
    ("{chart}", ".chart-short a.quiet", "#here"),
    ("{chart}/notes", "", "main h1"),
    ("{chart}/record", "", "main h1"),
    ("{chart running}", ALL, "#said"),
    ("{chart failed}", ALL, "main h1"),
    ("/cohort", ask_cohort, "#answer"),
    ("{copilot}", ALL, "main h1"),
    ("{copilot failed}", ALL, "main h1"),
    ("{copilot running}", ALL, "#said"),
]


def _named(state: tuple[Any, ...]) -> str:
    path, pressed, _ = state
    return f"{path} {getattr(pressed, '__name__', pressed)}".strip()


ENDED: Final = ("done", "failed", "cancelled")
FAULTS: Final = (400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503)


def kept(
    app: Running, events: list[Event], status: Status = "done", again_of: str | None = None
) -> str:
    """The id of a literature run with these events, put into the app's database."""
    started = LiteratureLog(events).started
    assert started is not None
    return _put(app, started.request, events, status, again_of=again_of)


def _put(app: Running, request: Any, events: list[Event], status: Status, **of: Any) -> str:
    store = Store(connect(app.engine_url))
    run = store.create(request, own_key=True, **of)  # which no worker takes
    now = time.time()
    values: dict[str, Any] = {
        "status": status,
        "last_seq": len(events) - 1,
        "own_key": status == "key_needed",
        "started_at": now,
    }
    if status == "running":
        values |= {"worker": "of a test", "lease_until": now + 600}
    elif status == "queued":
        values |= {"key_worker": "of a test", "own_key": True}
        store.register("of a test", b"0" * 32)
    else:
        values |= {"ended_at": now, "problem": "The source did not answer.", "retryable": True}
    with writing(store.engine) as connection:
        changed = update(stored_runs).where(stored_runs.c.id == run.id)
        connection.execute(changed.values(**values))
        if events:
            rows = [_event_row(run.id, event, now) for event in events]
            connection.execute(insert(stored_events), rows)
    store.engine.dispose()
    return run.id


def halved(app: Running, run_id: str) -> str:
    """The same run while it goes on: with the first half of its events."""
    store = Store(connect(app.engine_url))
    run = store.get(run_id)
    assert run is not None
    read = pipeline(run.pipeline).events.loads
    events = list(read(event.body for event in store.events(run_id)))
    store.engine.dispose()
    whose = {"visitor": run.visitor, "owner": run.owner, "pipeline": run.pipeline}
    return _put(app, run.request, events[: len(events) // 2], "running", **whose)


@pytest.fixture(scope="module")
def page(browser: Browser, house: Running) -> Iterator[Page]:
    """A tab that is calm, and that is known by the runs it has started."""
    opened = Tabs(browser, house.url)
    opened.allow(r"status of 4\d\d")
    yield opened.open("/", motion="reduce")
    assert opened.close() == []


@pytest.fixture(scope="module")
def made(page: Page, house: Running, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of runs by what they show."""

    def asked(ask: Callable[..., None], *more: Any) -> str:
        page.goto("/trials")
        ask(page, *more)
        page.wait_for_url("**/runs/*")
        run_id = page.url.rsplit("/", 1)[1]
        # The browser asks: the house's own session has cookies of the tests that came before.
        deadline = time.monotonic() + 60
        while page.request.get(f"/api/v1/runs/{run_id}").json()["status"] not in ENDED:
            assert time.monotonic() < deadline, house.logs()
            time.sleep(0.1)
        return run_id

    def form(page: Page) -> None:
        page.goto("/")
        page.locator("#question").fill(DEMO_QUESTION)
        page.locator(ASK).click()

    found = {
        "extractive": asked(form),
        "trials": asked(hand_over, tmp_path_factory.mktemp("papers")),
        "trials of numbers": asked(hand_over, tmp_path_factory.mktemp("papers")),
        "chart": asked(ask_chart),
        "chart failed": asked(ask_chart, NOWHERE),
        "copilot": asked(ask_copilot),
        "copilot failed": asked(ask_copilot, NOWHERE),
        "nothing": house.ask(question="Does zyxomma glorbify quibbles?"),
        "modelled": kept(house, handmade()),
        "doubtful": kept(house, answered(judged_as("not_verified"))),
        "older": kept(house, judged_by_older_rules()),
        "withheld": kept(house, withheld_run()),
        "queued": kept(house, handmade(end=False)[:1], "queued"),
        "key": kept(house, handmade(end=False)[:1], "key_needed"),
        "begun": kept(house, handmade(end=False)[:3], "running"),
        "judging": kept(house, handmade(end=False)[:14], "running"),
        "running": kept(house, handmade(end=False)[:-12], "running"),
        "failed": kept(house, handmade(end=False)[:-9], "failed"),
        "cancelled": kept(house, handmade(end=False)[:3], "cancelled"),
    }
    found["again"] = kept(house, answered(judged_as("partial")), again_of=found["doubtful"])
    for name in ("trials", "chart", "copilot"):
        found[f"{name} running"] = halved(house, found[name])
    page.goto(f"/runs/{found['trials of numbers']}")
    for place, events in enumerate((("10", "22"), ("12", "20"))):
        give(page, place, *events)
    house.ended(found["nothing"])
    return {name: f"/runs/{run_id}" for name, run_id in found.items()}


@pytest.mark.parametrize(("path", "pressed", "seen"), STATES, ids=map(_named, STATES))
def test_no_violation(
    page: Page, made: dict[str, str], path: str, pressed: str | Callable[[Page], None], seen: str
) -> None:
    page.goto(path.format(**made))
    if callable(pressed):
        pressed(page)
    elif pressed == "Show the numbers":
        page.locator("#token").fill(ADMIN)
        page.get_by_role("button", name=pressed).click()
    elif pressed == ALL:
        page.evaluate(OPENED)
    elif pressed:
        button = page.get_by_role("button", name=pressed, exact=True)
        (button if pressed[0].isupper() else page.locator(pressed)).first.click()
    expect(page.locator(seen).first).to_be_visible()
    assert seen_by_all(page) == []


def test_pages_of_faults(browser: Browser, tmp_path: Path) -> None:
    app = small_app(tmp_path)
    app.add_url_rule("/fault/<int:code>", "fault", abort)
    with served(app) as url:
        tabs = Tabs(browser, url)
        page = tabs.open("/", motion="reduce")
        found = []
        for status in FAULTS:
            answer = page.goto(f"/fault/{status}")
            assert answer is not None
            assert answer.status == status
            found += [(status, *one) for one in seen_by_all(page)]
        tabs.close()
    assert found == []


def seen_by_all(page: Page) -> list[Any]:
    """The violations of a page as it stands: light, dark, on a phone and on a desk."""
    found = []
    page.evaluate(BELOW)
    for scheme, (width, height) in LOOKS:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": height})
        found += [(scheme, width, one) for one in violations(page)]
    return found
