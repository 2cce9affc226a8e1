"""The pages on which a question is asked, over the real app and a real database; and what becomes
of it, from its check to a run in the queue.
"""

import json
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from flask import Flask
from flask.testing import FlaskClient
from nacl.public import PrivateKey
from sqlalchemy import insert, update
from werkzeug.test import TestResponse

from clinfo.errors import FieldError, IdentifiersFound
from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.privacy.phi_guard import identifiers, without
from clinfo.records.articles import RunRequest
from tests.webapp.small_app import QUESTION, SCRIPTED, count, parts, small_app
from webapp.asking import ask
from webapp.pipelines.literature.ask_pages import LABELS, OPTIONS
from webapp.pipelines.literature.asking import fields_of
from webapp.records import Busy, StoredRun, Visitor
from webapp.storage.tables import spending
from webapp.work.key_encryption import opened

PATIENT = "Mrs Anna Schmidt, born 12.03.1951: does metformin lower her risk of cancer?"
HOSTILE = (
    "</textarea><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}{% raw %}' \" "
    "javascript:alert(3)"
)


def shown(response: TestResponse) -> Any:
    return lxml.html.document_fromstring(response.text)


def by_id(page: Any, name: str) -> Any:
    found = page.xpath("//*[@id=$name]", name=name)
    assert len(found) == 1, f"{len(found)} elements have the id {name}"
    return found[0]


def form_of(response: TestResponse) -> dict[str, str]:
    """Return what a browser would send of the ask form if the main button were pressed."""
    form = shown(response).forms[0]
    areas = set(form.xpath(".//textarea/@name"))
    return {
        name: value.removeprefix("\n") if name in areas else value
        for name, value in form.form_values()
        if value is not None
    }


def send(client: FlaskClient, **typed: str) -> TestResponse:
    """Open the form, type, send it; an empty text unticks a box."""
    sent = form_of(client.get("/")) | typed
    for name in ("strict", "fresh", "term_counts"):
        if not sent.get(name):
            sent.pop(name, None)
    return client.post("/", data=sent)


def started(app: Flask, response: TestResponse) -> StoredRun:
    assert response.status_code == 303, [
        one.text_content() for one in shown(response).xpath("//*[@id='faults' or @id='held']")
    ]
    address = response.headers["Location"]
    assert address.startswith("/runs/")
    run = parts(app).store.get(address.removeprefix("/runs/"))
    assert run is not None
    return run


def faults(response: TestResponse) -> dict[str, str]:
    """The error summary: text by the id it leads to."""
    links = by_id(shown(response), "faults").xpath(".//li/a")
    return {link.get("href").removeprefix("#"): link.text_content() for link in links}


# ---- the form


def test_the_form_as_it_is_first_shown_makes_the_run_that_the_host_offers(
    app: Flask, client: FlaskClient
) -> None:
    run = started(app, send(client, question=f"  {QUESTION}\r\n"))
    assert run.status == "queued"
    assert run.visitor is not None
    assert run.request == RunRequest(
        question=QUESTION,
        models=run.request.models,
        source="demo",
        max_seconds=180.0,
        strict=True,
    )
    assert set(run.request.models.values()) == {"extractive"}


def test_every_option_reaches_the_run(app: Flask, client: FlaskClient) -> None:
    typed = {
        "question": QUESTION,
        "model": SCRIPTED,
        "source": "pubmed",
        "max_seconds": "45.5",
        "from": "2015",
        "to": "2020-06",
        "filter": "english[la]",
        "query": "#1 yoga[tiab]\r\n#2 hypertension[mh]\r\n#3 #1 AND #2\r\n",
        "known": "20052352, 19451401",
        "term_counts": "yes",
        "queries": "5",
        "per_query": "40",
        "max_articles": "1,50",
        "rerank": "20",
        "chase": "2",
        "strict": "",
        "judge": "both",
        "regime": "source-dropped",
        "drop": "123; 456 789",
        "seed": "7",
        "fresh": "yes",
    }
    request = started(app, send(client, **typed)).request
    assert set(request.models.values()) == {SCRIPTED}
    assert request.models["verify"] == SCRIPTED
    assert request.own_queries == ("#1 yoga[tiab]\n#2 hypertension[mh]\n#3 #1 AND #2",)
    assert (request.published_from, request.published_to) == (date(2015, 1, 1), date(2020, 6, 30))
    assert request.drop == ("123", "456", "789")
    assert request.known == ("20052352", "19451401")
    assert (
        request.queries,
        request.per_query,
        request.max_articles,
        request.rerank,
        request.chase,
    ) == (5, 40, 150, 20, 2)
    assert (request.source, request.filter, request.regime, request.seed) == (
        "pubmed",
        "english[la]",
        "source-dropped",
        7,
    )
    assert (request.strict, request.fresh, request.term_counts, request.max_seconds) == (
        False,
        True,
        True,
        45.5,
    )


