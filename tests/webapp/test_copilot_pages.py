"""The page of the copilot: only where it is switched on, a case only for who is known and only for
models that the host declared for patients; claims with their sources, read in a browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lxml.html
import pytest
import requests

from benchmarks.servers.model import ModelServer
from tests.pipelines.copilot.silos import call, calling, claims, scripted
from tests.webapp.running import SCRIPTED, Running, running_app
from tests.webapp.small_app import small_app
from webapp.storage import tokens
from webapp.storage.database import connect

pytestmark = pytest.mark.slow

QUESTION = "Which drugs for BRAF V600E melanoma?"
CASE = "A woman of 61 with melanoma, BRAF V600E, ECOG 1, after nivolumab."
HOSTILE = "<script>window.__ran=1</script>"
STEPS = [
    calling(
        call("search", {"silo": "civic", "query": "BRAF V600E melanoma vemurafenib"}),
        call("search", {"silo": "cancergov", "query": "melanoma"}),
        thought=f"CIViC first. {HOSTILE}",
    ),
    calling(call("no_such_tool", {"query": "x"}), thought="Another one."),
]


def written(body: dict[str, Any]) -> str:
    """An answer of the first passage's first sentence, of what no passage says, and a conflict."""
    text = body["messages"][-1]["content"]
    passage = re.search(r"\[1\] .*?\n(.*?)\n?</?\w", text, re.DOTALL)
    assert passage, text
    quoted = passage[1].strip().splitlines()[-1]
    sentence = re.split(r"(?<=\.) ", quoted)[0]
    return claims(
        (sentence, [1]),
        ("Dabrafenzumab cures everybody.", [99]),
        bottom_line={"text": sentence, "sources": [1]},
        conflicts=[{"about": "how often it helps", "sources": [1, 2]}],
        not_found=[{"silo": "cancergov", "what": "a choice between drugs"}],
    )


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with ModelServer(scripted(STEPS, written)) as server:
        more = {
            "CLINFO_WEB_COPILOT": "true",
            "CLINFO_WEB_MODELS": f"extractive,{SCRIPTED},openai/elsewhere",
            "OPENAI_API_BASE": server.url,
            "OPENAI_API_KEY": "sk-test",
            "CLINFO_JUDGE": "rules",
            "CLINFO_SOURCE": "demo",
            "CLINFO_COPILOT_ALLOW": "chart",
        }
        with running_app(tmp_path_factory.mktemp("app"), settings=more) as found:
            yield found


def send(
    app: Running, browser: requests.Session | None = None, **fields: Any
) -> tuple[requests.Session, requests.Response]:
    """Fill the form in as a browser without a script does."""
    browser = browser or requests.Session()
    address = f"{app.url}/copilot"
    page = lxml.html.fromstring(browser.get(address, timeout=60).text)
    form = page.xpath("//form[contains(@class, 'copilot-form')]")[0]
    data = {name: form.fields[name] for name in ("csrf_token", "tools_shown", "max_steps")}
    data["tools"] = form.xpath(".//input[@name='tools']/@value")
    answer = browser.post(address, data={**data, "question": QUESTION} | fields, timeout=60)
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


def test_without_a_model_it_lists_evidence_and_says_so(app: Running) -> None:
    browser, answer = send(app, model="extractive")
    run_id = ended(browser, app, answer)
    page = browser.get(f"{app.url}/runs/{run_id}", timeout=60).text
    shown, tree = text_of(page), lxml.html.fromstring(page)
    assert "no plan of treatment" in shown
    assert re.search(r"CIViC.* is of 2021-02.*newer evidence is not in it", shown)
    assert re.search(r"CIViC[\w ]* level [A-E] \d{4}", shown)
    silos = [one.text_content().split()[0] for one in tree.xpath("//*[@class='copilot-silo']/h3")]
    assert silos == list(dict.fromkeys(silos))
    assert "CIViC" in silos
    for link in tree.xpath("//p[@class='copilot-facts']/a[starts-with(@href, '#source-')]/@href"):
        assert tree.xpath(f"//*[@id='{link[1:]}']"), link
    assert tree.xpath("//main//script") == []


