"""The server over stdin and stdout, for the program that started it."""

import asyncio
import json
import os
import select
import signal
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic_core import from_json

from clinfo.console import streams
from clinfo.errors import Cancelled
from clinfo.mcp_server.host import Gate

NO_REQUEST = "none: method is text, params an object"
"""The method, which there is not, of a request that is none of JSON-RPC 2.0."""


def serve_stdio(server: Server[Any], gate: Gate) -> None:
    """Serve until stdin ends and the calls that came in are answered, or nobody reads stdout.
    Ctrl-C ends the process at once, because whoever reads stdin cannot be interrupted.
    """

    def interrupted(_number: int, _frame: object) -> None:
        streams.complain(streams.INTERRUPTED)
        os._exit(Cancelled.exit_status)

    async def lines() -> AsyncIterator[str]:
        stdin, reader = os.fdopen(os.dup(0), encoding="utf-8", errors="replace"), select.poll()
        reader.register(os.dup(1), 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # of what is started, nothing reads it
        async for line in anyio.wrap_file(stdin):
            for message in _messages(line):
                yield message
        await asyncio.sleep(1)  # what is no call of a tool is answered at once
        while gate.running and not reader.poll(0):
            await asyncio.sleep(0.1)

    async def talk() -> None:
        async with stdio_server(lines()) as (read, write):  # type: ignore[arg-type]
            await server.run(read, write, server.create_initialization_options())

    signal.signal(signal.SIGINT, interrupted)
    streams.say("clinfo mcp: ready on stdin and stdout")
    asyncio.run(talk())


def _messages(line: str) -> Iterator[str]:
    """The messages of a line, each of a batch for itself. What has an id waits for an answer: where
    it is no message, it becomes one that is refused.
    """
    try:
        given = from_json(line)
    except ValueError:
        return
    for one in given if isinstance(given, list) else [given]:
        try:
            message = json.dumps(one)
            types.jsonrpc_message_adapter.validate_json(message, by_name=False)
            fits = isinstance((one.get("params") or {}).get("_meta") or {}, dict)
        except ValueError:
            fits = False
        if fits:
            yield message
        elif isinstance(one, dict) and isinstance(one.get("id"), int | str):
            yield json.dumps({"jsonrpc": "2.0", "id": one["id"], "method": NO_REQUEST})