def test_an_address_fills_the_form_but_never_a_key_or_what_allows_identifiers(app: Flask) -> None:
    web = app.test_client()
    page = shown(
        web.get(
            "/advanced",
            query_string={
                "question": HOSTILE,
                "queries": "7",
                "strict": "no",
                "allow_identifiers": "1",
            },
        )
    )
    assert by_id(page, "question").text.strip() == HOSTILE
    assert by_id(page, "queries").get("value") == "7"
    assert by_id(page, "strict").get("checked") is None
    assert not page.xpath("//*[@name='allow_identifiers']")


def test_every_option_has_a_label() -> None:
    assert set(OPTIONS) < set(LABELS)


def test_what_was_typed_is_carried_to_the_advanced_page_and_back(
    app: Flask, client: FlaskClient
) -> None:
    mine = PROMPTS.defaults()["tldr"].strip() + "\nAnswer in one word."
    sent = form_of(client.get("/")) | {"question": QUESTION, "go": "advanced"}
    there = client.post("/advanced", data=sent | {"limits": ["rct", "last5"]})
    assert there.status_code == 200
    assert count(app) == 0
    ticked = shown(there).xpath("//*[@name='limits'][@checked]/@value|//option[@selected]/@value")
    assert {"rct", "last5"} <= set(ticked)
    typed = form_of(there) | {"queries": "5", "strict": "", "prompt-tldr": mine, "go": "form"}
    back = client.post("/", data=typed | {"limits": ["rct", "last5"]})
    page = shown(back)
    assert by_id(page, "options-changed").text == "3 changed"
    names = "Queries, Remove unsupported sentences, Prompts"
    assert names in by_id(page, "options-changed").getparent().text_content()
    run = started(app, client.post("/", data=form_of(back) | {"limits": ["rct", "last5"]}))
    assert (run.request.queries, run.request.strict) == (5, False)
    assert set(run.request.limits) == {"rct", "last5"}
    assert dict(run.request.prompts) == {"tldr": mine}


def test_a_file_that_the_short_form_cannot_send_is_told(client: FlaskClient) -> None:
    sent = form_of(client.get("/advanced")) | {"question": QUESTION, "go": "form"}
    file = (BytesIO(b"TY  - JOUR"), "mine.ris")
    back = client.post("/", data=sent | {"documents_file": file})
    assert "mine.ris is not sent with this form" in shown(back).text_content()


# ---- what cannot be used


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("question", "   "),
        ("question", "12 34?"),
        ("question", "x" * 4_001),
        ("from", "2015-13"),
        ("to", "yesterday"),
        ("filter", "(english[la]"),
        ("query", "#1 yoga\n#2 #7 AND #1"),
        ("known", "not a number"),
        ("queries", "0"),
        ("queries", "three"),
        ("per_query", "201"),
        ("max_articles", "9999999999999999999999"),
        ("rerank", "-1"),
        ("chase", "51"),
        ("seed", "1.5"),
        ("max_seconds", "nan"),
        ("max_seconds", "601"),
        ("max_seconds", "1,5"),
        ("before", "2019-01-01"),
        ("drop", "12345"),
        ("judge", "nobody"),
        ("regime", "everything"),
        ("strategy", "guessing"),
        ("model", "openai/not-offered"),
        ("source", "local"),
    ],
)
def test_what_cannot_be_used_is_named_beside_its_field_and_nothing_is_lost(
    app: Flask, client: FlaskClient, name: str, typed: str
) -> None:
    response = send(
        client, **{"question": QUESTION, "filter": "english[la]", "known": "20052352", name: typed}
    )
    assert response.status_code == 422
    assert count(app) == 0
    assert name in faults(response)
    said = "Enter a question" if not typed.strip() else f"{LABELS[name]}: "
    assert faults(response)[name].startswith(said)
    page = shown(response)
    control = by_id(page, name)
    if control.get("aria-describedby"):
        assert by_id(page, f"{name}-fault").text_content().endswith(faults(response)[name])
        assert f"{name}-fault" in control.get("aria-describedby") or control.get("type") == "radio"
    kept = form_of(response)
    if control.get("type") != "radio" and control.tag != "select":
        assert kept[name].strip() == typed.strip()
    assert all(
        kept[other] == text
        for other, text in (("question", QUESTION), ("known", "20052352"))
        if other != name
    )
    assert page.forms[0].get("action") == ("/" if name == "question" else "/advanced")


