"""Published systems beside ours: printed values and texts, from the real published files."""

from __future__ import annotations

import csv
import json
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.own.scores import ScoreRow, write_rows
from benchmarks.pubmedrs200.reporting.command import main
from tests.benchmarks.pubmedrs200.reporting.scored import METRICS
from tests.shared_data import SHARED, needs_shared

FOLDER = SHARED / "pubmedrs200"
CHOSEN = 20


def read(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(sys.maxsize)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two published systems on twenty of the published questions, with scores that are
    made up.
    """
    folder = tmp_path_factory.mktemp("published")
    ids = [row["PMID"] for row in read(FOLDER / "Model__all_all_scores.first100.csv")][:CHOSEN]
    systems = ("gpt4", "clinfo_pubmed_TLDR")
    made = [
        ScoreRow(id, system, "rouge_l", number / 100)
        for system in systems
        for number, id in enumerate(ids)
    ]
    write_rows(folder / "scores.jsonl", made)
    values = [number / 100 for number in range(CHOSEN)]
    cell = {
        "n": CHOSEN,
        "answered": CHOSEN,
        "mean": statistics.fmean(values),
        "sd": statistics.pstdev(values),
        "low": 0,
        "high": 1,
        "answered_mean": statistics.fmean(values),
        "answered_sd": statistics.pstdev(values),
    }
    summary = {
        "schema": 1,
        "orientation": "published",
        "subset": {"name": "twenty", "n": CHOSEN, "sha256": "ef" * 32},
        "data": None,
        "metrics": {"rouge_l": METRICS["rouge_l"]},
        "systems": {s: {"rouge_l": cell} for s in systems},
        "unanswered": {},
        "quarantined": {},
        "judge": None,
        "comparisons": [],
    }
    (folder / "scores.summary.json").write_text(json.dumps(summary))
    main(
        [
            str(folder / "scores.jsonl"),
            "--published",
            str(FOLDER),
            "--data",
            str(FOLDER / "PubMedRS-200.csv"),
            "--out",
            str(folder / "report"),
            "--no-plots",
        ]
    )
    return folder / "report"


@needs_shared
@pytest.mark.parametrize(
    ("key", "file", "columns"),
    [
        (
            "table-1",
            "{}_human_answer_all_2021.csv",
            {"unieval_overall": "overall", "comet": "Comet", "ctc_consistency": "CTC"},
        ),
        (
            "table-2",
            "Model__all_metric_{}.csv",
            {"rouge_l": "rouge-L", "character": "character", "ctc_sf": "CTC_summary"},
        ),
    ],
)
def test_values_of_the_table_files_stand_marked_beside_ours(
    report: Path, key: str, file: str, columns: dict[str, str]
) -> None:
    lines = {
        line["label"]: line
        for line in read(report / "tables" / f"{key}.csv")
        if "†" in line["system"]
    }
    for part, ending in (("mean", ""), ("std", "_sd")):
        published = [row for row in read(FOLDER / file.format(part)) if row["Model"]]
        assert len(published) == len(lines) == 13
        for row in published:
            for metric, column in columns.items():
                assert float(lines[row["Model"]][metric + ending]) == float(row[column])
                assert lines[row["Model"]]["printed"] == "yes"


@needs_shared
def test_published_values_of_the_same_questions(report: Path) -> None:
    (line,) = (
        line
        for line in read(report / "tables" / "table-2.csv")
        if "‡" in line["system"] and line["label"] == "gpt4"
    )
    rows = read(FOLDER / "Model__all_all_scores.first100.csv")[:CHOSEN]
    assert float(line["meteor"]) == pytest.approx(
        statistics.fmean(float(row["gpt4_meteor"]) for row in rows)
    )
    assert (line["n"], line["answered"]) == (str(CHOSEN), "not known")
    (ours,) = (
        line
        for line in read(report / "tables" / "table-2.csv")
        if line["printed"] == "no" and line["label"] == "gpt4"
    )
    assert (float(ours["rouge_l"]), ours["meteor"]) == (pytest.approx(0.095), "not computed")


@needs_shared
def test_orientation_and_texts(report: Path) -> None:
    assert "Orientation: published (roles swapped" in (report / "report.md").read_text(
        encoding="utf-8"
    )
    page = (report / "report.html").read_text(encoding="utf-8")
    assert page.count('<section class="question"') == CHOSEN
    assert (
        page.count('<article class="answer">') == CHOSEN * 7
    )  # 13 systems, of which nine are three outputs of three runs


@needs_shared
def test_roles_of_published_values_are_said_for_each_table(report: Path) -> None:
    tables = (report / "report.md").read_text(encoding="utf-8").split("\n### ")
    first, second = (
        next(each for each in tables if each.startswith(f"Table {number}")) for number in (1, 2)
    )
    assert "UniEval and CTC were asked about the system's text" in first
    assert "of COMET it is not known" in first
    assert "swapped (the published orientation)" not in first
    assert (
        "CharacTER have prediction and reference swapped (the published orientation); CTC was "
        "asked about"
    ) in second
    for each in (first, second):
        (dagger,) = (line for line in each.splitlines() if line.startswith("- †"))
        assert "orientation" not in dagger


@needs_shared
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_wide_tables_fit_a_page(report: Path, tmp_path: Path) -> None:
    paths = sorted((report / "tables").glob("*.tex"))
    names = (
        "[T1]{fontenc}",
        "{array}",
        "{booktabs}",
        "{longtable}",
        "[a4paper,margin=2cm]{geometry}",
    )
    packages = "".join(f"\\usepackage{name}" for name in names)
    lines = [f"\\input{{{path}}}\\clearpage" for path in paths]
    whole = (
        "\\documentclass{article}"
        + packages
        + "\\begin{document}"
        + "\n".join(lines)
        + "\\end{document}"
    )
    (tmp_path / "whole.tex").write_text(whole)
    for _ in range(3):  # longtable settles the widths of its columns from one time to the next
        subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "whole.tex"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            check=True,
        )
    log = (tmp_path / "whole.log").read_text(encoding="utf-8", errors="replace")
    assert len(paths) > 10
    assert [
        float(width)
        for width in re.findall(r"Overfull .hbox \(([0-9.]+)pt", log)
        if float(width) > 10
    ] == []
