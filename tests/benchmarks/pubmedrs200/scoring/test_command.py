"""The real command on generated files: what it writes, refuses, says, and leaves behind when it is
killed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import msgspec
import pytest

from benchmarks.own.scores import ScoreRow, read_rows
from benchmarks.pubmedrs200.running.records import Cell, Record
from benchmarks.pubmedrs200.scoring.command import main
from pubmedrs.records import Review
from pubmedrs.writing import write

ROOT = Path(__file__).resolve().parents[4]
COMMAND = [sys.executable, "-m", "benchmarks", "score"]


def row(
    id: str, system: str, prediction: str, reference: str = "one two three", **more: Any
) -> dict[str, Any]:
    return {"id": id, "system": system, "prediction": prediction, "reference": reference} | more


def lines(path: Path, *forms: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(form) + "\n" for form in forms), encoding="utf-8")
    return path


FEW = (
    row("2", "b", "one two three"), row("1", "b", "four"), row("3", "b", ""),
    row("1", "a", "one two three"), row("2", "a", "one two three"), row("3", "a", "a b c d e"),
)  # fmt: skip


def score(*arguments: object) -> None:
    main([str(argument) for argument in arguments])


def test_rows_summary_and_what_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    score(lines(tmp_path / "p.jsonl", *FEW), "--metrics", "exact_match,word_length", "--out", out)
    assert list(read_rows(out)) == [
        ScoreRow("1", "b", "exact_match", 0.0),
        ScoreRow("1", "b", "word_length", 1.0),
        ScoreRow("2", "b", "exact_match", 1.0),
        ScoreRow("2", "b", "word_length", 3.0),
        ScoreRow("3", "b", "exact_match", 0.0, unanswered=True),
        ScoreRow("3", "b", "word_length", 0.0, unanswered=True),
        ScoreRow("1", "a", "exact_match", 1.0),
        ScoreRow("1", "a", "word_length", 3.0),
        ScoreRow("2", "a", "exact_match", 1.0),
        ScoreRow("2", "a", "word_length", 3.0),
        ScoreRow("3", "a", "exact_match", 0.0),
        ScoreRow("3", "a", "word_length", 5.0),
    ]
    summary = json.loads((tmp_path / "out.summary.json").read_text())
    cell = summary["systems"]["b"]["exact_match"]
    assert (cell["n"], cell["answered"]) == (3, 2)
    assert (cell["mean"], cell["answered_mean"], cell["answered_sd"]) == (
        pytest.approx(1 / 3),
        0.5,
        0.5,
    )
    assert cell["sd"] == pytest.approx(2**0.5 / 3)  # of 0, 1, 0 with ddof 0
    assert cell["low"] <= cell["mean"] <= cell["high"]
    assert summary["unanswered"] == {"b": ["3"]}
    assert summary["subset"]["n"] == 3
    assert summary["metrics"]["exact_match"]["validated"] is None
    said = capsys.readouterr().out
    assert "0.333 (0.471)" in said
    assert "0.500 (0.500)" in said
    assert "b: 1: 3" in said
    assert summary["metrics"]["word_length"]["signature"] in said
    assert str(tmp_path) not in (tmp_path / "out.summary.json").read_text() + out.read_text() + said


def test_what_failed_counts_the_floor_and_is_told_apart_from_what_went_unanswered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        row("1", "a", "one two three"),
        row("2", "a", ""),
        row("3", "a", "", failed=True),
        row("4", "a", "", failed=False),
    ]
    score(
        lines(tmp_path / "p.jsonl", *rows),
        "--metrics",
        "exact_match",
        "--out",
        tmp_path / "out.jsonl",
    )
    summary = json.loads((tmp_path / "out.summary.json").read_text())
    assert (summary["unanswered"], summary["failed"]) == ({"a": ["2", "4"]}, {"a": ["3"]})
    cell = summary["systems"]["a"]["exact_match"]
    assert (cell["n"], cell["answered"], cell["mean"]) == (4, 1, 0.25)
    said = capsys.readouterr()
    assert (
        "Failed (counted at the metric's floor; run again with --retry-failed)\n  a: 1: 3"
        in said.out
    )
    assert "warning: a failed on 1 questions" in said.err


def test_the_published_orientation_swaps_the_texts_but_counts_the_words_of_the_output(
    tmp_path: Path,
) -> None:
    path = lines(
        tmp_path / "p.jsonl", row("1", "a", "one two three four five six", "one two three")
    )
    values = {}
    for orientation in ("correct", "published"):
        out = tmp_path / f"{orientation}.jsonl"
        score(
            path,
            "--metrics",
            "chrf,rouge_l,word_length",
            "--orientation",
            orientation,
            "--out",
            out,
        )
        values[orientation] = {one.metric: one.value for one in read_rows(out)}
    swapped = lines(
        tmp_path / "swapped.jsonl", row("1", "a", "one two three", "one two three four five six")
    )
    score(swapped, "--metrics", "chrf", "--out", tmp_path / "s.jsonl")
    assert (
        values["published"]["chrf"]
        == next(read_rows(tmp_path / "s.jsonl")).value
        != values["correct"]["chrf"]
    )
    assert values["published"]["rouge_l"] == pytest.approx(values["correct"]["rouge_l"])
    assert values["published"]["word_length"] == values["correct"]["word_length"] == 6


def test_faults_are_listed_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(
        b'{"id": "1", "system": "a", "prediction": "x", "reference": "y"}\n{"id": "1"\n\xff\n'
        + json.dumps(row("1", "a", "z")).encode()
    )
    done = subprocess.run(
        [*COMMAND, path, "--out", tmp_path / "out.jsonl"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2
    said = done.stderr.splitlines()
    assert [line.partition("line ")[2][:1] for line in said[:-1]] == ["2", "3", "4"]
    assert "3 faults" in said[-1]
    assert done.stdout == ""
    assert [one.name for one in tmp_path.iterdir()] == ["p.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--metrics", "rouge_x"], "rouge_x"),
        (["--metrics", "none"], "nothing to compute"),
        (["--metrics", "comet"], "line 1: the field “source” is missing"),
        (["--baseline", "nobody"], "nobody"),
        (["--systems", "nobody"], "nobody"),
        (["--subset", "scored145"], "--data"),
        (["--limit", "0"], "must be 1 or more"),
        (["--data", "missing.csv"], "missing.csv"),
        (["--judge", "gpt-4o"], "folder of a run"),
        (["--measures"], "--data"),
        (["--summary", "p.jsonl"], "overwritten"),
        (
            ["--summary", "timings-out.jsonl"],
            "timings-out.jsonl is a file that --out out.jsonl writes already",
        ),
        (["--max-cost", "much"], "dollars"),
    ],
)
def test_wrong_usage(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "p.jsonl", *FEW)
    with pytest.raises(SystemExit) as ended:
        score("p.jsonl", "--out", "out.jsonl", *arguments)
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert words in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "out.jsonl").exists()


def test_a_baseline_is_compared_with_every_system(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lines(
        tmp_path / "p.jsonl",
        *(
            row(str(id), name, "one two three" if id % step else "x")
            for id in range(60)
            for name, step in (("base", 2), ("same", 2), ("better", 10))
        ),
    )
    score(
        path,
        "--metrics",
        "exact_match,word_length",
        "--baseline",
        "base",
        "--out",
        tmp_path / "o.jsonl",
    )
    summary = json.loads((tmp_path / "o.summary.json").read_text())
    found = {(one["metric"], one["system"]): one for one in summary["comparisons"]}
    assert len(found) == 4
    same, better = found["exact_match", "same"], found["exact_match", "better"]
    assert (same["difference"], same["p_bootstrap"], same["p_holm"]) == (0, 1, 1)
    assert better["difference"] == pytest.approx(24 / 60)
    assert better["p_randomisation"] == 1 / 10_001
    assert better["p_holm"] == pytest.approx(4 / 10_001)
    assert (better["n"], better["baseline"]) == (60, "base")


def test_a_run_gives_measures_too_and_its_times_stand_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reviews = [
        Review(id, "T", "Q?", "A b", date(2020, 1, 1), references=("7", "8"))
        for id in ("1", "2", "3", "4")
    ]
    write(reviews, tmp_path / "data.jsonl")
    run = tmp_path / "run"
    run.mkdir()
    asked = {
        "systems": [{"name": "x", "kind": "chain"}],
        "regimes": ["unrestricted"],
        "repeats": 1,
        "ids": ["1", "2", "3", "4"],
    }
    (run / "run.json").write_text(json.dumps({"schema": 1, **asked}))
    texts = [
        ("1", "answered", "A b", ("7", "9")),
        ("2", "unanswered", "", ()),
        ("3", "leaked", "A", ("7",)),
        ("4", "failed", "", None),
    ]
    for id, status, text, relevant in texts:
        cell = Cell("x", "unrestricted", 1, id)
        cell.path(run).parent.mkdir(parents=True, exist_ok=True)
        record = Record(cell, status, synthesis=text, retrieved=relevant, relevant=relevant)  # type: ignore[arg-type]
        cell.path(run).write_bytes(msgspec.json.encode(record))
    of_x = {"system": "x", "regime": "unrestricted", "repeat": 1}
    lines(
        run / "timings.jsonl",
        {"id": "1", "seconds": 2.0, **of_x},
        {"id": "2", "seconds": 4.0, **of_x},
    )
    lines(run / "quarantine.jsonl", {"id": "3", "system": "x:unrestricted", "leaks": []})
    rows = [row(id, "x:unrestricted:synthesis", text, "A b") for id, _, text, _ in texts[:2]]
    lines(
        run / "predictions.jsonl",
        *rows,
        row("4", "x:unrestricted:synthesis", "", "A b", failed=True),
    )
    out = tmp_path / "out.jsonl"
    score(run, "--data", tmp_path / "data.jsonl", "--metrics", "exact_match", "--out", out)
    values = {(one.system, one.metric, one.id): one.value for one in read_rows(out)}
    assert values["x:unrestricted:synthesis", "exact_match", "1"] == 1
    assert values["x:unrestricted", "retrieval_precision", "1"] == 0.5
    assert not any(metric == "seconds" or id == "3" for _, metric, id in values)
    summary = json.loads((tmp_path / "out.summary.json").read_text())
    assert summary["quarantined"] == {"x:unrestricted": ["3"]}
    assert summary["unanswered"] == {"x:unrestricted:synthesis": ["2"], "x:unrestricted": ["2"]}
    assert summary["failed"] == {"x:unrestricted:synthesis": ["4"], "x:unrestricted": ["4"]}
    assert values["x:unrestricted", "retrieval_precision", "4"] == 0
    assert summary["missing"] == {}
    assert "retrieval_recall" in summary["metrics"]
    assert {one.value for one in read_rows(tmp_path / "timings-out.jsonl")} == {2.0, 4.0}
    assert "3" in capsys.readouterr().out.partition("Quarantined")[2].splitlines()[1]
    score(
        run,
        "--data",
        tmp_path / "data.jsonl",
        "--metrics",
        "exact_match",
        "--out",
        out,
        "--no-measures",
    )
    assert {one.metric for one in read_rows(out)} == {"exact_match"}
    capsys.readouterr()
    cutting = SimpleNamespace(
        name="cutting", judge=lambda asked: [True for _ in asked], warnings=("articles were cut",)
    )
    with mock.patch("benchmarks.pubmedrs200.scoring.command.judge_named", return_value=cutting):
        score(
            run,
            "--data",
            tmp_path / "data.jsonl",
            "--metrics",
            "none",
            "--judge",
            "nli:x",
            "--out",
            out,
        )
    assert json.loads((tmp_path / "out.summary.json").read_text())["warnings"] == [
        "articles were cut"
    ]
    assert "score: warning: articles were cut" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        score(run, "--data", tmp_path / "data.jsonl", "--judge", "opnai/gpt-4o", "--out", out)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "opnai" in said
    assert "scores to compute" not in said
    Cell("x", "unrestricted", 1, "1").path(run).write_text('{"cell": 5}')
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        score(run, "--data", tmp_path / "data.jsonl", "--metrics", "none", "--out", out)
    assert ended.value.code != 0
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("python -m benchmarks score: ")
    assert str(run) in said