# ---- what identifies a patient


def test_a_question_that_identifies_is_shown_marked_and_nothing_is_kept(
    app: Flask, client: FlaskClient
) -> None:
    response = send(client, question=PATIENT, source="pubmed")
    page = shown(response)
    assert response.status_code == 422
    assert count(app) == 0
    marked = [mark.text for mark in by_id(page, "held").xpath(".//mark")]
    assert marked == ["Mrs Anna Schmidt", "born 12.03.1951"]
    assert "(name, date of birth)" in by_id(page, "held").text_content()
    quoted = by_id(page, "held").xpath("string(.//blockquote)")
    assert quoted.replace(" name", "").replace(" date of birth", "").split() == PATIENT.split()
    assert form_of(response)["question"].strip() == PATIENT


def test_remove_and_ask_sends_what_was_shown(app: Flask, client: FlaskClient) -> None:
    refused = send(client, question=PATIENT, source="pubmed", queries="4")
    cleaned = without(PATIENT, identifiers(PATIENT))
    button = by_id(shown(refused), "held").xpath(".//button[@name='instead']")[0]
    assert (
        button.get("value")
        == cleaned
        == by_id(shown(refused), "held").xpath("string(.//p[@class='instead'])")
    )
    run = started(app, client.post("/", data=form_of(refused) | {"instead": button.get("value")}))
    assert (run.request.question, run.request.queries, run.request.allow_identifiers) == (
        cleaned,
        4,
        False,
    )


def test_it_may_be_asked_as_it_is(app: Flask, client: FlaskClient) -> None:
    refused = send(client, question=PATIENT, source="pubmed")
    button = by_id(shown(refused), "held").xpath(".//button[@name='allow_identifiers']")[0]
    run = started(
        app, client.post("/", data=form_of(refused) | {"allow_identifiers": button.get("value")})
    )
    assert (run.request.question, run.request.allow_identifiers) == (PATIENT, True)


# ---- prompts


def test_only_prompts_that_were_edited_are_sent(app: Flask, client: FlaskClient) -> None:
    form = form_of(client.get("/advanced"))
    assert "prompt-relevance" in form
    windows = form["prompt-tldr"].replace("\n", "\r\n")
    run = started(
        app,
        send(
            client,
            question=QUESTION,
            **{"prompt-tldr": windows, "prompt-summary": "", "prompt-relevance": "  "},
        ),
    )
    assert run.request.prompts == {}
    mine = PROMPTS.defaults()["tldr"].strip() + "\r\nAnswer in one word."
    run = started(app, send(client, question=QUESTION, **{"prompt-tldr": mine}))
    assert dict(run.request.prompts) == {"tldr": mine.replace("\r\n", "\n")}


def test_prompts_that_cannot_be_used_are_all_named_and_kept(
    app: Flask, client: FlaskClient
) -> None:
    response = send(
        client, question=QUESTION, **{"prompt-tldr": "Say {synthesis}", "prompt-summary": HOSTILE}
    )
    assert response.status_code == 422
    assert set(faults(response)) == {"prompt-tldr", "prompt-summary"}
    assert faults(response)["prompt-tldr"] == "The prompt “TL;DR” has no placeholder {question}"
    page = shown(response)
    assert by_id(page, "prompt-summary").text.strip() == HOSTILE
    assert by_id(page, "prompt-tldr-fault").text == faults(response)["prompt-tldr"]
    assert count(app) == 0


