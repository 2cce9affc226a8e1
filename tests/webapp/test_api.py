"""The HTTP API to the letter of the outer interfaces, over real HTTP."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask

from clinfo.pipelines.literature.answer import answer_json, build_answer
from clinfo.pipelines.literature.events import loads
from clinfo.runs.events import Event
from tests.webapp.recorded import request, stored
from tests.webapp.serving import Feed, served
from tests.webapp.small_app import QUESTION, parts, small_app
from webapp.records import StoredRun

WEB = {"own_keys": True}
ASKED = {"question": QUESTION, "model": "extractive", "source": "demo"}


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    with served(app) as address:
        yield f"{address}/api/v1"


@pytest.fixture
def answered(app: Flask, demo: list[Event]) -> StoredRun:
    return stored(parts(app).store, request(), demo)


def problem(answer: requests.Response, status: int) -> dict[str, Any]:
    """The problem object of an answer, which must be one."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == status
    assert {"type", "title", "detail"} <= found.keys()
    return found


def post(
    url: str,
    body: bytes | str | dict[str, Any] | None = None,
    kind: str | None = "application/json",
) -> requests.Response:
    sent = json.dumps(body) if isinstance(body, dict) else body
    return requests.post(
        url, data=sent, headers={} if kind is None else {"Content-Type": kind}, timeout=30
    )


def test_a_question_is_queued_and_its_run_has_an_address(app: Flask, url: str) -> None:
    answer = post(f"{url}/runs", ASKED)
    assert answer.status_code == 202
    run_id = answer.json()["id"]
    assert answer.json() == {
        "schema": 1,
        "id": run_id,
        "url": f"{url.removesuffix('/api/v1')}/runs/{run_id}",
    }
    assert answer.headers["Location"] == f"{url}/runs/{run_id}"
    found = requests.get(answer.headers["Location"], timeout=30).json()
    assert {name: found[name] for name in ("id", "status", "position", "answer", "problem")} == {
        "id": run_id,
        "status": "queued",
        "position": 1,
        "answer": None,
        "problem": None,
    }
    assert requests.get(answer.json()["url"], timeout=30).status_code == 200
    run = parts(app).store.get(run_id)
    assert run is not None
    assert (run.request.question, run.request.strict, run.request.max_seconds) == (
        QUESTION,
        True,
        180.0,
    )


def test_an_answered_run_shows_the_answer_that_it_recorded(
    app: Flask, url: str, answered: StoredRun
) -> None:
    found = requests.get(f"{url}/runs/{answered.id}", timeout=30)
    assert found.headers["Cache-Control"] == "private, no-cache"
    shown = found.json()
    events = [
        event
        for event in loads(one.body for one in parts(app).store.events(answered.id))
        if event.type != "answer"
    ]
    assert shown["answer"] == json.loads(json.dumps(answer_json(build_answer(events))))
    assert (shown["status"], shown["position"], shown["problem"]) == ("done", None, None)
    again = requests.get(
        f"{url}/runs/{answered.id}", headers={"If-None-Match": found.headers["ETag"]}, timeout=30
    )
    assert (again.status_code, again.content) == (304, b"")


def test_a_run_that_stopped_shows_what_it_had_found(
    app: Flask, url: str, demo: list[Event]
) -> None:
    asked, events = request(), demo
    searched = max(event.seq for event in events if event.type == "query_searched")
    run = stored(
        parts(app).store,
        asked,
        events[: searched + 1],
        "failed",
        problem="The model did not answer.",
        retryable=True,
    )
    shown = requests.get(f"{url}/runs/{run.id}", timeout=30).json()
    assert (shown["status"], shown["problem"], shown["retryable"]) == (
        "failed",
        "The model did not answer.",
        True,
    )
    assert shown["answer"]["queries"]
    assert shown["answer"]["tldr"] == ""
    queued = post(f"{url}/runs", ASKED).json()["id"]
    assert post(f"{url}/runs/{queued}/cancel", kind=None).json()["status"] == "cancelled"
    assert requests.get(f"{url}/runs/{queued}", timeout=30).json()["answer"] is None


def test_its_tag_changes_with_the_run(app: Flask, url: str) -> None:
    feed = Feed(parts(app).store, claim=False)
    tags = set()
    steps: list[Callable[[], None]] = [
        lambda: None,
        feed.claim,
        feed.add,
        lambda: feed.add(end="done"),
    ]
    for step in steps:
        step()
        tags.add(requests.get(f"{url}/runs/{feed.id}", timeout=30).headers["ETag"])
    assert len(tags) == 4


