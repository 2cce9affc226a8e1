"""Debian's Chromium, driven by Playwright, offline but for this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser

PATH = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
ANSWER = "div.tldr-text.done, p.tldr-text"
"""The element that the page of a run has once its answer is shown, as it is watched or read."""


@asynccontextmanager
async def opened() -> AsyncIterator[Browser]:
    """A headless browser."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(PATH), args=ARGUMENTS)
        try:
            yield browser
        finally:
            await browser.close()
