"""The OpenAPI document: it is valid, its examples are, and what the server answers is what it says
(schemathesis).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest
import requests
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.schemas import OpenApiSchema

from clinfo.errors import FieldError
from clinfo.pipelines.literature.declared import PROMPTS
from clinfo.pipelines.literature.request import FIELDS as REQUEST_FIELDS
from clinfo.pipelines.literature.request import checked
from tests.webapp.recorded import events_of, request, stored
from tests.webapp.serving import served
from tests.webapp.small_app import QUESTION, parts, small_app
from tests.webapp.test_trials_pages import PAPERS
from tests.webapp.test_trials_pages import QUESTION as ITCHING
from webapp.openapi import document
from webapp.pipelines.literature.asking import FIELDS, LEAVE_OUT
from webapp.pipelines.literature.exports import FORMS
from webapp.records import ENDED, Status
from webapp.work.worker import Worker

OPERATIONS = (
    *(
        "listRuns",
        "startRun",
        "getRun",
        "deleteRun",
        "watchRun",
        "cancelRun",
        "resumeRun",
        "giveKey",
        "shareRun",
        "editStudy",
        "undoEdit",
        "getOptions",
        "getPrompts",
    ),
    *(
        "export_md",
        "export_txt",
        "export_json",
        "export_ris",
        "export_bib",
        "export_nbib",
        "export_csv",
    ),
    *("export_csl_json", "export_prisma_s_md", "export_evidence_csv"),
    *("export_ieee_txt", "export_vancouver_txt", "export_ama_txt"),
    *(f"export_{suffix}" for suffix in ("docx", "xlsx") if suffix in FORMS),  # the extra office
    *("healthz", "readyz", "metrics", "openapi"),
)
EXAMPLES = 6
"""Requests that schemathesis makes up of each kind for each operation; enough with the profile of
the whole suite.
"""
QUICK = settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
    database=None,
)

# What schemathesis does within hypothesis is its own affair.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies"),
]


@dataclass
class Host:
    """A server with a worker behind it, and runs that can be asked for."""

    url: str
    app: Flask
    schema: OpenApiSchema
    runs: Iterator[str]

    def fresh(self) -> str:
        return (
            parts(self.app)
            .store.create(checked(question=QUESTION, model="extractive", source="demo"))
            .id
        )


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
    web, chain, store, waker = parts(app).web, parts(app).chain, parts(app).store, parts(app).waker
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
        target=lambda: loop.run_until_complete(Worker(web, chain, store, waker).work(stop))
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


def test_every_operation_is_tried(host: Host) -> None:
    host.schema.validate()
    assert {definition["operationId"] for definition in definitions(host)} == set(OPERATIONS)


@pytest.mark.parametrize(
    "mode",
    [GenerationMode.POSITIVE, GenerationMode.NEGATIVE],
    ids=["as described", "not as described"],
)
@pytest.mark.parametrize("name", OPERATIONS)
def test_answers_are_as_described(host: Host, name: str, mode: GenerationMode) -> None:
    operation = host.schema.find_operation_by_id(name)
    definition = operation.definition.raw
    takes_something = "requestBody" in definition or "parameters" in definition
    if mode is GenerationMode.NEGATIVE and not takes_something:
        return
    real = "{run_id}" in operation.path

    @QUICK
    @given(
        case=operation.as_strategy(
            mode, path_parameters={"run_id": "an-id-to-be-replaced"} if real else None
        )
    )
    def answered(case: Any) -> None:
        if real:
            run_id = host.fresh() if name == "deleteRun" else next(host.runs)
            case.path_parameters = {**case.path_parameters, "run_id": run_id}
        case.call_and_validate(base_url=host.url, timeout=20)

    answered()


def test_runs_that_are_started_are_looked_at_followed_and_deleted_as_described(host: Host) -> None:
    machine: Any = host.schema.as_state_machine()
    machine.get_call_kwargs = lambda self, case: {"base_url": host.url, "timeout": 20}
    machine.run(settings=settings(QUICK, max_examples=4, stateful_step_count=5))


def test_every_answer_that_is_no_problem_is_seen_and_as_described(host: Host) -> None:
    seen: set[tuple[str, int]] = set()

    def call(name: str, run_id: str | None = None, edit: int | None = None, **more: Any) -> Any:
        operation = host.schema.find_operation_by_id(name)
        parameters = {"run_id": run_id, "edit": edit}
        given = {name: value for name, value in parameters.items() if value is not None}
        case = operation.Case(path_parameters=given, **more)
        answer = case.call_and_validate(base_url=host.url, timeout=20)
        seen.add((name, answer.status_code))
        return answer

    def json_body(body: dict[str, Any]) -> dict[str, Any]:
        return {"body": body, "media_type": "application/json"}

    def ended(run_id: str) -> Any:
        deadline = time.monotonic() + 30
        while (run := call("getRun", run_id)).json()["status"] not in ENDED:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        return run

    run_id = call("startRun", **json_body({"question": QUESTION, "source": "demo"})).json()["id"]
    call("watchRun", run_id)
    call("listRuns")
    run = ended(run_id)
    assert run.json()["status"] == "done"
    call("getRun", run_id, headers={"If-None-Match": run.headers["etag"][0]})
    call("watchRun", run_id, headers={"Last-Event-ID": str(run.json()["last_event"])})
    call("cancelRun", run_id)
    for name in OPERATIONS:
        if name.startswith("export_"):
            call(name, run_id)
    call("deleteRun", run_id)
    papers = {"pipeline": "trials", "question": ITCHING, "papers": PAPERS}
    run_id = call("startRun", **json_body(papers)).json()["id"]
    study = ended(run_id).json()["answer"]["studies"][0]["name"]
    edit = {"study": study, "why": "not randomised", "excluded": True}
    edited = call("editStudy", run_id, **json_body(edit)).json()
    call("undoEdit", run_id, edited["last_event"])
    stopped = parts(host.app).store.create(request(), own_key=True)
    call("cancelRun", stopped.id)
    call("resumeRun", stopped.id, **json_body({"max_seconds": 3}))
    call("getOptions", headers={"If-None-Match": call("getOptions").headers["etag"][0]})
    call("getPrompts", headers={"If-None-Match": call("getPrompts").headers["etag"][0]})
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


def test_every_answer_has_a_description_and_every_reference_leads_somewhere(host: Host) -> None:
    form = requests.get(f"{host.url}/openapi.json", timeout=30).json()

    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for each in value.values():
                yield from references(each)
        elif isinstance(value, list):
            for each in value:
                yield from references(each)

    named = set(references(form))
    for reference in named:
        found = form
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
    assert {f"#/components/schemas/{name}" for name in form["components"]["schemas"]} <= named
    for path, item in form["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            assert operation["description"].strip(), path
            assert operation["summary"].strip(), path
            for response in operation["responses"].values():
                assert "$ref" in response or response["description"].strip()


def test_its_examples_are_what_it_describes(host: Host) -> None:
    form = requests.get(f"{host.url}/openapi.json", timeout=30).json()
    count = 0

    def examples(value: Any) -> Iterator[tuple[Any, Any]]:
        if isinstance(value, dict):
            if "schema" in value and isinstance(value["schema"], dict):
                if "example" in value:
                    yield value["schema"], value["example"]
                for example in value.get("examples", {}).values():
                    yield value["schema"], example["value"]
            for each in value.values():
                yield from examples(each)
        elif isinstance(value, list):
            for each in value:
                yield from examples(each)

    for schema, example in examples(
        {"paths": form["paths"], "components": {**form["components"], "schemas": {}}}
    ):
        jsonschema_rs.Draft202012Validator({**schema, "components": form["components"]}).validate(
            example
        )
        count += 1
    assert count >= 12
    for schema in form["components"]["schemas"].values():
        jsonschema_rs.meta.validate(schema)


def test_what_may_be_asked_is_what_the_checks_take(host: Host) -> None:
    fields = document(host.app)["components"]["schemas"]["AskFields"]["properties"]
    assert set(fields) == FIELDS | {"pipeline", "parent", "keep", LEAVE_OUT}
    assert set(FIELDS) - {"api_key"} <= REQUEST_FIELDS
    assert set(fields["prompts"]["properties"]) == set(PROMPTS.variables) >= set(PROMPTS.defaults())
    for name, field in fields.items():
        bounds = [
            (field[key], inside)
            for key, inside in (("minimum", -1), ("maximum", 1))
            if key in field
        ]
        for bound, outward in bounds:
            if name == "max_seconds":
                continue  # the host's own limit, which test_api.py tries
            asked = {"question": QUESTION, "model": "extractive", name: bound}
            checked(**asked)
            if name not in ("max_articles", "per_query") or outward < 0:
                with pytest.raises(FieldError):
                    checked(**asked | {name: bound + outward})
    longest = fields["question"]["maxLength"]
    checked(question="x" * longest, model="extractive")
    with pytest.raises(FieldError):
        checked(question="x" * (longest + 1), model="extractive")
    statuses = document(host.app)["components"]["schemas"]["Run"]["properties"]["status"]
    assert (
        set(statuses["enum"])
        == set(get_args(Status))
        == set(re.findall(r"^\* `(\w+)`", statuses["description"], re.MULTILINE))
    )


def test_routes_of_the_api_are_described(host: Host, tmp_path: Path) -> None:
    """Cohorts are described where the host offers some, all else everywhere."""

    def missing(app: Flask, described: set[str]) -> set[str]:
        routes = {
            re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
            for rule in app.url_map.iter_rules()
            if rule.endpoint.partition(".")[0] in ("api", "streams") or "export_" in rule.endpoint
        }
        return routes - described

    described = requests.get(f"{host.url}/openapi.json", timeout=30).json()["paths"]
    assert missing(host.app, set(described)) == {"/api/v1/cohort"}
    offering = small_app(tmp_path, cohorts={"Ward": str(tmp_path)})
    assert missing(offering, set(document(offering)["paths"])) == set()


def test_tuples_are_described_as_arrays_of_so_many_items(host: Host) -> None:
    """openapi-python-client makes a schema of what stands under ``items``, which false is none;
    openapi-fetch takes tuples for arrays.
    """
    schemas = document(host.app)["components"]["schemas"]
    queries, sides = (
        schemas[name]["properties"][field]
        for name, field in (("Overlap", "queries"), ("Conflict", "sides"))
    )
    whole = {"type": "integer"}
    assert queries == {"type": "array", "minItems": 2, "maxItems": 2, "items": whole}
    assert sides["items"]["items"] == {
        "anyOf": [{"type": "string"}, {"type": "array", "items": whole}]
    }
    assert "prefixItems" not in json.dumps(schemas)
