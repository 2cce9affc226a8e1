"""Error responses to visitors: a page, or a problem (RFC 9457) for programs."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, abort, redirect

from clinfo.errors import FieldError, IdentifiersFound, ModelError, PromptError, UsageError
from clinfo.records.articles import RunRequest
from tests.webapp.small_app import QUESTION, parts, small_app
from webapp.records import Busy, NotFound, Refused

PROBLEM = "application/problem+json"


def stop(*arguments: Any) -> None:
    abort(*arguments)


def throw(error: Exception) -> None:
    raise error


RAISED: dict[str, tuple[Callable[[], None], int]] = {
    "field": (lambda: throw(FieldError("queries", "must be a whole number")), 422),
    "prompt": (lambda: throw(PromptError("the prompt tldr is empty")), 422),
    "usage": (lambda: throw(UsageError("this cannot be used")), 422),
    "identifiers": (
        lambda: throw(
            IdentifiersFound("seems to", where="query 1", spans=[(3, 7)], kinds=["name"])
        ),
        422,
    ),
    "not-found": (lambda: throw(NotFound()), 404),
    "refused": (lambda: throw(Refused("The run has ended.")), 409),
    "busy": (lambda: throw(Busy("Too much.", 7)), 429),
    "fault": (lambda: throw(RuntimeError("inside: password")), 500),
    "model": (lambda: throw(ModelError("the provider said something")), 500),
    "400": (lambda: stop(400), 400),
    "403": (lambda: stop(403), 403),
    "404": (lambda: stop(404, "This plot was not drawn."), 404),
    "405": (lambda: stop(405), 405),
    "409": (lambda: stop(409), 409),
    "413": (lambda: stop(413), 413),
    "415": (lambda: stop(415), 415),
    "418": (lambda: stop(418), 418),
    "501": (lambda: stop(501), 501),
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    app = small_app(tmp_path_factory.mktemp("errors"))
    for name, (fail, _) in RAISED.items():
        for path in (f"/raises/{name}", f"/api/v1/raises/{name}"):

            def view(fail: Callable[[], None] = fail) -> str:
                fail()
                return "not raised"

            app.add_url_rule(path, path.replace("/", "-"), view)
    app.add_url_rule("/moves", "moves", lambda: abort(redirect("/", 307)))
    return app


@pytest.mark.parametrize("name", RAISED)
def test_a_program_is_told_a_problem(app: Flask, name: str) -> None:
    answer = app.test_client().get(f"/api/v1/raises/{name}", headers={"Accept": "text/html"})
    status = RAISED[name][1]
    assert (answer.status_code, answer.content_type) == (status, PROBLEM)
    problem = json.loads(answer.text)
    assert {"type", "title", "status", "detail", "instance"} <= set(problem)
    assert problem["status"] == status
    assert problem["detail"]
    assert problem["instance"] == f"urn:clinfo:request:{answer.headers['X-Request-ID']}"
    if status == 500:
        assert "password" not in answer.text
        assert "provider" not in answer.text


@pytest.mark.parametrize("name", RAISED)
def test_a_person_is_told_what_happened_what_was_kept_and_what_to_do(app: Flask, name: str) -> None:
    answer = app.test_client().get(
        f"/raises/{name}", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    )
    status = RAISED[name][1]
    assert (answer.status_code, answer.mimetype) == (status, "text/html")
    text = re.sub(
        r"<[^>]+>", " ", answer.text[answer.text.index("<main") : answer.text.index("</main>")]
    )
    assert not re.search(rf"\b{status}\b", text)
    assert len(re.findall(r"\w[^.!?]*[.!?]", text)) >= 2
    assert "password" not in answer.text
    assert (answer.headers["X-Request-ID"] in text) == (status >= 500)


def test_no_answer_repeats_an_address_or_an_id(app: Flask) -> None:
    client = app.test_client()
    run = parts(app).store.create(
        RunRequest(question=QUESTION, models={"tldr": "extractive"}, source="demo"), owner="maria"
    )
    for path in (
        f"/runs/{run.id}",
        f"/api/v1/runs/{run.id}",
        "/runs/zebrafish",
        "/zebrafish?zebrafish=1",
        "/api/v1/zebrafish",
    ):
        answer = client.get(path)
        assert answer.status_code == 404
        assert run.id not in answer.text
        assert "zebrafish" not in answer.text
        assert "maria" not in answer.text


def test_a_database_that_is_gone_shows_nothing_of_itself(tmp_path: Path) -> None:
    app = small_app(tmp_path)
    parts(app).store.engine.dispose()
    for file in tmp_path.glob("webapp.sqlite*"):
        file.unlink()
    for path in ("/runs/AAAAAAAAAAAAAAAAAAAAAAAA", "/api/v1/runs/AAAAAAAAAAAAAAAAAAAAAAAA"):
        answer = app.test_client().get(path)
        assert answer.status_code == 503
        assert "database cannot be used at the moment" in answer.text
        assert answer.headers["Retry-After"] == "60"
        assert "sqlite" not in answer.text.lower()
        assert "SELECT" not in answer.text
        assert str(tmp_path) not in answer.text
