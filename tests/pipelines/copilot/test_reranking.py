"""Tools that rerank what they find: whole runs with scripted servers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks.servers.model import ModelServer
from clinfo.errors import IdentifiersFound, NotForPatients, UsageError
from clinfo.pipelines.copilot.request import request_of
from clinfo.pipelines.copilot.tools import declared
from clinfo.retrieval.silos import SiloHit
from clinfo.runs.events import Event
from clinfo.settings import Settings
from tests.pipelines.copilot.silos import (
    CIVIC,
    MemorySilos,
    call,
    calling,
    claims,
    document,
    scripted,
)
from tests.pipelines.copilot.test_run import QUESTION, answer, ran, settings, silos, with_model

__all__ = ["settings", "silos", "with_model"]  # fixtures
Run = Callable[..., list[Event]]
ASKED = calling(call("pages", {"query": "cause of melanoma"}))


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Settings]:
    """Settings of a host with one tool of these further lines."""

    def made(lines: str) -> Settings:
        file = tmp_path / "tools.toml"
        file.write_text(f'[pages]\nkind = "silo"\nsilo = "cancergov"\npurpose = "p"\n{lines}\n')
        monkeypatch.setenv("CLINFO_COPILOT_TOOLS", str(file))
        return Settings(cache="off")

    return made


def passages(found: Sequence[Event]) -> list[tuple[str, int, int, str]]:
    return [
        (one.document, one.start, one.end, one.text)
        for event in found
        for one in getattr(getattr(event, "observation", None), "passages", ())
    ]


def test_a_reranker_orders_what_was_found_and_is_paid_once(
    with_model: Run, tool: Callable[[str], Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The silo puts “a” first; the reranker, by the share of words at its server, “b”."""
    texts = {"a": "Moles are common.", "b": "Sun is a cause of melanoma ."}
    own = MemorySilos(document("cancergov", *one) for one in texts.items())
    own.search = lambda *_, **__: [  # type: ignore[method-assign]
        SiloHit(one, 0, len(one.text), 1.0, "text") for one in own.documents("cancergov")
    ]
    model = scripted([ASKED], claims())
    assert [id for id, *_ in passages(with_model(model, own=own, under=tool("")))] == ["a", "b"]
    with ModelServer(lambda body: "") as server:
        monkeypatch.setenv("INFINITY_API_BASE", server.url.removesuffix("/v1"))
        monkeypatch.setenv("INFINITY_API_KEY", "sk-test")
        under = tool('rerank = "infinity/scripted"')
        whole = with_model(model, own=own, under=under)
        assert [id for id, *_ in passages(whole)] == ["b", "a"]
        assert len(server.received) == 1
        cut = next(n for n, one in enumerate(whole) if one.type == "tool_progressed") + 1
        rest = with_model(model, whole[:cut], own=own, under=under)
        assert [id for id, *_ in passages(rest)] == ["b", "a"]
        assert len(server.received) == 1
    assert answer(whole)["usage"]["by_stage"]["tools"]["calls"] == 1


def test_what_cannot_be_reranked_is_said_at_once(tmp_path: Path) -> None:
    file = tmp_path / "tools.toml"
    table = '[g]\nkind = "gene_drugs"\nsilo = "civic"\npurpose = "p"\nrefine = true\n'
    file.write_text(table)
    assert declared(file), "lines of earlier versions say nothing"
    file.write_text(f'{table}rerank = "results"\n')
    with pytest.raises(UsageError, match="cannot be reranked"):
        declared(file)


def test_a_case_goes_to_no_reranker_elsewhere(tool: Callable[[str], Settings]) -> None:
    under, own = tool('rerank = "cohere/rerank-v3"'), MemorySilos(CIVIC)
    case = request_of(under, QUESTION, "extractive", case="A man of 60.")
    with pytest.raises(NotForPatients, match="cohere"):
        ran(under, own, case)
    named = request_of(under, "Which drug for John Smith, born 1.2.1960?", "extractive")
    with pytest.raises(IdentifiersFound):
        ran(under, own, named)
