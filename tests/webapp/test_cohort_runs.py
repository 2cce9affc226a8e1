"""Cohorts as runs over HTTP: queued, streamed, resumed, cancelled, replayed, and what a shared host
tells in none of these ways.
"""

import csv
import io
import json
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import requests

from benchmarks.servers.model import ModelServer
from clinfo.pipelines.cohort.store import build, erase
from tests.cli.process import clinfo
from tests.pipelines.cohort.notes import RECORDS, record, visit
from tests.webapp.running import SCRIPTED, Running, running_app
from tests.webapp.small_app import small_app
from webapp.pipelines.cohort.declared import forget_erased
from webapp.settings import WebSettings
from webapp.storage import tokens
from webapp.storage.database import connect
from webapp.storage.store import Store

pytestmark = pytest.mark.slow

WARD = (*RECORDS, *(record(f"p{n}", ("2020-01-01", visit("hypertension"))) for n in range(11)))
SICKNESS = "blorping falling sickness"
FORM = {"form": {"has": "epilepsy"}, "not_understood": [], "assumptions": [], "missing": []}
"""A reply that both stages of the model can read."""


def hosting(folder: Path, index: Path, **more: str) -> dict[str, str]:
    offered = {"Ward": str(index), "Erased": str(folder / "erased")}
    return {
        "CLINFO_WEB_COHORTS": json.dumps(offered),
        "CLINFO_PATIENTS_DIR": str(folder / "patients"),
        **more,
    }


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cohort") / "index"
    build(WARD, place)
    return place


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, index: Path) -> Iterator[Running]:
    """On this machine only, with a second index whose patients are erased; its language model
    never ends a reply.
    """
    folder = tmp_path_factory.mktemp("app")
    build(WARD, folder / "erased")
    with (
        ModelServer(reply=lambda _: json.dumps(FORM), first_token=30.0) as model,
        running_app(
            folder,
            **hosting(folder, index, OPENAI_API_KEY="sk-test", OPENAI_API_BASE=model.url),
        ) as found,
    ):
        known(found, "ward")
        yield found


def known(app: Running, name: str) -> dict[str, str]:
    """The app's session, known by an access token from now on."""
    token = tokens.create(connect(app.engine_url), name)
    app.session.headers["Authorization"] = f"Bearer {token}"
    return {"Authorization": f"Bearer {token}"}


def started(app: Running, **fields: Any) -> str:
    answer = app.session.post(
        f"{app.url}/api/v1/runs", json={"pipeline": "cohort", **fields}, timeout=60
    )
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"].endswith(answer.json()["id"])
    return str(answer.json()["id"])


