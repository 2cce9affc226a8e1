"""The other formats, the bytes, and what happens when something is wrong or missing."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pylatexenc import latexwalker

from benchmarks.pubmedrs200.reporting.command import _latex as escaped
from benchmarks.pubmedrs200.reporting.command import main
from benchmarks.pubmedrs200.reporting.material import Inputs, _of_run, gather
from benchmarks.pubmedrs200.reporting.plots import curves
from benchmarks.pubmedrs200.reporting.tables import harmless
from tests.benchmarks.pubmedrs200.reporting.conftest import Made
from tests.benchmarks.pubmedrs200.reporting.scored import (
    FAILED,
    HOSTILE,
    IDS,
    LEAKED,
    REFERENCES,
    UNANSWERED,
    record,
    write_data,
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


@pytest.mark.slow
def test_the_same_bytes_in_another_process_folder_and_hash_seed(made: Made, tmp_path: Path) -> None:
    inputs = [str(item) for item in made.arguments(tmp_path / "again")]
    environment = os.environ | {
        "PYTHONHASHSEED": "12345",
        "TZ": "Asia/Tokyo",
        "MPLCONFIGDIR": str(tmp_path),
    }
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nsvg.fonttype: path\n")
    environment["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "report", *inputs],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    first, second = files(made.report), files(tmp_path / "again")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    here = str(made.report.parent).encode()
    assert not [name for name, content in first.items() if here in content]


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


def test_latex_escapes_what_is_hostile() -> None:
    from pylatexenc.latex2text import LatexNodes2Text

    unquoted = HOSTILE.replace('"', "")
    read = LatexNodes2Text(math_mode="text").latex_to_text(escaped(unquoted))
    assert read.replace("ˆ", "^") == unquoted  # how pylatexenc writes \\textasciicircum
    assert escaped('"') == "\\textquotedbl{}"
    assert "\\input{" not in escaped(HOSTILE)


def test_spreadsheets_run_nothing() -> None:
    assert [harmless(text)[0] for text in ("=1+1", "+1", "-1", "@A1", "\t=1", "fine")] == [
        "'",
        "'",
        "'",
        "'",
        "'",
        "f",
    ]


def test_plots_are_there_in_both_forms_and_in_words(made: Made) -> None:
    names = {path.stem for path in (made.report / "plots").iterdir()}
    assert names >= {
        "boxes-rouge-l",
        "boxes-character",
        "boxes-bertscore",
        "pool",
        "support-overlap",
        "cost-tokens",
    }
    text = (made.report / "report.md").read_text(encoding="utf-8")
    for name in names:
        root = ElementTree.fromstring(
            (made.report / "plots" / f"{name}.svg").read_text(encoding="utf-8")
        )
        assert "".join(root.itertext()).strip()
        assert (made.report / "plots" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert f"plots/{name}.svg" in text


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


def test_without_matplotlib_the_report_names_the_extra(made: Made, tmp_path: Path) -> None:
    imported = "from benchmarks.pubmedrs200.reporting.command import main"
    code = f"import sys; sys.modules['matplotlib'] = None; {imported}; main(sys.argv[1:])"
    arguments = [sys.executable, "-c", code, *made.arguments(tmp_path / "report")]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "install the extra plots" in (tmp_path / "report" / "report.md").read_text(
        encoding="utf-8"
    )


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
        (lambda f: (f / "scores.jsonl").open("ab").write(b'{"id": "\xff"}\n'), "not UTF-8"),
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


def test_scores_of_another_data_set_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = write_scores(tmp_path, sha256="cd" * 32)
    data = write_data(tmp_path / "data.csv")
    assert "is not that of the data set scored" in refused(
        capsys, scores, "--data", data, "--out", tmp_path / "report"
    )


@pytest.mark.parametrize(
    ("system", "id", "said"),
    [
        ("other:restricted", IDS[0], "not among the systems scored"),
        ("gpt4", "777", "none of its questions of gpt4 is scored"),
    ],
)
def test_a_run_of_other_scores_is_refused(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str], system: str, id: str, said: str
) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(
        json.dumps({"id": id, "system": system, "prediction": "Yes.", "reference": "r"}) + "\n"
    )
    refusal = refused(capsys, made.scores, "--run", path, "--out", tmp_path / "report")
    assert "predictions.jsonl is not a run of" in refusal
    assert said in refusal
    assert not (tmp_path / "report").exists()


def test_ends_of_lines_within_a_predicted_text_are_part_of_it(tmp_path: Path) -> None:
    text = "One.\u2028Two.\u0085Three."
    path = tmp_path / "predictions.jsonl"
    path.write_text(
        json.dumps({"id": "7", "system": "x", "prediction": text}, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    assert _of_run(path)[0]["x"]["7"].synthesis == text


def test_a_spoilt_record_is_named(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    cell = run / "records" / "one" / "restricted" / "1" / f"{IDS[0]}.json"
    cell.parent.mkdir(parents=True)
    (run / "run.json").write_text(
        json.dumps(
            {
                "schema": 1,
                "systems": [{"name": "one", "kind": "chain"}],
                "regimes": ["restricted"],
                "repeats": 1,
                "ids": [IDS[0]],
            }
        )
    )
    cell.write_text('{"cell": {}}')
    assert cell.name in refused(capsys, made.scores, "--run", run, "--out", tmp_path / "report")


def test_texts_of_a_file_of_predictions_are_shown(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(
        json.dumps({"id": IDS[0], "system": "gpt4", "prediction": "Quite <so>.", "reference": "r"})
        + "\n"
    )
    main([str(made.scores), "--run", str(path), "--out", str(tmp_path / "report"), "--no-plots"])
    assert "Quite &lt;so&gt;." in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")


def test_labels_in_csv_are_those_of_the_scores(made: Made) -> None:
    with (made.report / "tables" / "every-metric.csv").open(encoding="utf-8", newline="") as file:
        labels = {line["label"] for line in csv.DictReader(file)}
    with made.scores.open(encoding="utf-8") as lines:
        assert labels == {json.loads(line)["system"] for line in lines}
