"""How soon and how densely an answer is read: where it begins, how long its page is, how near its
first source is, on a desk and on a phone. The figures are printed.
"""

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.webapp.browser.conftest import Tabs, World, clean
from tests.webapp.browser.test_axe import kept
from tests.webapp.handmade import many

pytestmark = pytest.mark.slow

DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
NARROW: ViewportSize = {"width": 320, "height": 640}
FOUND, STUDIES = 50, 23
"""Articles found by a run of `many`, and those of them that its answer cites."""

WORDS_ABOVE = """() => {
  const end = document.querySelector('.tldr-text'), words = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walk.nextNode(); text && !end.contains(text); text = walk.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(text);
    const {width, height, bottom} = range.getBoundingClientRect();
    const seen = text.parentElement.checkVisibility({visibilityProperty: true});
    const clipped = text.parentElement.closest('.visually-hidden, .skip, #tldr-head');
    if (seen && !clipped && width > 1 && height > 1 && bottom > 0) words.push(...text.data.split(/\\s+/).filter(Boolean));
  }
  return words;
}"""  # noqa: E501


@pytest.fixture(scope="module")
def answer(_world: World) -> str:
    """The address of an answer from 23 studies: a TL;DR, and a sentence on each of them."""
    return f"/runs/{kept(_world.app, many(FOUND))}"


def top(page: Page, selector: str) -> float:
    """The y at which the first such element begins, in the window."""
    found: float = page.evaluate(
        "one => document.querySelector(one).getBoundingClientRect().top", selector
    )
    return found


@pytest.mark.parametrize(
    ("viewport", "begins", "long"),
    [(DESK, 210, 2_400), (PHONE, 125, 4_000)],
    ids=["desk", "phone"],
)
def test_an_answer_of_23_studies_begins_high_and_is_short(
    tabs: Tabs, answer: str, viewport: ViewportSize, begins: float, long: float
) -> None:
    page = tabs.open(answer, viewport=viewport)
    y, above = top(page, ".tldr-text"), page.evaluate(WORDS_ABOVE)
    rows = page.locator("table.evidence tbody tr:visible")
    expect(rows).to_have_count(8)
    page.locator(".tldr a.cite").first.click()
    expect(page.locator("#cite-card")).to_be_visible()
    height = page.evaluate("() => document.documentElement.scrollHeight")
    each = rows.evaluate_all("all => all.map(one => Math.round(one.offsetHeight))")
    print(f"\n{viewport['width']} px: TL;DR at y {y:.0f}, words above it {len(above)}, ", end="")
    print(f"height {height} with the source open, rows {each}")
    assert y <= begins
    assert len(above) <= 20, above
    assert height <= long
    clean(page)
    page.get_by_role("link", name=f"All {STUDIES} studies", exact=True).click()
    expect(rows).to_have_count(STUDIES)
    clean(page)


def test_on_a_phone_the_first_source_is_one_tap_away(tabs: Tabs, answer: str) -> None:
    page = tabs.open(answer, viewport=PHONE, touch=True)
    page.locator(".tldr a.cite").first.tap()
    expect(page.locator("#cite-card")).to_be_focused()
    y, passage = top(page, "#cite-card"), top(page, "#cite-card mark")
    print(f"\n390 px: the card at y {y:.0f}, its passage at {passage:.0f}")
    assert 0 < y <= 700
    assert y < passage <= 844
    assert page.evaluate("() => scrollY") == 0


@pytest.mark.parametrize("viewport", [DESK, PHONE, NARROW], ids=["desk", "phone", "narrow"])
def test_the_bar_is_one_row_whose_menu_opens_without_a_script(
    tabs: Tabs, viewport: ViewportSize
) -> None:
    page = tabs.open("/how", viewport=viewport, javascript=False)
    bar = page.locator("header.site")
    tops = {round(one.bounding_box()["y"]) for one in bar.locator("nav > *").all()}  # type: ignore[index]
    assert len(tops) == 1
    box = bar.bounding_box()
    assert box is not None
    assert box["height"] <= 52
    more = page.locator("header.site summary")
    expect(more).to_have_accessible_name(re.compile(r"^More \(now How it works\)$"))
    more.focus()
    page.keyboard.press("Enter")
    here = page.locator(".menu-list a[aria-current=page]")
    expect(here).to_have_text("How it works")
    inside = here.bounding_box()
    assert inside is not None
    assert inside["x"] >= 0
    assert inside["x"] + inside["width"] <= viewport["width"]


@pytest.mark.parametrize("path", ["/", "/advanced", "/runs", "/how", "ANSWER"])
def test_nothing_is_scrolled_sideways_at_320_pixels(tabs: Tabs, answer: str, path: str) -> None:
    page = tabs.open(answer if path == "ANSWER" else path, viewport=NARROW)
    page.evaluate("() => document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW["width"]
