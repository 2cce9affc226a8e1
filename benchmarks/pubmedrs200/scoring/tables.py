"""A summary as people read it on a terminal or in a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from benchmarks.pubmedrs200.scoring.significance import FEW, Comparison
from benchmarks.pubmedrs200.scoring.summary import Cell, Summary, form, text_of
from clinfo.text.printable import one_line
from clinfo.views.wording import number

Format = Literal["text", "markdown", "json"]
FORMATS: Final[tuple[Format, ...]] = ("text", "markdown", "json")
IDS: Final = 20
"""Ids that are named in a line; of the others it is said how many there are."""
_DIRECTION: Final = {"higher": "higher is better", "lower": "lower is better", "neither": ""}
_COLUMNS: Final = ("system", "mean (sd)", "95 % interval", "n", "answered", "answered only")
_COMPARED: Final = (
    "system",
    "metric",
    "difference",
    "95 % interval",
    "n",
    "p bootstrap",
    "p randomisation",
    "p Holm",
)


def show(summary: Summary, style: Format) -> str:
    """The whole summary: a table of means a metric, what they are of, who left what unanswered, and
    comparisons.
    """
    if style == "json":
        return text_of(form(summary))
    parts = [_about(summary)]
    for name, metric in summary.metrics.items():
        rows = [
            (label, *_cell(by_metric[name]))
            for label, by_metric in summary.systems.items()
            if name in by_metric
        ]
        if not rows:
            continue
        notes = [
            _DIRECTION[metric.spec.better],
            "" if metric.validated is not False else "not validated",
        ]
        heading = f"{name}: {metric.spec.title}" + "".join(f", {note}" for note in notes if note)
        parts.append(_headed(heading, style) + _table(_COLUMNS, rows, style))
    if summary.comparisons:
        baselines = " and ".join(
            dict.fromkeys(comparison.baseline for comparison in summary.comparisons)
        )
        tests = number(len(summary.comparisons), "comparison")
        heading = f"Difference from {baselines}; p Holm is p of the randomisation test for {tests}"
        if any(comparison.n < FEW for comparison in summary.comparisons):
            heading += (
                f"; of fewer than {FEW} questions p of the bootstrap is left out, and the interval "
                "is too narrow"
            )
        parts.append(
            _headed(heading, style)
            + _table(_COMPARED, [_compared(one) for one in summary.comparisons], style)
        )
    for what, listed in (
        ("Unanswered (counted at the metric's floor)", summary.unanswered),
        ("Failed (counted at the metric's floor; run again with --retry-failed)", summary.failed),
        ("Quarantined for leaks (not scored)", summary.quarantined),
        ("No prediction (not scored)", summary.missing),
    ):
        if listed:
            lines = [
                f"{one_line(label)}: {len(ids):,}: {_named(ids)}" for label, ids in listed.items()
            ]
            parts.append(_headed(what, style) + _list(lines, style))
    if summary.warnings:
        parts.append(
            _headed("Warnings", style) + _list([one_line(line) for line in summary.warnings], style)
        )
    signatures = [
        f"{name}: {one_line(metric.signature)}" for name, metric in summary.metrics.items()
    ]
    parts.append(_headed("Signatures", style) + _list(signatures, style))
    return "\n\n".join(parts) + "\n"


def _about(summary: Summary) -> str:
    subset = summary.subset
    said = [
        f"orientation {summary.orientation}",
        f"subset {one_line(subset.name)}, n = {len(subset.ids):,}, {subset.sha256[:12]}",
    ]
    if summary.data:
        said.append(f"data {one_line(summary.data[0])}, {summary.data[1][:12]}")
    if summary.judge:
        said.append(f"judge {one_line(summary.judge)}")
    return "; ".join(said)


def _cell(cell: Cell) -> tuple[str, ...]:
    alone = (
        "—" if cell.answered_mean is None else f"{cell.answered_mean:.3f} ({cell.answered_sd:.3f})"
    )
    interval = f"{cell.low:.3f} to {cell.high:.3f}"
    return (
        f"{cell.mean:.3f} ({cell.sd:.3f})",
        interval,
        f"{cell.n:,}",
        f"{cell.answered:,}",
        alone,
    )


def _compared(one: Comparison) -> tuple[str, ...]:
    interval = f"{one.low:+.3f} to {one.high:+.3f}"
    by_bootstrap = "—" if one.n < FEW else _p(one.p_bootstrap)
    values = (by_bootstrap, _p(one.p_randomisation), _p(one.p_holm))
    return (one.system, one.metric, f"{one.difference:+.3f}", interval, f"{one.n:,}", *values)


def _p(value: float) -> str:
    return f"{value:.4f}"


def _named(ids: Sequence[str]) -> str:
    left = len(ids) - IDS
    return one_line(", ".join(ids[:IDS])) + (f" and {left:,} more" if left > 0 else "")


def _headed(heading: str, style: Format) -> str:
    return (
        f"### {_escaped(one_line(heading))}\n\n"
        if style == "markdown"
        else f"{one_line(heading)}\n"
    )


def _list(lines: Sequence[str], style: Format) -> str:
    return "\n".join(
        f"- {_escaped(line)}" if style == "markdown" else f"  {line}" for line in lines
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], style: Format) -> str:
    """A table whose first column stands left and the others right."""
    texts = [[one_line(cell) for cell in row] for row in (header, *rows)]
    if style == "markdown":
        texts = [[_escaped(cell) for cell in row] for row in texts]
    widths = [max(len(row[column]) for row in texts) for column in range(len(header))]
    aligned = [
        [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        for row in texts
    ]
    if style == "text":
        return "\n".join("  " + "  ".join(row).rstrip() for row in aligned)
    rule = [
        "-" * width if column == 0 else "-" * (width - 1) + ":"
        for column, width in enumerate(widths)
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in (aligned[0], rule, *aligned[1:]))


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join(
        f"\\{character}" if character in "\\|`*_<>[]" else character for character in text
    )
