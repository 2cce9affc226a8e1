"""The page of the copilot: only where it is switched on, a case only for who is known and only for
models that the host declared for patients; claims with their sources.
"""

import re
from pathlib import Path
from typing import Any

import lxml.html
import pytest
import requests

from tests.webapp.house import described, ended, known, led_to, send, text_of
from tests.webapp.running import SCRIPTED, Running
from tests.webapp.small_app import small_app
from webapp.storage import tokens
from webapp.storage.database import connect

pytestmark = pytest.mark.slow

QUESTION = "Which drugs for BRAF V600E melanoma?"
CASE = "A woman of 61 with melanoma, BRAF V600E, ECOG 1, after nivolumab."


def asked(app: Running, **fields: Any) -> tuple[requests.Session, requests.Response]:
    return send(app, "/copilot", **{"question": QUESTION, "model": SCRIPTED} | fields)


def test_without_a_model_it_lists_evidence_and_says_so(house: Running) -> None:
    browser, answer = asked(house, model="extractive")
    run_id = ended(browser, house, answer)
    page = browser.get(f"{house.url}/runs/{run_id}", timeout=60).text
    shown, tree = text_of(page), lxml.html.fromstring(page)
    assert "no plan of treatment" in shown
    assert re.search(r"CIViC.* is of 2021-02.*newer evidence is not in it", shown)
    assert re.search(r"level [A-E] \d{4}", shown)
    silos = [one.text_content().split()[0] for one in tree.xpath("//*[@class='copilot-part']/h3")]
    assert silos == list(dict.fromkeys(silos))
    assert "CIViC" in silos
    for link in tree.xpath("//p[@class='copilot-facts']/a[starts-with(@href, '#source-')]/@href"):
        assert tree.xpath(f"//*[@id='{link[1:]}']"), link
    assert tree.xpath("//main//script") == []
    assert requests.get(answer.url, timeout=60).status_code == 200  # one without a case


def test_a_models_claims_stand_with_their_source_and_verdict(house: Running) -> None:
    """On the page, in the exports and in the schemas of the API."""
    browser, answer = asked(house)
    run_id = ended(browser, house, answer)
    page = browser.get(f"{house.url}/runs/{run_id}", timeout=60).text
    shown, tree = text_of(page), lxml.html.fromstring(page)
    run = house.run(run_id)
    found = run["answer"]
    assert [one["verdict"] for one in found["claims"]] == ["quoted"]
    (line,) = tree.xpath("//div[contains(@class, 'copilot-bottom')]")
    assert found["bottom_line"]["text"] in " ".join(line.text_content().split())
    (card,) = tree.xpath("//ol[@class='copilot-claims']/li")
    said = " ".join(card.text_content().split())
    claim = found["claims"][0]
    for one in (claim["text"], "CIViC", f"level {claim['level']}", claim["date"], "quoted"):
        assert one in said
    assert "Dabrafenzumab" not in said
    assert "Dabrafenzumab" in shown  # left out, with the reason
    assert "Sources that contradict each other" in shown
    assert len(tree.xpath("//ul[@class='copilot-beside']/li")) == 2
    assert re.search(r"Not in National Cancer Institute: a choice between drugs", shown)
    assert "there is no such tool" in shown
    assert tree.xpath("//main//script") == []
    described(house, Run=run, CopilotAnswer=found)
    at = f"{house.url}/runs/{run_id}/evidence"
    assert browser.get(f"{at}/answer.json", timeout=60).json() == found
    trace = browser.get(f"{at}/trace.json", timeout=60).json()
    assert trace["trace"][0]["thought"].startswith("CIViC first.")
    assert trace["passages"]["1"]["silo"] == "civic"
    markdown = browser.get(f"{at}/answer.md", timeout=60).text
    assert markdown.startswith(f"# {QUESTION}\n")
    assert "<script>" not in markdown
    assert browser.get(f"{at}/answer.exe", timeout=60).status_code == 404


