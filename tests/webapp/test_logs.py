"""Structured logs that hold nothing of what visitors write."""

import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask

from tests.webapp.running import running_app
from tests.webapp.small_app import QUESTION

SECRETS = (
    "zebrafish",
    "secretquery",
    "secretprompt",
    "secretcookie",
    "secretheader",
    "sk-secretkey",
)


WEB = {"own_keys": True}


def lines(text: str) -> list[dict[str, Any]]:
    """Every line as the JSON object that it must be."""
    return [json.loads(line) for line in text.splitlines()]


def test_a_request_is_one_object_on_a_line(app: Flask, capsys: pytest.CaptureFixture[str]) -> None:
    client = app.test_client()
    made = client.post(
        "/api/v1/runs", json={"question": QUESTION}, environ_base={"REMOTE_ADDR": "203.0.113.77"}
    )
    assert made.json is not None
    run_id = made.json["id"]
    answer = client.get(
        f"/api/v1/runs/{run_id}?secret=x", environ_base={"REMOTE_ADDR": "2001:db8:1:2:3::4"}
    )
    text = capsys.readouterr().err
    told = [line for line in lines(text) if line["message"] == "request"]
    assert [(line["method"], line["rule"], line["status"], line["address"]) for line in told] == [
        ("POST", "/api/v1/runs", 202, "203.0.113.0/24"),
        ("GET", "/api/v1/runs/<run_id>", 200, "2001:db8:1::/48"),
    ]
    assert told[1]["run"] == run_id[:6]
    assert told[1]["request_id"] == answer.headers["X-Request-ID"]
    assert told[1]["seconds"] >= 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", told[1]["time"])
    assert run_id not in text
    assert "203.0.113.77" not in text


def test_nothing_that_a_visitor_writes_is_logged(
    app: Flask, capsys: pytest.CaptureFixture[str]
) -> None:
    client = app.test_client()
    client.set_cookie("clinfo", "secretcookie")
    written = {
        "question": "Is zebrafish a patient called Mr John Smith?",
        "query": "secretquery[ti]",
        "prompts": {"tldr": "secretprompt {question} {synthesis}"},
        "api_key": "sk-secretkey",
    }
    headers = {
        "X-Secret": "secretheader",
        "User-Agent": "secretheader",
        "Referer": "http://x/secretheader",
    }
    for fields in (
        written,
        {**written, "model": "openai/scripted"},
        {**written, "query": "secretquery[", "filter": "x"},
        {**written, "zebrafish": 1},
        {"question": "zebrafish", "model": "zebrafish"},
        {"question": "zebrafish"},
    ):
        client.post("/api/v1/runs", json=fields, headers=headers)
        client.post("/", data={"question": "zebrafish"}, headers=headers)
    for path in (
        "/?question=zebrafish",
        "/runs/zebrafish?zebrafish=zebrafish",
        "/zebrafish",
        "/static/zebrafish",
    ):
        client.get(path, headers=headers)
    text = capsys.readouterr().err
    assert len(lines(text)) >= 14
    assert not [secret for secret in SECRETS if secret in text]
    assert "run started" in text


def test_a_fault_is_logged_with_its_place_but_not_with_what_it_says(
    app: Flask, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> str:
        question = "does zebrafish help?"
        try:
            int(question)
        except ValueError as error:
            raise KeyError(question) from error
        return ""

    app.add_url_rule("/fails", "fails", fail)
    answer = app.test_client().get("/fails")
    text = capsys.readouterr().err
    assert answer.status_code == 500
    fault = next(line for line in lines(text) if line["level"] == "ERROR")
    assert "KeyError" in fault["exc_info"]
    assert "ValueError" in fault["exc_info"]
    assert "in fail" in fault["exc_info"]
    assert fault["request_id"] in answer.text
    assert "zebrafish help" not in re.sub(
        r'question = "[^\n]*', "", text.replace("\\n", "\n").replace('\\"', '"')
    )


@pytest.mark.slow
def test_all_processes_write_lines_of_json_without_questions(tmp_path: Path) -> None:
    question = "Does yoga lower blood pressure in zebrafish?"
    with running_app(tmp_path) as app:
        run_id = app.ask(question=question)
        assert app.ended(run_id)["status"] == "done"
        requests.get(f"{app.url}/runs/{run_id}?question=zebrafish", timeout=20)
        with socket.create_connection(("127.0.0.1", int(app.url.rpartition(":")[2]))) as raw:
            raw.sendall(b"GET /zebrafish HTTP/1.1\r\nzebrafish zebrafish\r\n\r\n")
            raw.recv(1_000)
    said = [process.log.read_text() for process in app.processes]
    assert any("run started" in text for text in said)
    for text in said:
        assert all(line["level"] for line in lines(text))
        assert "zebrafish" not in text
        assert run_id not in text
