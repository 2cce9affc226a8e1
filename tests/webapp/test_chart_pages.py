"""The page of the chart pipeline: only where it is switched on, only for who is known, and nothing
of a record outside the patients' store once it is erased.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lxml.html
import pytest
import requests

from clinfo.errors import UsageError
from clinfo.patients.keeping import PatientStore
from tests.webapp.running import Running, running_app
from tests.webapp.small_app import small_app
from webapp.pipelines.chart.asking import MOST_BYTES
from webapp.storage import tokens
from webapp.storage.database import connect

pytestmark = pytest.mark.slow

QUESTION = "When was warfarin started?"
HOSTILE = "<script>window.__ran=1</script>"
NOTES = f"""patient,visit,date,category,text
MRN-4711,v1,2019-01-05,Nursing,Slept well. No pain.
MRN-4711,v2,2019-03-02,Clinic,Atrial fibrillation was found. Warfarin 5 mg was started.
MRN-4711,v3,2020-06-01,Clinic,Warfarin was stopped; apixaban 5 mg twice a day was started. {HOSTILE}
"""
FILES = {"notes.csv": NOTES}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("app")
    patients = {"CLINFO_PATIENTS_DIR": str(folder / "patients")}
    with running_app(folder, CLINFO_WEB_CHART="true", **patients) as found:
        yield found


def send(
    app: Running,
    files: dict[str, Any] | None = None,
    browser: requests.Session | None = None,
    **fields: str,
) -> tuple[requests.Session, requests.Response]:
    """Fill the form in as a browser without a script does."""
    browser = browser or requests.Session()
    address = f"{app.url}/chart"
    page = lxml.html.fromstring(browser.get(address, timeout=60).text)
    token = page.xpath("//input[@name='csrf_token']/@value")[0]
    answer = browser.post(
        address,
        data={"csrf_token": token, "question": QUESTION} | fields,
        files=[("record", (name, text)) for name, text in (files or {}).items()],
        timeout=60,
    )
    return browser, answer


def ended(browser: requests.Session, app: Running, answer: requests.Response) -> str:
    """The id of the run that a form began, once it has ended."""
    assert answer.status_code == 200, answer.text
    run_id: str = answer.url.rsplit("/", 1)[1]
    app.session.cookies.update(browser.cookies)
    assert app.ended(run_id)["status"] == "done", app.logs()
    return run_id


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", lxml.html.fromstring(page).xpath("//main")[0].text_content())


def test_a_record_handed_over_is_asked_and_shown(app: Running) -> None:
    browser, answer = send(app, FILES)
    run_id = ended(browser, app, answer)
    page = browser.get(f"{app.url}/runs/{run_id}", timeout=60)
    assert page.headers["Cache-Control"] == "no-store"
    assert 'name="robots" content="noindex"' in page.text
    shown = text_of(page.text)
    assert "“Warfarin 5 mg was started" in shown
    assert "2 March 2019, Clinic" in shown
    for stage in ("Things that the question names", "Brought back", "In order"):
        assert stage in shown
    tree = lxml.html.fromstring(page.text)
    assert tree.xpath("//main//script") == []
    assert len(tree.xpath("//ol[@aria-label='Timeline of the notes']/li/a")) == 3
    note = browser.get(f"{app.url}/runs/{run_id}/notes/2", timeout=60)
    assert "Warfarin" in lxml.html.fromstring(note.text).xpath("//mark")[0].text_content()
    hostile = browser.get(f"{app.url}/runs/{run_id}/notes/3", timeout=60)
    assert lxml.html.fromstring(hostile.text).xpath("//main//script") == []
    assert browser.get(f"{app.url}/runs/{run_id}/notes/9", timeout=60).status_code == 404
    (first, *_) = tree.xpath("//section[@aria-labelledby='short-head']//a/@href")
    marked = lxml.html.fromstring(browser.get(f"{app.url}{first}", timeout=60).text)
    assert "Warfarin" in marked.get_element_by_id("here").text_content()
    every = text_of(browser.get(f"{app.url}/runs/{run_id}/timeline", timeout=60).text)
    assert "Things that the question nameskept: Warfarin" in every
    assert "not kept" in every
    glance = text_of(browser.get(f"{app.url}/runs/{run_id}/record", timeout=60).text)
    for words in ("Atrial Fibrillation", "Conditions and operations", "Medicines in coded entries"):
        assert words in glance
    trace = browser.get(f"{app.url}/runs/{run_id}/trace.json", timeout=60).json()
    assert [one["name"] for one in trace["stages"]][:2] == ["types", "entities"]
    log = (app.folder / "patients" / "audit.jsonl").read_text()
    did = [row["did"] for row in map(json.loads, log.splitlines()) if row["run"] == run_id]
    looks = ["view note"] * 3 + ["view timeline", "view record"]
    # `ended` looked at the answer over HTTP, then the page was opened.
    assert did == ["ask", "view", "view", *looks, "export"]
    assert "4711" not in log


def test_only_the_browser_that_asked_sees_it(app: Running) -> None:
    browser, answer = send(app, FILES)
    run_id = ended(browser, app, answer)
    for path in ("", "/notes/1", "/timeline", "/record", "/trace.json", "/live", "/delete"):
        other = requests.get(f"{app.url}/runs/{run_id}{path}", timeout=60)
        assert other.status_code == 404, path
    for path in ("", "/events"):
        other = requests.get(f"{app.url}/api/v1/runs/{run_id}{path}", timeout=60)
        assert other.status_code == 404, path
    assert requests.delete(f"{app.url}/api/v1/runs/{run_id}", timeout=60).status_code == 404
    assert browser.get(f"{app.url}/runs/{run_id}", timeout=60).status_code == 200


def test_erasing_takes_the_record_and_every_run(app: Running) -> None:
    files = {"notes.csv": NOTES.replace("4711", "0815").replace("Slept well", "Xylophonia")}
    browser, answer = send(app, files)
    first = ended(browser, app, answer)
    _, answer = send(app, browser=browser, again=first, question="Is there any pain?")
    second = ended(browser, app, answer)
    store = PatientStore(app.folder / "patients")
    assert (store.root / store.hashed("MRN-0815")).is_dir()
    page = lxml.html.fromstring(browser.get(f"{app.url}/runs/{second}", timeout=60).text)
    token = page.xpath("//form[contains(@action, 'erase')]//input[@name='csrf_token']/@value")[0]
    answer = browser.post(f"{app.url}/runs/{second}/erase", data={"csrf_token": token}, timeout=60)
    assert "was erased" in text_of(answer.text)
    assert not (store.root / store.hashed("MRN-0815")).exists()
    for run_id in (first, second):
        assert browser.get(f"{app.url}/runs/{run_id}", timeout=60).status_code == 404
    for path in app.folder.rglob("*"):
        if path.is_file():
            raw = path.read_bytes()
            assert b"Xylophonia" not in raw, path
            assert b"MRN-0815" not in raw, path


def test_erasing_takes_what_was_read_of_files_that_name_nobody(app: Running) -> None:
    files = {"2019-03-02.txt": "Xylophonic warfarin was started.", "a.csv": "date,text\n2020,Vast"}
    browser, answer = send(app, files, patient="Berta")
    run_id = ended(browser, app, answer)
    page = lxml.html.fromstring(browser.get(f"{app.url}/runs/{run_id}", timeout=60).text)
    token = page.xpath("//form[contains(@action, 'erase')]//input[@name='csrf_token']/@value")[0]
    browser.post(f"{app.url}/runs/{run_id}/erase", data={"csrf_token": token}, timeout=60)
    for path in app.folder.rglob("*"):
        assert not path.is_file() or b"Xylophonic" not in path.read_bytes(), path
    store = PatientStore(app.folder / "patients")
    assert not (store.root / store.hashed("record")).exists()


def test_nobody_erases_a_patient_whom_others_have_asked_about(app: Running) -> None:
    browser, answer = send(app, {"notes.csv": NOTES.replace("4711", "0042")})
    first = ended(browser, app, answer)
    other, answer = send(app, {"x.txt": "Nothing."}, patient="MRN-0042")
    second = ended(other, app, answer)
    page = lxml.html.fromstring(other.get(f"{app.url}/runs/{second}", timeout=60).text)
    token = page.xpath("//form[contains(@action, 'erase')]//input[@name='csrf_token']/@value")[0]
    refused = other.post(f"{app.url}/runs/{second}/erase", data={"csrf_token": token}, timeout=60)
    assert refused.status_code == 409
    assert "clinfo chart erase" in refused.text
    assert "Warfarin" in browser.get(f"{app.url}/runs/{first}/notes/2", timeout=60).text


def test_a_record_erased_elsewhere_takes_its_runs_along(app: Running) -> None:
    browser, answer = send(app, {"notes.csv": NOTES.replace("4711", "0007")})
    run_id = ended(browser, app, answer)
    store = PatientStore(app.folder / "patients")
    assert store.erase(store.hashed("MRN-0007")) > 0
    assert browser.get(f"{app.url}/runs/{run_id}", timeout=60).status_code == 404
    with sqlite3.connect(app.folder / "webapp.sqlite") as database:
        found = database.execute("SELECT count(*) FROM runs WHERE id = ?", [run_id]).fetchone()
    assert found == (0,)


TWO = NOTES + "MRN-0815,v1,2019-01-05,Nursing,Of another patient.\n"


@pytest.mark.parametrize(
    ("files", "fields", "where"),
    [
        ({}, {}, "record"),
        (FILES, {"question": " "}, "question"),
        ({"notes.csv": TWO}, {}, "patient"),
        ({"notes.csv": TWO}, {"patient": "none"}, "patient"),
        ({"2019-01-05.txt": "Slept well."}, {}, "patient"),
        ({"a.xml": "<x/>"}, {}, "record"),
        ({"a.zip": b"PK\x03\x04"}, {}, "record"),
        ({"a.txt": "x" * (MOST_BYTES + 1)}, {}, "record"),
        (FILES, {"from": "yesterday"}, "from"),
        (FILES, {"stage": "magic"}, "stage"),
        (FILES, {"model": "openai/scripted"}, "model"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_said_beside_it(
    app: Running, files: dict[str, Any], fields: dict[str, str], where: str
) -> None:
    """Among them a model that is on offer, but not for patients' records."""
    _, answer = send(app, files, **fields)
    assert answer.status_code == 422
    page = lxml.html.fromstring(answer.text)
    assert page.xpath(f"//div[@role='alert']//a[@href='#{where}']")


