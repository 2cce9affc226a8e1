"""The server over stdin and stdout, for the program that started it."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from pydantic_core import from_json

from clinfo.console import streams
from clinfo.errors import Cancelled

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

LAST_SECONDS = 600
"""How long requests that came in before stdin ended may take."""
_NO_REQUEST = types.ErrorData(
    code=types.INVALID_REQUEST,
    message="the request is none of JSON-RPC 2.0: method is text, params an object, id text or "
    "a whole number",
)


class _Wire:
    """stdin and stdout as the transport wants them, until every request that came in is answered;
    what else the process starts reads nothing there, and prints to stderr.
    """

    def __init__(self) -> None:
        self._lines = anyio.wrap_file(os.fdopen(os.dup(0), encoding="utf-8", errors="replace"))
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self._waiting = set[Any]()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._lines:
            for message, refused in _messages(line):
                if refused is not None:
                    await self.write(f"{refused}\n")
                    continue
                if "method" in message:
                    self._waiting.add(message.get("id"))
                if message.get("method") == "notifications/cancelled":
                    self._waiting.discard((message.get("params") or {}).get("requestId"))
                yield json.dumps(message)
        ended = time.monotonic()
        while self._waiting - {None} and time.monotonic() < ended + LAST_SECONDS and self._read():
            await asyncio.sleep(0.1)

    def _read(self) -> bool:
        """Return whether somebody reads stdout still."""
        poll = select.poll()
        poll.register(self._out, 0)
        return not poll.poll(0)

    async def write(self, text: str) -> None:
        self._waiting.discard(from_json(text).get("id"))
        await anyio.to_thread.run_sync(self._out.write, text)

    async def flush(self) -> None:
        await anyio.to_thread.run_sync(self._out.flush)


def serve_stdio(server: Server[Any]) -> None:
    """Serve until stdin ends. Ctrl-C ends the process at once, because whoever reads stdin cannot
    be interrupted.
    """

    def interrupted(_number: int, _frame: object) -> None:
        streams.complain(streams.INTERRUPTED)
        os._exit(Cancelled.exit_status)

    async def talk() -> None:
        wire: Any = _Wire()
        async with stdio_server(wire, wire) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    signal.signal(signal.SIGINT, interrupted)
    streams.say("clinfo mcp: ready on stdin and stdout")
    asyncio.run(talk())


def _messages(line: str) -> Iterator[tuple[dict[str, Any], str | None]]:
    """The messages of a line, each of a batch for itself, with the refusal of what has an id and is
    none: it waits for an answer.
    """
    try:
        given = from_json(line)
    except ValueError:
        return
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, dict):
            continue
        asks = "id" in one
        try:
            read = types.jsonrpc_message_adapter.validate_json(json.dumps(one), by_name=False)
            meta = (one.get("params") or {}).get("_meta") or {}
            fits = isinstance(meta, dict) and asks == hasattr(read, "id")
        except (ValueError, AttributeError):
            fits = False
        if fits:
            yield one, None
        elif asks:
            own = one["id"] if isinstance(one["id"], (int, str)) else None
            refused = types.JSONRPCError(jsonrpc="2.0", id=own, error=_NO_REQUEST)
            yield one, refused.model_dump_json(exclude_unset=True)
