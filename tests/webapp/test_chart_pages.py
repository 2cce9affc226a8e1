"""The page of the chart pipeline: only where it is switched on, only for who is known, and nothing
of a record outside the patients' store once it is erased.
"""

import json
import sqlite3
from pathlib import Path
from typing import Any

import lxml.html
import pytest
import requests

from clinfo.errors import UsageError
from clinfo.patients.keeping import PatientStore
from tests.webapp.house import (
    HOSTILE,
    NOWHERE,
    described,
    ended,
    known,
    led_to,
    send,
    text_of,
)
from tests.webapp.running import Running
from tests.webapp.small_app import small_app

pytestmark = pytest.mark.slow

QUESTION = "When was warfarin started?"
NOTES = f"""patient,visit,date,category,text
MRN-4711,v1,2019-01-05,Nursing,Slept well. No pain.
MRN-4711,v2,2019-03-02,Clinic,Atrial fibrillation was found. Warfarin 5 mg was started.
MRN-4711,v3,2020-06-01,Clinic,Warfarin was stopped; apixaban 5 mg twice a day was started. {HOSTILE}
"""


def asked(
    app: Running,
    notes: str | None = NOTES,
    name: str = "notes.csv",
    browser: requests.Session | None = None,
    **fields: str,
) -> tuple[requests.Session, requests.Response]:
    files = {} if notes is None else {"record": [(name, notes)]}
    return send(app, "/chart", browser, files, **{"question": QUESTION} | fields)


def erase(app: Running, browser: requests.Session, run_id: str) -> requests.Response:
    page = lxml.html.fromstring(browser.get(f"{app.url}/runs/{run_id}", timeout=60).text)
    token = page.xpath("//form[contains(@action, 'erase')]//input[@name='csrf_token']/@value")[0]
    address = f"{app.url}/runs/{run_id}/erase"
    return browser.post(address, data={"csrf_token": token}, timeout=60)


def test_a_record_handed_over_is_asked_and_shown(house: Running) -> None:
    browser, answer = asked(house)
    run_id = ended(browser, house, answer)
    at = f"{house.url}/runs/{run_id}"
    page = browser.get(at, timeout=60)
    assert page.headers["Cache-Control"] == "no-store"
    assert 'name="robots" content="noindex"' in page.text
    for words in (
        "“Atrial fibrillation was found. Warfarin 5 mg was started.”",
        "2 March 2019",
        *("Names what is asked about", "Restored", "Ranked"),
    ):
        assert words in text_of(page.text)
    tree = lxml.html.fromstring(page.text)
    assert tree.xpath("//main//script") == []
    assert len(tree.xpath("//ol[@aria-label='Timeline of the notes']/li/a")) == 3
    note = browser.get(f"{at}/notes/2", timeout=60)
    assert "Warfarin" in lxml.html.fromstring(note.text).xpath("//mark")[0].text_content()
    hostile = browser.get(f"{at}/notes/3", timeout=60)
    assert lxml.html.fromstring(hostile.text).xpath("//main//script") == []
    assert browser.get(f"{at}/notes/9", timeout=60).status_code == 404
    (first, *_) = tree.xpath("//section[@aria-labelledby='short-head']//a/@href")
    marked = lxml.html.fromstring(browser.get(f"{house.url}{first}", timeout=60).text)
    assert "Warfarin" in marked.get_element_by_id("here").text_content()
    every = text_of(browser.get(f"{at}/timeline", timeout=60).text)
    assert "Names what is asked about: yes (Warfarin)" in every
    glance = text_of(browser.get(f"{at}/record", timeout=60).text)
    for words in ("Atrial Fibrillation", "Conditions and operations", "Medicines in coded entries"):
        assert words in glance
    trace = browser.get(f"{at}/trace.json", timeout=60).json()
    assert [one["name"] for one in trace["stages"]][:2] == ["types", "entities"]
    log = (house.folder / "patients" / "audit.jsonl").read_text()
    did = [row["did"] for row in map(json.loads, log.splitlines()) if row["run"] == run_id]
    # `ended` looked at the answer over HTTP, then the page was opened.
    looks = [*["view note"] * 3, "view timeline", "view record"]
    assert did == ["ask", "view", "view", *looks, "export"]
    assert "4711" not in log


def test_only_the_browser_that_asked_sees_it(house: Running) -> None:
    browser, answer = asked(house)
    run_id = ended(browser, house, answer)
    pages = ("", "/notes/1", "/timeline", "/record", "/trace.json", "/live", "/delete")
    api = f"/api/v1/runs/{run_id}"
    for path in (*(f"/runs/{run_id}{one}" for one in pages), api, f"{api}/events"):
        assert requests.get(house.url + path, timeout=60).status_code == 404, path
    assert requests.delete(house.url + api, timeout=60).status_code == 404
    assert browser.get(f"{house.url}/runs/{run_id}", timeout=60).status_code == 200


