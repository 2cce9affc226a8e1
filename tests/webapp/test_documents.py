"""A visitor's own documents over real HTTP, with a real worker: answered from, guarded, deleted
with the run.
"""

from pathlib import Path
from typing import Any

import lxml.html
import pytest

from clinfo.records.articles import Article
from clinfo.references.registry import growing
from clinfo.sources.demo import load
from tests.webapp.running import Running
from tests.webapp.small_app import small_app

YOGA = [one for one in load() if "yoga" in one.title.lower()]
OTHERS = [one for one in load() if "yoga" not in one.title.lower()]


def text_of(articles: list[Article], form: str = "ris") -> str:
    chosen = growing()[form]
    return chosen.head + chosen.records(articles, None)


def refused(app: Running, documents: object, **more: object) -> dict[str, Any]:
    fields = {"question": "Does yoga help?", "model": "extractive", "documents": documents, **more}
    answer = app.session.post(f"{app.url}/api/v1/runs", json=fields, timeout=60)
    assert answer.status_code == 422, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.slow
def test_the_answer_stands_on_the_documents_and_nothing_else(house: Running) -> None:
    """PMIDs are fetched from the source, and those that it does not have are told."""
    given = [*YOGA[:3], OTHERS[0]]
    for form in ("ris", "nbib", "csv"):
        run = house.ended(house.ask(documents=text_of(given, form)))
        answer = run["answer"]
        assert {one["pmid"] for one in answer["articles"]} == {one.pmid for one in given}
        assert answer["counts"]["cited"] > 0
        assert answer["settings"]["source"] == "documents"
        assert answer["settings"]["documents"] == len(given)
        (query,) = answer["queries"]
        assert (query["count"], len(query["ids"])) == (len(given), len(given))
    page = house.session.get(f"{house.url}/runs/{run['id']}").text
    assert "the documents given" in page.lower()
    assert "pubmed.ncbi.nlm.nih.gov/?term=" not in page
    pmids = [str(one.pmid) for one in YOGA[:3]]
    for documents, found in ((" ".join(pmids), 3), ([*pmids, "99999999"], 4)):
        answer = house.ended(house.ask(documents=documents))["answer"]
        assert {one["pmid"] for one in answer["articles"]} == set(pmids)
        assert (answer["settings"]["source"], answer["counts"]["found"]) == ("demo", found)


RECORD = "TY  - JOUR\nTI  - Yoga {0}\nER  - \n"
HOSTILE = [
    ("".join(RECORD.format(n) for n in range(501)), "more than 500"),
    (" ".join(str(n) for n in range(1, 502)), "more than 500"),
    ("TY  - JOUR\nTI  - " + "x" * 10_000_000 + "\nER  - \n", "10.0 MB"),
    ("TY  - JOUR\nTI  - " + "x" * 1_000_000 + "\nER  - \n", "line 1"),
    ("just words", "line 1"),
    ("\x00\x01\x02\x03", "line 1"),
    (["TY  - JOUR", 3], "must be text"),
    ({"a": 1}, "must be text"),
    ('title\n"Zinc" x\n', "line 2"),
    ("TY  - JOUR\nTI  - A case\nAB  - Medical record number MRN: 12345678.\nER  - \n", ""),
]


@pytest.mark.slow
def test_what_cannot_be_used_is_refused_in_one_clear_error(house: Running) -> None:
    before = house.session.get(f"{house.url}/api/v1/runs").json()
    for documents, said in HOSTILE:
        problem = refused(house, documents)
        if said:
            (error,) = problem["errors"]
            assert error["field"] == "documents"
            assert said in error["detail"]
        else:
            assert "identif" in problem["type"] + problem["title"] + problem["detail"]
    for more in ({"query": "yoga"}, {"limits": ["humans"]}, {"chase": 2}):
        (error,) = refused(house, text_of(YOGA), **more)["errors"]
        assert error["field"] in more
    assert house.session.get(f"{house.url}/api/v1/runs").json() == before