def test_a_run_with_a_case_is_its_browsers_own_and_asked_again(house: Running) -> None:
    browser, answer = asked(house, tools=["search"], max_steps="3", case=CASE)
    run_id = ended(browser, house, answer)
    assert CASE in text_of(browser.get(f"{house.url}/runs/{run_id}", timeout=60).text)
    tree = lxml.html.fromstring(browser.get(f"{house.url}/copilot?again={run_id}", timeout=60).text)
    assert tree.xpath("//textarea[@name='question']")[0].text == QUESTION
    assert tree.xpath("//textarea[@name='case']")[0].text == CASE
    assert tree.xpath("//input[@name='tools'][@checked]/@value") == ["search"]
    assert tree.xpath("//input[@name='max_steps']/@value") == ["3"]
    assert house.run(run_id)["answer"]["settings"]["tools"].keys() == {"search"}
    runs = browser.get(f"{house.url}/runs", timeout=60).text
    assert "copilot, with a case" in runs
    assert f"/copilot?again={run_id}" in runs
    pages = ("", "/live", "/delete", "/evidence/trace.json")
    api = f"/api/v1/runs/{run_id}"
    hidden = (f"/copilot?again={run_id}", api, f"{api}/events")
    for path in (*(f"/runs/{run_id}{one}" for one in pages), *hidden):
        assert requests.get(house.url + path, timeout=60).status_code == 404, path


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
    house: Running, fields: dict[str, Any], where: str
) -> None:
    assert led_to(asked(house, **fields)[1], where)


@pytest.mark.parametrize(
    ("base", "chain", "told"),
    [
        ("https://models.example.org/v1", {}, "CLINFO_PATIENT_MODELS"),
        (
            "https://models.example.org/v1",
            {"embedder": "openai/embedding", "patient_models": SCRIPTED},
            "the embedder",
        ),
    ],
)
def test_a_case_goes_to_no_model_that_the_host_did_not_declare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str, chain: dict[str, str], told: str
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", base)
    client = small_app(tmp_path, chain, copilot=True).test_client()
    token = tokens.create(connect(f"sqlite:///{tmp_path / 'webapp.sqlite'}"), "ward")
    sent = {"pipeline": "copilot", "question": QUESTION, "case": CASE, "model": SCRIPTED}
    headers = {"Authorization": f"Bearer {token}"}
    answer = client.post("/api/v1/runs", json=sent, headers=headers)
    assert answer.status_code == 422
    assert told in answer.get_data(as_text=True)
    assert client.get("/api/v1/runs", headers=headers).get_json()["runs"] == []
    del sent["case"]
    assert client.post("/api/v1/runs", json=sent, headers=headers).status_code == 202


def test_over_http(house: Running) -> None:
    """A case needs an access token; other fields are checked as those of the form."""
    sent = {"pipeline": "copilot", "question": QUESTION, "model": SCRIPTED, "max_steps": 2}
    described(house, CopilotFields={**sent, "case": None, "tools": ["search"]})
    address = f"{house.url}/api/v1/runs"
    assert requests.post(address, json=sent | {"case": CASE}, timeout=60).status_code == 401
    answer = requests.post(address, json=sent, timeout=60)
    assert answer.status_code == 202, answer.text
    assert house.ended(answer.json()["id"])["answer"]["settings"]["max_steps"] == 2
    token = known(house, "copilot")
    answer = requests.post(address, json=sent | {"case": CASE}, headers=token, timeout=60)
    assert answer.status_code == 202, answer.text
    assert requests.get(f"{address}/{answer.json()['id']}", timeout=60).status_code == 404
    for wrong in (
        *({"source": "pubmed"}, {"api_key": "sk-x"}, {"max_steps": 10_000}, {"max_seconds": True}),
        *({"tools": 7}, {"case": {"gene": "X"}}, {"case": "x" * 60_001}, {"judge": "model"}),
        {"question": "halves \ud800"},
    ):
        refused = requests.post(address, json=sent | wrong, headers=token, timeout=60)
        assert refused.status_code == 422, (wrong, refused.text)


def test_it_is_there_only_where_it_was_switched_on_and_takes_no_case_of_strangers(
    tmp_path: Path,
) -> None:
    client = small_app(tmp_path).test_client()
    sent = {"pipeline": "copilot", "question": QUESTION}
    assert client.get("/copilot").status_code == 404
    assert client.post("/api/v1/runs", json=sent).status_code == 422
    assert b"Copilot" not in client.get("/").data
    web = {"copilot": True, "host": "0.0.0.0", "trusted_proxies": 1, "user_header": "X-Remote-User"}
    client = small_app(tmp_path, **web).test_client()
    page = client.get("/copilot").get_data(as_text=True)
    assert "only with a login" in page
    assert 'name="case"' not in page
    shown = client.get("/copilot", headers={"X-Remote-User": "dr x"}).get_data(as_text=True)
    assert 'name="case"' in shown
    assert client.post("/api/v1/runs", json=sent | {"case": CASE}).status_code == 401
