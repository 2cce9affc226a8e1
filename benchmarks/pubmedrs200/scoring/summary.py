"""Means of scores by system and metric, with everything that a reader needs to know what they are:
the file summary.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.scoring.intervals import Interval, deviation, intervals, mean
from benchmarks.pubmedrs200.scoring.orientation import Orientation
from benchmarks.pubmedrs200.scoring.significance import Comparison
from clinfo.files import whole_file
from pubmedrs.records import Subset


@dataclass(frozen=True)
class Cell:
    """The scores of one system under one metric.

    ``mean``, ``sd`` (ddof 0) and the 95 % bootstrap interval are over all ``n`` values, with the
    floor for unanswered questions; ``answered_mean`` and ``answered_sd`` over the ``answered``
    others, None where there are none.
    """

    n: int
    answered: int
    mean: float
    sd: float
    low: float
    high: float
    answered_mean: float | None
    answered_sd: float | None


@dataclass(frozen=True)
class Metric:
    """A metric as it was used; ``validated`` is None for metrics that need no model weights."""

    spec: MetricSpec
    signature: str
    validated: bool | None = None


@dataclass(frozen=True)
class Summary:
    """The results of `score`. ``systems`` maps label and metric to a cell; ``unanswered``,
    ``failed``, ``quarantined`` and ``missing`` map a label to sorted ids. What failed counts the
    floor like what went unanswered, and is not among it. ``data`` is the (name, SHA-256) of the
    data set file; ``warnings`` tell of texts that metrics did not take in whole.
    """

    orientation: Orientation
    subset: Subset
    data: tuple[str, str] | None
    metrics: Mapping[str, Metric]
    systems: Mapping[str, Mapping[str, Cell]]
    unanswered: Mapping[str, Sequence[str]]
    failed: Mapping[str, Sequence[str]]
    quarantined: Mapping[str, Sequence[str]]
    missing: Mapping[str, Sequence[str]]
    judge: str | None = None
    comparisons: Sequence[Comparison] = ()
    warnings: Sequence[str] = ()


def cells(rows: Iterable[ScoreRow]) -> dict[str, dict[str, Cell]]:
    """Cells by system and metric, in the order in which the rows name them. The same questions are
    resampled for all of them.
    """
    by_cell: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in rows:
        by_cell.setdefault((row.system, row.metric), []).append(row)
    found: dict[str, dict[str, Cell]] = {}
    bounds = intervals({row.id: row.value for row in listed} for listed in by_cell.values())
    for ((system, metric), listed), interval in zip(by_cell.items(), bounds, strict=True):
        found.setdefault(system, {})[metric] = _cell(listed, interval)
    return found


def _cell(rows: Sequence[ScoreRow], interval: Interval) -> Cell:
    listed = list({row.id: row.value for row in rows}.values())
    answered = [row.value for row in rows if not row.unanswered]
    return Cell(
        len(listed), len(answered), mean(listed), deviation(listed), interval.low, interval.high,
        mean(answered) if answered else None, deviation(answered) if answered else None,
    )  # fmt: skip


def form(summary: Summary) -> dict[str, Any]:
    """The JSON form of a summary, as `report` reads it."""
    return {
        "schema": 1,
        "orientation": summary.orientation,
        "subset": {
            "name": summary.subset.name,
            "n": len(summary.subset.ids),
            "sha256": summary.subset.sha256,
        },
        "data": {"sha256": summary.data[1], "name": summary.data[0]} if summary.data else None,
        "metrics": {name: _metric_form(metric) for name, metric in summary.metrics.items()},
        "systems": {
            label: {metric: asdict(cell) for metric, cell in by_metric.items()}
            for label, by_metric in summary.systems.items()
        },
        "unanswered": {label: list(ids) for label, ids in summary.unanswered.items()},
        "failed": {label: list(ids) for label, ids in summary.failed.items()},
        "quarantined": {label: list(ids) for label, ids in summary.quarantined.items()},
        "missing": {label: list(ids) for label, ids in summary.missing.items()},
        "judge": summary.judge,
        "comparisons": [asdict(comparison) for comparison in summary.comparisons],
        "warnings": list(summary.warnings),
    }


def _metric_form(metric: Metric) -> dict[str, Any]:
    spec = metric.spec
    return {
        "title": spec.title,
        "low": spec.low,
        "high": spec.high,
        "better": spec.better,
        "floor": spec.floor,
        "signature": metric.signature,
        "validated": metric.validated,
    }


def text_of(form: Mapping[str, Any]) -> str:
    """A form as it stands in a file."""
    return json.dumps(form, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write(path: Path, form: Mapping[str, Any]) -> None:
    """Write a form, whole or not at all."""
    with whole_file(path) as file:
        file.write(text_of(form))