def streamed(app: Running, run_id: str, after: int | None = None) -> list[tuple[int, str]]:
    """Number and body of the events of a run that has ended, from the one behind ``after``."""
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    address = f"{app.url}/api/v1/runs/{run_id}/events"
    answer = app.session.get(address, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    found = re.findall(r"^id: (\d+)\nevent: \w+\ndata: (.*)$", answer.text, re.MULTILINE)
    return [(int(number), body) for number, body in found]


def did(app: Running, run_id: str) -> list[str]:
    log = (app.folder / "patients" / "audit.jsonl").read_text()
    return [row["did"] for row in map(json.loads, log.splitlines()) if row["run"] == run_id]


def test_a_run_is_queued_streamed_and_replayed(app: Running, tmp_path: Path) -> None:
    run_id = started(
        app, query="condition epilepsy and not condition hypertension", index="Ward", explain=True
    )
    run = app.ended(run_id)
    answer = run["answer"]
    assert (run["status"], run["question"]) == (
        "done", "condition epilepsy and not condition hypertension",
    )  # fmt: skip
    assert [one["id"] for one in answer["members"]] == ["ada"]
    assert answer["boxes"]["parts"][0]["count"] == 1
    assert len(answer["others"]) == len(WARD) - 1
    at_once = app.session.post(
        f"{app.url}/api/v1/cohort", json={"form": answer["form"], "explain": True}, timeout=60
    ).json()
    for part in ("members", "attrition", "counts", "boxes", "others", "not_documented"):
        assert at_once[part] == answer[part]

    events = streamed(app, run_id)
    assert [number for number, _ in events] == list(range(len(events)))
    assert streamed(app, run_id, after=2) == events[3:]
    saved = tmp_path / "run.jsonl"
    saved.write_text("".join(f"{body}\n" for _, body in events), encoding="utf-8")
    again = clinfo("cohort", "find", "--replay", str(saved), "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == answer
    assert app.run(run_id)["answer"] == answer
    assert did(app, run_id)[0] == "cohort"
    assert "view events" in did(app, run_id)

    with sqlite3.connect(app.folder / "webapp.sqlite") as database:
        (row,) = database.execute("SELECT request FROM runs WHERE id = ?", [run_id]).fetchone()
    assert "index" in json.loads(row)
    assert str(tmp_path.parent) not in row + json.dumps(events)
    schema = app.session.get(f"{app.url}/openapi.json", timeout=60).json()
    for name, value in (
        ("Run", app.run(run_id)),
        ("CohortRunFields", {"pipeline": "cohort", "query": "any fever", "max_seconds": 5}),
    ):
        jsonschema_rs.Draft202012Validator(
            {"$ref": f"#/components/schemas/{name}", "components": schema["components"]}
        ).validate(value)


def test_a_run_is_cancelled_and_goes_on(app: Running) -> None:
    run_id = started(app, criteria=SICKNESS, model=SCRIPTED)
    give_up = time.monotonic() + 60
    while (app.run(run_id)["last_event"] or 0) < 2:
        assert time.monotonic() < give_up, app.logs()
        time.sleep(0.1)
    app.session.post(f"{app.url}/api/v1/runs/{run_id}/cancel", timeout=60).raise_for_status()
    run = app.ended(run_id, 20)
    assert (run["status"], run["answer"]) == ("cancelled", None)
    app.session.post(f"{app.url}/api/v1/runs/{run_id}/resume", timeout=60).raise_for_status()
    app.session.post(f"{app.url}/api/v1/runs/{run_id}/cancel", timeout=60).raise_for_status()
    assert app.ended(run_id, 20)["status"] == "cancelled"


def test_what_is_wrong_is_said_by_the_field(app: Running) -> None:
    for fields, field in (
        ({"query": "any fever", "max_seconds": 0}, "max_seconds"),
        ({"query": "any fever", "least": 0}, "least"),
        ({"query": "any fever", "shown": 3}, "shown"),
        ({"query": "any fever", "api_key": "sk-mine"}, "api_key"),
        ({"query": "any fever", "system": "reader"}, "system"),
    ):  # fmt: skip
        answer = app.session.post(
            f"{app.url}/api/v1/runs", json={"pipeline": "cohort", **fields}, timeout=60
        )
        assert answer.status_code == 422, (fields, answer.text)
        assert [one["field"] for one in answer.json()["errors"]] == [field]
    run_id = started(app, query="condition fever and condition blorptitude")
    run = app.ended(run_id)
    assert (run["status"], run["answer"]) == ("failed", None)
    assert "no note and no vocabulary names blorptitude" in run["problem"]
    assert "--form" not in run["problem"]
    page = app.session.get(f"{app.url}/runs/{run_id}", timeout=60).text
    assert "names blorptitude" in page
    assert "Go on from here" not in page  # it would be refused again
    named = "blorping like the patient John Smith, MRN 12345678, born 03/04/1961"
    asked = {"pipeline": "cohort", "criteria": named, "model": SCRIPTED}
    answer = app.session.post(f"{app.url}/api/v1/runs", json=asked, timeout=60)
    assert answer.status_code == 422
    assert "Nothing was sent or stored" in answer.text


def test_nobody_else_sees_a_run(app: Running) -> None:
    run_id = started(app, query="condition epilepsy")
    app.ended(run_id)
    page = f"{app.url}/runs/{run_id}"
    api = f"{app.url}/api/v1/runs/{run_id}"
    addresses = (page, f"{page}/cohort.csv", api, f"{api}/events", f"{page}/live")
    for headers in ({}, {"Authorization": f"Bearer {tokens.create(connect(app.engine_url), 'b')}"}):
        for address in addresses:
            answer = requests.get(address, headers=headers, timeout=60)
            assert answer.status_code in (401, 404), (address, answer.status_code)
        asked = {"pipeline": "cohort", "query": "condition fever"}
        answer = requests.post(f"{app.url}/api/v1/runs", json=asked, headers=headers, timeout=60)
        assert answer.status_code == (202 if headers else 401)
    app.session.post(f"{api}/share", json={"shared": True}, timeout=60)
    assert requests.get(api, timeout=60).status_code == 404
    shown = app.session.get(page, timeout=60)
    assert "Patient is presenting with epilepsy" in shown.text
    rows = list(csv.DictReader(io.StringIO(app.session.get(f"{page}/cohort.csv").text)))
    assert {row["member"] for row in rows} == {"ada"}
    assert did(app, run_id)[-2:] == ["view", "export"]


def test_who_is_erased_takes_the_runs_along(app: Running) -> None:
    place = app.folder / "erased"

    def done(words: str) -> str:
        run_id = started(app, query=words, index="Erased")
        assert app.ended(run_id)["status"] == "done"
        return run_id

    of_ada, of_ben = done("any epilepsy"), done("any fatigue")
    assert erase(place, "cem") == 2
    # Nobody knows of Ben and Ada whether Cem is among those who were not documented.
    for run_id in (of_ada, of_ben):
        assert app.session.get(f"{app.url}/api/v1/runs/{run_id}").status_code == 404
    newer, other = done("condition fatigue"), started(app, query="condition fatigue", index="Ward")
    build(WARD, place)
    assert app.run(newer)["status"] == "done"
    erase(place, "dan")
    store = Store(connect(app.engine_url))
    forget_erased(store, WebSettings(cohorts=json.loads(app.environment["CLINFO_WEB_COHORTS"])), {})
    assert [store.get(run_id) is None for run_id in (newer, other)] == [True, False]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, index: Path) -> Iterator[Running]:
    """Behind a login."""
    folder = tmp_path_factory.mktemp("shared")
    web = {"CLINFO_WEB_TRUSTED_PROXIES": "1", "CLINFO_WEB_USER_HEADER": "X-Remote-User"}
    with running_app(folder, **hosting(folder, index, **web)) as found:
        known(found, "ward")
        yield found


def told(app: Running, **fields: Any) -> dict[str, Any]:
    """All that a run says in any way, by the way."""
    run_id = started(app, **fields)
    run = app.ended(run_id)
    page = f"{app.url}/runs/{run_id}"
    said = {"api": json.dumps(run), "events": json.dumps(streamed(app, run_id))}
    for name in ("", "/cohort.csv", "/cohort.json", ".json", ".md", "/notes/1", "/live"):
        answer = app.session.get(f"{page}{name}", timeout=60)
        said[name or "page"] = f"{answer.status_code} {answer.text}"
    return said | {"answer": run["answer"], "problem": run["problem"]}


def test_a_shared_host_tells_no_small_count_in_any_way(shared: Running) -> None:
    """Of 16 patients eleven have only hypertension, and one has epilepsy with a fever."""
    for criteria in (
        "any epilepsy and any fever", "any epilepsy or any hypertension", "not any epilepsy",
        "at least 1 of (any AFib, any epilepsy)", "any hypertension",
    ):  # fmt: skip
        said = told(shared, query=criteria, explain=True)
        answer = said.pop("answer")
        said.pop("problem")
        for way, text in said.items():
            assert not re.search(r"\b(?:ada|ben|cem|dan|eva|p\d+)\b|presenting", text), way
        for way in ("/cohort.csv", "/cohort.json"):
            assert said[way].startswith("403"), way
        if answer is None:
            continue
        assert (answer["members"], answer["not_documented"]) == ([], [])
        assert "others" not in answer
        assert not numbers(answer), criteria
        if criteria == "any hypertension":  # the eleven with it alone
            assert answer["counts"]["members"] == "11 to 21"
            assert {row["left"] for row in answer["attrition"]} == {"11 to 21"}
        for _, body in json.loads(said["events"]):
            event = json.loads(body)
            if event["type"] in ("index_opened", "cohort_found"):
                assert not numbers(event), event["type"]


def numbers(value: Any, name: str = "") -> list[str]:
    """The places of whole numbers that may be counts."""
    if isinstance(value, dict):
        inner = value.items()
        return [
            at for key, one in inner if key not in PLAIN for at in numbers(one, f"{name}.{key}")
        ]
    if isinstance(value, list):
        return [at for one in value for at in numbers(one, name)]
    return [name] if isinstance(value, int) and not isinstance(value, bool) else []


PLAIN = {"schema", "seq", "form", "settings", "usage", "timings"}
"""Members with numbers that count no patients."""


def test_a_name_of_few_patients_is_not_known_on_a_shared_host(
    shared: Running, app: Running
) -> None:
    """That it is understood would tell that somebody has it."""
    rare = "sinus zorblitis"
    build((*WARD, record("zed", ("2020-01-01", visit(rare)))), Path(index_of(app)))
    try:
        assert app.ended(started(app, query=f"any {rare}"))["answer"]["counts"]["members"] == 1
        refused = shared.ended(started(shared, query=f"any {rare}"))
        never = shared.ended(started(shared, query="any sinus zurblitis"))
        assert refused["status"] == never["status"] == "failed"
        assert refused["problem"].replace("zorblitis", "zurblitis") == never["problem"]
        by_form = shared.ended(started(shared, form={"has": rare}))
        assert by_form["status"] == "failed"
    finally:
        build(WARD, Path(index_of(app)))


def index_of(app: Running) -> str:
    found: str = json.loads(app.environment["CLINFO_WEB_COHORTS"])["Ward"]
    return found


def test_what_a_host_hides_since_is_not_shown_any_longer(
    app: Running, index: Path, tmp_path: Path
) -> None:
    run_id = started(app, query="condition epilepsy")
    assert app.ended(run_id)["status"] == "done"
    headers = {"Authorization": str(app.session.headers["Authorization"])}
    now = {"database_url": app.engine_url, "cohorts": {"Ward": str(index)}, "cohort_least": 11}
    later = small_app(tmp_path, {"patients_dir": app.folder / "patients"}, **now).test_client()
    for way in (f"api/v1/runs/{run_id}", f"runs/{run_id}", f"api/v1/runs/{run_id}/events"):
        assert later.get(f"/{way}", headers=headers).status_code == 404, way
