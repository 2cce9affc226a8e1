"""The other formats, the bytes, and what happens when something is wrong or missing."""

import json
import re
from pathlib import Path

import pytest
from pylatexenc import latexwalker

from benchmarks.pubmedrs200.reporting.command import main
from benchmarks.pubmedrs200.reporting.material import Inputs, gather
from benchmarks.pubmedrs200.reporting.plots import curves
from tests.benchmarks.pubmedrs200.reporting.conftest import Made
from tests.benchmarks.pubmedrs200.reporting.scored import (
    FAILED,
    IDS,
    LEAKED,
    REFERENCES,
    UNANSWERED,
    record,
    write_scores,
)

ROOT = Path(__file__).resolve().parents[4]


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_latex_parses_and_its_rows_are_of_one_width(made: Made) -> None:
    paths = sorted((made.report / "tables").glob("*.tex"))
    assert len(paths) == 12
    for path in paths:
        text = path.read_text(encoding="utf-8")
        nodes, _, length = latexwalker.LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
        assert length == len(text)
        assert nodes
        if body := re.search(
            r"\\begin\{(tabular|longtable)\}\{(.*)\}\n(.*)\\end\{\1\}", text, re.DOTALL
        ):
            spec = re.sub(r">\{[^}]*\}", "", body[2])
            width = len(re.sub(r"p\{[^}]*\}+", "p", spec).rstrip("}"))
            lines = [
                line
                for line in body[3].splitlines()
                if line.endswith(r" \\") and "multicolumn" not in line
            ]
            assert lines
            assert {len(re.findall(r"(?<!\\)&", line)) for line in lines} == {width - 1}


def test_curve_of_the_pool_is_counted_right(made: Made) -> None:
    material = gather(
        Inputs(made.scores, made.scores.with_suffix(".summary.json"), (made.run,), made.data)
    )
    curve = {each.system.label: each for each in curves(material)}["one:unrestricted"]
    asked = [
        id for id in IDS if REFERENCES[id] and id != LEAKED
    ]  # one review lists no references, one record leaked
    for depth in (1, 7, len(curve.recall)):
        total = 0.0
        for id in asked:
            pool = (record("unrestricted", id).retrieved or ())[:depth]
            total += sum(pmid in pool for pmid in REFERENCES[id]) / len(REFERENCES[id])
        assert curve.recall[depth - 1] == pytest.approx(total / len(asked))
    assert curve.n == len(asked)
    assert {UNANSWERED, FAILED} <= set(asked)


def test_without_run_data_and_plots_the_report_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = write_scores(tmp_path)
    main([str(scores), "--out", str(tmp_path / "report"), "--no-plots"])
    text = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    for said in (
        "No run folder was given",
        "No data set was given",
        "No folder of published files",
        "Plots were not requested",
    ):
        assert said in text
    assert not (tmp_path / "report" / "plots").exists()
    assert not (tmp_path / "report" / "timings.md").exists()
    assert "report.html: 12 tables, 0 plots, 12 questions" in capsys.readouterr().out


def test_a_report_replaces_a_report_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores, out = write_scores(tmp_path), tmp_path / "report"
    main([str(scores), "--out", str(out), "--no-plots"])
    first = files(out)
    (out / "tables" / "stale.csv").write_text("x")
    (tmp_path / "report.partial").mkdir()  # as a kill leaves it
    (tmp_path / "report.partial" / "report.md").write_text("half")
    main([str(scores), "--out", str(out), "--no-plots"])
    assert files(out) == first
    assert {path.name for path in tmp_path.iterdir()} == {
        "report",
        "scores.jsonl",
        "scores.summary.json",
    }
    (out / "thesis.tex").write_text("mine")
    capsys.readouterr()
    assert "thesis.tex" in refused(capsys, scores, "--out", out, "--no-plots")
    assert (out / "thesis.tex").read_text() == "mine"


def _cut(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8")[:-30], encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda f: (f / "scores.jsonl").unlink(), "No such file"),
        (lambda f: (f / "scores.summary.json").unlink(), "No such file"),
        (lambda f: _cut(f / "scores.summary.json"), "not a summary"),
        (lambda f: _cut(f / "scores.jsonl"), "line"),
        (
            lambda f: (
                (f / "scores.jsonl")
                .open("a")
                .write('{"id": "1", "system": "x", "metric": "y", "value": NaN}\n')
            ),
            "not a score",
        ),
        (lambda f: (f / "scores.jsonl").open("ab").write(b'{"id": "\xff"}\n'), "not a score"),
        (lambda f: (f / "scores.jsonl").write_text(""), "no scores"),
        (
            lambda f: (f / "scores.jsonl").write_text(
                (f / "scores.jsonl").read_text().split("\n", 1)[1]
            ),
            "is not the summary of",
        ),
        (lambda f: (f / "scores.summary.json").write_text('{"schema": 1}'), "not a summary"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spoil: object, said: str
) -> None:
    scores = write_scores(tmp_path)
    spoil(tmp_path)  # type: ignore[operator]
    assert said in refused(capsys, scores, "--out", tmp_path / "report")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("report")]


@pytest.mark.parametrize(("system", "id"), [("other:restricted", IDS[0]), ("gpt4", "777")])
def test_a_run_of_other_scores_is_refused(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str], system: str, id: str
) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(
        json.dumps({"id": id, "system": system, "prediction": "Yes.", "reference": "r"}) + "\n"
    )
    refusal = refused(capsys, made.scores, "--run", path, "--out", tmp_path / "report")
    assert "predictions.jsonl is not a run of" in refusal
    assert not (tmp_path / "report").exists()
