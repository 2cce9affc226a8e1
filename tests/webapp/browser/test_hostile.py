"""Hostile texts, everywhere they can come from, in a real browser: nothing runs, nothing breaks,
every word is shown as it is.
"""

import pytest
from playwright.sync_api import expect

from tests.webapp.browser import hostile
from tests.webapp.browser.conftest import Tabs, World
from tests.webapp.running import SCRIPTED

pytestmark = pytest.mark.slow

ANSWER = "p.tldr-text"


def test_hostile_question_articles_and_model(tabs: Tabs, world: World) -> None:
    world.script.reply = hostile.reply
    world.pace(0.2, 0.01)
    page = tabs.open("/advanced")
    page.get_by_label("Question", exact=True).fill(hostile.QUESTION)
    page.locator("#model").select_option(SCRIPTED)
    page.locator("input[name=source][value=pubmed]").check()
    page.get_by_role("button", name="Ask", exact=True).last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(hostile.QUESTION)
    page.locator("li.article").first.wait_for()
    expect(page.locator("li.article").first).to_contain_text("<script>")
    page.locator("li.article summary").first.click()
    expect(page.get_by_text("The answer is ready.").or_(page.locator(ANSWER))).to_be_visible()
    world.pace(0.0)
    page.reload()
    expect(page.locator(".answer, .nothing").first).to_be_visible()
    for details in page.locator("details > summary").all():
        if details.is_visible():
            details.click()
    expect(page.locator("table.evidence")).to_contain_text("<script>")
    # No element or attribute of theirs came to be: only ours carry links, and these lead to the web
    # alone.
    assert (
        page.locator(
            "main script, main style, main img:not(.plot), main svg[onload], [onerror], [onclick]"
        ).count()
        == 0
    )
    schemes = page.evaluate(
        "() => [...new Set([...document.querySelectorAll('a[href]')].map(one => one.protocol))]"
    )
    assert set(schemes) <= {"http:", "https:"}
    for cite in page.locator(".synthesis a.cite").all()[:2]:
        cite.hover()
        expect(page.locator("#cite-card")).to_contain_text("onerror")
    assert "49" not in page.locator("h1").inner_text()  # 7*7 was not worked out
