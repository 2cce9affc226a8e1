"""The page of the trials pipeline: papers handed over (PDFs and articles of PubMed Central too),
read by a worker, shown, exported, corrected by hand over HTTP and by the form without a script.
"""

import csv
import io
import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import lxml.html
import pytest
import requests

import clinfo
from clinfo.pipelines.trials.answer import folded
from clinfo.pipelines.trials.events import TrialsLog
from clinfo.pipelines.trials.stages import TRIALS
from tests.retrieval.test_pdf import FIRST, SECOND, pdf
from tests.webapp.house import ITCHING, led_to, run_of, send
from tests.webapp.running import Running

pytestmark = pytest.mark.slow

DRAWS = find_spec("matplotlib") is not None
QUESTION = "Does zinc cream reduce itching compared with placebo?"


def paper(events: int, others: int, more: str = "") -> str:
    """A JATS article of a trial with two arms of forty."""
    return f"""<article><front><article-meta><title-group>
<article-title>{more}Zinc cream, trial {events}</article-title></title-group>
</article-meta></front><body><sec sec-type="results"><title>Results</title>
<p>Itching was significantly less frequent with zinc cream than with placebo (P = 0.01).</p>
<table-wrap><label>Table 2</label><caption><p>Itching at week 8</p></caption>
<table><thead><tr><th>Outcome</th><th>Zinc cream (n = 40)</th><th>Placebo (n = 40)</th></tr></thead>
<tbody><tr><td>Itching, n (%)</td><td>{events} ({events / 0.4:.0f}%)</td>
<td>{others} ({others / 0.4:.0f}%)</td></tr></tbody></table></table-wrap></sec></body></article>"""


PAPERS = {
    "a.xml": paper(10, 22),
    "b.xml": paper(12, 20, "&lt;script>window.__ran=1&lt;/script> "),
    "c.txt": "RESULTS:\nRedness did not differ.\n",
}


def handed(
    app: Running,
    papers: dict[str, Any] | None = None,
    path: str = "/trials",
    browser: requests.Session | None = None,
    **fields: Any,
) -> tuple[requests.Session, requests.Response]:
    files = {"papers": list((papers or {}).items())}
    question = {} if "again" in path else {"question": QUESTION}
    return send(app, path, browser, files, **question | fields)


def started(app: Running, **fields: Any) -> dict[str, Any]:
    """A run that a program started, once it has ended."""
    sent = {"pipeline": "trials", "question": QUESTION, "papers": PAPERS, "better": "lower"}
    answer = requests.post(f"{app.url}/api/v1/runs", json=sent | fields, timeout=60)
    assert answer.status_code == 202, answer.text
    return app.ended(answer.json()["id"])


def counts(one: float, other: float) -> dict[str, Any]:
    arms = {
        "intervention": {"events": one, "total": 40},
        "comparator": {"events": other, "total": 40},
    }
    return {"kind": "binary", **arms}


def edited(app: Running, run_id: str, **fields: Any) -> requests.Response:
    return requests.post(f"{app.url}/api/v1/runs/{run_id}/edits", json=fields, timeout=60)


def first(answer: dict[str, Any]) -> dict[str, Any]:
    """The study of a.xml: 10 of 40 against 22 of 40."""
    return next(one for one in answer["studies"] if one["name"].endswith("trial 10"))


def events(app: Running, run_id: str) -> list[dict[str, Any]]:
    stream = requests.get(f"{app.url}/api/v1/runs/{run_id}/events", timeout=60).text
    lines = [line[6:] for line in stream.splitlines() if line.startswith('data: {"schema"')]
    return [json.loads(line) for line in lines]


def tree_of(text: str) -> Any:
    return lxml.html.fromstring(text)


@pytest.fixture
def run_id(house: Running) -> str:
    """A run that a program started and that is done, with the numbers of two studies given."""
    run = started(house)
    names = [one["name"] for one in run["answer"]["studies"]]
    for name, numbers in zip(names, (counts(10, 22), counts(12, 20)), strict=False):
        edited(house, run["id"], study=name, why="table 2", numbers=numbers)
    return str(run["id"])


