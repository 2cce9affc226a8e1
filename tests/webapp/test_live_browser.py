"""The page of a run that goes on, in a real browser: what the changes make of it, and what they
leave alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect, sync_playwright

from clinfo.pipelines.literature.answer_building import answer_json, build_answer
from clinfo.runs.events import Answered
from tests.webapp.browser import chromium
from tests.webapp.running import free_port
from tests.webapp.serving import served
from tests.webapp.small_app import small_app
from tests.webapp.test_live import Playing
from tests.webapp.watched import asked, eventful

expect.set_options(timeout=20_000)  # a busy machine takes seconds for a page

pytestmark = pytest.mark.slow

AS_RENDERED = """() => {
  const watch = document.getElementById('watch').cloneNode(true);
  watch.removeAttribute('data-seq');
  for (const id of ['left', 'connection', 'announcement']) watch.querySelector('#' + id).remove();
  for (const one of watch.querySelectorAll('[name=csrf_token]')) one.removeAttribute('value');
  for (const one of watch.querySelectorAll('.fresh')) one.classList.remove('fresh');
  for (const one of watch.querySelectorAll('[class=""]')) one.removeAttribute('class');
  for (const one of watch.querySelectorAll('details')) { one.removeAttribute('open'); one.removeAttribute('data-folds-after'); }
  return watch.innerHTML;
}"""  # noqa: E501
SHIFTS = """
window.shifts = [];
new PerformanceObserver(list => { for (const one of list.getEntries()) window.shifts.push(one.value); })
  .observe({type: 'layout-shift', buffered: true});
