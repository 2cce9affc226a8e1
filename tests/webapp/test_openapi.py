"""The OpenAPI document: it is valid, its examples are, it has every route of the API, and what the
server answers is what it says (schemathesis).
"""

import asyncio
import itertools
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import requests
import schemathesis
from flask import Flask
from schemathesis.specs.openapi.schemas import OpenApiSchema

from clinfo.pipelines.literature.request import at
from clinfo.pipelines.literature.stages import PROMPTS
from tests.webapp.recorded import events_of, request, stored
from tests.webapp.serving import served
from tests.webapp.small_app import QUESTION, parts, small_app
from tests.webapp.test_trials_pages import PAPERS
from tests.webapp.test_trials_pages import QUESTION as ITCHING
from webapp.openapi import document
from webapp.pipelines.literature.read_pages import FORMS
from webapp.records import ENDED
from webapp.work.worker import Worker

EXPORTS = tuple(f"export_{re.sub('[.-]', '_', suffix)}" for suffix in FORMS)
OPERATIONS = (
    *("listRuns", "startRun", "getRun", "deleteRun", "watchRun", "cancelRun", "resumeRun"),
    *("giveKey", "shareRun", "editStudy", "undoEdit"),
    *("healthz", "readyz", "metrics", "openapi"),
)
"""The operations that clients know by these names, beside `EXPORTS`."""

# What schemathesis does within hypothesis is its own affair.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


