"""Rate limits per address and per user."""

import json
import os
import re
import signal
import time
from pathlib import Path

import pytest
from flask import Flask
from limits import parse_many
from redis import Redis

from clinfo.records.articles import RunRequest
from tests.webapp.small_app import QUESTION, parts, small_app
from webapp.hosting.limits import RETRY_SECONDS, counted_as
from webapp.records import Visitor

ASKED = {"question": QUESTION}


def start(app: Flask, address: str = "192.0.2.1", **headers: str) -> int:
    """Status of starting a run over the API from an address."""
    answer = app.test_client().post(
        "/api/v1/runs", json=ASKED, environ_base={"REMOTE_ADDR": address}, headers=headers
    )
    return answer.status_code


def test_an_address_may_start_so_many_runs_from_form_and_api_together(tmp_path: Path) -> None:
    app = small_app(tmp_path, runs_rate="3 per hour")
    client = app.test_client()
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', client.get("/").text)
    assert token is not None
    form = {"csrf_token": token[1], "question": QUESTION, "model": "extractive", "source": "demo"}
    assert client.post("/", data=form).status_code == 303
    assert client.post("/api/v1/runs", json=ASKED).status_code == 202
    assert client.post("/", data=form).status_code == 303
    page = client.post("/", data=form)
    assert page.status_code == 429
    assert "3 per hour" in page.text
    problem = client.post("/api/v1/runs", json=ASKED)
    assert problem.status_code == 429
    assert problem.content_type == "application/problem+json"
    assert 3_000 < int(problem.headers["Retry-After"]) <= 3_601
    assert sum(parts(app).store.counts().values()) == 3
    assert start(app, "192.0.2.2") == 202


def test_users_of_one_address_are_counted_by_name(tmp_path: Path) -> None:
    app = small_app(
        tmp_path, runs_rate="1 per hour", trusted_proxies=1, user_header="X-Remote-User"
    )
    assert start(app, **{"X-Remote-User": "maria"}) == 202
    assert start(app, **{"X-Remote-User": "maria"}) == 429
    assert start(app, "192.0.2.77", **{"X-Remote-User": "maria"}) == 429
    assert start(app, **{"X-Remote-User": "eve"}) == 202


def test_a_household_is_one_visitor() -> None:
    def key(address: str) -> str:
        return counted_as(Visitor(None, None, address))

    assert key("2001:db8:1:2::1") == key("2001:db8:1:2:ffff::9") != key("2001:db8:1:3::1")
    assert key("::ffff:192.0.2.1") == key("192.0.2.1") != key("192.0.2.2")
    assert key("") == key("nonsense\r\n") == "address unknown"


def test_requests_have_a_rate_but_for_what_machines_ask(tmp_path: Path) -> None:
    app = small_app(tmp_path, requests_rate="5 per minute")
    client = app.test_client()
    run = parts(app).store.create(
        RunRequest(question=QUESTION, models={"tldr": "extractive"}, source="demo")
    )
    for _ in range(8):
        for path in (
            "/static/style.css",
            "/healthz",
            "/readyz",
            "/metrics",
            f"/api/v1/runs/{run.id}/events?after=0",
        ):
            assert client.get(path).status_code != 429, path
    paths = ("/", "/runs", "/nothing", "/robots.txt", "/openapi.json")
    assert [client.get(path).status_code for path in paths] == [200, 200, 404, 200, 200]
    page = client.get("/")
    assert page.status_code == 429
    assert 1 <= int(page.headers["Retry-After"]) <= 61
    assert "<h1" in page.text
    assert client.get("/api/v1/runs").content_type == "application/problem+json"


def test_a_long_request_counts_as_several(tmp_path: Path) -> None:
    app = small_app(tmp_path, requests_rate="100 per minute")
    client = app.test_client()
    long = {"question": "x" * 60_000}
    assert [client.post("/api/v1/runs", json=long).status_code for _ in range(4)] == [
        422,
        422,
        422,
        429,
    ]
    assert client.get("/runs").status_code == 200
    longer = {
        "question": "x" * 500_000
    }  # never more than half of what is allowed, else it could not be sent at all
    other = {"REMOTE_ADDR": "192.0.2.8"}
    assert [
        client.post("/api/v1/runs", json=longer, environ_base=other).status_code for _ in range(3)
    ] == [422, 422, 429]


def test_a_redis_that_hangs_holds_nobody_up_and_counts_again_later(
    tmp_path: Path, redis_server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Redis.from_url(redis_server)
    client.flushall()
    app = small_app(tmp_path, redis_url=redis_server)
    counts = app.extensions["clinfo_counts"]
    rates = parse_many("2 per hour")
    assert counts.wait_for(rates, "someone") == 0
    pid = client.info()["process_id"]
    os.kill(pid, signal.SIGSTOP)
    try:
        assert [counts.wait_for(rates, "someone") > 0 for _ in range(3)] == [
            False,
            False,
            True,
        ]  # the memory knows of none yet
        assert all(counts.wait_for(rates, "someone") > 0 for _ in range(60))
    finally:
        os.kill(pid, signal.SIGCONT)
    time.sleep(RETRY_SECONDS)
    assert counts.wait_for(rates, "another") == 0
    assert any(b"another" in key for key in client.scan_iter())
    # Redis remembers the first, and what was sent to it while it hung may count too.
    assert [counts.wait_for(rates, "someone") > 0 for _ in range(2)][1]
    said = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert len([line for line in said if "counted in memory" in line["message"]]) == 1


def test_processes_share_what_redis_counts(
    tmp_path: Path, redis_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Redis.from_url(redis_server).flushall()
    monkeypatch.setenv("WEB_CONCURRENCY", "2")
    one, other = (
        small_app(tmp_path, redis_url=redis_server, runs_rate="3 per hour; 100 per day")
        for _ in range(2)
    )
    assert [start(app) for app in (one, other, one)] == [202] * 3
    assert [start(app) for app in (one, other)] == [429] * 2
    assert start(other, "192.0.2.2") == 202
