"""Papers of the trials page that are no text: PDFs, and articles of PubMed Central."""

from __future__ import annotations

import base64

import lxml.html
import pytest
import requests

from tests.retrieval.test_pdf import FIRST, SECOND, pdf
from tests.webapp.house import ITCHING
from tests.webapp.running import Running
from tests.webapp.test_trials_pages import QUESTION, handed

pytestmark = pytest.mark.slow
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


def test_a_pdf_over_http(house: Running) -> None:
    asked = {
        "pipeline": "trials",
        "question": QUESTION,
        "papers": {"a.pdf": PDF + base64.b64encode(PAPER).decode()},
    }
    reply = requests.post(f"{house.url}/api/v1/runs", json=asked, timeout=60)
    assert house.ended(reply.json()["id"])["answer"]["studies"][0]["candidates"]
    for wrong in (PDF + "!", PDF + "QQ=="):
        refused = requests.post(
            f"{house.url}/api/v1/runs", json=asked | {"papers": {"a.pdf": wrong}}, timeout=60
        )
        assert refused.status_code == 422


def test_long_sentences_keep_no_other_run_waiting_and_leave_no_process(house: Running) -> None:
    """Each file was minutes of a thread that nothing could end."""
    (worker,) = house.workers
    before = set(worker.family())
    long = "<article><body><sec><title>Results</title><p>{}: {}</p></sec></body></article>"
    papers = {f"{one}.xml": long.format(one, "zinc cream 1 (2 to 3) " * 8_000) for one in range(8)}
    asked = {"pipeline": "trials", "question": QUESTION, "papers": papers}
    reply = requests.post(f"{house.url}/api/v1/runs", json=asked, timeout=60)
    assert house.ended(house.ask())["status"] == "done"
    warnings = "\n".join(house.ended(reply.json()["id"])["answer"]["warnings"])
    assert all(f"{name}: the end of a sentence of more than 5,000" in warnings for name in papers)
    assert set(worker.family()) <= before


def test_numbers_of_pubmed_central_are_fetched(house: Running) -> None:
    _, answer = handed(house, pmcids="PMC11, 12; PMC99")
    run = house.ended(answer.url.rsplit("/", 1)[1])["answer"]
    assert [paper["id"] for paper in run["papers"]] == ["pmcid:PMC11", "pmcid:PMC12"]
    assert all(paper["licence"] for paper in run["papers"])
    assert any("PMC99" in one for one in run["warnings"])
    assert all(study["candidates"] for study in run["studies"])
