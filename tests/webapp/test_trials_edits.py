"""Editing what a run of trials read: over HTTP, by the form without a script, and in a browser."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import lxml.html
import pytest
import requests

import clinfo
from clinfo.pipelines.trials.answer import answer_json, build_answer
from clinfo.pipelines.trials.declared import TRIALS
from clinfo.pipelines.trials.run_log import TrialsLog
from tests.webapp.running import Running
from tests.webapp.test_trials_pages import PAPERS, QUESTION, given, send
from tests.webapp.test_trials_pages import app as app
from webapp.plots import can_draw

pytestmark = pytest.mark.slow


@pytest.fixture
def run_id(app: Running) -> str:
    """A run that a program started and that is done, with the numbers of two studies given."""
    asked = {"pipeline": "trials", "question": QUESTION, "papers": PAPERS, "better": "lower"}
    found = requests.post(f"{app.url}/api/v1/runs", json=asked, timeout=60).json()["id"]
    names = [one["name"] for one in app.ended(found)["answer"]["studies"]]
    for name, (one, other) in zip(names, ((10, 22), (12, 20)), strict=False):
        edited(app, found, study=name, why="table 2", numbers=counts(one, other))
    return str(found)


def edited(app: Running, run_id: str, **fields: Any) -> requests.Response:
    return requests.post(f"{app.url}/api/v1/runs/{run_id}/edits", json=fields, timeout=60)


def counts(one: float, other: float) -> dict[str, Any]:
    arms = {
        "intervention": {"events": one, "total": 40},
        "comparator": {"events": other, "total": 40},
    }
    return {"kind": "binary", **arms}


def first(answer: dict[str, Any]) -> dict[str, Any]:
    """The study of a.xml: 10 of 40 against 22 of 40."""
    return next(one for one in answer["studies"] if one["name"].endswith("trial 10"))


def events(app: Running, run_id: str) -> list[dict[str, Any]]:
    stream = requests.get(f"{app.url}/api/v1/runs/{run_id}/events", timeout=60).text
    lines = [line[6:] for line in stream.splitlines() if line.startswith('data: {"schema"')]
    return [json.loads(line) for line in lines]


def test_a_corrected_number_changes_conclusion_pool_and_exports(app: Running, run_id: str) -> None:
    before = app.run(run_id)["answer"]
    study = first(before)
    assert (study["direction"], study["basis"], study["text_direction"]) == (
        "decrease",
        "numbers",
        None,
    )
    reply = edited(
        app, run_id, study=study["name"], why="the cell is of week 4", numbers=counts(21, 22)
    )
    assert reply.status_code == 201
    after = reply.json()["answer"]
    now = first(after)
    assert (now["direction"], now["favours"], now["basis"]) == (
        "no_difference",
        "neither",
        "numbers",
    )
    assert now["numbers"]["intervention"]["events"]["value"] == 21
    assert now["numbers"]["comparator"] == study["numbers"]["comparator"]
    assert now["edits"][1]["why"] == "the cell is of week 4"
    assert now["edits"][1]["who"] == "a program"
    assert after["pooled"]["estimate"] != before["pooled"]["estimate"]
    assert app.run(run_id)["answer"] == after
    for form in ("csv", "metafor", "revman"):
        text = requests.get(f"{app.url}/runs/{run_id}/studies/{form}", timeout=60).text
        row = next(row for row in csv.reader(io.StringIO(text)) if study["name"] in row)
        assert {"21", "21.0"} & set(row)
        assert any("corrected by hand: the cell is of week 4" in cell for cell in row)
    text = requests.get(f"{app.url}/runs/{run_id}/studies/txt", timeout=60).text
    assert "21 of 40" in text


def test_a_study_is_left_out_and_taken_in_again(app: Running, run_id: str) -> None:
    before = app.run(run_id)["answer"]
    name = first(before)["name"]
    svg = requests.get(f"{app.url}/runs/{run_id}/forest.svg", timeout=60).content
    out = edited(app, run_id, study=name, why="not randomised", excluded=True).json()
    for form in ("csv", "metafor", "revman"):
        text = requests.get(f"{app.url}/runs/{run_id}/studies/{form}", timeout=60).text
        assert "left out by hand: not randomised" in text
    assert out["answer"]["pooled"] is None, "one study alone is no pool"
    assert first(out["answer"])["excluded"]
    if can_draw():
        assert requests.get(f"{app.url}/runs/{run_id}/forest.svg", timeout=60).content != svg
    made = first(out["answer"])["edits"][-1]["seq"]
    at = f"{app.url}/api/v1/runs/{run_id}/edits/{made}"
    back = requests.delete(at, timeout=60)
    assert back.status_code == 200
    assert back.json()["answer"]["pooled"] == before["pooled"]
    assert first(back.json()["answer"])["edits"][-1]["undone"]
    assert requests.delete(at, timeout=60).status_code == 409, "it is undone already"
    assert requests.delete(f"{app.url}/api/v1/runs/{run_id}/edits/0", timeout=60).status_code == 422


def test_the_answer_is_the_fold_of_the_events_edits_included(
    app: Running, run_id: str, tmp_path: Path
) -> None:
    before = app.run(run_id)["answer"]
    name = first(before)["name"]
    edited(app, run_id, study=name, why="misread", numbers=counts(12, 22))
    shown = edited(app, run_id, study=name, why="duplicate", excluded=True).json()["answer"]
    forms = events(app, run_id)
    assert [form["seq"] for form in forms] == list(range(len(forms)))
    assert [form["type"] for form in forms[-5:]] == ["answer", *["study_edited"] * 4]
    log = TrialsLog(filter(None, map(TRIALS.events.from_json, forms)))
    assert answer_json(build_answer(log)) == shown
    saved = tmp_path / "run.jsonl"
    saved.write_text("".join(json.dumps(form) + "\n" for form in forms))
    again = clinfo.replay(saved)
    assert isinstance(again, clinfo.TrialsAnswer)
    assert again.to_dict() == shown


@pytest.mark.parametrize(
    ("fields", "status", "where"),
    [
        ({"why": " "}, 422, "why"),
        ({"why": "x" * 301}, 422, "why"),
        ({"why": "John Smith, MRN 1234567, told me"}, 422, "why"),
        ({"study": "none"}, 422, "study"),
        ({"numbers": counts(41, 22)}, 422, "numbers"),
        ({"numbers": counts(-1, 22)}, 422, "numbers"),
        ({"numbers": counts(10, 22)}, 422, "numbers"),
        ({"numbers": counts(10, 22) | {"kind": "continuous"}}, 422, "numbers"),
        ({"numbers": {"kind": "odd"}}, 422, "numbers"),
        ({"numbers": counts(1, 2) | {"place": "../x"}}, 201, ""),
        ({"numbers": None}, 422, "numbers"),
        ({"numbers": counts(1e-300, 22)}, 422, "numbers"),
        (
            {
                "numbers": {
                    "kind": "continuous",
                    "intervention": {"mean": 1, "sd": 1, "total": 40},
                    "comparator": {"mean": 2, "sd": 1, "total": 40},
                }
            },
            422,
            "numbers",
        ),
        ({"who": "Dr X"}, 422, ""),
    ],
    ids=str,
)
def test_an_edit_that_cannot_be_is_refused_and_nothing_kept(
    app: Running, run_id: str, fields: dict[str, Any], status: int, where: str
) -> None:
    name = first(app.run(run_id)["answer"])["name"]
    given = {"study": name, "why": "misread", "numbers": counts(11, 22)} | fields
    reply = edited(app, run_id, **given)
    assert reply.status_code == status, reply.text
    if status == 422:
        assert where in reply.text
        assert events(app, run_id)[-3]["type"] == "answer"


def test_only_whoever_started_a_run_edits_it(app: Running) -> None:
    browser, answer = send(app, PAPERS)
    run_id = answer.url.rsplit("/", 1)[1]
    name = first(app.ended(run_id)["answer"])["name"]
    assert edited(app, run_id, study=name, why="x", excluded=True).status_code == 409
    page = requests.get(answer.url, timeout=60).text
    assert "Keep the correction" not in page
    assert "Keep the correction" in browser.get(answer.url, timeout=60).text
    literature = app.ask()
    app.ended(literature)
    assert edited(app, literature, study=name, why="x", excluded=True).status_code == 409


def test_the_form_without_a_script(app: Running) -> None:
    browser, answer = send(app, PAPERS)
    run_id = answer.url.rsplit("/", 1)[1]
    app.ended(run_id)
    given(browser, answer.url, {"trial 10": (10, 22)})
    page = lxml.html.fromstring(browser.get(answer.url, timeout=60).text)
    form = next(one for one in page.forms if one.get("class") == "trials-edit")
    fields = dict(form.form_values())
    assert fields["intervention_events"] == "10"
    wrong = browser.post(
        f"{answer.url}/edits", data=fields | {"intervention_events": "many"}, timeout=60
    )
    assert wrong.status_code == 422
    told = lxml.html.fromstring(wrong.text)
    assert told.xpath("//details[@open]//p[@role='alert']")
    assert told.xpath("//input[@name='intervention_events']/@value")[0] == "many"
    sent = fields | {"intervention_events": "21", "why": "<b>week 4</b>"}
    done = browser.post(f"{answer.url}/edits", data=sent, timeout=60)
    assert done.status_code == 200
    text = lxml.html.fromstring(done.text).xpath("string(//main)")
    assert "21 of 40" in text
    assert "<b>week 4</b>" in text
    assert "By browser " in text
    page = lxml.html.fromstring(done.text)
    *_, undo = (one for one in page.forms if one.action.endswith("/undo"))
    undone = browser.post(f"{app.url}{undo.action}", data=dict(undo.form_values()), timeout=60)
    assert "10 of 40" in undone.text
    assert "(undone)" in undone.text


def test_a_run_is_repeated_with_a_change_over_http(app: Running, run_id: str) -> None:
    before = app.run(run_id)["answer"]
    name = first(before)["name"]
    edited(app, run_id, study=name, why="misread", numbers=counts(12, 22))
    asked = {"pipeline": "trials", "parent": run_id}
    studies = {"Zinc 2020": ["b.xml", "c.txt"]}
    reply = requests.post(f"{app.url}/api/v1/runs", json=asked | {"studies": studies}, timeout=60)
    assert reply.status_code == 202, reply.text
    after = app.ended(reply.json()["id"])["answer"]
    assert [study["name"] for study in after["studies"]] == [name, "Zinc 2020"]
    assert [edit["why"] for edit in first(after)["edits"]] == ["table 2", "misread"]
    assert after["pico"]["better"] == "lower"
    assert any(name in notice for notice in after["notices"]), "it was taken over unread"
    for parent, status in (("x" * 24, 404), (7, 422), (app.ask(), 422)):
        reply = requests.post(f"{app.url}/api/v1/runs", json=asked | {"parent": parent}, timeout=60)
        assert reply.status_code == status, parent


def test_an_older_page_does_not_overwrite_a_correction(app: Running) -> None:
    """Two tabs have the page; the one corrects a number, the other only leaves the study out."""
    browser, answer = send(app, PAPERS)
    run_id = answer.url.rsplit("/", 1)[1]
    app.ended(run_id)
    given(browser, answer.url, {"trial 10": (10, 22)})
    page = lxml.html.fromstring(browser.get(answer.url, timeout=60).text)
    fields = dict(
        next(one for one in page.forms if one.get("class") == "trials-edit").form_values()
    )
    one = fields | {"intervention_events": "15", "why": "table 3"}
    assert browser.post(f"{answer.url}/edits", data=one, timeout=60).status_code == 200
    for typed in ({"excluded": "on"}, {"intervention_events": "many"}):
        other = fields | {"why": "wrong population"} | typed
        late = browser.post(f"{answer.url}/edits", data=other, timeout=60)
        if late.status_code == 422:  # what is wrong is said first, and the page stays the older one
            form = next(one for one in lxml.html.fromstring(late.text).forms if "why" in one.fields)
            late = browser.post(
                f"{answer.url}/edits",
                data=dict(form.form_values()) | {"intervention_events": "11"},
                timeout=60,
            )
        assert late.status_code == 409
        assert lxml.html.fromstring(late.text).xpath(f"//main//a[@href='/runs/{run_id}']")
    study = first(app.run(run_id)["answer"])
    assert study["numbers"]["intervention"]["events"]["value"] == 15
    assert not study["excluded"]
    page = lxml.html.fromstring(browser.get(answer.url, timeout=60).text)
    undo = next(one for one in page.forms if one.action.endswith("/undo"))
    twice = [
        browser.post(f"{app.url}{undo.action}", data=dict(undo.form_values()), timeout=60)
        for _ in range(2)
    ]
    assert [one.status_code for one in twice] == [200, 409]
    assert lxml.html.fromstring(twice[1].text).xpath(f"//main//a[@href='/runs/{run_id}']")
