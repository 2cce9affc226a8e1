"""Debian's Firefox, driven by WebDriver BiDi over a websocket (Playwright drives its own build).

The messages are those of https://www.w3.org/TR/webdriver-bidi/.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aiohttp import ClientWebSocketResponse

PATH = Path("/usr/bin/firefox-esr")
SECONDS = 30.0
"""Most that the browser may take for a command."""


class Tab:
    """The one tab of a browser; ``errors`` are what its console called errors."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = count(1)
        self._context = ""
        self.errors: list[str] = []

    async def begin(self) -> None:
        await self._send("session.new", capabilities={})
        self._context = (await self._send("browsingContext.getTree"))["contexts"][0]["context"]
        await self._send("session.subscribe", events=["log.entryAdded"])

    async def open(self, url: str) -> None:
        """Go there; once more where the page that is left has just begun to load itself anew."""
        asked = {"context": self._context, "url": url, "wait": "complete"}
        try:
            await self._send("browsingContext.navigate", **asked)
        except RuntimeError as error:
            if "NS_BINDING_ABORTED" not in str(error):
                raise
            await self._send("browsingContext.navigate", **asked)

    async def size(self, width: int, height: int = 900) -> None:
        viewport = {"width": width, "height": height}
        await self._send("browsingContext.setViewport", context=self._context, viewport=viewport)

    async def type(self, text: str) -> None:
        """Press the keys of ``text``, wherever the focus is."""
        keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keyboard", "actions": keys}]
        await self._send("input.performActions", context=self._context, actions=actions)

    async def run(self, script: str) -> Any:
        """The value of an expression: text, a number, true, false or None."""
        made = await self._send(
            "script.evaluate",
            expression=script,
            target={"context": self._context},
            awaitPromise=True,
        )
        assert made["type"] == "success", (script, made)
        return made["result"].get("value")

    async def until(self, script: str) -> None:
        """Wait until an expression is true; a page that is left meanwhile is no fault."""
        for _ in range(int(SECONDS * 10)):
            try:
                if await self.run(f"Boolean({script})"):
                    return
            except (AssertionError, RuntimeError):
                pass
            await asyncio.sleep(0.1)
        raise AssertionError(f"never true: {script}")

    async def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            answer = await self._socket.receive_json(timeout=SECONDS)
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.errors.append(str(answer["params"]["text"]))
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                found: dict[str, Any] = answer["result"]
                return found


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Tab]:
    """A headless browser with a profile of its own in ``folder``."""
    from aiohttp import ClientSession

    log = folder / "firefox.txt"
    command = [str(PATH), "--headless", "--profile", str(folder), "--remote-debugging-port", "0"]
    with log.open("wb") as said:
        browser = subprocess.Popen(command, stdout=said, stderr=said, env={"HOME": str(folder)})
    try:
        for _ in range(int(SECONDS * 10)):
            if address := re.search(r"ws://[\d.:]+", log.read_text(errors="replace")):
                break
            await asyncio.sleep(0.1)
        else:
            raise AssertionError(log.read_text(errors="replace"))
        async with (
            ClientSession() as session,
            session.ws_connect(f"{address[0]}/session", max_msg_size=0) as socket,
        ):
            tab = Tab(socket)
            await tab.begin()
            yield tab
    finally:
        browser.terminate()
        browser.wait(SECONDS)
