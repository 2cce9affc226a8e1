"""The foot of an answer in which the next question is asked: always in view, never in the way."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from benchmarks.servers.clinical import clinical_reply
from tests.webapp.browser.conftest import DESK, PHONE, Tabs, World, clean
from tests.webapp.running import DEMO_QUESTION, SCRIPTED

pytestmark = pytest.mark.slow

RESOLVED = "Does yoga lower blood pressure in pregnancy?"
ROW = 68
"""Pixels: a control of 44 with the room about it."""
SIZES = pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])

_PLACE = """() => { const box = document.querySelector('#follow-question').getBoundingClientRect();
  const foot = document.querySelector('.foot').getBoundingClientRect();
  return {seen: box.top >= 0 && box.bottom <= innerHeight, high: foot.height, top: foot.top,
          over: document.elementFromPoint(box.left + 9, box.top + 9)?.id}; }"""
_LAST = """() => { const foot = document.querySelector('.foot').getBoundingClientRect();
  return [...document.querySelectorAll('#answer-page > *:not(.foot), footer p')]
    .map(one => one.getBoundingClientRect()).filter(one => one.height && one.bottom > foot.top + 1
       && one.top < foot.bottom - 1).length; }"""
_COVERED = """() => { const one = document.activeElement, foot = document.querySelector('.foot');
  if (foot.contains(one) || one === document.body) return '';
  const box = one.getBoundingClientRect(), edge = foot.getBoundingClientRect();
  return box.top < edge.bottom && box.bottom > edge.top + 1 && box.height < edge.top ? one.outerHTML : ''; }"""  # noqa: E501


def understanding(body: dict[str, Any]) -> str:
    """The clinical model, which understands every follow-up as `RESOLVED` and leaves one open."""
    form = (body.get("response_format") or {}).get("json_schema") or {}
    if form.get("name") == "resolve":
        return json.dumps({"stands_alone": "no", "question": RESOLVED, "assumptions": []})
    if form.get("name") == "doubts":
        return json.dumps({"doubts": [], "next": ["In children?"]})
    return clinical_reply(body)


def scrolled(page: Page, share: float) -> None:
    page.evaluate(f"() => scrollTo(0, {share} * document.documentElement.scrollHeight)")


@SIZES
def test_the_box_is_in_view_wherever_one_reads_and_one_row_high(
    tabs: Tabs, finished_run: str, size: Any
) -> None:
    page = tabs.open(f"/runs/{finished_run}", viewport=size)
    for share in (0, 0.5, 1):
        scrolled(page, share)
        place = page.evaluate(_PLACE)
        assert place["seen"], (share, place)
        assert place["over"] == "follow-question"
        assert place["high"] <= ROW
    assert page.evaluate(_LAST) == 0  # at the end of the page it covers no line
    page.locator("#follow-question").focus()
    expect(page.locator("#follow-hint")).to_be_visible()
    assert page.evaluate(_PLACE)["high"] > ROW
    clean(page)
    page.emulate_media(media="print")
    expect(page.locator(".foot")).to_be_hidden()


@SIZES
def test_whatever_the_keyboard_reaches_is_clear_of_the_foot_which_comes_last(
    tabs: Tabs, finished_run: str, size: Any
) -> None:
    page = tabs.open(f"/runs/{finished_run}", viewport=size)
    for _ in range(150):
        page.keyboard.press("Tab")
        assert page.evaluate(_COVERED) == ""
        if page.evaluate("() => document.activeElement.id === 'follow-question'"):
            break
    else:
        raise AssertionError("no way to the box")
    order = []
    for _ in range(2):
        page.keyboard.press("Tab")
        order.append(page.evaluate("() => document.activeElement.form?.className"))
    assert order == ["next", "next"]  # the button, what is kept


@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no script"])
def test_a_follow_up_is_understood_shown_and_asked_again_as_edited(
    tabs: Tabs, world: World, javascript: bool
) -> None:
    world.script.reply = understanding
    run_id = world.app.ask(question=DEMO_QUESTION, model=SCRIPTED, source="demo")
    assert world.app.ended(run_id)["status"] == "done"
    page = tabs.open(f"/runs/{run_id}", javascript=javascript)
    page.locator("#follow-question").fill("In pregnancy?")
    page.locator("#follow-question").press("Enter")
    page.wait_for_url(lambda url: run_id not in url)
    new = page.url.rpartition("/")[2]
    answer = world.app.ended(new)["answer"]
    assert answer["resolved"]["question"] == RESOLVED
    page.goto(f"/runs/{new}")
    understood = page.locator(".understood summary")
    expect(understood).to_contain_text(f"Understood as: {RESOLVED}")
    understood.click()
    page.locator("#understood-question").fill("Does yoga lower blood pressure in men?")
    page.get_by_role("button", name="Ask this").click()
    page.wait_for_url(lambda url: new not in url)
    last = page.url.rpartition("/")[2]
    answer = world.app.ended(last)["answer"]
    assert answer["question"] == "Does yoga lower blood pressure in men?"
    assert answer["resolved"] is None