def test_papers_handed_over_are_read_shown_and_exported(house: Running, run_id: str) -> None:
    run = house.run(run_id)
    at = f"{house.url}/runs/{run_id}"
    fresh = started(house)["answer"]["studies"]
    assert [bool(one["candidates"]) for one in fresh] == [True, True, False]
    assert {one["direction"] for one in fresh} == {None}
    page = tree_of(requests.get(at, timeout=60).text)
    shown = re.sub(r"\s+", " ", page.xpath("//main")[0].text_content())
    assert all(study["name"] in shown for study in run["answer"]["studies"])
    for words in ("10 of 40", "RR 0.45", "in 2 studies pooled (REML)"):
        assert words in shown
    assert page.xpath("//main//script") == []
    table = requests.get(f"{at}/studies/csv", timeout=60)
    assert table.headers["Content-Type"].startswith("text/csv")
    assert len(table.text.splitlines()) == 4  # a head and three studies
    assert "yi" in requests.get(f"{at}/studies/metafor", timeout=60).text.splitlines()[0]
    assert QUESTION in requests.get(f"{at}/studies/txt", timeout=60).text
    assert requests.get(f"{at}/studies/pdf", timeout=60).status_code == 404
    plot = requests.get(f"{at}/forest.svg", timeout=60)
    assert plot.status_code == (200 if DRAWS else 404)
    address = f"{house.url}/api/v1/runs"
    for wrong in ({"papers": ["/etc/passwd"]}, {"papers": {}}, {"source": "pubmed"}, {"k": 0}):
        sent = {"pipeline": "trials", "question": QUESTION, "papers": PAPERS} | wrong
        assert requests.post(address, json=sent, timeout=60).status_code == 422, wrong


@pytest.mark.parametrize(
    ("papers", "fields", "where"),
    [
        ({}, {}, "papers"),
        (PAPERS, {"question": " "}, "question"),
        (PAPERS, {"question": "zinc cream?"}, "outcome"),
        ({"a.txt": "Patient: Mary Poole, MRN 48291733, itches."}, {}, "papers"),
        ({"a.txt": b"\xff\xfe\x00"}, {}, "papers"),
        ({"a.txt": "x" * 5_000_001}, {}, "papers"),
        ({"scan.pdf": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(200)}, {}, "papers"),
        (PAPERS, {"pmcids": "../../etc/passwd"}, "pmcids"),
        (PAPERS, {"method": "magic"}, "method"),
        (PAPERS, {"studies": "Smith: nowhere.xml"}, "studies"),
        (PAPERS, {"model": "openai/none"}, "model"),
    ],
    ids=range(11),
)
def test_what_cannot_be_used_is_said_beside_it(
    house: Running, papers: dict[str, Any], fields: dict[str, str], where: str
) -> None:
    assert led_to(handed(house, papers, **fields)[1], where)


def test_papers_are_grouped_anew_and_the_question_corrected_after_the_run(house: Running) -> None:
    """Asking again keeps the papers, and who deletes the first run is told of the one that keeps
    them.
    """
    browser, answer = handed(house, PAPERS)
    before = house.ended(run_of(answer))
    again = f"/trials?again={before['id']}"
    page = tree_of(browser.get(house.url + again, timeout=60).text)
    form = next(one for one in page.forms if one.get("class", "").startswith("trials-form"))
    assert "zinc" in form.fields["intervention"].lower()
    assert "itching" in form.fields["outcome"].lower()
    studies = [value for name, value in form.form_values() if name == "study_of"]
    assert studies == [study["name"] for study in before["answer"]["studies"]]
    both = ["Zinc 2020", "Zinc 2020", studies[2]]
    _, answer = handed(house, path=again, browser=browser, study_of=both)
    run = house.ended(run_of(answer))
    named = [(study["name"], len(study["papers"])) for study in run["answer"]["studies"]]
    assert named == [("Zinc 2020", 2), (studies[2], 1)]
    asks = tree_of(browser.get(f"{house.url}/runs/{before['id']}/delete", timeout=60).text)
    assert asks.xpath(f"//main//a[@href='/runs/{run['id']}']")
    _, answer = handed(house, path=again, browser=browser, outcome="redness", better="lower")
    assert house.ended(run_of(answer))["answer"]["pico"]["outcome"] == "redness"
    _, wrong = handed(house, path=again, browser=browser, study_of=["x" * 300] * 3)
    assert led_to(wrong, "studies")
    assert tree_of(wrong.text).xpath("//input[@name='study_of']/@value") == ["x" * 300] * 3


# ---- corrections by hand