def test_cancel_resume_and_delete(app: Flask, url: str) -> None:
    store = parts(app).store
    feed = Feed(store)
    run = f"{url}/runs/{feed.id}"
    feed.add(3)
    assert post(f"{run}/cancel", kind=None).json()["status"] == "running"
    asked = store.get(feed.id)
    assert asked is not None
    assert asked.cancel_asked
    problem(post(f"{run}/resume", kind=None), 409)
    feed.add(end="cancelled")
    assert post(f"{run}/cancel", kind=None).json()["status"] == "cancelled"
    for seconds in (0, -1, 601, 1e400, "10", True, [], {}):
        body = json.dumps({"max_seconds": seconds}).replace("Infinity", "1e400")
        assert problem(post(f"{run}/resume", body), 422)["errors"][0]["field"] == "max_seconds"
    resumed = post(f"{run}/resume", {"max_seconds": 42.5})
    assert (resumed.status_code, resumed.json()["status"], resumed.json()["position"]) == (
        200,
        "queued",
        1,
    )
    found = store.get(feed.id)
    assert found is not None
    assert found.request.max_seconds == 42.5
    assert requests.delete(run, timeout=30).status_code == 204
    for answer in (
        requests.get(run, timeout=30),
        requests.delete(run, timeout=30),
        post(f"{run}/cancel", kind=None),
        post(f"{run}/resume", kind=None),
        post(f"{run}/share", {"shared": True}),
        post(f"{run}/key", {"api_key": "x"}),
    ):
        assert problem(answer, 404)["detail"] == "This run does not exist."


def test_sharing_is_true_or_false_and_for_runs_of_users(url: str, answered: StoredRun) -> None:
    run = f"{url}/runs/{answered.id}/share"
    for bad in ({"shared": "yes"}, {"shared": None}, {"shared": 1}, {}):
        assert problem(post(run, bad), 422)["errors"][0]["field"] == "shared"
    assert problem(post(run, {"shared": True, "x": 1}), 422)["errors"][0]["field"] == "x"
    problem(post(run, {"shared": True}), 409)
    problem(post(f"{url}/runs/{answered.id}/resume", kind=None), 409)


def test_a_key_is_refused_where_none_is_waited_for(url: str, answered: StoredRun) -> None:
    assert (
        problem(post(f"{url}/runs/{answered.id}/key", {"api_key": 7}), 422)["errors"][0]["field"]
        == "api_key"
    )
    assert (
        problem(post(f"{url}/runs/{answered.id}/key", {}), 422)["errors"][0]["field"] == "api_key"
    )
    answer = post(f"{url}/runs/{answered.id}/key", {"api_key": "sk-very-secret"})
    assert answer.status_code in (409, 422, 429)
    assert "very-secret" not in answer.text


def test_another_user_may_neither_see_nor_change_a_run_and_a_guest_of_a_shared_one_only_sees_it(
    tmp_path: Path, demo: list[Event]
) -> None:
    app = small_app(tmp_path, user_header="X-Remote-User", trusted_proxies=1)
    run = stored(parts(app).store, request(), demo, owner="kim")
    kim, lee = {"X-Remote-User": "kim"}, {"X-Remote-User": "lee"}
    with served(app) as address:
        here = f"{address}/api/v1/runs/{run.id}"
        for headers in (lee, {}):
            problem(requests.get(here, headers=headers, timeout=30), 404)
            problem(requests.delete(here, headers=headers, timeout=30), 404)
            problem(
                requests.post(f"{here}/share", json={"shared": True}, headers=headers, timeout=30),
                404,
            )
        assert (
            requests.post(f"{here}/share", json={"shared": False}, headers=kim, timeout=30).json()[
                "shared"
            ]
            is False
        )
        assert (
            requests.post(f"{here}/share", json={"shared": True}, headers=kim, timeout=30).json()[
                "shared"
            ]
            is True
        )
        assert requests.get(here, headers=lee, timeout=30).json()["answer"]["question"] == QUESTION
        problem(requests.delete(here, headers=lee, timeout=30), 409)
        assert requests.delete(here, headers=kim, timeout=30).status_code == 204