def test_a_models_claims_stand_with_their_source_and_verdict(app: Running) -> None:
    browser, answer = send(app, model=SCRIPTED)
    run_id = ended(browser, app, answer)
    page = browser.get(f"{app.url}/runs/{run_id}", timeout=60).text
    shown, tree = text_of(page), lxml.html.fromstring(page)
    found = app.run(run_id)["answer"]
    assert [one["verdict"] for one in found["claims"]] == ["quoted"]
    (line,) = tree.xpath("//div[contains(@class, 'copilot-bottom')]")
    assert found["bottom_line"]["text"] in " ".join(line.text_content().split())
    (card,) = tree.xpath("//ol[@class='copilot-claims']/li")
    said = " ".join(card.text_content().split())
    claim = found["claims"][0]
    for one in (claim["text"], "CIViC", f"level {claim['level']}", claim["date"]):
        assert one in said
    assert "quoted" in said
    assert "Dabrafenzumab" not in said
    assert "Dabrafenzumab" in shown  # left out, with the reason
    assert "Sources that contradict each other" in shown
    assert len(tree.xpath("//ul[@class='copilot-beside']/li")) == 2
    assert re.search(r"Not in National Cancer Institute: a choice between drugs", shown)
    assert "there is no such tool" in shown
    assert tree.xpath("//main//script") == []
    rows = [
        [cell.text_content() for cell in row.xpath("./*")]
        for row in tree.xpath("//table[@id='chart-table']/tbody/tr")
    ]
    assert [row[:3] for row in rows] == [
        ["search", "2", "0"],
        ["no such tool", "0", "1"],
    ]
    drawn = tree.xpath("//*[name()='svg']//*[name()='rect']/@class")
    assert drawn == ["used", "unused", "unused", "used"]


def test_its_exports_are_those_of_the_command_line(app: Running) -> None:
    browser, answer = send(app, model=SCRIPTED)
    run_id = ended(browser, app, answer)
    at = f"{app.url}/runs/{run_id}/evidence"
    assert browser.get(f"{at}/answer.json", timeout=60).json() == app.run(run_id)["answer"]
    trace = browser.get(f"{at}/trace.json", timeout=60).json()
    assert trace["trace"][0]["thought"].startswith("CIViC first.")
    assert trace["passages"]["1"]["silo"] == "civic"
    markdown = browser.get(f"{at}/answer.md", timeout=60).text
    assert markdown.startswith(f"# {QUESTION}\n")
    assert "<script>" not in markdown
    assert browser.get(f"{at}/answer.exe", timeout=60).status_code == 404


def test_a_run_is_asked_again_with_what_it_asked(app: Running) -> None:
    tools = ["search"]
    browser, answer = send(app, model=SCRIPTED, tools=tools, max_steps="3", case=CASE)
    run_id = ended(browser, app, answer)
    page = browser.get(f"{app.url}/copilot?again={run_id}", timeout=60).text
    tree = lxml.html.fromstring(page)
    assert tree.xpath("//textarea[@name='question']")[0].text == QUESTION
    assert tree.xpath("//textarea[@name='case']")[0].text == CASE
    assert tree.xpath("//input[@name='tools'][@checked]/@value") == tools
    assert tree.xpath("//input[@name='max_steps']/@value") == ["3"]
    assert app.run(run_id)["answer"]["settings"]["tools"].keys() == {"search"}
    runs = browser.get(f"{app.url}/runs", timeout=60).text
    assert "copilot, with a case" in runs
    assert f"/copilot?again={run_id}" in runs


