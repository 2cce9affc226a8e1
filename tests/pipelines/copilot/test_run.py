"""Runs of the copilot: a scripted model over HTTP, by rule, resumed, refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer
from clinfo.pipelines.copilot.assemble import Copilot, assemble
from clinfo.pipelines.copilot.request import request_of
from clinfo.records.copilot import CopilotRequest
from clinfo.runs.events import Answered, Event
from clinfo.settings import Settings
from tests.pipelines.copilot.silos import (
    CIVIC,
    HOUSE,
    PAGES,
    MemorySilos,
    Reply,
    call,
    calling,
    claims,
    scripted,
)

QUESTION = "Which drug for BRAF V600E melanoma?"
RESPONDS = "Patients with BRAF V600E melanoma respond to vemurafenib."
MODEL = "openai/scripted"


@pytest.fixture
def settings() -> Settings:
    return Settings(cache="off")


@pytest.fixture
def silos() -> MemorySilos:
    return MemorySilos([*CIVIC, *PAGES, *HOUSE])


def events(carrier: Copilot, asked: CopilotRequest, after: Sequence[Event] = ()) -> list[Event]:
    async def every() -> list[Event]:
        return [event async for event in carrier.run(asked, after)]

    return asyncio.run(every())


def ran(
    settings: Settings,
    silos: MemorySilos,
    asked: CopilotRequest,
    after: Sequence[Event] = (),
    **given: Any,
) -> list[Event]:
    return events(assemble(settings, asked, after, silos=silos, **given), asked, after)


def answer(found: Sequence[Event]) -> dict[str, Any]:
    assert isinstance(found[-1], Answered), found[-1]
    return found[-1].answer


@pytest.fixture
def with_model(
    settings: Settings, silos: MemorySilos, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[Event]]:
    """Run a question with a scripted model behind a real server."""

    def run(
        reply: Callable[[dict[str, Any]], Reply],
        after: Sequence[Event] = (),
        own: MemorySilos | None = None,
        refused: tuple[str, ...] = (),
        **fields: Any,
    ) -> list[Event]:
        with ModelServer(reply, refused=refused) as server:
            monkeypatch.setenv("OPENAI_API_BASE", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
            fields = {"judge": "rules", **fields}
            asked = request_of(settings, QUESTION, MODEL, **fields)
            found = ran(settings, own or silos, asked, after)
            run.received = server.received  # type: ignore[attr-defined]
        return found

    return run


ONE_CALL = calling(call("evidence_text", {"query": "BRAF V600E melanoma"}))


def test_a_model_calls_a_tool_and_its_claims_have_their_source(
    with_model: Callable[..., list[Event]],
) -> None:
    found = answer(with_model(scripted([ONE_CALL], claims((RESPONDS, [1])))))
    assert found["answer"] == f"{RESPONDS} [1]"
    assert found["claims"][0] | {"judges": None} == {
        "text": RESPONDS,
        "silo": "civic",
        "document": "1",
        "span": [0, len(RESPONDS)],
        "level": "A",
        "date": "2026-01-02",
        "verdict": "supported",
        "reason": "it is a sentence of the passage, word by word",
        "judges": None,
        "part": "",
        "sources": [1],
    }
    assert found["ended"] == "done"
    assert found["trace"][0]["calls"][0]["passages"] == [1, 2]
    assert found["usage"]["calls"] == 4
