"""The page of cohorts: the form in boxes, evidence, and what a shared host hides."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from werkzeug.test import Client, TestResponse

from benchmarks.servers.model import ModelServer
from clinfo.errors import UsageError
from clinfo.pipelines.cohort.store import build
from tests.pipelines.cohort.notes import RECORDS, record, visit
from tests.webapp.small_app import SCRIPTED, small_app

HOSTILE = "<script>window.__ran=1</script>"
LOGIN = {"X-Remote-User": "dr x"}
SHARED = {"trusted_proxies": 1, "user_header": "X-Remote-User"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cohort") / "index"
    build((*RECORDS, record("zoe", ("2020-01-01", visit("epilepsy", HOSTILE)))), place)
    return place


def client(folder: Path, index: Path, **web: Any) -> Client:
    made = small_app(
        folder, {"patients_dir": folder / "patients"}, cohorts={"Ward": str(index)}, **web
    )
    return made.test_client()


def sent(client: Client, headers: dict[str, str] | None = None, **fields: str) -> TestResponse:
    page = lxml.html.fromstring(client.get("/cohort", headers=headers).data)
    token = page.xpath("//input[@name='csrf_token']/@value")[0]
    return client.post("/cohort", data={"csrf_token": token} | fields, headers=headers)


def text_of(answer: TestResponse) -> str:
    main = lxml.html.fromstring(answer.data).xpath("//main")[0]
    return re.sub(r"\s+", " ", str(main.text_content()))


def fields_of(answer: TestResponse) -> dict[str, str]:
    """The fields of the form in boxes."""
    (form,) = lxml.html.fromstring(answer.data).xpath("//form[@id='boxes']")
    return {name: value for name, value in form.form_values() if name != "csrf_token"}


def test_the_form_is_shown_edited_and_counted(tmp_path: Path, index: Path) -> None:
    known = client(tmp_path, index)
    assert known.post("/api/v1/cohort", json={"query": "any fever"}).status_code == 401
    first = sent(known, query="condition epilepsy and condition fever", index="Ward")
    assert first.status_code == 200
    assert "1 matches · 0 do not · 5 undocumented" in text_of(first)
    assert "Patient is presenting with epilepsy, fever (finding)." in text_of(first)
    boxes = fields_of(first)
    assert (boxes["is-0.0"], boxes["joins-0"]) == ("condition epilepsy", "and")
    either = sent(known, **boxes | {"joins-0": "or", "is-0.1": "condition fatigue"})
    assert "3 match" in text_of(either)
    left_out = sent(known, **boxes | {"is-0.1": ""})
    assert "2 match" in text_of(left_out)
    assert sent(known, **boxes | {"is-0.0": "", "is-0.1": ""}).status_code == 422
    nothing = sent(known, query=" ")
    assert nothing.status_code == 422
    assert "Enter a query" in text_of(nothing)


def test_downloads_hold_the_evidence_and_a_form_that_is_taken_again(
    tmp_path: Path, index: Path
) -> None:
    known = client(tmp_path, index)
    boxes = fields_of(sent(known, query="condition epilepsy and not condition hypertension"))
    rows = list(csv.DictReader(io.StringIO(sent(known, **boxes, download="csv").text)))
    assert {row["member"] for row in rows} == {"ada", "zoe"}
    answer = sent(known, **boxes, download="json").get_json()
    for saved in (answer, answer["form"]):
        again = sent(known, form=json.dumps(saved), again="1")
        assert "2 match" in text_of(again)
    assert sent(known, form="{", again="1").status_code == 422


FORM = {
    "form": {"has": "seizure disorder"}, "not_understood": [],
    "assumptions": ["the falling sickness is taken as epilepsy"],
}  # fmt: skip
SICKNESS = "blorping falling sickness"


def by_stage(body: dict[str, Any]) -> str:
    """A form that nothing is wrong with."""
    if body["response_format"]["json_schema"]["name"] == "readback":
        return json.dumps({"missing": [], "added": [], "assumed": []})
    return json.dumps(FORM)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that gives the form of epilepsy, behind real HTTP."""
    with ModelServer(reply=by_stage) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        yield server


