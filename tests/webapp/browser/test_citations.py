"""Citations: the card with article and passage, by pointer, keyboard and touch; the evidence table;
exports.
"""

import re

import pytest
from lxml import html
from playwright.sync_api import Page, expect

from tests.webapp.browser.conftest import PHONE, Tabs

pytestmark = pytest.mark.slow


def _carried(page: Page) -> tuple[str, str, str]:
    """Of the last sentence with a quoted passage: its element's id, the citation's number, the
    words quoted.
    """
    address = page.url.split("#")[0]
    for cite in reversed(page.locator(".synthesis a.cite").all()):
        number, sentence = cite.get_attribute("data-n"), cite.get_attribute("data-sentence")
        reply = page.request.get(f"{address}/sources/{number}?card=1&sentence={sentence}")
        if words := html.fromstring(reply.text()).xpath(".//mark/text()"):
            assert number is not None
            assert sentence is not None
            return sentence, number, str(words[0])
    raise AssertionError("no citation of the answer has a passage")


def test_pointing_at_a_citation_shows_article_and_passage(tabs: Tabs, finished_run: str) -> None:
    page = tabs.open(f"/runs/{finished_run}")
    sentence, number, words = _carried(page)
    cite = page.locator(f".synthesis a.cite[data-sentence='{sentence}'][data-n='{number}']").first
    cite.hover()
    card = page.locator("#cite-card")
    expect(card).to_be_visible()
    expect(card.get_by_role("heading")).to_contain_text(f"[{number}]")
    expect(card.locator("mark").first).to_have_text(words)
    expect(card.get_by_role("link", name=re.compile("PubMed"))).to_have_attribute(
        "href", re.compile(r"^https://pubmed\.ncbi\.nlm\.nih\.gov/\d+/?$")
    )
    expect(card.locator("mark").first).to_be_in_viewport()
    box, line = card.bounding_box(), page.locator(f"#{sentence}").bounding_box()
    assert box is not None
    assert line is not None
    assert box["x"] >= line["x"] + line["width"] - 1 or box["y"] > line["y"], (
        "the card lies over the sentence it explains"
    )


def test_the_source_is_that_of_the_sentence_at_the_readers_eye(
    tabs: Tabs, finished_run: str
) -> None:
    page = tabs.open(f"/runs/{finished_run}")
    card = page.locator("#cite-card")
    expect(card).to_be_in_viewport()
    assert str(card.get_attribute("data-sentence")).startswith("t")
    expect(page.locator(".sentence.is-read")).to_have_count(1)
    page.locator(".synthesis .sentence:has(a.cite)").last.evaluate(
        "one => window.scrollBy(0, one.getBoundingClientRect().top - window.innerHeight / 4)"
    )
    expect(card).to_have_attribute("data-sentence", re.compile("^s"))
    expect(card).to_be_in_viewport()
    expect(page.locator(".synthesis .sentence.is-read")).to_have_count(1)


def test_a_tap_opens_the_card_under_its_sentence_and_it_can_be_shut(
    tabs: Tabs, finished_run: str
) -> None:
    page = tabs.open(f"/runs/{finished_run}", viewport=PHONE, touch=True)
    card = page.locator("#cite-card")
    expect(card).to_be_hidden()
    for cite in (page.locator(".synthesis a.cite").first, page.locator(".evidence a.cite").first):
        cite.tap()
        expect(card).to_be_focused()
        box, cover = cite.bounding_box(), card.bounding_box()
        assert box is not None
        assert cover is not None
        assert box["y"] >= 0, "the citation that was tapped is out of sight"
        assert 0 <= cover["y"] - box["y"] - box["height"] <= 160
        expect(card).to_be_in_viewport()
    page.get_by_role("button", name="Close").tap()
    expect(card).to_be_hidden()
    expect(page.locator(".evidence a.cite").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(card).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    assert page.url.endswith(finished_run)


def test_the_evidence_table_sorts_and_filters(tabs: Tabs, finished_run: str) -> None:
    page = tabs.open(f"/runs/{finished_run}")
    rows = page.locator("table.evidence tbody tr")
    years = rows.locator("td.year")
    page.get_by_text("Columns, filters, files").click()
    page.get_by_label("Year", exact=True).check()
    page.locator("th.year button").click()
    up = [int(text) for text in years.all_inner_texts()]
    assert up == sorted(up)
    expect(page.get_by_role("columnheader", name="Year")).to_have_attribute(
        "aria-sort", "ascending"
    )
    page.locator("th.year button").click()
    assert [int(text) for text in years.all_inner_texts()] == sorted(up, reverse=True)
    total = rows.count()
    page.get_by_label("Words").fill("nothing has these words")
    expect(page.locator("table.evidence tbody tr:visible")).to_have_count(0)
    expect(page.locator(".filters .shown")).to_have_text(f"0 of {total} studies shown")
    page.get_by_label("Words").fill("")
    expect(page.locator("table.evidence tbody tr:visible")).to_have_count(total)
