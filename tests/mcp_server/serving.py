"""``clinfo mcp`` as a real process, called by the SDK's own client."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer
from tests.cli.process import DEMO, command, environment

PRICED = "openai/gpt-4o-mini"
"""A model whose price litellm knows; the scripted server answers under its name."""
NAMES = ["ask", "search", "fetch", "verify", "integrity"]
"""The tools that there are whatever silos are loaded; those of silos follow."""


def stdio(folder: Path, *arguments: str, **more: str) -> Client:
    """A client that starts the server itself; what it says goes to ``log`` in the folder."""
    program, *given = command("mcp", *(arguments or DEMO))
    settings = environment(CLINFO_DATA_DIR=str(folder / "data"), **more)
    return Client(StdioServerParameters(command=program, args=given, env=settings, cwd=str(folder)))


@dataclass
class Served:
    """A server over HTTP: its address, its process, and the file that has what it says."""

    url: str
    process: subprocess.Popen[str]
    log: Path


@contextmanager
def over_http(folder: Path, *arguments: str, **more: str) -> Iterator[Served]:
    """A server on loopback, at a free port unless told otherwise."""
    where = () if "--http" in arguments else ("--http", "127.0.0.1:0")
    log = folder / "log.txt"
    with log.open("w") as said:
        process = subprocess.Popen(
            command("mcp", *(arguments or DEMO), *where),
            cwd=folder,
            env=environment(CLINFO_DATA_DIR=str(folder / "data"), **more),
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://"), log.read_text()
        yield Served(url, process, log)
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@contextmanager
def scripted(first_token: float = 0.0) -> Iterator[tuple[ModelServer, dict[str, str]]]:
    """A language model and PubMed, scripted, in this process; the environment that leads there."""
    model = ModelServer(workload.reply, first_token=first_token)
    eutils = EutilsServer(workload.articles(), scripted=workload.searches())
    with model, eutils:
        yield (
            model,
            {
                "OPENAI_API_BASE": model.url,
                "OPENAI_API_KEY": "sk-scripted-key",
                "CLINFO_EUTILS_URL": eutils.url,
                "CLINFO_EUTILS_RATE": "1000",
            },
        )


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The result of a tool; fails where it gave an error."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


async def refusal(client: Client, name: str, **arguments: Any) -> str:
    """The sentence with which a tool refused; fails where it did not, or said more than one
    line.
    """
    result = await client.call_tool(name, arguments)
    assert result.is_error, result.structured_content
    (said,) = [one.text for one in result.content]
    assert "\n" not in said
    assert os.fspath(Path.home()) not in said
    return str(said)