def check(client: FlaskClient, name: object, text: object) -> TestResponse:
    token = form_of(client.get("/"))["csrf_token"]
    return client.post(
        "/prompts/check", json={"name": name, "text": text}, headers={"X-CSRFToken": token}
    )


def test_prompts_are_checked_while_they_are_typed(client: FlaskClient) -> None:
    assert check(client, "tldr", "{question} {synthesis}").json == {"problem": None, "line": None}
    found = check(client, "tldr", "{question}\n{synthesis}\n{sinthesis}").json
    assert found["line"] == 3
    assert "{sinthesis}" in found["problem"]
    assert check(client, "tldr", "nothing").json["line"] is None
    assert "characters" in check(client, "tldr", "{question}{synthesis}" * 5_000).json["problem"]


# ---- a key of the visitor's own


def test_a_key_goes_to_the_worker_and_never_back_to_the_page(tmp_path: Path) -> None:
    app = small_app(tmp_path, own_keys=True)
    client = app.test_client()
    parts(app).store.register("worker", bytes(PrivateKey.generate().public_key))
    field = by_id(shown(client.get("/advanced")), "api_key")
    assert (field.get("type"), field.get("autocomplete")) == ("password", "off")
    refused = send(
        client, question=QUESTION, model=SCRIPTED, api_key="sk-secret-of-mine", queries="99"
    )
    assert "sk-secret-of-mine" not in refused.text
    run = started(
        app,
        client.post("/", data=form_of(refused) | {"queries": "3", "api_key": "sk-secret-of-mine"}),
    )
    assert run.own_key
    assert "sk-secret-of-mine" not in client.get("/", query_string={"again": run.id}).text


# ---- again


def test_again_fills_in_all_that_was_asked_and_makes_the_same_run(
    app: Flask, client: FlaskClient
) -> None:
    mine = PROMPTS.defaults()["tldr"].strip() + "\nAnswer in one word."
    typed = {
        "question": QUESTION,
        "model": SCRIPTED,
        "source": "pubmed",
        "from": "2015",
        "to": "2020",
        "filter": "english[la]",
        "query": "yoga\n\nmeditation",
        "known": "20052352 19451401",
        "term_counts": "yes",
        "queries": "5",
        "per_query": "40",
        "rerank": "20",
        "chase": "1",
        "strict": "",
        "judge": "model",
        "regime": "restricted",
        "before": "2019-01-01",
        "seed": "3",
        "fresh": "yes",
        "max_seconds": "33.25",
        "prompt-tldr": mine,
    }
    first = started(app, send(client, **typed))
    page = client.get("/", query_string={"again": first.id})
    assert by_id(shown(page), "options-changed").text == "20 changed"
    second = started(app, client.post("/", data=form_of(page)))
    assert second.request == first.request
    assert second.again_of == first.id
    assert second.id != first.id


# ---- this browser's runs


def test_runs_of_this_browser_newest_first_and_no_others(app: Flask, client: FlaskClient) -> None:
    other = app.test_client()
    started(app, send(other, question="Does tai chi lower blood pressure?"))
    mine = [
        started(app, send(client, question=question))
        for question in (QUESTION, "Does coffee raise blood pressure?")
    ]
    page = shown(client.get("/runs"))
    links = page.xpath("//a[@class='run-question']")
    assert [link.get("href") for link in links] == [f"/runs/{run.id}" for run in reversed(mine)]
    assert [link.text for link in links] == [run.request.question for run in reversed(mine)]
    assert page.xpath("//a[starts-with(@href, '/?again=')]/@href") == [
        f"/?again={run.id}" for run in reversed(mine)
    ]


def questions(client: FlaskClient, path: str = "/runs", **sought: str) -> list[str]:
    """The questions of the page of runs, looked for as its form would send it."""
    return shown(client.get(path, query_string=sought or None)).xpath(
        "//a[@class='run-question']/text()"
    )


