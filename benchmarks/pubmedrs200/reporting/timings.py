"""Seconds, which differ from run to run, in files of their own: timings.md and timings.csv."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.own.scores import label as label_of
from benchmarks.pubmedrs200.reporting.gathering import read_scores
from benchmarks.pubmedrs200.reporting.labels import ordered
from benchmarks.pubmedrs200.reporting.numbers import fixed, mean, quantile
from benchmarks.pubmedrs200.reporting.tables import Cell, Column, Row, Table, grouped
from benchmarks.pubmedrs200.running.timings import seconds_of
from benchmarks.pubmedrs200.scoring.outputs import Outputs


def timings(runs: Sequence[Path], scores: Path) -> Table | None:
    """Seconds a question by whole answer: from the runs' own files, else what ``score`` left beside
    its rows, else None.

    Lines cut off by a crash are left out; of a cell that was begun more than once the last counts.
    """
    seconds = _of_runs(runs) or _of_scores(Outputs.named(scores).times)
    if not seconds:
        return None
    rows = [
        (
            system.group,
            _row(system.short_answer_title, system.label, list(seconds[system.label].values())),
        )
        for system in ordered(seconds)
    ]
    titles = {
        "mean": "Mean",
        "median": "Median",
        "p95": "95th percentile",
        "longest": "Longest",
        "n": "n",
    }
    return Table(
        "timings",
        "Seconds a question",
        "Wall time of a question in seconds, waits for the other questions of the run included.",
        "System",
        tuple(Column(key, title) for key, title in titles.items()),
        grouped(rows),
        ("These figures differ from run to run and are in no other file of the report.",),
    )


def _of_scores(path: Path) -> dict[str, dict[str, float]]:
    if not path.is_file():
        return {}
    seconds: dict[str, dict[str, float]] = {}
    for row in read_scores(path):
        seconds.setdefault(row.system, {})[row.id] = row.value
    return seconds


def _of_runs(runs: Sequence[Path]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for run in runs:
        for cell, seconds in seconds_of(run).items():
            found.setdefault(label_of(cell.system, cell.regime, repeat=cell.repeat), {})[
                cell.id
            ] = seconds
    return found


def _row(title: str, label: str, values: list[float]) -> Row:
    figures = (mean(values), quantile(values, 0.5), quantile(values, 0.95), max(values))
    return Row(
        title,
        (*(Cell(fixed(value, 2), value) for value in figures), Cell(str(len(values)), len(values))),
        label,
    )
