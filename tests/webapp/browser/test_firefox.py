"""Five pages in Firefox: they come whole, their scripts run, a question is asked and answered."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.required import absent
from tests.webapp.browser import firefox
from tests.webapp.browser.test_axe import kept
from tests.webapp.handmade import handmade
from tests.webapp.running import DEMO_QUESTION, Running
from tests.webapp.test_trials_pages import started

pytestmark = pytest.mark.slow

WIDTHS = (1440, 390)


@pytest.fixture(autouse=True)
def _needs_firefox() -> None:
    if not firefox.PATH.exists():
        absent("firefox", f"{firefox.PATH} is not there (apt-get install firefox-esr)")


async def looked_at(tab: firefox.Tab) -> None:
    """What any page owes: a heading, its sheets, and no line wider than the screen."""
    for width in WIDTHS:
        await tab.size(width)
        assert await tab.run("document.querySelectorAll('h1').length") == 1
        assert await tab.run("[...document.styleSheets].every(one => one.cssRules.length)")
        wide = await tab.run("document.documentElement.scrollWidth")
        assert wide <= width, await tab.run("location.pathname")
    await tab.size(WIDTHS[0])


async def visit(url: str, folder: Path, runs: dict[str, str]) -> None:
    async with firefox.opened(folder) as tab:
        await tab.open(url)
        await looked_at(tab)
        await tab.run("document.querySelector('#question').focus()")
        await tab.type(DEMO_QUESTION)
        assert await tab.run("document.querySelector('#question').value") == DEMO_QUESTION
        await tab.run("document.querySelector('#question').form.requestSubmit()")
        await tab.until("location.pathname.startsWith('/runs/')")
        # the page that is watched becomes the answer by itself
        await tab.until("document.querySelector('.synthesis a.cite')")
        run = await tab.run("location.href")
        await looked_at(tab)
        await tab.run("document.querySelector('.synthesis a.cite').click()")
        await tab.until("[...document.querySelectorAll('mark')].some(one => one.checkVisibility())")
        await tab.open(f"{url}/runs?q=yoga")
        await looked_at(tab)
        assert await tab.run("document.querySelector('.run-question').href") == run
        await tab.open(f"{url}/runs/{runs['running']}")
        await looked_at(tab)
        assert await tab.run("document.querySelector('#said').textContent")
        await tab.open(f"{url}/runs/{runs['trials']}")
        await looked_at(tab)
        assert await tab.run("document.querySelectorAll('.trials-studies > li').length") == 3
        assert tab.errors == []


def test_five_pages_in_firefox(house: Running, tmp_path: Path) -> None:
    runs = {
        "trials": started(house)["id"],
        "running": kept(house, handmade(end=False)[:-12], "running"),
    }
    # A thread of its own, since Playwright keeps a running loop in the main one.
    with ThreadPoolExecutor(1) as pool:
        visited = visit(house.url, tmp_path, runs)
        pool.submit(asyncio.run, visited).result()
