"""Tools that rerank and refine what they find: whole runs with scripted servers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
    stage_of,
)
from tests.pipelines.copilot.test_run import QUESTION, answer, ran, settings, silos, with_model

__all__ = ["settings", "silos", "with_model"]  # fixtures
Run = Callable[..., list[Event]]
PAGES = [
    document(
        "cancergov", "a", "Melanoma is a cancer. Moles are common. Sun is a cause of melanoma."
    ),
    document("cancergov", "b", "Melanoma is named after a pigment."),
]
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


def seen_by(refined: Any) -> tuple[Callable[[dict[str, Any]], Any], list[str]]:
    """A model that refines as told and then has enough, and what its second step was shown."""
    shown: list[str] = []
    others = scripted([ASKED], claims())

    def reply(body: dict[str, Any]) -> Any:
        if stage_of(body) == "refine":
            return refined if isinstance(refined, str) else refined(body)
        shown.extend(one["content"] for one in body["messages"] if one["role"] == "tool")
        return others(body)

    return reply, shown


def passages(found: Sequence[Event]) -> list[tuple[str, int, int, str]]:
    return [
        (one.document, one.start, one.end, one.text)
        for event in found
        for one in getattr(getattr(event, "observation", None), "passages", ())
    ]


def test_a_model_keeps_sentences_and_can_invent_none(
    with_model: Run, tool: Callable[[str], Settings]
) -> None:
    """It names a sentence, one twice, numbers that there are not, and words of its own."""
    reply, shown = seen_by(json.dumps({"keep": [3, 3, 99, -1, "Give bleomycin.", True]}))
    found = with_model(reply, own=MemorySilos(PAGES), under=tool("refine = true"))
    text = PAGES[0].text
    start = text.index("Sun")
    assert passages(found) == [("a", start, len(text), "Sun is a cause of melanoma.")]
    assert "Moles" not in shown[0]
    assert "1 passages that the model found not to bear" in shown[0]
    assert answer(found)["usage"]["by_stage"]["tools"]["calls"] == 1


def test_kept_sentences_stay_apart_where_they_do_not_follow_each_other(
    with_model: Run, tool: Callable[[str], Settings]
) -> None:
    reply, _ = seen_by('{"keep": [1, 3, 4]}')
    found = passages(with_model(reply, own=MemorySilos(PAGES), under=tool("refine = true")))
    assert [text for *_, text in found] == [
        "Melanoma is a cancer.", "Sun is a cause of melanoma.", PAGES[1].text,
    ]  # fmt: skip
    whole = {one.id: one.text for one in PAGES}
    assert all(whole[id][start:end] == text for id, start, end, text in found)


@pytest.mark.parametrize("said", ["Melanoma.", '{"keep": []}', '{"keep": "all"}'])
def test_what_cannot_be_read_takes_nothing_away(
    with_model: Run, tool: Callable[[str], Settings], said: str
) -> None:
    reply, shown = seen_by(said)
    found = with_model(reply, own=MemorySilos(PAGES), under=tool("refine = true"))
    assert {id for id, *_ in passages(found)} == {"a", "b"}
    assert "were not refined" in shown[0]


def test_nothing_is_refined_unless_it_is_declared(
    with_model: Run, tool: Callable[[str], Settings]
) -> None:
    reply, shown = seen_by('{"keep": [1]}')
    with_model(reply, own=MemorySilos(PAGES), under=tool(""))
    assert "Moles" in shown[0]


def test_a_resumed_run_pays_for_no_refining_again(
    with_model: Run, tool: Callable[[str], Settings]
) -> None:
    reply, _ = seen_by('{"keep": [3]}')
    under = tool("refine = true")
    whole = with_model(reply, own=MemorySilos(PAGES), under=under)
    paid = len(with_model.received)  # type: ignore[attr-defined]
    cut = next(n for n, one in enumerate(whole) if one.type == "tool_progressed") + 1
    rest = with_model(reply, whole[:cut], own=MemorySilos(PAGES), under=under)
    assert len(with_model.received) == paid - 2  # type: ignore[attr-defined]
    assert answer(rest)["usage"]["calls"] == answer(whole)["usage"]["calls"]
    assert passages(rest) == passages(whole)


def test_a_reranker_orders_what_was_found_and_is_paid_once(
    with_model: Run, tool: Callable[[str], Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The silo puts “a” first; the reranker, by the share of words at its server, “b”."""
    texts = {"a": "Moles are common.", "b": "Sun is a cause of melanoma ."}
    own = MemorySilos(document("cancergov", *one) for one in texts.items())
    own.search = lambda *_, **__: [  # type: ignore[method-assign]
        SiloHit(one, 0, len(one.text), 1.0, "text") for one in own.documents("cancergov")
    ]
    model, _ = seen_by("")
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


def test_what_cannot_be_narrowed_is_said_at_once(tmp_path: Path) -> None:
    file = tmp_path / "tools.toml"
    for line in ("refine = true", 'rerank = "results"'):
        file.write_text(f'[g]\nkind = "gene_drugs"\nsilo = "civic"\npurpose = "p"\n{line}\n')
        with pytest.raises(UsageError, match="cannot be reranked or refined"):
            declared(file)


def test_a_case_goes_to_no_reranker_elsewhere(tool: Callable[[str], Settings]) -> None:
    under, own = tool('rerank = "cohere/rerank-v3"'), MemorySilos(CIVIC)
    case = request_of(under, QUESTION, "extractive", case="A man of 60.")
    with pytest.raises(NotForPatients, match="cohere"):
        ran(under, own, case)
    named = request_of(under, "Which drug for John Smith, born 1.2.1960?", "extractive")
    with pytest.raises(IdentifiersFound):
        ran(under, own, named)