@pytest.mark.slow
def test_a_model_makes_a_query_of_words_where_it_is_chosen(
    tmp_path: Path, index: Path, scripted: ModelServer
) -> None:
    known = client(tmp_path, index)
    refused = sent(known, criteria="high blood pressure, if any")
    assert refused.status_code == 422
    assert 'Names in these words: condition "high blood pressure" (Hypertension)' in text_of(
        refused
    )
    assert scripted.received == []
    answer = sent(known, criteria=SICKNESS, model=SCRIPTED)
    said = text_of(answer)
    assert f"query by {SCRIPTED}" in said
    assert "the falling sickness is taken as epilepsy" in said
    assert "2 match · 0 do not · 4 undocumented" in said
    page = lxml.html.fromstring(answer.data)
    assert page.get_element_by_id("query").value == 'any "seizure disorder"'
    boxes = fields_of(answer)
    assert boxes["is-0"] == 'any "seizure disorder"'
    shown = json.dumps([one.body for one in scripted.received])
    assert SICKNESS in shown
    assert not any(word in shown for word in ("presenting", "ada", "2019-03-01"))
    before = len(scripted.received)
    assert "2 match" in text_of(sent(known, **boxes))
    assert len(scripted.received) == before == 2


def asked(known: Client, headers: dict[str, str] | None = None, **fields: Any) -> TestResponse:
    """The API's answer to somebody whose browser has asked on the page before."""
    sent(known, headers, query="condition epilepsy")
    return known.post("/api/v1/cohort", json=fields, headers=headers)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"criteria": "women"}, "criteria"), ({}, "query"), ({"query": "blorp"}, "query"),
        ({"query": "any blorptitude"}, "query"), ({"form": {"has": 3}}, "form"),
        ({"query": "condition fever", "as_of": "soon"}, "as_of"), ({"criteria": 3}, "criteria"),
        ({"query": "condition fever", "index": "Other"}, "index"), ({"shown": 3}, "shown"),
        ({"criteria": "fever", "model": "openai/other"}, "model"),
    ],
)  # fmt: skip
def test_a_program_is_told_which_field_is_wrong(
    tmp_path: Path, index: Path, fields: dict[str, Any], field: str
) -> None:
    answer = asked(client(tmp_path, index), **fields)
    assert (answer.status_code, answer.mimetype) == (422, "application/problem+json")
    assert [one["field"] for one in answer.get_json()["errors"]] == [field]


@pytest.mark.slow
def test_the_budget_of_the_day_holds_for_translating(
    tmp_path: Path, index: Path, scripted: ModelServer
) -> None:
    models = {"models": ("openai/gpt-4o",), "daily_budget": 0.000001}
    answer = asked(client(tmp_path, index, **models), criteria=SICKNESS, model="openai/gpt-4o")
    assert answer.status_code == 422
    assert "budget" in answer.get_json()["detail"]
    assert scripted.received == []


def test_a_shared_host_shows_no_patient_and_no_small_count(tmp_path: Path, index: Path) -> None:
    known = client(tmp_path, index, **SHARED)
    assert known.get("/cohort").status_code == 401
    before = text_of(known.get("/cohort", headers=LOGIN))
    assert "counts in ranges of 11, and no patients" in before
    answer = sent(known, LOGIN, query="condition epilepsy and condition fever")
    assert "Nothing to download" in text_of(answer)
    said = text_of(answer)
    assert "fewer than 11 match" in said
    assert "ada" not in re.findall(r"\w+", said)
    assert "presenting" not in said
    numbers = re.findall(r"\d+", said.partition("Patients left after")[2])
    assert set(numbers) == {"11"}
    assert sent(known, LOGIN, **fields_of(answer), download="csv").status_code == 403
    open_to_all = client(tmp_path / "b", index, **SHARED, cohort_least=0)
    assert "1 matches" in text_of(
        sent(open_to_all, LOGIN, query="condition epilepsy and condition fever")
    )


def test_each_use_is_logged_without_a_word_of_it(tmp_path: Path, index: Path) -> None:
    boxes = fields_of(sent(known := client(tmp_path, index), query="condition epilepsy"))
    sent(known, **boxes, download="csv")
    log = (tmp_path / "patients" / "audit.jsonl").read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["did"] for line in lines] == ["cohort", "export"]
    assert all(len(line["question"]) == 64 and line["time"] and line["user"] for line in lines)
    assert "pilepsy" not in log


def test_it_is_there_only_where_it_was_switched_on(tmp_path: Path, index: Path) -> None:
    assert small_app(tmp_path).test_client().get("/cohort").status_code == 404
    for web in ({"host": "0.0.0.0"}, {"trusted_proxies": 1}):
        with pytest.raises(UsageError, match="CLINFO_WEB_COHORTS"):
            client(tmp_path, index, **web)
