"""Exports: each is read back with a library, has its media type and a safe name, and says when a
run is not finished.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import rispy
from flask.testing import FlaskClient

from clinfo.pipelines.literature.answer_building import build_answer
from tests.webapp.handmade import handmade
from tests.webapp.handmade import request as asked_by_hand
from tests.webapp.recorded import app_in, events_of, request, stored
from webapp.pipelines.literature.exports import FORMS, file_name


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[FlaskClient, dict[str, str]]:
    folder = tmp_path_factory.mktemp("exports")
    app = app_in(folder)
    store = app.extensions["clinfo"].store
    demo = events_of(request(), folder)
    ids = {
        "demo": stored(store, request(), demo).id,
        "hand": stored(store, asked_by_hand(), handmade()).id,
        "stopped": stored(
            store, request(), demo[:40], "failed", problem="The model did not answer."
        ).id,
        "running": stored(store, request(), demo[:30], "running").id,
    }
    ids["new"] = store.create(request()).id
    return app.test_client(), ids


def got(runs: tuple[FlaskClient, dict[str, str]], name: str, suffix: str, **options: object):
    client, ids = runs
    return client.get(f"/runs/{ids[name]}{suffix}", **options)


@pytest.mark.parametrize("suffix", FORMS)
@pytest.mark.parametrize("name", ["demo", "hand", "stopped", "running"])
def test_every_form_has_its_media_type_a_safe_name_and_an_etag(runs, name, suffix):
    response = got(runs, name, f".{suffix}")
    assert response.status_code == 200
    assert response.content_type == FORMS[suffix].media_type
    how, filename = re.fullmatch(
        r'(inline|attachment); filename="([a-z0-9.-]+)"', response.headers["Content-Disposition"]
    ).groups()
    assert filename.endswith(f".{suffix}")
    assert ("unfinished" in filename) == (name in ("stopped", "running"))
    assert how == ("inline" if suffix == "txt" else "attachment")
    if suffix in ("docx", "xlsx"):
        assert response.data.startswith(b"PK")
    else:
        assert response.data.decode("utf-8").strip() or "unfinished" in filename
    again = got(runs, name, f".{suffix}", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304
    assert again.data == b""


def test_json_is_the_answer_as_it_was_recorded(runs):
    answer = json.loads(got(runs, "demo", ".json").data)
    assert answer["schema"] == 2
    assert answer["question"] == request().question
    assert "finished" not in answer
    stopped = json.loads(got(runs, "stopped", ".json").data)
    assert stopped["finished"] is False
    assert stopped["counts"]["found"] == 12
    assert stopped["synthesis"] == ""


@pytest.mark.parametrize(("include", "pmids"), [("cited", 4), ("relevant", 4), ("all", 5)])
def test_ris_is_read_by_a_library(runs, include, pmids):
    entries = rispy.load(StringIO(got(runs, "hand", f".ris?include={include}").data.decode()))
    assert len(entries) == pmids
    assert (
        entries[0]["title"]
        == "Drug A and mortality in heart failure: a randomised controlled trial"
    )
    assert "cited" in entries[0]["keywords"]
    assert all(entry["type_of_reference"] == "JOUR" for entry in entries)


def test_markdown_and_text_hold_the_answer_and_the_search_appendix_the_queries(runs):
    for suffix in ("md", "txt"):
        text = " ".join(got(runs, "hand", f".{suffix}").data.decode().split())
        assert "two of three trials found fewer deaths" in text
        assert "Not medical advice" in text
    appendix = got(runs, "hand", ".prisma-s.md").data.decode()
    assert "drug A AND mortality" in appendix
    assert "PRISMA-S" in appendix


def test_what_is_not_finished_says_so_in_the_texts(runs):
    assert "Not finished" in got(runs, "stopped", ".md").data.decode()
    assert "Not finished" in got(runs, "running", ".txt").data.decode()
    assert "did not finish" in got(runs, "stopped", ".prisma-s.md").data.decode()


def test_a_run_that_has_not_begun_and_one_that_is_not_there_have_no_exports(runs):
    client, _ = runs
    for suffix in (*FORMS, "svg"):
        assert got(runs, "new", f".{suffix}").status_code == 404
        assert client.get(f"/runs/{'a' * 24}.{suffix}").status_code == 404
    assert got(runs, "demo", ".exe").status_code == 404
    assert got(runs, "demo", ".md.md").status_code == 404


def test_a_list_of_references_can_only_be_asked_to_include_what_there_is(runs):
    response = got(runs, "hand", ".ris?include=everything")
    assert response.status_code == 422
    assert "cited, relevant, all" in response.get_data(as_text=True)


@pytest.mark.parametrize(
    "question",
    [
        '"; filename="evil.exe',
        "a\r\nSet-Cookie: x=1\r\n",
        "../../etc/passwd",
        "нитраты?",
        "CON",
        "x" * 4_000,
        "🫀" * 40,
        "<script>",
    ],
)
def test_no_question_can_make_a_name_or_a_header_of_its_own(question, tmp_path: Path):
    answer = replace(build_answer(handmade()), question=question, searched_on="2026-11-20\r\nX: 1")
    name = file_name(answer, "md", finished=True)
    assert re.fullmatch(r"clinfo-[a-z0-9-]+\.md", name)
    assert len(name) < 100


def test_the_studies_come_as_a_table_with_what_each_states(runs):
    rows = list(csv.DictReader(io.StringIO(got(runs, "hand", ".evidence.csv").data.decode())))
    assert rows
    assert {"Design", "n", "Population", "Comparator", "Outcome", "Effect", "Result"} <= set(
        rows[0]
    )
    assert all(row["PMID"].isdecimal() and row["Title"] for row in rows)
