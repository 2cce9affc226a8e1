"""What the Model Context Protocol adds to a call: a tool over stdio against the same work called in
this process, as a ratio of medians.

    python -m benchmarks mcp [--calls 50]

The tools are those that need no question: ``search`` (the demo corpus), ``search_silo`` (a silo,
the built-in example), ``verify`` (two sentences, by rules) and, as the least that there is,
``fetch``. Server and client are the SDK's own, in two
processes on this machine; the client checks each result against the tool's schema. Beside it stands
a tool of the bare SDK that gives a number back: what no tool over stdio can go below.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

ABSTRACT = (
    "Two hundred adults with hypertension were randomised to yoga or usual care for 12 weeks. "
    "Systolic blood pressure fell by 6.1 mmHg with yoga and by 1.2 mmHg with usual care (p = 0.01)."
)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("fetch", {"id": "23334063"}),
    ("search", {"query": "yoga AND blood pressure"}),
    ("search_silo", {"silo": "civic", "query": "BRAF V600E melanoma"}),
    (
        "verify",
        {
            "sentences": ["Yoga lowered blood pressure [1].", "Yoga raised blood pressure [1]."],
            "articles": [{"title": "Yoga in hypertension", "abstract": ABSTRACT}],
        },
    ),
)

BARE = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare", log_level="WARNING")
server.tool(name="same")(lambda n: n)
server.run()
"""


async def medians(calls: Sequence[Callable[[], Awaitable[Any]]], times: int) -> list[float]:
    """Milliseconds of each call, the median of so many after one that is not counted. They take
    turns, so that what else the machine does falls on all of them alike.
    """
    taken: list[list[float]] = [[] for _ in calls]
    for call in calls:
        await call()
    for _ in range(times):
        for call, own in zip(calls, taken, strict=True):
            began = time.perf_counter()
            await call()
            own.append(1_000 * (time.perf_counter() - began))
    return [statistics.median(own) for own in taken]


async def measured(times: int, folder: str) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    from clinfo.mcp_server.host import open_host
    from clinfo.mcp_server.server import offered
    from clinfo.settings import load_settings

    async def nobody(_done: float, _said: str) -> None:
        """Is told of progress."""

    limits = {"CLINFO_MCP_CALLS_A_MINUTE": "100000", "CLINFO_CACHE": "off"}
    os.environ.update(limits, CLINFO_DATA_DIR=folder)  # in which no silo is loaded
    host = open_host(load_settings(), "extractive", "demo", None)
    tools = offered(host)
    ours = ["-m", "clinfo", "mcp", "--model", "extractive", "--source", "demo"]

    def started(*command: str) -> StdioServerParameters:
        return StdioServerParameters(
            command=sys.executable, args=list(command), env=dict(os.environ)
        )

    with open(os.devnull, "w") as nowhere:
        async with (
            Client(stdio_client(started("-c", BARE), errlog=nowhere)) as plain,
            Client(stdio_client(started(*ours), errlog=nowhere)) as client,
        ):
            await plain.list_tools()
            await client.list_tools()

            async def bare() -> None:
                await plain.call_tool("same", {"n": 1})

            for name, arguments in CALLS:

                async def here(name: str = name, given: dict[str, Any] = arguments) -> None:
                    await tools[name].called(host, given, nobody)

                async def over(name: str = name, given: dict[str, Any] = arguments) -> None:
                    assert not (await client.call_tool(name, given)).is_error

                least, alone, there = await medians((bare, here, over), times)
                print(
                    f"{name}: {alone:.1f} ms here, {there:.1f} ms over stdio: "
                    f"{there / alone:.2f} x; {there - alone:.1f} ms more, "
                    f"{(there - alone) / least:.2f} x the bare SDK's tool ({least:.1f} ms)"
                )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--calls", type=int, default=50, help="calls of each tool, each way [50]")
    calls = parser.parse_args(arguments).calls
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measured(calls, folder))


if __name__ == "__main__":
    main()