REFUSED: list[tuple[bytes, int]] = [
    (b"", 400),
    (b"{", 400),
    (b"[]", 400),
    (b"null", 400),
    (b'"question"', 400),
    (b"\xff\xfe\xfa", 400),
    (b'{"question": "\xff"}', 400),
    (b'{"question": "x", "max_seconds": NaN}', 400),
    (b'{"question": "x", "max_seconds": -Infinity}', 400),
    (b'{"question": "x", "seed": ' + b"9" * 5_000 + b"}", 422),
    (b"[" * 200_000, 400),
    (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 413),
    (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, 400),
    (b" " * 600_001, 413),
    (b'{"question": "' + b"x" * 5_000 + b'"}', 422),
    (b"{}", 422),
    (b'{"question": null}', 422),
    (b'{"question": 5}', 422),
    (b'{"question": "\\ud800 x"}', 422),
    (b'{"question": "a\\u0000b"}', 422),
    (b'{"question": "x", "\\ud800": 1}', 422),
    (b'{"question": "x", "nonsense": 1}', 422),
    (b'{"question": "x", "max_seconds": 1e999}', 422),
    (b'{"question": "x", "seed": -1}', 422),
    (b'{"question": "x", "seed": true}', 422),
    (b'{"question": "x", "model": "gpt-of-another-host"}', 422),
    (b'{"question": "x", "source": "/etc/passwd"}', 422),
    (b'{"question": "x", "prompts": {"tldr": "{unknown}"}}', 422),
]


def test_what_cannot_be_asked_is_a_problem_and_stores_nothing(app: Flask, url: str) -> None:
    for body, status in REFUSED:
        found = problem(post(f"{url}/runs", body), status)
        if status == 422:
            assert found["errors"], body[:60]
            assert all({"field", "detail"} <= each.keys() for each in found["errors"])
    for kind in (None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"):
        problem(post(f"{url}/runs", json.dumps(ASKED).encode(), kind), 415)
    assert not any(parts(app).store.counts().values())
    said = "application/json; charset=utf-8"
    assert post(f"{url}/runs", json.dumps(ASKED).encode(), said).status_code == 202


def test_what_a_form_leaves_empty_is_not_given(url: str) -> None:
    empty = dict.fromkeys(
        ("model", "api_key", "documents", "parent", "keep", "prompts", "from", "seed",
         "max_seconds", "pipeline", "limits", "filter"), "",
    )  # fmt: skip
    loose = {"queries": "1", "to": 2020, "strict": "true"}
    for more in (empty, loose):
        assert post(f"{url}/runs", ASKED | more).status_code == 202


def test_what_identifies_a_patient_is_shown_by_its_place(app: Flask, url: str) -> None:
    question = "Should John Smith, born 03/04/1957, take aspirin after his stroke?"
    asked = ASKED | {"question": question, "source": "pubmed"}
    found = problem(post(f"{url}/runs", asked), 422)
    assert found["where"] == "question"
    assert len(found["spans"]) == len(found["kinds"]) >= 1
    shown = " ".join(question[start:end] for start, end in found["spans"])
    assert "1957" in shown
    assert question not in found["detail"]
    assert not any(parts(app).store.counts().values())


def test_other_methods_are_told_which_may_be_used_and_what_is_no_id_is_not_found(
    url: str,
) -> None:
    for method, path, allowed in (
        ("PUT", "/runs", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("PUT", "/runs/an-id-that-is-long-enough", {"GET", "HEAD", "OPTIONS", "DELETE"}),
        ("GET", "/runs/an-id-that-is-long-enough/cancel", {"POST", "OPTIONS"}),
    ):
        answer = requests.request(method, f"{url}{path}", timeout=30)
        problem(answer, 405)
        assert {name.strip() for name in answer.headers["Allow"].split(",")} == allowed
    for run_id in ("x", "%00", "..%2f..%2fetc", "a" * 5_000, "%F0%9F%98%80", "'%20OR%201=1--"):
        for path in (f"/runs/{run_id}", f"/runs/{run_id}/events"):
            problem(requests.get(f"{url}{path}", timeout=30), 404)


def test_a_full_queue_says_when_to_come_back(tmp_path: Path) -> None:
    app = small_app(tmp_path, queue_limit=1)
    with served(app) as address:
        assert post(f"{address}/api/v1/runs", ASKED).status_code == 202
        answer = post(f"{address}/api/v1/runs", ASKED)
        problem(answer, 429)
        assert int(answer.headers["Retry-After"]) >= 1


def test_a_body_in_chunks_is_read_as_far_as_this_host_takes_it(url: str) -> None:
    def chunks(size: int) -> Iterator[bytes]:
        body = json.dumps(ASKED).encode() + b" " * size
        yield from (body[start : start + 50_000] for start in range(0, len(body), 50_000))

    headers = {"Content-Type": "application/json"}
    assert (
        requests.post(f"{url}/runs", data=chunks(100_000), headers=headers, timeout=30).status_code
        == 202
    )
    problem(requests.post(f"{url}/runs", data=chunks(600_000), headers=headers, timeout=30), 413)
