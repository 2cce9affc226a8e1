"""A tool a silo, from the copilot's declarations; never one that reads a patient's record."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from clinfo.errors import IdentifiersFound, UsageError
from clinfo.mcp_server.host import Tool
from clinfo.mcp_server.server import silo_tools
from clinfo.settings import Settings
from tests.cli.process import clinfo
from tests.mcp_server.serving import call, refusal, stdio

TOOLS = """
[ours]
kind = "silo"
silo = "ours"
purpose = "What our guideline recommends."
"""


async def _nobody(_done: float, _said: str) -> None:
    """Is told of progress."""


def of(folder: Path, **more: Any) -> dict[str, Tool]:
    return {one.name: one for one in silo_tools(Settings(data_dir=folder, **more))}


def called(tool: Tool, **arguments: Any) -> Any:
    host: Any = None  # a silo's tool needs nothing of it
    return asyncio.run(tool.call(host, arguments, _nobody))


def test_the_built_in_silos_are_searched_and_say_what_they_are(tmp_path: Path) -> None:
    tools = of(tmp_path)
    assert [*tools] == ["gene_drug", "search_silo", "open_document"]
    civic = tools["gene_drug"]
    assert "CIViC" in civic.description
    assert "demo" in civic.description
    assert called(civic, gene="BRAF", variant="p.V600E").passages
    search = tools["search_silo"]
    assert search.input_schema["properties"]["silo"]["enum"] == ["cancergov", "civic"]
    found = called(search, silo="civic", query="vemurafenib for BRAF V600E melanoma")
    assert {one.silo for one in found.passages} == {"civic"}
    assert any("BRAF V600E" in one.title for one in found.passages)
    assert all(one.end - one.start == len(one.text) for one in found.passages)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"silo": "civic"}, "query is missing"),
        ({"silo": "civic", "query": " "}, "query is empty"),
        ({"silo": "civic", "query": "x" * 2_001}, "2000 characters"),
        ({"silo": "civic", "query": ["x"]}, "must be text"),
        ({"silo": "chart", "query": "x"}, "no silo chart"),
    ],
)
def test_bad_arguments(tmp_path: Path, arguments: dict[str, Any], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        called(of(tmp_path)["search_silo"], **arguments)


def test_what_could_leave_this_machine_is_guarded(tmp_path: Path) -> None:
    tool = of(tmp_path)["search_silo"]
    asked = "melanoma in John Smith, born 3 March 1950, MRN 1234567"
    assert called(tool, silo="cancergov", query=asked)
    for elsewhere in ({"qdrant_url": "https://qdrant.test"}, {"embedder": "wordllama"}):
        with pytest.raises(IdentifiersFound):
            called(of(tmp_path, **elsewhere)["search_silo"], silo="cancergov", query=asked)


@pytest.mark.slow
def test_a_silo_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "tools.toml").write_text(TOOLS)
    (tmp_path / "page.md").write_text(
        "# Falls\n\nOffer exercise to people who have fallen twice.\n"
    )
    data = {"CLINFO_DATA_DIR": str(tmp_path / "data")}
    assert not clinfo("copilot", "load", "ours", "page.md", cwd=tmp_path, **data).returncode

    async def asked() -> tuple[list[str], dict[str, Any]]:
        allowed = {"CLINFO_COPILOT_TOOLS": "tools.toml"}
        async with stdio(tmp_path, **allowed) as client:
            names = [one.name for one in (await client.list_tools()).tools]
            assert "silo" in await refusal(client, "ours", query="exercise", silo="ours")
            return names, await call(client, "ours", query="exercise after falls")

    names, found = asyncio.run(asked())
    assert names[5:] == ["ours"]
    assert "Offer exercise" in found["passages"][0]["text"]
    assert found["passages"][0]["silo"] == "ours"
