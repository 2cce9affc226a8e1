"""What plots leave out, and that no point hides another."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.own.scores import ScoreRow, write_rows
from benchmarks.pubmedrs200.reporting import plots
from benchmarks.pubmedrs200.reporting.command import make
from benchmarks.pubmedrs200.reporting.material import Inputs, ReportData, gather
from benchmarks.pubmedrs200.reporting.plots import box_plots, curves, scatter_plots
from tests.benchmarks.pubmedrs200.reporting.conftest import Made
from tests.benchmarks.pubmedrs200.reporting.scored import IDS, METRICS, summary

DOLLARS = {"title": "US dollars", "low": 0, "high": None, "better": "lower", "floor": None}


def material(folder: Path, dollars: float, tokens: float) -> ReportData:
    """Two systems that have everything in common, their cost too."""
    made = []
    for name in ("one", "two"):
        for id in ("31000001", "31000002"):
            made.append(ScoreRow(id, f"{name}:restricted:synthesis", "rouge_l", 0.5))
            made.append(ScoreRow(id, f"{name}:restricted", "cost_usd", dollars))
            made.append(ScoreRow(id, f"{name}:restricted", "tokens", tokens))
    form = summary(made) | {"unanswered": {}, "quarantined": {}, "comparisons": []}
    form["metrics"] = {
        "rouge_l": METRICS["rouge_l"],
        "tokens": METRICS["tokens"],
        "cost_usd": DOLLARS,
    }
    write_rows(folder / "scores.jsonl", made)
    (folder / "scores.summary.json").write_text(json.dumps(form))
    return gather(Inputs(folder / "scores.jsonl", folder / "scores.summary.json"))


def test_what_nobody_used_is_not_drawn(tmp_path: Path) -> None:
    free = material(tmp_path, dollars=0.0, tokens=40.0)
    assert [plot.key for plot in box_plots(free)] == ["boxes-rouge-l", "boxes-tokens"]
    assert [plot.key for plot in scatter_plots(free)] == ["cost-tokens"]


def test_a_report_without_a_plot_of_cost_says_why(tmp_path: Path) -> None:
    remarks = make(material(tmp_path, dollars=0.0, tokens=0.0)).remarks
    assert (
        "No plot of quality against cost: no system is known to have used tokens or dollars."
        in remarks
    )


def test_no_axis_of_dollars_begins_below_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []
    whole = plots.finished

    def watched(key, title, alt, drawn):  # type: ignore[no-untyped-def]
        (axes,) = drawn.axes
        drawn.canvas.draw()
        at = [
            tuple(line.get_transform().transform((line.get_xdata()[0], line.get_ydata()[0])))
            for line in axes.lines
        ]
        limits.append((axes.get_xlim(), at))
        return whole(key, title, alt, drawn)

    monkeypatch.setattr(plots, "finished", watched)
    drawn = list(scatter_plots(material(tmp_path, dollars=0.0001, tokens=40.0)))
    assert [plot.key for plot in drawn] == ["cost-cost-usd", "cost-tokens"]
    assert all("drawn side by side" in plot.alt for plot in drawn)
    for (low, high), (first, second) in limits:
        assert low == 0 < high
        assert second[0] - first[0] == pytest.approx(
            8 / 72 * 100
        )  # a marker of 8 points at 100 dots an inch
        assert second[1] == pytest.approx(first[1])


def test_pages_count_in_singular_and_plural(made) -> None:  # type: ignore[no-untyped-def]
    page = (made.report / "report.html").read_text(encoding="utf-8")
    assert "<summary>1 reference</summary>" in page
    assert "<summary>1 query</summary>" in page
    assert ">1 references<" not in page
    assert ">1 queries<" not in page


def words(path: Path) -> str:
    return " ".join(
        " ".join(ElementTree.fromstring(path.read_text(encoding="utf-8")).itertext()).split()
    )


def test_plots_say_by_themselves_what_they_stand_on(made: Made) -> None:
    folder = made.report / "plots"
    boxes = words(folder / "boxes-rouge-l.svg")
    assert "Subset all; orientation correct." in boxes
    assert "A question left open counts 0." in boxes
    assert boxes.count("10 of 12") == 1, "one, restricted search, answered ten of twelve"
    assert boxes.count("9 of 11") == 1
    assert boxes.count("n = 12") == 4
    assert "A question left open counts 1." in words(folder / "boxes-character.svg")
    support = words(folder / "boxes-sentences-supported-own.svg")
    assert "orientation" not in support
    assert "left open" not in support
    assert "not validated" in words(folder / "boxes-bertscore.svg")
    assert "one, restricted search (n = 11)" in words(folder / "pool.svg"), (
        "one review lists no references"
    )
    assert "one, restricted search (10 of 12 answered)" in words(folder / "support-overlap.svg")


def test_a_measure_of_whole_answers_is_drawn_under_their_name(tmp_path: Path) -> None:
    rows = [
        ScoreRow(id, "clinfo_pubmed", "retrieval_recall", 0.5) for id in ("31000001", "31000002")
    ]
    form = summary(rows) | {
        "unanswered": {},
        "quarantined": {},
        "comparisons": [],
        "metrics": METRICS,
    }
    write_rows(tmp_path / "scores.jsonl", rows)
    (tmp_path / "scores.summary.json").write_text(json.dumps(form))
    (plot,) = box_plots(gather(Inputs(tmp_path / "scores.jsonl", tmp_path / "scores.summary.json")))
    assert "Clinfo.ai, unrestricted search 0.500" in plot.alt
    assert "TL;DR" not in plot.svg


def test_support_is_drawn_over_its_whole_range(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []
    whole = plots.finished

    def watched(key, title, alt, drawn):  # type: ignore[no-untyped-def]
        limits.append((key, drawn.axes[0].get_ylim(), drawn.axes[0].get_xlim()[0]))
        return whole(key, title, alt, drawn)

    monkeypatch.setattr(plots, "finished", watched)
    list(
        scatter_plots(
            gather(
                Inputs(
                    made.scores, made.scores.with_suffix(".summary.json"), (made.run,), made.data
                )
            )
        )
    )
    assert {key: (y, x) for key, y, x in limits} == {
        "cost-tokens": ((0, 1), 0),
        "support-overlap": ((0, 1), 0),
    }


def test_the_curve_of_the_pool_is_of_the_questions_scored(made: Made) -> None:
    whole = gather(
        Inputs(made.scores, made.scores.with_suffix(".summary.json"), (made.run,), made.data)
    )
    few = set(IDS[5:9])
    scores = {
        label: {
            metric: {id: row for id, row in rows.items() if id in few}
            for metric, rows in metrics.items()
        }
        for label, metrics in whole.scores.items()
    }
    assert {curve.n for curve in curves(replace(whole, scores=scores))} == {4}