def test_a_corrected_number_changes_conclusion_pool_and_exports(
    house: Running, run_id: str, tmp_path: Path
) -> None:
    """The answer stays the fold of its events, corrections included, and can be replayed."""
    before = house.run(run_id)["answer"]
    study = first(before)
    assert (study["direction"], study["basis"]) == ("decrease", "numbers")
    why = "the cell is of week 4"
    reply = edited(house, run_id, study=study["name"], why=why, numbers=counts(21, 22))
    assert reply.status_code == 201
    after = reply.json()["answer"]
    now = first(after)
    told = (now["direction"], now["favours"], now["basis"])
    assert told == ("no_difference", "neither", "numbers")
    assert now["numbers"]["intervention"]["events"]["value"] == 21
    assert now["numbers"]["comparator"] == study["numbers"]["comparator"]
    assert (now["edits"][1]["why"], now["edits"][1]["who"]) == (why, "a program")
    assert after["pooled"]["estimate"] != before["pooled"]["estimate"]
    assert house.run(run_id)["answer"] == after
    for form in ("csv", "metafor", "revman"):
        text = requests.get(f"{house.url}/runs/{run_id}/studies/{form}", timeout=60).text
        row = next(row for row in csv.reader(io.StringIO(text)) if study["name"] in row)
        assert {"21", "21.0"} & set(row)
        assert any(f"corrected by hand: {why}" in cell for cell in row)
    forms = events(house, run_id)
    assert [form["seq"] for form in forms] == list(range(len(forms)))
    assert [form["type"] for form in forms[-4:]] == ["answer", *["study_edited"] * 3]
    log = TrialsLog(filter(None, map(TRIALS.events.from_json, forms)))
    assert folded(log) == after
    saved = tmp_path / "run.jsonl"
    saved.write_text("".join(json.dumps(form) + "\n" for form in forms))
    again = clinfo.replay(saved)
    assert isinstance(again, clinfo.TrialsAnswer)
    assert again.to_dict() == after


def test_a_study_is_left_out_and_taken_in_again(house: Running, run_id: str) -> None:
    before = house.run(run_id)["answer"]
    name = first(before)["name"]
    at = f"{house.url}/runs/{run_id}"
    svg = requests.get(f"{at}/forest.svg", timeout=60).content
    out = edited(house, run_id, study=name, why="not randomised", excluded=True).json()
    assert out["answer"]["pooled"] is None, "one study alone is no pool"
    told = f"One study is left without {name}, so nothing was pooled."
    for path in ("", "/studies/txt"):
        text = requests.get(at + path, timeout=60).text
        words = text if path else tree_of(text).xpath("string(//main)")
        assert told in " ".join(words.split())
    for form in ("csv", "metafor", "revman"):
        text = requests.get(f"{at}/studies/{form}", timeout=60).text
        assert "left out by hand: not randomised" in text
        rows = list(csv.DictReader(io.StringIO(text)))
        assert {row.get("pooled", "no") for row in rows} <= {"no", "FALSE"}
    if DRAWS:
        assert requests.get(f"{at}/forest.svg", timeout=60).content != svg
    address = f"{house.url}/api/v1/runs/{run_id}/edits"
    made = first(out["answer"])["edits"][-1]["seq"]
    back = requests.delete(f"{address}/{made}", timeout=60)
    assert back.json()["answer"]["pooled"] == before["pooled"]
    assert first(back.json()["answer"])["edits"][-1]["undone"]
    assert requests.delete(f"{address}/{made}", timeout=60).status_code == 409, "undone already"
    assert requests.delete(f"{address}/0", timeout=60).status_code == 422


def test_an_edit_that_cannot_be_is_refused_and_nothing_kept(house: Running, run_id: str) -> None:
    name, before = first(house.run(run_id)["answer"])["name"], len(events(house, run_id))
    arms = {"intervention": {"mean": 1, "sd": 1, "total": 40}}
    for fields, where in (
        *(({"why": " "}, "why"), ({"why": "x" * 301}, "why"), ({"study": "none"}, "study")),
        *(({"why": "John Smith, MRN 1234567, told me"}, "why"), ({"who": "Dr X"}, "")),
        *(({"numbers": counts(41, 22)}, "numbers"), ({"numbers": counts(-1, 22)}, "numbers")),
        ({"numbers": counts(10, 22)}, "numbers"),
        ({"numbers": counts(10, 22) | {"kind": "continuous"}}, "numbers"),
        *(({"numbers": {"kind": "odd"}}, "numbers"), ({"numbers": None}, "numbers")),
        ({"numbers": counts(1e-300, 22)}, "numbers"),
        (
            {"numbers": {"kind": "continuous", **arms, "comparator": arms["intervention"]}},
            "numbers",
        ),
    ):
        given = {"study": name, "why": "misread", "numbers": counts(11, 22)} | fields
        reply = edited(house, run_id, **given)
        assert (reply.status_code, where in reply.text) == (422, True), (fields, reply.text)
    assert len(events(house, run_id)) == before


def form_of(text: str) -> dict[str, str]:
    """What the first form of a study's numbers would send."""
    return dict(next(one for one in tree_of(text).forms if "why" in one.fields).form_values())