def every(value: Any) -> Iterator[dict[str, Any]]:
    """Every object within."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            yield from every(each)


def test_the_document_is_whole_and_its_examples_are_what_it_describes(tmp_path: Path) -> None:
    app = small_app(tmp_path, chart=True, copilot=True, cohorts={"Ward": str(tmp_path)})
    form = document(app)
    schemas = form["components"]["schemas"]
    named = {one["$ref"] for one in every(form) if isinstance(one.get("$ref"), str)}
    for reference in named:
        found = form
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
    assert {f"#/components/schemas/{name}" for name in schemas} <= named
    for path, item in form["paths"].items():
        for operation in (one for name, one in item.items() if name != "parameters"):
            assert operation["description"].strip(), path
            assert operation["summary"].strip(), path
    shown = [(one["schema"], one["example"]) for one in every(form) if "example" in one]
    for name, schema in schemas.items():
        jsonschema_rs.meta.validate(schema)
        shown += [
            ({"$ref": f"#/components/schemas/{name}"}, one) for one in schema.get("examples", ())
        ]
    for schema, example in shown:
        whole = {**schema, "components": form["components"]}
        jsonschema_rs.Draft202012Validator(whole).validate(example)
    assert len(shown) >= 12


def test_every_route_and_every_option_is_described(tmp_path: Path) -> None:
    """Cohorts are described where the host offers some, all else everywhere."""

    def missing(app: Flask) -> set[str]:
        routes = {
            re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
            for rule in app.url_map.iter_rules()
            if rule.rule.startswith("/api/") or "export_" in rule.endpoint
        }
        return routes - set(document(app)["paths"])

    app = small_app(tmp_path)
    assert missing(app) <= {"/api/v1/cohort"}
    assert missing(small_app(tmp_path, cohorts={"Ward": str(tmp_path)})) == set()
    schemas = document(app)["components"]["schemas"]
    more = {"api_key", "pipeline", "parent", "keep"}
    fields = schemas["AskFields"]["properties"]
    assert set(fields) == set(at("http")) | more
    shown = {name: one["examples"] for name, one in fields["prompts"]["properties"].items()}
    assert shown == {name: [text] for name, text in PROMPTS.defaults().items()}


@dataclass
class Host:
    """A server with a worker behind it, and runs that can be asked for."""

    url: str
    app: Flask
    schema: OpenApiSchema
    runs: Iterator[str]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("openapi")
    app = small_app(
        folder,
        models=("extractive",),
        sources=("demo",),
        longest_seconds=15.0,
        max_seconds=15.0,
        queue_limit=100_000,
    )
    web, chain, store = parts(app).web, parts(app).chain, parts(app).store
    asked = request()
    events = events_of(asked, folder)
    kinds = [
        stored(store, asked, events),
        stored(store, asked, events[: len(events) // 2], "cancelled"),
        stored(
            store, asked, events[:3], "failed", problem="The model did not answer.", retryable=True
        ),
        stored(store, asked, events, owner="somebody else"),
        store.create(asked, own_key=True),
    ]
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    thread = threading.Thread(
        target=lambda: loop.run_until_complete(Worker(web, chain, store).work(stop))
    )
    thread.start()
    try:
        with served(app) as url:
            form = requests.get(f"{url}/openapi.json", timeout=30).json()
            schema = schemathesis.openapi.from_dict(_without_long_texts(form))
            # That what is well formed can be carried out is more than a schema says (a regime needs
            # its day, a question a word).
            schema.config.checks.update(excluded_check_names=["positive_data_acceptance"])
            yield Host(url, app, schema, itertools.cycle([run.id for run in kinds]))
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)
        loop.close()
    assert not thread.is_alive()


def _without_long_texts(schema: Any) -> Any:
    """Without limits of thousands of characters, whose other side takes half a minute to make up;
    test_api.py tries those.
    """
    if isinstance(schema, dict):
        return {
            key: _without_long_texts(value)
            for key, value in schema.items()
            if not (key in ("maxLength", "maxItems") and isinstance(value, int) and value > 10)
        }
    return [_without_long_texts(each) for each in schema] if isinstance(schema, list) else schema


def definitions(host: Host) -> list[dict[str, Any]]:
    """The operations of the document."""
    return [result.ok().definition.raw for result in host.schema.get_all_operations()]  # type: ignore[union-attr]


@pytest.mark.slow
def test_every_answer_that_is_no_problem_is_seen_and_as_described(host: Host) -> None:
    host.schema.validate()
    assert {one["operationId"] for one in definitions(host)} == {*OPERATIONS, *EXPORTS}
    seen: set[tuple[str, int]] = set()

    def call(name: str, run_id: str | None = None, edit: int | None = None, **more: Any) -> Any:
        operation = host.schema.find_operation_by_id(name)
        parameters = {"run_id": run_id, "edit": edit}
        given = {name: value for name, value in parameters.items() if value is not None}
        if "body" in more:
            more["media_type"] = "application/json"
        case = operation.Case(path_parameters=given, **more)
        answer = case.call_and_validate(base_url=host.url, timeout=20)
        seen.add((name, answer.status_code))
        return answer

    def ended(run_id: str) -> Any:
        deadline = time.monotonic() + 30
        while (run := call("getRun", run_id)).json()["status"] not in ENDED:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        return run

    run_id = call("startRun", body={"question": QUESTION, "source": "demo"}).json()["id"]
    call("watchRun", run_id)
    call("listRuns")
    run = ended(run_id)
    assert run.json()["status"] == "done"
    call("getRun", run_id, headers={"If-None-Match": run.headers["etag"][0]})
    call("watchRun", run_id, headers={"Last-Event-ID": str(run.json()["last_event"])})
    call("cancelRun", run_id)
    for name in EXPORTS:
        call(name, run_id)
    call("deleteRun", run_id)
    papers = {"pipeline": "trials", "question": ITCHING, "papers": PAPERS}
    run_id = call("startRun", body=papers).json()["id"]
    study = ended(run_id).json()["answer"]["studies"][0]["name"]
    edit = {"study": study, "why": "not randomised", "excluded": True}
    edited = call("editStudy", run_id, body=edit).json()
    call("undoEdit", run_id, edited["last_event"])
    stopped = parts(host.app).store.create(request(), own_key=True)
    call("cancelRun", stopped.id)
    call("resumeRun", stopped.id, body={"max_seconds": 3})
    for name in ("healthz", "readyz", "metrics", "openapi"):
        call(name)

    # A key needs a host that takes keys, sharing one that knows its users: test_api.py has them.
    elsewhere = {("giveKey", 200), ("shareRun", 200), ("readyz", 503)}
    promised = {
        (definition["operationId"], int(status))
        for definition in definitions(host)
        for status in definition["responses"]
        if int(status) < 400 or status == "503"
    }
    assert seen >= promised - elsewhere
    assert seen <= promised