def test_erasing_takes_the_record_and_every_run(house: Running) -> None:
    """Also what was read of files that name nobody."""
    store = PatientStore(house.folder / "patients")
    browser, answer = asked(house, NOTES.replace("4711", "0815").replace("Slept", "Xylophonia"))
    runs = [ended(browser, house, answer)]
    _, answer = asked(house, None, browser=browser, again=runs[0], question="Is there any pain?")
    runs.append(ended(browser, house, answer))
    assert (store.root / store.hashed("MRN-0815")).is_dir()
    assert "was erased" in text_of(erase(house, browser, runs[1]).text)
    _, answer = asked(house, "Xylophonia.", "2019-03-02.txt", browser=browser, patient="Berta")
    runs.append(ended(browser, house, answer))
    erase(house, browser, runs[2])
    for run_id in runs:
        assert browser.get(f"{house.url}/runs/{run_id}", timeout=60).status_code == 404
    for name in ("MRN-0815", "record"):
        assert not (store.root / store.hashed(name)).exists()
    for path in house.folder.rglob("*"):
        if path.is_file():
            raw = path.read_bytes()
            assert b"Xylophonia" not in raw, path
            assert b"MRN-0815" not in raw, path


def test_who_erases_a_patient_and_what_goes_along(house: Running) -> None:
    """Nobody erases whom others have asked about; a record erased elsewhere takes its runs."""
    browser, answer = asked(house, NOTES.replace("4711", "0042"))
    first = ended(browser, house, answer)
    other, answer = asked(house, "Nothing.", "x.txt", patient="MRN-0042")
    refused = erase(house, other, ended(other, house, answer))
    assert refused.status_code == 409
    assert "clinfo chart erase" in refused.text
    at = f"{house.url}/runs/{first}"
    assert "Warfarin" in browser.get(f"{at}/notes/2", timeout=60).text
    store = PatientStore(house.folder / "patients")
    assert store.erase(store.hashed("MRN-0042")) > 0
    assert browser.get(at, timeout=60).status_code == 404
    with sqlite3.connect(house.folder / "webapp.sqlite") as database:
        found = database.execute("SELECT count(*) FROM runs WHERE id = ?", [first]).fetchone()
    assert found == (0,)


TWO = NOTES + "MRN-0815,v1,2019-01-05,Nursing,Of another patient.\n"


@pytest.mark.parametrize(
    ("notes", "name", "fields", "where"),
    [
        (None, "", {}, "record"),
        (NOTES, "notes.csv", {"question": " "}, "question"),
        (TWO, "notes.csv", {}, "patient"),
        (TWO, "notes.csv", {"patient": "none"}, "patient"),
        ("Slept well.", "2019-01-05.txt", {}, "patient"),
        ("<x/>", "a.xml", {}, "record"),
        ("PK\x03\x04", "a.zip", {}, "record"),
        ("x" * 20_000_001, "a.txt", {}, "record"),
        (NOTES, "notes.csv", {"from": "yesterday"}, "from"),
        (NOTES, "notes.csv", {"stage": "magic"}, "stage"),
        (NOTES, "notes.csv", {"model": "openai/other"}, "model"),
    ],
    ids=range(11),
)
def test_what_cannot_be_used_is_said_beside_it(
    house: Running, notes: str | None, name: str, fields: dict[str, str], where: str
) -> None:
    assert led_to(asked(house, notes, name, **fields)[1], where)


def test_http_needs_an_access_token(house: Running) -> None:
    sent: dict[str, Any] = {
        "pipeline": "chart",
        "question": QUESTION,
        "record": {"notes.csv": NOTES},
    }
    address = f"{house.url}/api/v1/runs"
    assert requests.post(address, json=sent, timeout=60).status_code == 401
    token = known(house, "chart")
    answer = requests.post(address, json=sent, headers=token, timeout=60)
    assert answer.status_code == 202, answer.text
    run_id = answer.json()["id"]
    assert requests.get(f"{address}/{run_id}", timeout=60).status_code == 404
    house.session.headers.update(token)
    try:
        run = house.ended(run_id)
    finally:
        house.session.headers.pop("Authorization")
    assert run["answer"]["pipeline"] == "chart"
    assert run["answer"]["notes"][0]["spans"]
    described(house, ChartFields={**sent, "from": None, "k": 3}, Run=run, ChartAnswer=run["answer"])
    with sqlite3.connect(house.folder / "webapp.sqlite") as database:
        (row,) = database.execute("SELECT request FROM runs WHERE id = ?", [run_id]).fetchone()
    assert "4711" not in row
    for wrong in (
        *({"record": ["/etc/passwd"]}, {"record": "x"}, {"source": "pubmed"}, {"k": "many"}),
        {"model": NOWHERE, "record": {"a.zip": "x"}},
    ):
        refused = requests.post(address, json=sent | wrong, headers=token, timeout=60)
        assert refused.status_code == 422, wrong


def test_it_is_there_only_where_it_was_switched_on_and_for_who_is_known(tmp_path: Path) -> None:
    client = small_app(tmp_path).test_client()
    assert client.get("/chart").status_code == 404
    sent = {"pipeline": "chart", "question": QUESTION, "record": {"notes.csv": NOTES}}
    assert client.post("/api/v1/runs", json=sent).status_code == 422
    assert b"Chart" not in client.get("/").data
    for web in ({"host": "0.0.0.0"}, {"trusted_proxies": 1}):
        with pytest.raises(UsageError, match="CLINFO_WEB_CHART"):
            small_app(tmp_path, chart=True, **web)
    login = {"trusted_proxies": 1, "user_header": "X-Remote-User"}
    client = small_app(tmp_path, chart=True, **login).test_client()
    assert client.get("/chart").status_code == 401
    assert client.get("/chart", headers={"X-Remote-User": "dr x"}).status_code == 200
