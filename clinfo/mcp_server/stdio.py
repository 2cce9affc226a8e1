"""The server over stdin and stdout, for the program that started it."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, Any

from mcp.server.stdio import stdio_server

from clinfo.console import streams
from clinfo.errors import Cancelled

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


def serve_stdio(server: Server[Any]) -> None:
    """Serve until stdin ends. Ctrl-C ends the process at once, because whoever reads stdin cannot
    be interrupted.
    """

    def interrupted(_number: int, _frame: object) -> None:
        streams.complain(streams.INTERRUPTED)
        os._exit(Cancelled.exit_status)

    async def talk() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    signal.signal(signal.SIGINT, interrupted)
    streams.say("clinfo mcp: ready on stdin and stdout")
    asyncio.run(talk())
