"""Take the pictures of docs/screenshots/ from the real app.

Run as python docs/take_screenshots.py [FOLDER]. The demo corpus is asked by the scripted model of
the tests, slowly enough to be watched, and by the extractive one. Needs Debian's Chromium.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.servers.clinical import clinical_reply  # noqa: E402
from benchmarks.servers.model import ModelServer  # noqa: E402
from tests.webapp.browser import chromium  # noqa: E402
from tests.webapp.running import SCRIPTED, running_app  # noqa: E402

QUESTION = "Do long-acting bronchodilators improve lung function and symptoms in COPD?"
DESK: ViewportSize = {"width": 1280, "height": 900}
TALL: ViewportSize = {"width": 1280, "height": 1240}
COLOURS = 128
"""Colours a picture is reduced to, so that a page of text stays below 200 KB."""
PICTURES = ("watching", "citation", "evidence")


def take(
    browser: Browser, base_url: str, folder: Path, pace: Callable[[float, float], None]
) -> None:
    """Ask, watch and read as a visitor would, and write a picture of each into ``folder``.

    ``pace`` is called with the seconds to the scripted model's first token, and a token.
    """
    context = browser.new_context(base_url=base_url, viewport=DESK, locale="en-GB")
    page = context.new_page()
    page.goto(f"/advanced?question={quote(QUESTION)}")
    page.locator("#model").select_option(SCRIPTED)

    pace(0.2, 0.05)
    page.locator("#ask").click()
    page.set_viewport_size(TALL)
    page.locator("#synthesis .streamed, #synthesis .sentence").first.wait_for()
    page.wait_for_timeout(1500)
    _save(page, folder, "watching")
    page.set_viewport_size(DESK)
    page.locator("#cancel").click()
    page.get_by_role("heading", name="This run was cancelled").wait_for()
    pace(0.0, 0.0)

    page.goto(f"/?question={quote(QUESTION)}")
    page.locator("#ask").click()
    page.locator("p.tldr-text").wait_for(timeout=60_000)
    page.locator(".synthesis .sentence").nth(1).locator("a.cite").first.hover()
    page.locator("#cite-card[data-sentence^=s]").wait_for()
    _save(page, folder, "citation")
    page.mouse.move(5, 5)
    page.keyboard.press("Escape")
    page.evaluate("() => document.getElementById('evidence').scrollIntoView({block: 'start'})")
    _save(page, folder, "evidence")
    context.close()


def _save(page: Page, folder: Path, name: str) -> None:
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(folder / f"{name}.png", optimize=True)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as scratch,
        ModelServer(clinical_reply) as model,
        sync_playwright() as playwright,
    ):
        settings = {
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-scripted",
            "CLINFO_CACHE": "off",
        }

        def pace(first_token: float, per_token: float) -> None:
            model.first_token, model.per_token = first_token, per_token

        with running_app(Path(scratch), settings=settings) as app:
            app.ended(app.ask(model=SCRIPTED))  # the worker has imported what it needs
            browser = playwright.chromium.launch(
                executable_path=str(chromium.PATH), args=chromium.ARGUMENTS
            )
            take(browser, app.url, folder, pace)
            browser.close()
    for name in PICTURES:
        print(f"{folder / name}.png {(folder / f'{name}.png').stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