@pytest.mark.slow
def test_documents_go_with_their_run(house: Running) -> None:
    unique = "Quokkaflavoured yoga"

    def on_disk() -> bool:
        files = house.folder.glob("webapp.sqlite*")
        return any(unique.encode() in file.read_bytes() for file in files)

    run = house.ask(documents=text_of(YOGA[:2]) + RECORD.format(unique))
    house.ended(run)
    assert on_disk()
    assert house.session.delete(f"{house.url}/api/v1/runs/{run}").status_code == 204
    assert not on_disk()


CASES = (
    "TY  - JOUR\nER  - \n"  # without a title: counts as a record of the file
    + text_of(YOGA[:2])
    + "TY  - JOUR\nTI  - A case\nAB  - Medical record number MRN: 12345678.\nER  - \n"
    + "TY  - JOUR\nTI  - Yoga again\nAB  - ClinicalTrials. gov identifier NCT 01329029\nER  - \n"
    + "TY  - JOUR\nTI  - Another\nAB  - Her SSN 078-05-1121, NHS 943 476 5919.\nER  - \n"
)


def test_records_that_identify_a_patient_are_named(tmp_path: Path) -> None:
    app = small_app(tmp_path)
    asked = {"question": "Does yoga help?", "documents": CASES}
    with app.test_client() as client:
        refused = client.post("/api/v1/runs", json=asked)
        assert refused.status_code == 422
        told = refused.get_json()["detail"]
        assert "records 4 (record number), 6 (national id) of the documents seem to" in told


def sent(app: Running, text: str | bytes | None, **typed: str) -> Any:
    """The form as a browser without scripts sends it."""
    page = lxml.html.document_fromstring(app.session.get(f"{app.url}/{typed.pop('at', '')}").text)
    form = page.get_element_by_id("ask").getparent().getparent()
    assert form.get("enctype") == "multipart/form-data"
    fields = dict(form.form_values()) | {"question": "Does yoga lower blood pressure?"} | typed
    fields.pop("documents_file", None)
    file = (
        {"documents_file": ("own.ris", text)} if text is not None else {"documents_file": ("", b"")}
    )
    return app.session.post(app.url + "/", data=fields, files=file, timeout=60)


@pytest.mark.slow
def test_a_file_of_the_form_is_answered_from_and_kept_for_asking_again(house: Running) -> None:
    answer = sent(house, text_of(YOGA[:3]).encode("utf-16"))
    run = answer.url.rpartition("/")[2]
    assert house.ended(run)["answer"]["counts"]["found"] == 3
    again = sent(house, None, at=f"?again={run}", question="Does yoga help at all?")
    assert house.ended(again.url.rpartition("/")[2])["answer"]["counts"]["found"] == 3
    other = sent(house, text_of(YOGA[:2]), at=f"?again={run}")
    assert house.ended(other.url.rpartition("/")[2])["answer"]["counts"]["found"] == 2


@pytest.mark.slow
def test_follow_ups_and_new_searches_keep_the_documents(house: Running) -> None:
    whole = house.ask(documents=text_of(YOGA[:3]))
    some = house.ask(documents=[str(one.pmid) for one in YOGA[:3]])
    for parent in (whole, some):
        house.ended(parent)
        later = house.session.post(
            f"{house.url}/api/v1/runs",
            json={"parent": parent, "keep": ["question", "filters", "articles"], "from": "1990"},
            headers={"Idempotency-Key": f"one {parent}".replace(" ", "-")},
        )
        assert house.ended(later.json()["id"])["answer"]["counts"]["found"] == 3
        kept = house.ask(parent=parent, keep=["articles"], question="Does yoga help the heart?")
        found = house.ended(kept)["answer"]["counts"]["found"]
        assert found == 3
        page = lxml.html.document_fromstring(house.session.get(f"{house.url}/runs/{parent}").text)
        (form,) = [one for one in page.forms if one.get("action", "").endswith("/again")][:1]
        fresh = house.session.post(house.url + form.get("action"), data=dict(form.form_values()))
        assert house.ended(fresh.url.rpartition("/")[2])["answer"]["counts"]["found"] == 3