def test_runs_are_found_by_words(app: Flask, client: FlaskClient) -> None:
    asked = ("Does ÖSTROGEN help?", "Does coffee raise blood pressure?", QUESTION)
    runs = [started(app, send(client, question=question)) for question in asked]
    assert len(runs) == len(questions(client))
    assert questions(client) == list(reversed(asked))
    assert questions(client, q="BLOOD pressure") == [QUESTION, asked[1]]
    assert questions(client, q="coffee blood") == [asked[1]]
    assert questions(client, q="östrogen") == [asked[0]]
    assert questions(client, q="extractive") == []  # of the request, not of the question
    assert questions(client, q="%") == []
    page = client.get("/runs", query_string={"q": "tea"})
    assert by_id(shown(page), "q").get("value") == "tea"
    assert "No run matches." in page.text
    assert shown(page).xpath("//main//a[@href='/runs']")
    assert client.get("/runs", query_string={"cursor": "x"}).status_code == 422


# ---- from what is asked to a run in the queue


NOBODY = Visitor(None, None, "192.0.2.1")
KEY = "sk-0123456789abcdefKEYOFAVISITOR"


def asked(app: Flask, again: str | None = None, **fields: Any) -> Any:
    with app.test_request_context("/"):
        return ask({"question": QUESTION, **fields}, NOBODY, idempotency_key=again)


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"cookie": 1}, "cookie", "unknown field"),
        ({"max_cost": 1.0}, "max_cost", "unknown field"),
        ({"question": None, "questoin": "x"}, "questoin", "; the field question is missing"),
        ({"repair": False}, "repair", "unknown field"),
        ({"model": "openai/dearest"}, "model", "choose one of: extractive, openai/scripted"),
        ({"models": {"tldr": "openai/dearest"}}, "models", "not available"),
        ({"models": {"verify": "openai/dearest"}, "judge": "model"}, "models", "not available"),
        ({"models": ["extractive"]}, "models", "must map"),
        ({"source": "local"}, "source", "choose one of: demo, pubmed, semantic-scholar"),
        ({"source": "/etc/passwd.xml"}, "source", "unknown"),
        ({"max_articles": 201}, "max_articles", "to 200 here"),
        ({"per_query": 201}, "per_query", "to 200 here"),
        ({"queries": 21}, "queries", "from 1 to 20"),
        ({"max_seconds": 601}, "max_seconds", "at most 600 here"),
        ({"max_seconds": float("nan")}, "max_seconds", "must be a number"),
        ({"max_seconds": 0}, "max_seconds", "must be a number above 0 and at most 600 here, not 0"),
        ({"max_seconds": 2e9}, "max_seconds", "at most 600 here"),
        ({"max_seconds": "soon"}, "max_seconds", "at most 600 here, not soon"),
        ({"max_articles": 0}, "max_articles", "must be a whole number from 1 to 200 here, not 0"),
        ({"per_query": 10**9}, "per_query", "from 1 to 200 here"),
        ({"query": ["cough"] * 21}, "query", "at most 20"),
        ({"drop": ["1"] * 1_001, "regime": "source-dropped"}, "drop", "at most 1,000"),
        ({"judge": "model"}, "judge", "extractive model cannot judge"),
        ({"source": "semantic-scholar", "filter": "english[la]"}, "filter", "cannot be applied"),
        ({"prompts": {"nonsense": "x"}}, "prompts", "unknown"),
        ({"prompts": "x"}, "prompts", "must map"),
        ({"prompts": {"tldr": 5}}, "prompts", "tldr must be text"),
        ({"api_key": KEY, "model": SCRIPTED}, "api_key", "not accepted here"),
        ({"question": None}, "question", "empty"),
        ({"question": ["x"]}, "question", "must be text"),
        ({"question": "a\x00b"}, "question", "NUL"),
        ({"question": "\ud800 x"}, "question", "UTF-8"),
    ],
)
def test_what_cannot_be_asked_is_named(
    app: Flask, fields: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(FieldError) as refused:
        asked(app, **fields)
    assert refused.value.field == field
    assert said in refused.value.fault
    assert count(app) == 0


def test_caps_hold_for_what_is_not_asked_too(tmp_path: Path) -> None:
    app = small_app(tmp_path, most_articles=5, max_seconds=10, longest_seconds=10)
    request = asked(app).request
    assert (request.max_articles, request.per_query, request.max_seconds) == (5, 5, 10.0)


# ---- the guard

NAMED = "Is metformin safe for Mr John Smith, born 3/4/1970?"


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"question": NAMED, "model": SCRIPTED}, "question"),
        ({"question": NAMED, "source": "pubmed"}, "question"),
        ({"question": NAMED, "models": {"tldr": SCRIPTED}}, "question"),
        ({"query": ["cough", "Mr John Smith"], "source": "pubmed"}, "query 2"),
    ],
)
def test_what_identifies_a_patient_is_refused_before_anything_is_stored(
    app: Flask, fields: dict[str, Any], where: str
) -> None:
    with pytest.raises(IdentifiersFound) as refused:
        asked(app, **fields)
    assert refused.value.where == where
    assert refused.value.spans
    assert "Smith" not in str(refused.value)
    assert "--" not in str(refused.value)  # flags are for the command line
    assert count(app) == 0