def test_the_form_without_a_script_and_an_older_page_of_it(house: Running) -> None:
    """Two tabs have the page; what the other corrects meanwhile is not overwritten."""
    browser, answer = handed(house, PAPERS)
    at, run_id = answer.url, run_of(answer)
    name = first(house.ended(run_id)["answer"])["name"]

    def sent(fields: dict[str, str], **typed: str) -> requests.Response:
        return browser.post(f"{at}/edits", data=fields | typed, timeout=60)

    def main(reply: requests.Response) -> str:
        return str(tree_of(reply.text).xpath("string(//main)"))

    people = {"intervention_total": "40", "comparator_total": "40", "comparator_events": "22"}
    sent(form_of(browser.get(at, timeout=60).text), intervention_events="10", why="2", **people)
    older = form_of(browser.get(at, timeout=60).text)
    assert older["intervention_events"] == "10"
    wrong = sent(older, intervention_events="many")
    assert wrong.status_code == 422
    told = tree_of(wrong.text)
    assert told.xpath("//details[@open]//p[@role='alert']")
    assert told.xpath("//input[@name='intervention_events']/@value")[0] == "many"
    assert sent(older, intervention_total="11,04", why="t").status_code == 422
    done = sent(older, intervention_events="21", intervention_total="1,104", why="<b>week 4</b>")
    for words in ("21 of 1,104", "<b>week 4</b>", "By browser "):
        assert words in main(done)
    for typed in ({"excluded": "on"}, {"intervention_events": "11"}):
        late = sent(older, why="wrong population", **typed)
        assert late.status_code == 409
        assert tree_of(late.text).xpath(f"//main//a[@href='/runs/{run_id}']")
    study = first(house.run(run_id)["answer"])
    assert (study["numbers"]["intervention"]["events"]["value"], study["excluded"]) == (21, False)
    *_, undo = (one for one in tree_of(done.text).forms if one.action.endswith("/undo"))
    undone = [
        browser.post(house.url + undo.action, data=dict(undo.form_values()), timeout=60)
        for _ in range(2)
    ]
    assert [one.status_code for one in undone] == [200, 409]
    assert "10 of 40" in main(undone[0])
    assert "(undone)" in main(undone[0])
    # Nobody else edits it, and only trials have what is edited.
    assert edited(house, run_id, study=name, why="x", excluded=True).status_code == 409
    assert "<button>Save" not in requests.get(at, timeout=60).text
    literature = house.ask()
    house.ended(literature)
    assert edited(house, literature, study=name, why="x", excluded=True).status_code == 409


def test_a_run_is_repeated_with_a_change_over_http(house: Running, run_id: str) -> None:
    name = first(house.run(run_id)["answer"])["name"]
    edited(house, run_id, study=name, why="misread", numbers=counts(12, 22))
    sent = {"pipeline": "trials", "parent": run_id, "studies": {"Zinc 2020": ["b.xml", "c.txt"]}}
    reply = requests.post(f"{house.url}/api/v1/runs", json=sent, timeout=60)
    assert reply.status_code == 202, reply.text
    after = house.ended(reply.json()["id"])["answer"]
    assert [study["name"] for study in after["studies"]] == [name, "Zinc 2020"]
    assert first(after)["edits"] == [], "a correction stays with its run"
    assert after["pico"]["better"] == "lower"
    for parent, status in (("x" * 24, 404), ({"id": 7}, 422), (house.ask(), 422)):
        asked = sent | {"parent": parent}
        reply = requests.post(f"{house.url}/api/v1/runs", json=asked, timeout=60)
        assert reply.status_code == status, parent


# ---- papers that are no text


PDF = "data:application/pdf;base64,"
PAPER = pdf(FIRST, SECOND)
LETTER = pdf(["Discharge letter", "Date of birth: 14/03/1951. NHS number 943 476 5919.", ITCHING])


def test_a_pdf_is_read_and_what_is_lost_of_it_is_said(house: Running) -> None:
    _, answer = handed(
        house, {"zinc.pdf": PAPER, "broken.pdf": b"%PDF-1.7 \xff", "letter.pdf": LETTER}
    )
    run = house.ended(answer.url.rsplit("/", 1)[1])["answer"]
    (paper,) = run["papers"]
    assert paper["file"] == "zinc.pdf"
    assert any("tables" in one for one in paper["lost"])
    (study,) = run["studies"]
    assert any("Itching" in one["text"] for one in study["candidates"])
    warnings = "\n".join(run["warnings"])
    assert "broken.pdf" in warnings
    assert "letter.pdf: seems to identify a patient" in warnings
    page = requests.get(answer.url, timeout=60).text
    assert "letter.pdf" in lxml.html.fromstring(page).xpath("string(//main)")
    assert "943 476" not in page


def test_numbers_of_pubmed_central_are_fetched(house: Running) -> None:
    _, answer = handed(house, pmcids="PMC11, 12; PMC99")
    run = house.ended(answer.url.rsplit("/", 1)[1])["answer"]
    assert [paper["id"] for paper in run["papers"]] == ["pmcid:PMC11", "pmcid:PMC12"]
    assert all(paper["licence"] for paper in run["papers"])
    assert any("PMC99" in one for one in run["warnings"])
    assert all(study["candidates"] for study in run["studies"])
