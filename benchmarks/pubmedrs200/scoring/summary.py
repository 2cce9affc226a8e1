"""Means of scores by system and metric, with everything that a reader needs to know what they are:
the file summary.json, which `report` reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.scoring.statistics import (
    FEW,
    TOO_FEW,
    Comparison,
    deviation,
    intervals,
    mean,
)
from clinfo.errors import UsageError
from clinfo.files import whole_file
from clinfo.text.wording import number, one_line

Orientation = Literal["correct", "published"]


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

    title: str
    low: float | None
    high: float | None
    better: Literal["higher", "lower", "neither"]
    floor: float | None
    signature: str
    validated: bool | None = None

    @classmethod
    def of(cls, spec: MetricSpec, signature: str, validated: bool | None = None) -> Metric:
        return cls(spec.title, spec.low, spec.high, spec.better, spec.floor, signature, validated)


@dataclass(frozen=True)
class Base:
    """The questions that were scored."""

    name: str
    n: int
    sha256: str


@dataclass(frozen=True)
class Summary:
    """The results of `score`. ``systems`` maps label and metric to a cell; ``unanswered``,
    ``failed``, ``quarantined`` and ``missing`` map a label to sorted ids. What failed counts the
    floor like what went unanswered, and is not among it. ``data`` is name and SHA-256 of the data
    set's file; ``warnings`` tell of texts that metrics did not take in whole.
    """

    schema: Literal[1]
    orientation: Orientation
    subset: Base
    data: Mapping[str, str] | None
    metrics: Mapping[str, Metric]
    systems: Mapping[str, Mapping[str, Cell]]
    unanswered: Mapping[str, Sequence[str]]
    failed: Mapping[str, Sequence[str]]
    quarantined: Mapping[str, Sequence[str]]
    missing: Mapping[str, Sequence[str]]
    judge: str | None = None
    comparisons: Sequence[Comparison] = ()
    warnings: Sequence[str] = ()

    @property
    def text(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def write(self, path: Path) -> None:
        """Whole or not at all."""
        with whole_file(path) as file:
            file.write(self.text)


def read_summary(path: Path) -> Summary:
    """Read a summary; UsageError in one line where it is not one."""
    import msgspec

    try:
        return msgspec.json.decode(path.read_bytes(), type=Summary)
    except OSError as error:
        what = f"{path}: {error.strerror or error}; score writes it with --summary"
        raise UsageError(what) from None
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: not a summary of scores ({error})") from None


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
        values = [row.value for row in listed]
        answered = [row.value for row in listed if not row.unanswered]
        alone = (mean(answered), deviation(answered)) if answered else (None, None)
        found.setdefault(system, {})[metric] = Cell(
            len(values), len(answered), mean(values), deviation(values), *interval, *alone
        )
    return found


_DIRECTION = {"higher": ", higher is better", "lower": ", lower is better", "neither": ""}
_COLUMNS = ("system", "mean (sd)", "95 % interval", "n", "answered", "answered only")
_COMPARED = (
    "system", "metric", "difference", "95 % interval", "n", "p bootstrap", "p randomisation",
    "p Holm",
)  # fmt: skip
IDS = 20
"""Ids that are named in a line; of the others it is said how many there are."""


def show(summary: Summary) -> str:
    """The whole summary: a table of means a metric, what they are of, who left what unanswered, and
    comparisons.
    """
    subset = summary.subset
    said = [f"orientation {summary.orientation}"]
    said.append(f"subset {subset.name}, n = {subset.n:,}, {subset.sha256[:12]}")
    if summary.data:
        said.append(f"data {summary.data['name']}, {summary.data['sha256'][:12]}")
    said += [f"judge {summary.judge}"] if summary.judge else []
    parts = [one_line("; ".join(said))]
    for name, metric in summary.metrics.items():
        rows = [(label, *_cell(own[name])) for label, own in summary.systems.items() if name in own]
        doubt = ", not validated" if metric.validated is False else ""
        if rows:
            heading = f"{name}: {metric.title}{_DIRECTION[metric.better]}{doubt}"
            parts.append(_part(heading, _table((_COLUMNS, *rows))))
    if summary.comparisons:
        baselines = " and ".join(dict.fromkeys(one.baseline for one in summary.comparisons))
        tests = number(len(summary.comparisons), "comparison")
        heading = f"Difference from {baselines}; p Holm is p of the randomisation test for {tests}"
        if any(one.n < FEW for one in summary.comparisons):
            heading += (
                f"; of fewer than {FEW} questions p of the bootstrap is left out, and the interval "
                "is too narrow"
            )
        compared = [_compared(one) for one in summary.comparisons]
        parts.append(_part(heading, _table((_COMPARED, *compared))))
    for what, listed in (
        ("Unanswered (counted at the metric's floor)", summary.unanswered),
        ("Failed (counted at the metric's floor; run again with --retry-failed)", summary.failed),
        ("Quarantined for leaks (not scored)", summary.quarantined),
        ("No prediction (not scored)", summary.missing),
    ):
        lines = [f"{label}: {len(ids):,}: {_named(ids)}" for label, ids in listed.items()]
        parts += [_part(what, _list(lines))] if lines else []
    if summary.warnings:
        parts.append(_part("Warnings", _list(summary.warnings)))
    signatures = [f"{name}: {metric.signature}" for name, metric in summary.metrics.items()]
    parts.append(_part("Signatures", _list(signatures)))
    return "\n\n".join(parts) + "\n"


def _cell(cell: Cell) -> tuple[str, ...]:
    alone = "—"
    if cell.answered_mean is not None:
        alone = f"{cell.answered_mean:.3f} ({cell.answered_sd:.3f})"
    counts = (f"{cell.n:,}", f"{cell.answered:,}")
    interval = f"{cell.low:.3f} to {cell.high:.3f}" if cell.n >= FEW else TOO_FEW
    return (f"{cell.mean:.3f} ({cell.sd:.3f})", interval, *counts, alone)


def _compared(one: Comparison) -> tuple[str, ...]:
    interval = f"{one.low:+.3f} to {one.high:+.3f}"
    by_bootstrap = "—" if one.n < FEW else f"{one.p_bootstrap:.4f}"
    values = (by_bootstrap, f"{one.p_randomisation:.4f}", f"{one.p_holm:.4f}")
    return (one.system, one.metric, f"{one.difference:+.3f}", interval, f"{one.n:,}", *values)


def _named(ids: Sequence[str]) -> str:
    left = len(ids) - IDS
    return ", ".join(ids[:IDS]) + (f" and {left:,} more" if left > 0 else "")


def _part(heading: str, body: str) -> str:
    return f"{one_line(heading)}\n{body}"


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"  {one_line(one)}" for one in lines)


def _table(rows: Sequence[Sequence[Any]]) -> str:
    """A table whose first column stands left and the others right."""
    texts = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join(
        "  " + "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in texts
    )  # fmt: skip
