"""A pipeline without a folder in the web app has form, page and API of its declaration, here the
toy.
"""

import time
from pathlib import Path

import lxml.html
import pytest
from flask import Flask
from flask.testing import FlaskClient

from clinfo.pipelines import PIPELINES
from clinfo.runs.run_log import RunLog
from tests.fakes import FakeModel
from tests.runs.test_toy_pipeline import run as events_of
from tests.runs.toy import Asked
from tests.webapp.small_app import SCRIPTED, form_fields, parts, small_app
from webapp.watch.page import in_order

SENT = {"pipeline": "toy", "question": "zinc for colds", "times": 2, "model": SCRIPTED}
STAGES = ("shout", "join")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Flask:
    monkeypatch.setitem(PIPELINES, "toy", "tests.runs.toy:TOY")
    return small_app(tmp_path)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def ended(app: Flask, run_id: str) -> None:
    """Carry out the run in the queue."""
    store = parts(app).store
    claimed = store.claim("w", 60.0)
    assert claimed is not None
    assert claimed[0].id == run_id
    model = FakeModel(lambda asked: asked.messages[0].content.upper())
    events, _ = events_of(request=claimed[0].request, model=model)
    store.append(claimed[1], [(event, time.time()) for event in events], 60.0, end="done")


def test_its_form_starts_a_run_whose_answer_has_a_page(app: Flask, client: FlaskClient) -> None:
    page = client.get("/toy")
    form = lxml.html.fromstring(page.text)
    assert form.xpath("//select[@id='model']/option/@value") == [SCRIPTED]
    assert form.xpath("//input[@id='times']/@value") == ["1"]
    assert form.xpath("//input[@id='numbers']/@value") == [""]
    assert "So often." in page.text
    fields = {"csrf_token": form_fields(page.text)["csrf_token"], "question": "zinc for colds"}
    for odd in ("20", "1.5", "many"):
        wrong = client.post("/toy", data={**fields, "times": odd})
        assert wrong.status_code == 422
        assert "Times: must be a whole number from 1 to 9" in wrong.text
    assert client.post("/toy", data={**fields, "question": ""}).status_code == 422
    begun = client.post("/toy", data={**fields, "times": "2", "model": SCRIPTED})
    assert begun.status_code == 303
    run_id = begun.headers["Location"].rpartition("/")[2]
    watched = client.get(f"/runs/{run_id}").text
    assert lxml.html.fromstring(watched).xpath("//li[contains(@id, 'step-')]/@id") == [
        f"step-{stage}" for stage in STAGES
    ]
    ended(app, run_id)
    told = lxml.html.fromstring(client.get(f"/runs/{run_id}").text)
    assert "ZINC FOR COLDS ZINC FOR COLDS" in "".join(told.itertext())
    again = lxml.html.fromstring(client.get(f"/toy?again={run_id}").text)
    assert again.xpath("//input[@id='times']/@value") == ["2"]


def test_it_is_asked_over_http(app: Flask, client: FlaskClient) -> None:
    for field, value in {"times": 20, "question": " ", "model": "extractive", "no": 1}.items():
        refused = client.post("/api/v1/runs", json={**SENT, field: value})
        assert refused.status_code == 422
        assert [error["field"] for error in refused.get_json()["errors"]] == [field]
    told = "Is zinc good for Mr John Smith, MRN 1234567, born 3 May 1961?"
    assert client.post("/api/v1/runs", json={**SENT, "question": told}).status_code == 422
    run_id = client.post("/api/v1/runs", json=SENT).get_json()["id"]
    stored = parts(app).store.get(run_id)
    assert stored is not None
    models = dict.fromkeys(STAGES, SCRIPTED)
    longest = parts(app).web.longest_seconds
    assert stored.request == Asked(SENT["question"], models, max_seconds=longest, times=2)  # type: ignore[arg-type]
    ended(app, run_id)
    answer = client.get(f"/api/v1/runs/{run_id}").get_json()["answer"]
    assert answer == {"text": "ZINC FOR COLDS ZINC FOR COLDS"}
    schemas = client.get("/openapi.json").get_json()["components"]["schemas"]
    assert schemas["ToyFields"]["properties"]["times"]["maximum"] == 9
    assert set(schemas["ToyFields"]["required"]) == {"pipeline", "question"}
    assert schemas["ToyAnswer"]["additionalProperties"] is True


def test_a_run_whose_steps_are_done_and_whose_answer_is_not_there_has_a_status() -> None:
    live = in_order("toy", "Toy", {"join": ("Join", "joining")}, lambda run_log: 1)
    assert live.status(RunLog(), None).said == "Joining …"