def test_only_the_browser_that_asked_sees_a_run_with_a_case(app: Running) -> None:
    browser, answer = send(app, model=SCRIPTED, case=CASE)
    run_id = ended(browser, app, answer)
    assert CASE in text_of(browser.get(f"{app.url}/runs/{run_id}", timeout=60).text)
    paths = ("", "/live", "/delete", "/evidence/trace.json")
    for path in (*(f"/runs/{run_id}{one}" for one in paths), f"/copilot?again={run_id}"):
        assert requests.get(app.url + path, timeout=60).status_code == 404, path
    for path in ("", "/events"):
        other = requests.get(f"{app.url}/api/v1/runs/{run_id}{path}", timeout=60)
        assert other.status_code == 404, path
    _, answer = send(app, model="extractive")
    assert requests.get(answer.url, timeout=60).status_code == 200  # one without a case


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"question": " "}, "question"),
        ({"question": "John Smith, MRN 4711234, born 3 April 1950: which drug?"}, "question"),
        ({"tools": []}, "tools"),
        ({"tools": ["chart"]}, "tools"),
        ({"tools": ["no_such"]}, "tools"),
        ({"max_steps": "0"}, "max_steps"),
        ({"max_steps": "many"}, "max_steps"),
        ({"model": "openai/unknown"}, "model"),
        ({"case_report": "1"}, "case_report"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_said_beside_it(
    app: Running, fields: dict[str, Any], where: str
) -> None:
    """Among them a tool on this house's records, which CLINFO_COPILOT_ALLOW has for its people."""
    _, answer = send(app, **fields)
    assert answer.status_code == 422
    page = lxml.html.fromstring(answer.text)
    assert page.xpath(f"//div[@role='alert']//a[@href='#{where}']")
    assert page.xpath(f"//*[@id='{where}']")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"api_base": "https://models.example.org/v1"}, "CLINFO_PATIENT_MODELS"),
        ({"embedder": "openai/embedding"}, "the embedder"),
    ],
)
def test_a_case_goes_to_no_model_that_the_host_did_not_declare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, str], told: str
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", more.get("api_base", "http://127.0.0.1:9/v1"))
    if "embedder" in more:
        monkeypatch.setenv("OPENAI_API_BASE", "https://models.example.org/v1")
    chain = {name: value for name, value in more.items() if name == "embedder"}
    if chain:
        chain["patient_models"] = SCRIPTED
    app = small_app(tmp_path, chain, copilot=True)
    client = app.test_client()
    token = tokens.create(connect(f"sqlite:///{tmp_path / 'webapp.sqlite'}"), "ward")
    asked = {"pipeline": "copilot", "question": QUESTION, "case": CASE, "model": SCRIPTED}
    known = {"Authorization": f"Bearer {token}"}
    answer = client.post("/api/v1/runs", json=asked, headers=known)
    assert answer.status_code == 422
    assert told in answer.get_data(as_text=True)
    assert client.get("/api/v1/runs", headers=known).get_json()["runs"] == []
    del asked["case"]
    assert client.post("/api/v1/runs", json=asked, headers=known).status_code == 202


def test_over_http(app: Running) -> None:
    """A case needs an access token; other fields are checked as those of the form."""
    asked = {"pipeline": "copilot", "question": QUESTION, "model": SCRIPTED, "max_steps": 2}
    address = f"{app.url}/api/v1/runs"
    assert requests.post(address, json=asked | {"case": CASE}, timeout=60).status_code == 401
    answer = requests.post(address, json=asked, timeout=60)
    assert answer.status_code == 202, answer.text
    run = app.ended(answer.json()["id"])
    assert run["answer"]["pipeline"] == "copilot"
    assert run["answer"]["settings"]["max_steps"] == 2
    token = tokens.create(connect(app.engine_url), "ward")
    known = {"Authorization": f"Bearer {token}"}
    answer = requests.post(address, json=asked | {"case": CASE}, headers=known, timeout=60)
    assert answer.status_code == 202, answer.text
    run_id = answer.json()["id"]
    assert requests.get(f"{address}/{run_id}", timeout=60).status_code == 404
    for wrong in (
        {"source": "pubmed"},
        {"api_key": "sk-x"},
        {"max_steps": 10_000},
        {"max_seconds": True},
        {"tools": "search"},
        {"case": 7},
        {"case": "x" * 60_001},
        {"judge": "model"},
        {"question": "halves \ud800"},
    ):
        refused = requests.post(address, json=asked | wrong, headers=known, timeout=60)
        assert refused.status_code == 422, (wrong, refused.text)


def test_a_host_that_did_not_switch_it_on_has_no_such_page(tmp_path: Path) -> None:
    client = small_app(tmp_path).test_client()
    assert client.get("/copilot").status_code == 404
    asked = {"pipeline": "copilot", "question": QUESTION}
    assert client.post("/api/v1/runs", json=asked).status_code == 422
    assert b"Copilot" not in client.get("/").data


def test_a_public_host_takes_no_case_without_a_login(tmp_path: Path) -> None:
    web = {"copilot": True, "host": "0.0.0.0", "trusted_proxies": 1, "user_header": "X-Remote-User"}
    client = small_app(tmp_path, **web).test_client()
    page = client.get("/copilot").get_data(as_text=True)
    assert "only with a login" in page
    assert 'name="case"' not in page
    known = client.get("/copilot", headers={"X-Remote-User": "dr x"}).get_data(as_text=True)
    assert 'name="case"' in known
    asked = {"pipeline": "copilot", "question": QUESTION, "case": CASE}
    assert client.post("/api/v1/runs", json=asked).status_code == 401