"""  # noqa: E501


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not chromium.PATH.exists():
        if chromium.required():
            pytest.fail(f"CLINFO_TEST_REQUIRE names chromium, and there is no {chromium.PATH}")
        pytest.skip(f"there is no {chromium.PATH}")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=str(chromium.PATH), args=chromium.ARGUMENTS
        )
        yield launched
        launched.close()


@pytest.fixture
def tab(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Opens tabs; at the end nothing may have gone wrong in them but what ``allowed`` names.

    It asks for the address so that the tabs close before their server does: a page still loading
    would see its connection reset.
    """
    faults: list[str] = []
    contexts = []

    def opened(allowed: tuple[str, ...] = (), **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        contexts.append(context)
        context.add_init_script(SHIFTS)
        page = context.new_page()

        def fault(text: str) -> None:
            if not any(one in text for one in allowed):
                faults.append(text)

        page.on("console", lambda said: fault(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: fault(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def app(tmp_path: Path) -> Flask:
    return small_app(tmp_path)


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    with served(app, free_port()) as found:
        yield found


@pytest.fixture
def playing(app: Flask) -> Playing:
    request = asked()
    found = Playing(app, request, eventful(request))
    found.claim()
    return found


def reached(page: Page, seq: int) -> None:
    expect(page.locator("#watch")).to_have_attribute("data-seq", str(seq))


def at(playing: Playing, type: str) -> int:
    """The number of events up to and with the last one of a type."""
    return 1 + max(event.seq for event in playing.events if event.type == type)


def answered(playing: Playing) -> None:
    """Append the answer, which ends the run."""
    seq = len(playing.events)
    playing.events.append(
        Answered(seq=seq, t=seq / 10, answer=answer_json(build_answer(playing.events)))
    )
    playing.add(1, end="done")


@pytest.mark.parametrize("pause", [0.0, 0.04])
def test_a_watched_page_is_the_page_as_loaded(
    tab: Callable[..., Page], address: str, playing: Playing, pause: float
) -> None:
    page = tab()
    page.goto(f"{address}/runs/{playing.id}")
    while playing.at < len(playing.events):
        playing.add()
        time.sleep(pause)
    reached(page, playing.last_seq)
    fresh = tab()
    fresh.goto(f"{address}/runs/{playing.id}")
    assert page.evaluate(AS_RENDERED) == fresh.evaluate(AS_RENDERED)


def test_a_lost_connection_is_said_and_made_good(tab: Callable[..., Page], tmp_path: Path) -> None:
    port = free_port()
    first = small_app(tmp_path)
    request = asked()
    playing = Playing(first, request, eventful(request))
    playing.claim()
    page = tab(allowed=("ERR_",))
    with served(first, port) as address:
        page.goto(f"{address}/runs/{playing.id}")
        playing.add(30)
        reached(page, playing.last_seq)
        expect(page.locator("#connection")).to_be_hidden()
    expect(page.locator("#connection")).to_be_visible(timeout=60_000)
    playing.add(12)
    with served(small_app(tmp_path), port) as address:
        expect(page.locator("#connection")).to_be_hidden(timeout=60_000)
        reached(page, playing.last_seq)
        playing.add(100)
        reached(page, playing.last_seq)
        fresh = tab()
        fresh.goto(f"{address}/runs/{playing.id}")
        assert page.evaluate(AS_RENDERED) == fresh.evaluate(AS_RENDERED)


def test_what_the_reader_opened_and_where_the_focus_is_stay(
    tab: Callable[..., Page], address: str, playing: Playing
) -> None:
    page = tab()
    page.goto(f"{address}/runs/{playing.id}")
    playing.add(at(playing, "article_judged"))
    reached(page, playing.last_seq)
    card = page.locator("#article-1 summary")
    card.click()
    card.focus()
    assert "Fewer died" not in page.locator("#article-1").inner_text()
    playing.add(100)
    reached(page, playing.last_seq)
    expect(page.locator("#article-1")).to_contain_text("Fewer died with drug A")
    expect(page.locator("#article-1 details")).to_have_attribute("open", "")
    assert page.evaluate("() => document.activeElement.closest('li').id") == "article-1"


@pytest.mark.parametrize("width", [1280, 375])
def test_nothing_moves_while_it_is_read(
    tab: Callable[..., Page], address: str, playing: Playing, width: int
) -> None:
    """The browser's own measure of what moved without being asked to; 0.1 and less is good
    (web.dev/cls).
    """
    playing.add(3)
    page = tab(viewport={"width": width, "height": 900})
    page.goto(f"{address}/runs/{playing.id}")
    page.wait_for_timeout(500)
    page.evaluate("() => { window.shifts = []; }")
    while playing.at < len(playing.events):
        playing.add()
        time.sleep(0.1)
    reached(page, playing.last_seq)
    page.wait_for_timeout(300)
    assert sum(page.evaluate("() => window.shifts")) < 0.1


def test_the_finished_page_takes_its_place(
    tab: Callable[..., Page], address: str, playing: Playing
) -> None:
    """The page that was watched becomes the page as loaded, with its look, and without a jump."""
    page = tab()
    page.goto(f"{address}/runs/{playing.id}")
    playing.add(100)
    reached(page, playing.last_seq)
    page.evaluate("() => { window.same_document = true; }")
    answered(playing)
    expect(page.locator("#watch")).to_have_count(0)
    expect(page.locator("h1")).to_contain_text("Does drug A reduce mortality")
    expect(page.locator("#announcement")).to_have_text("The answer is ready")
    assert page.evaluate("() => window.same_document")
    assert page.evaluate("() => scrollY") == 0
    fresh = tab()
    fresh.goto(f"{address}/runs/{playing.id}")
    look = (
        "() => [...document.querySelectorAll('main *')].map(one => one.getBoundingClientRect().top)"
    )
    expect(fresh.locator("h1")).to_be_visible()
    assert page.evaluate(look) == pytest.approx(fresh.evaluate(look), abs=1)
    assert page.title() == fresh.title()


TOP = "id => document.getElementById(id).getBoundingClientRect().top"


@pytest.mark.parametrize("viewport", [(1280, 700), (390, 600)], ids=["desk", "phone"])
@pytest.mark.parametrize(
    ("watched", "answer"), [("article-1", "ref-1"), ("s3", "s3"), ("t1", "t1")]
)
def test_what_is_read_stays_where_it_is_when_the_run_ends(
    tab: Callable[..., Page],
    address: str,
    playing: Playing,
    viewport: tuple[int, int],
    watched: str,
    answer: str,
) -> None:
    """The element that has the focus keeps its place in the window, and the focus; a card that is
    open stays open.
    """
    page = tab(viewport={"width": viewport[0], "height": viewport[1]})
    page.goto(f"{address}/runs/{playing.id}")
    playing.add(100)
    reached(page, playing.last_seq)
    place = page.locator(f"#{watched}")
    focused = place.locator("summary, a").first
    focused.focus()
    if watched.startswith("article"):
        focused.click()
    page.evaluate("() => window.scrollBy({top: 150, behavior: 'instant'})")
    page.wait_for_timeout(200)
    before = page.evaluate(TOP, watched)
    answered(playing)
    expect(page.locator("#watch")).to_have_count(0)
    expect(page.locator("#announcement")).to_have_text("The answer is ready")
    # A card of the live page is a row of the answer that opens, or comes along where none does.
    there = answer if page.locator(f"#{watched}").count() == 0 else watched
    assert page.evaluate(TOP, there) == pytest.approx(before, abs=4)
    assert page.evaluate("id => document.activeElement.closest('#' + id) !== null", there)
    if watched.startswith("article"):
        expect(page.locator(f"#{there} details").first).to_have_attribute("open", "")


def test_a_selected_text_is_left_alone(
    tab: Callable[..., Page], address: str, playing: Playing
) -> None:
    page = tab()
    page.goto(f"{address}/runs/{playing.id}")
    playing.add(100)
    reached(page, playing.last_seq)
    page.locator("#tldr p").first.select_text()
    answered(playing)
    expect(page.locator("#ready")).to_be_visible()
    assert "Drug A may help" in page.evaluate("() => String(document.getSelection())")
    page.locator("#show").click()
    expect(page.locator("#watch")).to_have_count(0)


def test_trusted_types_are_required(
    tab: Callable[..., Page], address: str, playing: Playing
) -> None:
    """The script needs one policy, and nothing but it makes HTML of text."""
    page = tab(allowed=("TrustedHTML", "TrustedTypePolicy"))
    answer = page.goto(f"{address}/runs/{playing.id}")
    assert answer is not None
    assert "require-trusted-types-for 'script'" in answer.headers["content-security-policy"]
    playing.add(100)
    reached(page, playing.last_seq)
    expect(page.locator("#tldr")).to_contain_text("Drug A may help")
    with pytest.raises(Exception, match="TrustedHTML"):
        page.evaluate("() => { document.createElement('p').innerHTML = '<b>x</b>'; }")
    with pytest.raises(Exception, match="disallowed"):
        page.evaluate(
            "() => { window.trustedTypes.createPolicy('other', {createHTML: html => html}); }"
        )


def test_steps_are_announced_and_not_every_word(
    tab: Callable[..., Page], address: str, playing: Playing
) -> None:
    page = tab()
    page.goto(f"{address}/runs/{playing.id}")
    page.evaluate(
        """() => {
          window.said = [];
          const place = document.getElementById('announcement');
          new MutationObserver(() => window.said.push(place.textContent)).observe(place, {childList: true});
        }"""  # noqa: E501
    )
    began = time.monotonic()
    while playing.at < len(playing.events):
        playing.add()
        time.sleep(0.1)
    page.wait_for_timeout(5_500)
    page.wait_for_function("() => window.said.length > 0", timeout=60_000)
    said = page.evaluate("() => window.said")
    assert 1 <= len(said) <= 2 + (time.monotonic() - began) / 5, "at most one in five seconds"
    assert "Sentence" not in " ".join(said)
    live = page.locator("[aria-live], [role=status], [role=alert], [role=log]")
    assert [one.get_attribute("id") for one in live.all()] == ["announcement"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_axe_finds_nothing(
    tab: Callable[..., Page], address: str, app: Flask, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    request = asked()
    playing = Playing(app, request, eventful(request))
    page = tab(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page.goto(f"{address}/runs/{playing.id}")
    found = {"queued": Axe().run(page).response["violations"]}
    playing.claim()
    for type in (
        "query_generated",
        "articles_fetched",
        "article_judged",
        "synthesis_reset",
        "stage_timed",
    ):
        playing.add(at(playing, type) - playing.at)
        reached(page, playing.last_seq)
        found[type] = Axe().run(page).response["violations"]
    page.locator("#article-1 summary").click()
    page.locator("#queries-part > details > summary").click()
    page.locator("#query-1 summary").click()
    found["open"] = Axe().run(page).response["violations"]
    waiting = playing.store.create(request, own_key=True)
    page.goto(f"{address}/runs/{waiting.id}")
    found["key needed"] = Axe().run(page).response["violations"]
    said = {
        state: [(one["id"], [node["html"] for node in one["nodes"]]) for one in all]
        for state, all in found.items()
        if all
    }
    assert said == {}
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
