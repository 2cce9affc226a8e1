"""The answer page as it is laid out: its size, its list of studies, its source, and on paper."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.webapp.browser.conftest import DESK, PHONE, Tabs, World
from tests.webapp.browser.test_axe import kept
from tests.webapp.handmade import handmade, many, request

pytestmark = pytest.mark.slow


REFERENCES = 68
"""Articles found by a run of `many` that cites 32."""


@pytest.fixture(scope="module")
def large(_world: World) -> str:
    """The address of an answer with 32 references, a TL;DR and a sentence on each."""
    return f"/runs/{kept(_world, many(REFERENCES))}"


def _height(page: Page) -> int:
    page.wait_for_load_state("networkidle")
    return int(page.evaluate("() => document.documentElement.scrollHeight"))


@pytest.mark.parametrize(("width", "most"), [(1440, 6_000), (390, 12_000)])
def test_an_answer_of_32_references_is_so_high_at_most(
    tabs: Tabs, large: str, width: int, most: int
) -> None:
    page = tabs.open(large, viewport={"width": width, "height": 900})
    expect(page.locator("#tldr-head")).to_be_visible()
    assert page.locator(".synthesis .sentence:visible").count() == 32
    expect(page.locator("table.evidence tbody tr:visible")).to_have_count(10)
    expect(page.locator("#cite-card .abstract")).to_be_visible()
    assert _height(page) <= most
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("javascript", [True, False])
def test_columns_are_chosen(tabs: Tabs, large: str, javascript: bool) -> None:
    page = tabs.open(large, javascript=javascript)
    head = page.get_by_role("columnheader", name="Population")
    expect(head).to_have_count(0)
    page.get_by_text("Columns, filters, files").click()
    page.get_by_label("Population").check()
    expect(head).to_be_visible()
    page.get_by_label("Design", exact=True).first.uncheck()
    expect(page.get_by_role("columnheader", name="Design")).to_have_count(0)
    for name in ("CSV", "Excel"):
        link = page.locator(".table-tools").get_by_role("link", name=name)
        assert page.request.get(str(link.get_attribute("href"))).status == 200


def test_ten_references_are_two_pages_on_paper(tabs: Tabs, world: World) -> None:
    page = tabs.open(f"/runs/{kept(world, many(24))}")
    numbers = page.locator(".endnotes li").evaluate_all("all => all.map(one => one.value)")
    assert numbers == list(range(1, 11))
    sheets = re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="A4"))
    assert 1 <= len(sheets) <= 2
    page.emulate_media(media="print")
    expect(page.locator(".endnotes .citation:visible")).to_have_count(10)
    for hidden in (".studies", "#cite-card", "#keep", "#search"):
        expect(page.locator(hidden)).to_be_hidden()


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_text_from_right_to_left_and_twice_as_large_stays_within_the_page(
    tabs: Tabs, world: World, viewport: ViewportSize
) -> None:
    """At 200 % a window has half the pixels; a question in Arabic begins on the right."""
    asked = request(question="هل يخفض الدواء أ الوفيات لدى البالغين المصابين بقصور القلب (HFrEF)؟")
    run = kept(world, handmade(asked=asked, said=" تم خفض الوفيات."))
    half: ViewportSize = {"width": max(viewport["width"] // 2, 320), "height": 400}
    page = tabs.open(f"/runs/{run}", viewport=half)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= half["width"]
    head = page.locator("h1.question")
    assert head.evaluate("one => getComputedStyle(one).direction") == "rtl"
