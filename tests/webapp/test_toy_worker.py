"""The web app's worker carries a pipeline that it knows by its declaration only: the toy of two
stages, with a real database.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from clinfo.pipelines import PIPELINES
from clinfo.runs.events import Answered, Event
from tests.runs.toy import TOY, Asked, Started
from tests.webapp.small_app import small_app
from tests.webapp.test_worker import QUICK, Place, scripted, working
from webapp.storage.database import connect
from webapp.storage.store import Store

QUESTION = Asked("zinc for colds", dict.fromkeys(("shout", "join"), "openai/scripted"))
PRICES = {"openai/scripted": (0.000001, 2_000.0)}
WHOLE = ["run_started", *["cost", "shouted"] * 3, "cost", "answer"]


def shouted(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"]).upper()


@pytest.fixture
def place(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setitem(PIPELINES, "toy", "tests.runs.toy:TOY")
    return Place(database_url, tmp_path)


def events_of(place: Place, run_id: str) -> list[Event]:
    stored = place.store.events(run_id)
    assert [event.seq for event in stored] == list(range(len(stored)))
    return list(TOY.events.loads(event.body for event in stored))


def test_it_goes_from_the_queue_to_its_answer_beside_a_run_of_the_literature(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = small_app(place.folder, database_url=place.url)

    async def go() -> None:
        with scripted(monkeypatch, 0.01, 0.0, shouted) as model:
            toy, other = place.store.create(QUESTION, pipeline="toy"), place.store.create(QUICK)
            assert place.run(toy.id) == toy
            assert (toy.status, toy.pipeline, toy.request) == ("queued", "toy", QUESTION)
            assert other.pipeline == "literature"
            async with working(place.worker()):
                await place.until(toy.id, lambda run: run.status != "queued")
                assert [(await place.ended(run.id)).status for run in (toy, other)] == [
                    "done",
                    "done",
                ]
            assert len(model.received) == 4
        events = events_of(place, toy.id)
        assert [event.type for event in events] == WHOLE
        assert isinstance(events[0], Started)
        assert events[0].request == QUESTION
        assert isinstance(place.events(other.id)[-1], Answered)

        client = app.test_client()
        shown = client.get(f"/api/v1/runs/{toy.id}").get_json()
        assert (shown["status"], shown["answer"]) == ("done", {"text": "ZINC FOR COLDS"})
        streamed = client.get(f"/api/v1/runs/{toy.id}/events").get_data(as_text=True)
        assert all(f"event: {kind}\n" in streamed for kind in WHOLE)
        assert [
            client.get(f"/runs/{toy.id}{part}").status_code
            for part in ("", ".json", "/articles", "/live")
        ] == [404] * 4
        assert [
            client.get(f"/runs/{other.id}{part}").status_code for part in ("", ".json", "/articles")
        ] == [200] * 3
        assert (
            client.get(f"/api/v1/runs/{other.id}").get_json()["answer"]["question"]
            == QUICK.question
        )
        assert client.delete(f"/api/v1/runs/{toy.id}").status_code == 204
        assert place.store.events(toy.id) == []

    asyncio.run(go())


def test_a_run_of_a_pipeline_that_is_not_known_here_is_shown_but_not_carried_out(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = place.store.create(QUESTION, pipeline="toy", visitor="v")
    monkeypatch.delitem(PIPELINES, "toy")
    assert place.run(run.id).pipeline == "toy"
    assert [one.id for one in place.store.of_visitor("v", None)] == [run.id]
    assert place.store.claim("w", 10.0) is None
    assert (place.run(run.id).status, place.run(run.id).retryable) == ("failed", False)
    monkeypatch.setitem(PIPELINES, "toy", "tests.runs.toy:TOY")
    assert Store(connect(place.url)).get(run.id).request == QUESTION  # type: ignore[union-attr]


@pytest.mark.parametrize("named", ["toy", "chart", 7, ["literature"]])
def test_only_what_is_on_offer_can_be_asked_for(place: Place, named: object) -> None:
    client = small_app(place.folder, database_url=place.url).test_client()
    refused = client.post(
        "/api/v1/runs", json={"question": QUICK.question, "model": "extractive", "pipeline": named}
    )
    assert refused.status_code == 422
    assert [error["field"] for error in refused.get_json()["errors"]] == ["pipeline"]
    for fine in ({}, {"pipeline": None}, {"pipeline": "literature"}):
        asked = client.post(
            "/api/v1/runs", json={"question": QUICK.question, "model": "extractive", **fine}
        )
        assert asked.status_code == 202
        assert place.run(asked.get_json()["id"]).pipeline == "literature"