def test_http_needs_an_access_token(app: Running) -> None:
    asked = {"pipeline": "chart", "question": QUESTION, "record": FILES}
    address = f"{app.url}/api/v1/runs"
    assert requests.post(address, json=asked, timeout=60).status_code == 401
    token = tokens.create(connect(app.engine_url), "ward")
    known = {"Authorization": f"Bearer {token}"}
    answer = requests.post(address, json=asked, headers=known, timeout=60)
    assert answer.status_code == 202, answer.text
    run_id = answer.json()["id"]
    assert requests.get(f"{address}/{run_id}", timeout=60).status_code == 404
    app.session.headers.update(known)
    try:
        run = app.ended(run_id)
    finally:
        app.session.headers.pop("Authorization")
    assert run["answer"]["pipeline"] == "chart"
    assert run["answer"]["notes"][0]["spans"]
    with sqlite3.connect(app.folder / "webapp.sqlite") as database:
        (row,) = database.execute("SELECT request FROM runs WHERE id = ?", [run_id]).fetchone()
    assert "4711" not in row
    for wrong in (
        {"record": ["/etc/passwd"]},
        {"record": "x"},
        {"source": "pubmed"},
        {"k": "many"},
    ):
        refused = requests.post(address, json=asked | wrong, headers=known, timeout=60)
        assert refused.status_code == 422, wrong


def test_a_host_that_did_not_switch_it_on_has_no_such_page(tmp_path: Path) -> None:
    client = small_app(tmp_path).test_client()
    assert client.get("/chart").status_code == 404
    asked = {"pipeline": "chart", "question": QUESTION, "record": FILES}
    assert client.post("/api/v1/runs", json=asked).status_code == 422
    assert b"Chart" not in client.get("/").data


def test_a_public_host_cannot_switch_it_on(tmp_path: Path) -> None:
    for web in ({"host": "0.0.0.0"}, {"trusted_proxies": 1}):
        with pytest.raises(UsageError, match="CLINFO_WEB_CHART"):
            small_app(tmp_path, chart=True, **web)
    small_app(tmp_path, chart=True, trusted_proxies=1, user_header="X-Remote-User")


def test_behind_a_login_only_who_is_logged_in_sees_the_form(tmp_path: Path) -> None:
    app = small_app(tmp_path, chart=True, trusted_proxies=1, user_header="X-Remote-User")
    client = app.test_client()
    assert client.get("/chart").status_code == 401
    assert client.get("/chart", headers={"X-Remote-User": "dr x"}).status_code == 200
