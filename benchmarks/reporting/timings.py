"""Seconds, which differ from run to run, in files of their own: timings.md and timings.csv."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

from benchmarks.reporting.labels import ordered
from benchmarks.reporting.numbers import fixed, mean, quantile
from benchmarks.reporting.tables import Cell, Column, Row, Table, grouped
from benchmarks.scores import label as label_of

FILE = "timings.jsonl"


def timings(runs: Sequence[Path]) -> Table | None:
    """Seconds a question by whole answer, from the runs' own files; None where no run tells any. Lines cut off by a crash are
    left out; of a cell that was begun more than once the last counts."""
    seconds: dict[str, dict[str, float]] = {}
    for run in runs:
        path = run / FILE
        if not path.is_file():
            continue
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                form = json.loads(line)
                label = label_of(form["system"], form["regime"], repeat=int(form["repeat"]))
                value = float(form["seconds"])
            except (ValueError, KeyError, TypeError):
                continue
            if math.isfinite(value):
                seconds.setdefault(label, {})[str(form["id"])] = value
    if not seconds:
        return None
    rows = [
        (system.group, _row(system.short_answer_title, system.label, list(seconds[system.label].values())))
        for system in ordered(seconds)
    ]
    titles = {"mean": "Mean", "median": "Median", "p95": "95th percentile", "longest": "Longest", "n": "n"}
    return Table(
        "timings",
        "Seconds a question",
        "Wall time of a question in seconds, waits for the other questions of the run included.",
        "System",
        tuple(Column(key, title) for key, title in titles.items()),
        grouped(rows),
        ("These figures differ from run to run, and stand in no other file of the report.",),
    )


def _row(title: str, label: str, values: list[float]) -> Row:
    figures = (mean(values), quantile(values, 0.5), quantile(values, 0.95), max(values))
    return Row(title, (*(Cell(fixed(value, 2), value) for value in figures), Cell(str(len(values)), len(values))), label)
