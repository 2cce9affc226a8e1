"""Runs of a pipeline that the web app does not know, with a real database."""

from pathlib import Path

import pytest

from clinfo.pipelines import PIPELINES
from tests.runs.toy import Asked
from tests.webapp.small_app import small_app
from tests.webapp.test_worker import QUICK, Place
from webapp.storage.database import connect
from webapp.storage.store import Store

QUESTION = Asked("zinc for colds", dict.fromkeys(("shout", "join"), "openai/scripted"))


@pytest.fixture
def place(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setitem(PIPELINES, "toy", "tests.runs.toy:TOY")
    return Place(database_url, tmp_path)


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


@pytest.mark.parametrize("named", ["chart", 7, ["literature"]])
def test_only_what_is_on_offer_can_be_asked_for(place: Place, named: object) -> None:
    client = small_app(place.folder, database_url=place.url).test_client()
    refused = client.post(
        "/api/v1/runs", json={"question": QUICK.question, "model": "extractive", "pipeline": named}
    )
    assert refused.status_code == 422
    assert [error["field"] for error in refused.get_json()["errors"]] == ["pipeline"]
