"""The page of the trials pipeline: papers handed over, read by a worker, and what is shown of
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import lxml.html
import pytest
import requests

from tests.webapp.running import Running, running_app
from webapp.read.plots import can_draw
from webapp.trials.asking import MOST_BYTES

pytestmark = pytest.mark.slow

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


HOSTILE = "<script>window.__ran=1</script> "
PAPERS = {
    "a.xml": paper(10, 22),
    "b.xml": paper(12, 20, HOSTILE.replace("<", "&lt;")),
    "c.txt": "RESULTS:\nRedness did not differ.\n",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running_app(tmp_path_factory.mktemp("app")) as found:
        yield found


def send(
    app: Running, papers: dict[str, Any] | None = None, **fields: str
) -> tuple[requests.Session, requests.Response]:
    """Fill the form in as a browser without a script does."""
    browser = requests.Session()
    page = lxml.html.fromstring(browser.get(f"{app.url}/trials", timeout=60).text)
    token = page.xpath("//input[@name='csrf_token']/@value")[0]
    answer = browser.post(
        f"{app.url}/trials",
        data={"csrf_token": token, "question": QUESTION} | fields,
        files=[("papers", (name, text)) for name, text in (papers or {}).items()],
        timeout=60,
    )
    return browser, answer


def given(browser: requests.Session, url: str, numbers: dict[str, tuple[int, int]]) -> None:
    """Give the events of studies, by the end of their names, in the form of a run's page."""
    for name, (one, other) in numbers.items():
        page = lxml.html.fromstring(browser.get(url, timeout=60).text)
        forms = (dict(form.form_values()) for form in page.forms if "why" in form.fields)
        fields = next(form for form in forms if form["study"].endswith(name))
        events = {"intervention_events": str(one), "comparator_events": str(other)}
        people = {"intervention_total": "40", "comparator_total": "40", "why": "table 2"}
        done = browser.post(f"{url}/edits", data=fields | events | people, timeout=60)
        assert done.status_code == 200, done.text


@pytest.fixture(scope="module")
def finished(app: Running) -> str:
    """The id of a run of three papers that is done, with the numbers of two given by hand."""
    browser, answer = send(app, PAPERS)
    assert answer.status_code == 200, answer.text
    run_id = answer.url.rsplit("/", 1)[1]
    assert app.ended(run_id)["status"] == "done"
    given(browser, answer.url, {"trial 10": (10, 22), "trial 12": (12, 20)})
    return run_id


def test_papers_handed_over_are_read_and_shown(app: Running, finished: str) -> None:
    run = app.run(finished)
    assert run["answer"]["pipeline"] == "trials"
    assert [one["id"] for one in run["answer"]["papers"]] != []
    page = lxml.html.fromstring(requests.get(f"{app.url}/runs/{finished}", timeout=60).text)
    shown = re.sub(r"\s+", " ", page.xpath("//main")[0].text_content())
    for study in run["answer"]["studies"]:
        assert study["name"] in shown
        for span in study["candidates"]:
            assert " ".join(span["text"].split()) in shown
    assert "10 of 40" in shown
    assert "RR 0.45" in shown
    assert "Pooled over 2 studies" in shown
    assert page.xpath("//main//script") == []


def test_what_was_read_is_exported(app: Running, finished: str) -> None:
    at = f"{app.url}/runs/{finished}"
    csv = requests.get(f"{at}/studies/csv", timeout=60)
    assert csv.status_code == 200
    assert csv.headers["Content-Type"].startswith("text/csv")
    assert len(csv.text.splitlines()) == 4  # a head and three studies
    assert "yi" in requests.get(f"{at}/studies/metafor", timeout=60).text.splitlines()[0]
    assert requests.get(f"{at}/studies/revman", timeout=60).status_code == 200
    assert QUESTION in requests.get(f"{at}/studies/txt", timeout=60).text
    assert requests.get(f"{at}/studies/pdf", timeout=60).status_code == 404
    plot = requests.get(f"{at}/forest.svg", timeout=60)
    assert plot.status_code == (200 if can_draw() else 404)
    if can_draw():
        assert b"<svg" in plot.content


