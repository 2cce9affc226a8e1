"""The answer as a Word file and as a workbook, read back; and the citation style of all forms."""

import io
import json
import subprocess
import sys
import time
import zipfile
from dataclasses import replace

import pytest

import clinfo
from clinfo.errors import UsageError
from clinfo.pipelines.literature.answer import build_answer
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.records.answer import Reference
from clinfo.references.medical_line import vancouver
from clinfo.render.forms import forms, styled
from clinfo.render.page import page
from clinfo.views.evidence import evidence_rows

docx = pytest.importorskip("docx", reason="the extra office is not installed")
openpyxl = pytest.importorskip("openpyxl", reason="the extra office is not installed")

from clinfo.render import office  # noqa: E402

QUESTION = "Does yoga lower blood pressure?"


@pytest.fixture(scope="module")
def events():
    return clinfo.ask(QUESTION, model="extractive", source="demo").events


@pytest.fixture(scope="module")
def run_log(events):
    return LiteratureLog(events)


def made(name: str, run_log: LiteratureLog, style: str = "ieee") -> str | bytes:
    (form,) = (one for one in forms() if one.name == name)
    return form.write(run_log, "cited", style)


def test_a_word_file_holds_the_page(run_log):
    answer = build_answer(run_log)
    document = docx.Document(io.BytesIO(made("docx", run_log)))
    said = [one.text for one in document.paragraphs]
    assert said[0] == QUESTION
    assert any(answer.tldr in text for text in said)
    for reference in answer.references:
        if reference.cited:
            assert any(reference.citation in text for text in said), reference.citation
    headings = [one.text for one in document.paragraphs if one.style.name.startswith("Heading")]
    blocks = page(answer, run_log.articles, True)
    assert headings == [one.text for one in blocks if getattr(one, "level", 0) > 1]
    (table, *_) = document.tables
    assert [cell.text for cell in table.rows[0].cells][:3] == ["No.", "Year", "Level"]
    assert len(table.rows) > 1


def test_a_workbook_holds_sentences_evidence_and_references(run_log):
    answer = build_answer(run_log)
    book = openpyxl.load_workbook(io.BytesIO(made("xlsx", run_log)))
    assert book.sheetnames == ["Answer", "Evidence", "References"]
    head, *rows = book["Evidence"].iter_rows(values_only=True)
    assert head == office.EVIDENCE
    assert [(row[0], row[2], row[3]) for row in rows] == [
        (one.n, one.title, one.year) for one in evidence_rows(answer, run_log.articles)
    ]
    _, *rows = book["References"].iter_rows(values_only=True)
    assert [row[2] for row in rows] == [one.citation for one in answer.references]
    told = list(book["Answer"].iter_rows(values_only=True))
    assert told[1][:2] == ("question", QUESTION)
    assert [row[2] for row in told if row[0] in ("tldr", "synthesis")] == [
        one.verdict for one in answer.sentences
    ]


def test_no_text_is_a_formula_or_a_control_character(run_log):
    odd = Reference(1, "pmid:1", "1", "t", '=HYPERLINK("x")\x07', "+1", True)
    answer = replace(build_answer(run_log), references=(odd,), question="=1+1\x1b[31m\ufffe")
    book = openpyxl.load_workbook(io.BytesIO(office.xlsx(answer)))
    assert book["References"]["C2"].value == '=HYPERLINK("x")'
    for sheet in book:
        assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
    assert (
        docx.Document(io.BytesIO(office.blocks_as_docx("", page(answer)))).paragraphs[0].text
        == "=1+1"
    )


def test_an_unfinished_run_says_so_in_both(events):
    begun = LiteratureLog(events[:-1])
    assert "Not finished" in "".join(
        one.text for one in docx.Document(io.BytesIO(made("docx", begun))).paragraphs
    )
    sheet = openpyxl.load_workbook(io.BytesIO(made("xlsx", begun)))["Answer"]
    assert any("Not finished" in str(row[1]) for row in sheet.iter_rows(values_only=True))


def test_the_same_answer_is_the_same_bytes(run_log, monkeypatch):
    first = [made(name, run_log) for name in ("docx", "xlsx")]
    monkeypatch.setattr(
        time, "localtime", lambda *_: time.struct_time((2000, 1, 1, 0, 0, 0, 0, 1, 0))
    )
    assert [made(name, run_log) for name in ("docx", "xlsx")] == first
    for file in first:
        core = zipfile.ZipFile(io.BytesIO(file)).read("docProps/core.xml")
        assert core.count(b"1980-01-01T00:00:00Z") == 2


def test_references_stand_in_the_style_that_is_asked_for(run_log):
    articles = {article.id: article for article in run_log.articles}
    for reference in styled(run_log, "vancouver").references:
        assert reference.citation == vancouver(articles[reference.id])
    form = json.loads(made("json", run_log, "vancouver"))
    first = form["references"][0]
    assert first["citation"] == vancouver(articles[first["id"]])
    text = " ".join(made("text", run_log, "vancouver").split())
    assert vancouver(articles[first["id"]]).split(".")[0] in text
    assert json.loads(made("json", run_log))["references"][0]["citation"] != first["citation"]


@pytest.mark.slow
def test_the_command_line_writes_both_and_takes_a_style(tmp_path):
    def told(*flags: str) -> bytes:
        command = [sys.executable, "-m", "clinfo", "ask", QUESTION, "--model", "extractive"]
        done = subprocess.run(
            [*command, "--source", "demo", "--quiet", *flags], capture_output=True, check=True
        )
        return done.stdout

    assert docx.Document(io.BytesIO(told("--format", "docx"))).paragraphs[0].text == QUESTION
    assert "Evidence" in openpyxl.load_workbook(io.BytesIO(told("--format", "xlsx"))).sheetnames
    listed = told("--format", "vancouver").decode()
    assert listed.startswith("1. ")
    assert listed.splitlines()[0].removeprefix("1. ") in {
        one["citation"] for one in json.loads(told("--json", "--style", "vancouver"))["references"]
    }


def test_without_the_extra_its_command_is_told(run_log, monkeypatch):
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(UsageError, match=r"office"):
        made("docx", run_log)
