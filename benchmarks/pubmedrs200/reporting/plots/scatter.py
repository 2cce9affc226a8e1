"""One mean against another, a point a system: quality against cost, support against overlap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.pubmedrs200.reporting.cells import floor_text, places
from benchmarks.pubmedrs200.reporting.labels import Named
from benchmarks.pubmedrs200.reporting.numbers import fixed
from benchmarks.pubmedrs200.reporting.plots.boxes import USED, nothing_used, shortened
from benchmarks.pubmedrs200.reporting.plots.drawing import (
    COLOURS,
    INK,
    MARKERS,
    Plot,
    figure,
    finished,
    titled,
)
from benchmarks.pubmedrs200.reporting.printable import one_line
from benchmarks.pubmedrs200.reporting.report_data import OF_ALL, ReportData

SUPPORT: Final = ("sentences_supported", "sentences_supported_own")
OVERLAP: Final = ("rouge_l", "meteor", "chrf")
_SIZE: Final = 8.0
"""Of a marker, in points."""
_CLOSE: Final = 0.015
"""Share of the drawn range within which one marker hides another."""


@dataclass(frozen=True)
class Point:
    """A whole answer's means of two metrics."""

    system: Named
    x: float
    y: float


def scatter_plots(material: ReportData) -> Iterator[Plot]:
    """Quality against dollars and against tokens, and support against overlap, each where two
    metrics are known of a system.
    """
    known = material.summary.metrics
    quality = next((metric for metric in (*SUPPORT, *OVERLAP) if metric in known), None)
    for cost in ("cost_usd", "tokens"):
        if nothing_used(material, cost):
            continue
        if quality and (
            plot := _plot(
                material, f"cost-{cost.replace('_', '-')}", "Quality against cost", cost, quality
            )
        ):
            yield plot
    support = next((metric for metric in SUPPORT if metric in known), None)
    overlap = next((metric for metric in OVERLAP if metric in known), None)
    if (
        support
        and overlap
        and (
            plot := _plot(material, "support-overlap", "Support against overlap", overlap, support)
        )
    ):
        yield plot


def points(material: ReportData, x: str, y: str) -> list[Point]:
    """Every whole answer that has both means; text metrics are those of the text of both outputs,
    else of the synthesis.
    """
    answers: dict[str, Named] = {}
    for system in material.systems:
        answers.setdefault(system.answer, system)
    found = []
    for label, system in answers.items():
        across, up = _mean(material, label, x), _mean(material, label, y)
        if across is not None and up is not None:
            found.append(Point(system, across, up))
    return found


def beside(found: list[Point]) -> list[int]:
    """Return how many widths of a marker to the right each point is drawn, so that points that
    would hide one another stand in a row.
    """
    across, up = (
        max(values) - min(values) or 1.0
        for values in ([each.x for each in found], [each.y for each in found])
    )
    shifts: list[int] = []
    for place, point in enumerate(found):
        taken = {
            shifts[other]
            for other in range(place)
            if abs(found[other].x - point.x) / across < _CLOSE
            and abs(found[other].y - point.y) / up < _CLOSE
        }
        shifts.append(next(step for step in range(place + 1) if step not in taken))
    return shifts


def _mean(material: ReportData, answer: str, metric: str) -> float | None:
    texts = {system.output: system.label for system in material.systems if system.answer == answer}
    for output in ("", "both", "synthesis"):
        if (
            output in texts
            and (found := material.statistics(texts[output], metric))
            and found.mean is not None
        ):
            return found.mean
    return None


def _plot(material: ReportData, key: str, title: str, x: str, y: str) -> Plot | None:
    found = points(material, x, y)
    if not found:
        return None
    across, up = material.summary.metrics[x].title, material.summary.metrics[y].title
    shifts = beside(found)
    with figure(8.0, 4.8) as (drawn, axes):
        from matplotlib.transforms import ScaledTranslation

        for place, point in enumerate(found):
            axes.plot(
                [point.x],
                [point.y],
                MARKERS[place % len(MARKERS)],
                color=COLOURS[point.system.colour],
                markeredgecolor=INK,
                markeredgewidth=0.7,
                markersize=_SIZE,
                clip_on=False,
                label=f"{shortened(point.system.answer_title)}{_count(material, point.system)}",
            )
        axes.set_xlabel(f"mean {one_line(across)} a question")
        axes.set_ylabel(f"mean {one_line(up)}")
        axes.margins(0.1)
        axes.autoscale_view()
        if x in USED or material.summary.metrics[x].low == 0:
            axes.set_xlim(left=0)
        if y in SUPPORT:
            axes.set_ylim(0, 1)  # whole, so that small differences do not look like large ones
        for line, shift in zip(axes.lines, shifts, strict=True):
            line.set_transform(
                axes.transData + ScaledTranslation(shift * _SIZE / 72, 0, drawn.dpi_scale_trans)
            )
        axes.figure.legend(
            loc="outside lower center", ncols=2, **titled(_standing(material, (y, x)))
        )
        return finished(
            key, f"{title}: {up} against {across}", _words(material, found, x, y), drawn
        )


def _count(material: ReportData, system: Named) -> str:
    answered, asked = material.answered(system.label), len(material.asked(system.label))
    return "" if answered is None else f" ({answered} of {asked} answered)"


def _standing(material: ReportData, metrics: tuple[str, ...]) -> str:
    """Return what the means stand on, for a plot that is taken out of the report."""
    parts = [f"Subset {one_line(material.summary.subset['name'])}"]
    for metric in metrics:
        known = material.summary.metrics[metric]
        if metric in OF_ALL:
            parts.append(f"{known.title}: where known")
        elif known.floor is None:
            parts.append(f"{known.title}: of answered questions alone")
        else:
            floor = floor_text(known.floor)
            parts.append(
                f"{known.title}: one left open counts {floor}, orientation "
                f"{material.summary.orientation}"
            )
    return one_line("; ".join(parts) + ".")


def _words(material: ReportData, found: list[Point], x: str, y: str) -> str:
    known = material.summary.metrics
    parts = [
        (
            f"{one_line(point.system.answer_title)}{_count(material, point.system)} "
            f"{fixed(point.x, places(x, known[x]))} and "
            f"{fixed(point.y, places(y, known[y]))}"
        )
        for point in found
    ]
    return (
        (
            f"Mean {known[x].title} (across) and mean {known[y].title} (up), a point a system; "
            "systems without both are left out. "
            f"{_standing(material, (y, x))} "
        )
        + "; ".join(parts)
        + "."
        + (
            " Points that would hide one another are drawn side by side, the first in its place."
            if any(beside(found))
            else ""
        )
    )