def test_the_parts_of_the_question_are_shown_to_be_corrected(app: Running, finished: str) -> None:
    """Asking again keeps the papers, so that only what is wrong is typed."""
    browser = requests.Session()
    page = lxml.html.fromstring(
        browser.get(f"{app.url}/trials", params={"again": finished}, timeout=60).text
    )
    fields = {
        one.get("name"): one.value
        for one in page.xpath("//main//form//*[@name]")
        if one.get("type") != "file"
    }
    assert "zinc" in fields["intervention"].lower()
    assert "itching" in fields["outcome"].lower()
    answer = browser.post(
        f"{app.url}/trials", data=fields | {"outcome": "redness", "better": "lower"}, timeout=60
    )
    run_id = answer.url.rsplit("/", 1)[1]
    assert run_id != finished
    run = app.ended(run_id)
    assert run["answer"]["pico"]["outcome"] == "redness"
    assert len(run["answer"]["papers"]) == len(app.run(finished)["answer"]["papers"])


@pytest.mark.parametrize(
    ("papers", "fields", "where"),
    [
        ({}, {}, "papers"),
        (PAPERS, {"question": " "}, "question"),
        ({"a.txt": "Patient: Mary Poole, MRN 48291733, itches."}, {}, "papers"),
        ({"a.txt": b"\xff\xfe\x00"}, {}, "papers"),
        ({"a.txt": "x" * (MOST_BYTES + 1)}, {}, "papers"),
        (PAPERS, {"pmcids": "../../etc/passwd"}, "pmcids"),
        (PAPERS, {"method": "magic"}, "method"),
        (PAPERS, {"studies": "Smith: nowhere.xml"}, "studies"),
        (PAPERS, {"model": "openai/none"}, "model"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_said_beside_it(
    app: Running, papers: dict[str, Any], fields: dict[str, str], where: str
) -> None:
    _, answer = send(app, papers, **fields)
    assert answer.status_code == 422
    page = lxml.html.fromstring(answer.text)
    assert page.xpath(f"//div[@role='alert']//a[@href='#{where}']")


def test_a_run_over_http(app: Running) -> None:
    asked = {"pipeline": "trials", "question": QUESTION, "papers": PAPERS, "better": "lower"}
    answer = requests.post(f"{app.url}/api/v1/runs", json=asked, timeout=60)
    assert answer.status_code == 202
    run = app.ended(answer.json()["id"])
    assert run["status"] == "done"
    assert [bool(one["candidates"]) for one in run["answer"]["studies"]] == [True, True, False]
    assert {one["direction"] for one in run["answer"]["studies"]} == {None}
    for wrong in ({"papers": ["/etc/passwd"]}, {"papers": {}}, {"source": "pubmed"}, {"k": 0}):
        refused = requests.post(f"{app.url}/api/v1/runs", json=asked | wrong, timeout=60)
        assert refused.status_code == 422, wrong


def test_papers_of_one_name_are_refused_and_blanks_in_names_do_no_harm(app: Running) -> None:
    token_of = "//input[@name='csrf_token']/@value"
    browser = requests.Session()
    page = lxml.html.fromstring(browser.get(f"{app.url}/trials", timeout=60).text)
    form = {"csrf_token": page.xpath(token_of)[0], "question": QUESTION}
    text = "Falls were 10 of 40 with vitamin D and 22 of 40 with placebo."
    twice = [("papers", ("x/paper.txt", text)), ("papers", ("y/paper.txt", "Other text."))]
    answer = browser.post(f"{app.url}/trials", data=form, files=twice, timeout=60)
    assert answer.status_code == 422
    assert "paper.txt" in lxml.html.fromstring(answer.text).xpath("string(//main)")
    _, answer = send(app, {"Smith 2010.txt": text}, studies="Smith: Smith_2010.txt")
    assert answer.status_code == 200, answer.text


def test_papers_are_grouped_anew_after_the_run(app: Running) -> None:
    """One paper is put to another study by hand; the third study is taken over unread."""
    _, answer = send(app, PAPERS)
    before = app.ended(answer.url.rsplit("/", 1)[1])
    browser = requests.Session()
    page = lxml.html.fromstring(
        browser.get(f"{app.url}/trials", params={"again": before["id"]}, timeout=60).text
    )
    form = next(one for one in page.forms if one.get("class", "").startswith("trials-form"))
    fields = [pair for pair in form.form_values() if pair[0] != "papers"]
    studies = [value for name, value in fields if name == "study_of"]
    assert studies == [study["name"] for study in before["answer"]["studies"]]
    both = [(name, "Zinc 2020" if value in studies[:2] else value) for name, value in fields]
    again = browser.post(f"{app.url}/trials", data=both, timeout=60)
    run = app.ended(again.url.rsplit("/", 1)[1])
    named = [(study["name"], len(study["papers"])) for study in run["answer"]["studies"]]
    assert named == [("Zinc 2020", 2), (studies[2], 1)]
    assert any(f"Taken over unread, as nothing changed for them: {studies[2]}." in one
               for one in run["answer"]["notices"])  # fmt: skip
    assert run["last_event"] > 0
    wrong = browser.post(
        f"{app.url}/trials",
        data=[(name, "x" * 300 if name == "study_of" else value) for name, value in fields],
        timeout=60,
    )
    assert wrong.status_code == 422
    told = lxml.html.fromstring(wrong.text)
    assert told.xpath("//div[@role='alert']//a[@href='#studies']")
    assert told.xpath("//input[@name='study_of']/@value") == ["x" * 300] * 3


def test_one_bad_file_does_not_keep_the_others_from_being_read(app: Running) -> None:
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(200)
    _, answer = send(
        app, PAPERS | {"scan.pdf": picture, "empty.txt": " ", "odd.txt": b"ab\xff\xfe"}
    )
    assert answer.status_code == 200, answer.text
    run = app.ended(answer.url.rsplit("/", 1)[1])
    assert run["status"] == "done"
    assert len(run["answer"]["studies"]) == 3
    told = " ".join(run["answer"]["warnings"])
    assert "scan.pdf: a PNG picture, not a PDF" in told
    assert "empty.txt: no text" in told
    assert "odd.txt: not UTF-8" in told
    for alone in ({"scan.pdf": picture}, {"empty.txt": " "}):
        _, answer = send(app, alone)
        assert answer.status_code == 422
        page = lxml.html.fromstring(answer.text)
        assert page.xpath("//div[@role='alert']//a[@href='#papers']")


def test_deleting_tells_of_the_runs_that_keep_the_papers(app: Running) -> None:
    browser, answer = send(app, PAPERS)
    run_id = answer.url.rsplit("/", 1)[1]
    app.ended(run_id)
    page = lxml.html.fromstring(
        browser.get(f"{app.url}/trials", params={"again": run_id}, timeout=60).text
    )
    form = next(one for one in page.forms if one.get("class", "").startswith("trials-form"))
    fields = [pair for pair in form.form_values() if pair[0] != "papers"]
    again = browser.post(f"{app.url}/trials", data=fields, timeout=60)
    new = again.url.rsplit("/", 1)[1]
    assert new != run_id
    asked = lxml.html.fromstring(browser.get(f"{answer.url}/delete", timeout=60).text)
    assert asked.xpath(f"//main//a[@href='/runs/{new}']")
    asked = lxml.html.fromstring(browser.get(f"{again.url}/delete", timeout=60).text)
    assert not asked.xpath(f"//main//li//a[@href='/runs/{new}']")
