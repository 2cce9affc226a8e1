"""Pages for those who run the app."""

import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from flask import Flask
from nacl.public import PrivateKey
from prometheus_client.parser import text_string_to_metric_families

from clinfo.records.articles import RunRequest
from tests.webapp.running import running_app
from tests.webapp.servers import running_postgresql, running_redis
from tests.webapp.small_app import QUESTION, parts, small_app
from webapp.hosting.operations import LEAST_FREE

REQUEST = RunRequest(question=QUESTION, models={"tldr": "extractive"}, source="demo")


def metrics(app: Flask) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample, by name and labels."""
    answer = app.test_client().get("/metrics")
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.text)
    return {
        (one.name, frozenset(one.labels.items())): one.value
        for family in families
        for one in family.samples
    }


def test_ready_means_that_a_run_would_be_carried_out(app: Flask, tmp_path: Path) -> None:
    client = app.test_client()
    missing = client.get("/readyz")
    assert missing.status_code == 503
    assert missing.content_type == "application/problem+json"
    assert json.loads(missing.text)["reasons"] == ["no worker is alive"]
    parts(app).store.register("worker-a", bytes(PrivateKey.generate().public_key))
    assert client.get("/readyz").json == {"status": "ready"}
    parts(app).store.deregister("worker-a")
    assert client.get("/readyz").status_code == 503


def test_without_redis_it_is_ready_and_says_what_is_amiss(tmp_path: Path) -> None:
    with running_redis() as address:
        app = small_app(tmp_path, redis_url=address, lease_seconds=600.0)
        parts(app).store.register("worker-a", bytes(PrivateKey.generate().public_key))
        client = app.test_client()
        assert client.get("/readyz").json == {"status": "ready"}
    answer = client.get("/readyz")
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    told = json.loads(answer.text)
    assert told["status"] == "degraded"
    assert "Redis cannot be reached" in told["reasons"][0]
    asked = {"question": QUESTION, "model": "extractive", "source": "demo"}
    assert client.post("/api/v1/runs", json=asked).status_code == 202


def test_a_full_disk_is_not_ready(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts(app).store.register("worker-a", bytes(PrivateKey.generate().public_key))
    free = {tmp_path: LEAST_FREE}
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=free[path]))
    client = app.test_client()
    assert client.get("/readyz").status_code == 200
    free[tmp_path] -= 1
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert json.loads(answer.text)["reasons"] == ["the disk is full"]
    assert answer.headers["Retry-After"] == "60"


@pytest.mark.slow
def test_without_its_database_what_needs_it_is_a_503_that_says_when_to_come_again(
    tmp_path: Path,
) -> None:
    asked = {"question": QUESTION, "model": "extractive", "source": "demo"}
    with running_postgresql() as address:
        url = address.replace("postgresql://", "postgresql+psycopg://")
        app = small_app(tmp_path, database_url=url, lease_seconds=600.0)
        parts(app).store.register("worker-a", bytes(PrivateKey.generate().public_key))
        client = app.test_client()
        run = client.post("/api/v1/runs", json=asked).get_json()["id"]
        paths = (f"/runs/{run}", f"/api/v1/runs/{run}", "/readyz")
        assert [client.get(path).status_code for path in paths] == [200] * 3
    answers = [client.get(path) for path in (f"/runs/{run}.json", *paths)]
    for answer in (*answers, client.post("/api/v1/runs", json=asked)):
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert json.loads(answers[-1].text)["reasons"] == ["the database does not answer"]
    assert client.get("/healthz").status_code == 200


def test_metrics_say_how_the_site_stands(app: Flask) -> None:
    store = parts(app).store
    for _ in range(3):
        store.create(REQUEST)
    store.ask_cancel(store.create(REQUEST).id)
    store.register("worker-a", bytes(PrivateKey.generate().public_key))
    client = app.test_client()
    client.get("/runs/secret-of-somebody")
    client.get("/runs/another-secret-of-somebody")
    found = metrics(app)

    def value(name: str, **labels: str) -> float:
        return found[name, frozenset(labels.items())]

    assert value("clinfo_runs", status="queued") == 3
    assert value("clinfo_runs", status="cancelled") == 1
    assert value("clinfo_worker_alive") == 1
    assert value("clinfo_spent_today_usd") == 0
    assert value("clinfo_database_up") == 1
    assert value("clinfo_streams") == 0
    assert value("clinfo_requests_total", method="GET", rule="/runs/<run_id>", status="404") == 2
    assert value("clinfo_request_seconds_count", rule="/runs/<run_id>") == 2


def test_metrics_hold_nothing_private(app: Flask) -> None:
    client = app.test_client()
    run = client.post("/api/v1/runs", json={"question": "Does it help zebrafish?"}).json
    assert run is not None
    client.open("/zebrafish", method="ZEBRAFISH")
    client.get(f"/runs/{run['id']}?zebrafish")
    text = client.get("/metrics").text
    assert "zebrafish" not in text.lower()
    assert run["id"] not in text
    assert "127.0.0.1" not in text


@pytest.mark.parametrize(
    ("contact", "told"),
    [
        ("library@example.org", "mailto:library@example.org"),
        ("https://example.org/contact", "https://example.org/contact"),
        (None, None),
        ("the desk on floor 2", None),
    ],
)
def test_whom_to_tell_of_a_weakness(tmp_path: Path, contact: str | None, told: str | None) -> None:
    answer = small_app(tmp_path, contact=contact).test_client().get("/.well-known/security.txt")
    if told is None:
        assert answer.status_code == 404
        return
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert fields["Contact"] == told
    assert datetime.fromisoformat(fields["Expires"].replace("Z", "+00:00")) > datetime.now(UTC)


@pytest.mark.slow
def test_a_whole_app_becomes_ready_and_stops_being_so_with_its_worker(tmp_path: Path) -> None:
    with running_app(tmp_path, CLINFO_WEB_LEASE_SECONDS="1") as app:
        app.wait_ready()  # a worker that stood still is taken for dead until its next sign of life
        app.ended(app.ask())
        text = app.session.get(f"{app.url}/metrics", timeout=20).text
        assert re.search(r'^clinfo_runs\{status="done"\} 1\.0$', text, re.MULTILINE)
        app.workers[0].kill()
        deadline = time.monotonic() + 20
        while app.session.get(f"{app.url}/readyz", timeout=20).status_code == 200:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert app.session.get(f"{app.url}/healthz", timeout=20).status_code == 200
