"""What a notebook shows of answers and hits: tables and passages, nothing but inert markup."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from openpyxl import load_workbook

import clinfo
from clinfo.errors import UsageError
from clinfo.patients.reading import read_records
from clinfo.pipelines.cohort.store import build
from clinfo.render.batch_table import COLUMNS, table
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph, Table
from clinfo.render.html import document, fragment
from clinfo.sources.memory import of_texts

HOSTILE = "<script>alert(1)</script>"
INERT = {
    "a", "br", "details", "div", "h3", "h4", "h5", "p", "strong", "summary", "table", "tbody",
    "td", "th", "thead", "tr",
}  # fmt: skip
BARE: dict[str, Any] = {"model": "extractive"}


class Read(HTMLParser):
    """The elements of a fragment, the attributes of all, and its text."""

    def __init__(self, shown: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(shown)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes |= {name for name, _ in attrs}
        assert all("url(" not in (value or "") for _, value in attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def literature(folder: Path) -> Any:
    question = f"Do probiotics prevent antibiotic-associated diarrhea {HOSTILE}?"
    return clinfo.ask(question, source="demo", **BARE)


def trials(folder: Path) -> Any:
    paper = folder / "zinc.txt"
    paper.write_text(f"RESULTS:\nItching was lower with zinc cream than with placebo. {HOSTILE}\n")
    return clinfo.trials("Does zinc cream reduce itching compared with placebo?", [paper], **BARE)


def chart(folder: Path) -> Any:
    note = folder / "notes.csv"
    note.write_text(f"patient,date,text\n7,2020-03-01,Asthma was diagnosed. {HOSTILE}\n")
    return clinfo.chart(note, f"When was asthma diagnosed {HOSTILE}?", **BARE)


def copilot(folder: Path) -> Any:
    return clinfo.copilot(f"Which drugs for BRAF V600E melanoma {HOSTILE}?", gene="BRAF", **BARE)


def cohort(folder: Path) -> Any:
    note = folder / "notes.csv"
    rows = (f"{HOSTILE},2020-03-01,Assessment: asthma.", "8,2020-03-01,Assessment: gout.")
    note.write_text("\n".join(("patient,date,text", *rows)))
    build(read_records([note]).records, folder / "index")
    return clinfo.cohort(folder / "index", query="condition asthma")


def hits(folder: Path) -> Any:
    texts = [{"title": f"Zinc {n} {HOSTILE}", "abstract": "Colds."} for n in range(2)]
    return clinfo.search("zinc", source=of_texts(texts))


def batch(folder: Path) -> Any:
    return clinfo.ask_many([f"Does yoga lower blood pressure {HOSTILE}?"], source="demo", **BARE)


def evidence(folder: Path) -> Any:
    rows = literature(folder).evidence
    return type(rows)(replace(row, title=f"{row.title} {HOSTILE}") for row in rows)


def verdict(folder: Path) -> Any:
    return clinfo.verify(f"Colds were 7 days shorter {HOSTILE} [1].", [f"No cold {HOSTILE}."])


@pytest.mark.parametrize(
    "made", [literature, trials, chart, copilot, cohort, hits, batch, evidence, verdict]
)
def test_a_notebook_shows_a_table_and_passages_as_inert_markup(made: Any, tmp_path: Path) -> None:
    shown = Read(made(tmp_path)._repr_html_())
    assert shown.elements["tbody"] >= 1
    assert shown.elements["td"] >= 3
    assert set(shown.elements) <= INERT
    assert shown.attributes <= {"class", "style", "href"}
    assert "alert(1)" in shown.text


@pytest.mark.parametrize("made", [literature, trials, chart, copilot])
def test_the_end_of_a_name_says_how_an_answer_is_saved(made: Any, tmp_path: Path) -> None:
    answer = made(tmp_path)
    for end in ("docx", "html", "md", "txt", "json", "jsonl"):
        answer.save(tmp_path / f"kept.{end}")
    texts = [one.text for one in Document(str(tmp_path / "kept.docx")).paragraphs]
    assert any("alert(1)" in text for text in texts)
    whole = (tmp_path / "kept.html").read_text()
    assert whole.startswith("<!doctype html>")
    assert answer._repr_html_() in whole
    assert (tmp_path / "kept.md").read_text().startswith("# ")
    assert json.loads((tmp_path / "kept.json").read_text()) == answer.to_dict()
    assert clinfo.replay(tmp_path / "kept.jsonl").to_dict() == answer.to_dict()
    for name in ("kept.pdf", "kept"):
        with pytest.raises(UsageError, match=r"\.docx"):
            answer.save(tmp_path / name)
        assert not (tmp_path / name).exists()


def test_references_are_saved_by_the_end_of_a_name_too(tmp_path: Path) -> None:
    answer = literature(tmp_path)
    for end in ("ris", "csv", "csl.json", "xlsx"):
        answer.save(tmp_path / f"kept.{end}")
    cited = [one for one in answer.references if one.cited]
    assert (tmp_path / "kept.ris").read_text().count("TY  - ") == len(cited)
    assert len(json.loads((tmp_path / "kept.csl.json").read_text())) == len(cited)
    assert load_workbook(tmp_path / "kept.xlsx").sheetnames == ["Answer", "Evidence", "References"]
    with pytest.raises(UsageError, match=r"\.jsonl"):
        clinfo.ask("Does zinc shorten colds?", source="demo", save=tmp_path / "run.docx", **BARE)


def test_what_a_sentence_rests_on_can_be_opened() -> None:
    answer = literature(Path())
    shown = answer._repr_html_()
    passages = shown.split("<summary><strong>Passages</strong></summary>")[1]
    held = {article.id: article for article in answer._log.articles}
    spans = [
        held[answer.references[span.n - 1].id].abstract[span.start : span.end]
        for sentence in answer.sentences
        for span in sentence.spans
        if span.field == "abstract"
    ]
    assert spans
    assert all(html.escape(" ".join(one.split())) in passages for one in spans)
    assert shown.index("Not medical advice") < shown.index("<details>")


def test_citations_lead_to_the_web_alone() -> None:
    blocks: list[Block] = [
        Heading("Q", 1), Paragraph("It helps [1, 2].\n\nNot [3]."),
        Items((Item("A", "[1]", "javascript:alert(1)"),)), Table(("No.",), (("[1]",),)),
    ]  # fmt: skip
    shown = fragment(blocks, {1: "https://one.example/?a=1&b=2", 2: "javascript:alert(1)"})
    assert re.findall(r'href="([^"]+)"', shown) == ["https://one.example/?a=1&amp;b=2"] * 2
    assert Read(shown).elements["p"] == 2


def test_a_page_of_its_own_is_as_readable_in_the_dark() -> None:
    shown = document("A <b>", fragment([Paragraph("x")]))
    assert '<meta name="color-scheme" content="light dark">' in shown
    assert "<title>A &lt;b&gt;</title>" in shown
    assert not re.search(r"(?<!-)color:(?!inherit)|background", shown)


def test_the_table_of_a_batch_leaves_open_what_nobody_judged(tmp_path: Path) -> None:
    rows = batch(tmp_path)
    support = rows[0]["answer"]["support"]
    assert support["quoted"] > 0
    shown = dict(zip(COLUMNS, table(rows).rows[0], strict=True))
    assert (shown["supported"], shown["sentences"]) == ("", str(support["quoted"] + 1))