def test_once_the_days_budget_is_spent_nothing_that_costs_is_taken(tmp_path: Path) -> None:
    app = small_app(tmp_path, models=("extractive", SCRIPTED), daily_budget=1.0)
    assert asked(app, model=SCRIPTED).status == "queued"
    with parts(app).store.engine.begin() as connection:
        day = datetime.now(UTC).strftime("%Y-%m-%d")
        connection.execute(insert(spending).values(day=day, spent=10, reserved=999_999_990))
    assert asked(app, model=SCRIPTED).status == "queued"  # what is set aside may come free
    with parts(app).store.engine.begin() as connection:
        connection.execute(update(spending).values(spent=1_000_000_000, reserved=0))
    with pytest.raises(Busy, match="daily budget of this site is used up") as refused:
        asked(app, model=SCRIPTED)
    assert 0 < refused.value.retry_after <= 86_400
    assert asked(app, model="extractive").status == "queued"


# ---- a visitor's own key


@pytest.fixture
def with_keys(tmp_path: Path) -> Flask:
    return small_app(tmp_path, own_keys=True)


def test_a_key_waits_sealed_for_one_worker(
    with_keys: Flask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, store = PrivateKey.generate(), parts(with_keys).store
    store.register("worker-a", bytes(key.public_key))
    run = asked(with_keys, model=SCRIPTED, api_key=KEY)
    assert (run.status, run.own_key) == ("queued", True)
    claimed = store.claim("worker-a", 15)
    assert claimed is not None
    sealed = claimed[2]
    assert sealed is not None
    assert opened(key, sealed) == KEY
    assert opened(PrivateKey.generate(), sealed) is None
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file
    assert KEY not in capsys.readouterr().err
    assert "api_key" not in fields_of(run)


@pytest.mark.parametrize("key", ["", " ", "with space", "zwölf", "a\nb", "x" * 501, 5, ["x"]])
def test_a_key_that_is_none_is_refused_and_not_repeated(with_keys: Flask, key: Any) -> None:
    parts(with_keys).store.register("worker-a", bytes(PrivateKey.generate().public_key))
    with pytest.raises(FieldError) as refused:
        asked(with_keys, model=SCRIPTED, api_key=key)
    assert refused.value.field == "api_key"
    assert not str(key).strip() or str(key) not in str(refused.value) or len(str(key)) == 1
    assert count(with_keys) == 0


# ---- limits, logs, weight


@pytest.mark.parametrize("switched_on", [False, True])
def test_a_question_is_logged_only_where_the_host_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], switched_on: bool
) -> None:
    app = small_app(tmp_path, log_questions=switched_on)
    run = asked(app, query=["cough[ti] AND secretquery"])
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    started = [line for line in lines if line["message"] == "run started"]
    assert [line["run"] for line in started] == [run.id[:6]]
    assert [line.get("question") for line in started] == [QUESTION if switched_on else None]
    assert "secretquery" not in json.dumps(lines)
    assert run.id not in json.dumps(lines)


# ---- what was asked, asked again


def test_a_host_that_refuses_offers_no_way_around(tmp_path: Path) -> None:
    app = small_app(tmp_path, {"identifiers": "refuse"})
    client = app.test_client()
    refused = send(client, question=PATIENT, source="pubmed")
    assert not shown(refused).xpath("//button[@name='allow_identifiers']")
    assert client.post("/", data=form_of(refused) | {"allow_identifiers": "yes"}).status_code == 422
    assert count(app) == 0
