"""The spread of each metric over the questions, a box a system, as Figure 6 of the paper has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks.pubmedrs200.measures.specs import SPECS as MEASURES
from benchmarks.pubmedrs200.reporting.cells import floor_text, places, text_title, unvalidated
from benchmarks.pubmedrs200.reporting.labels import Named
from benchmarks.pubmedrs200.reporting.numbers import fixed, quantile
from benchmarks.pubmedrs200.reporting.plots.drawing import (
    COLOURS,
    GRID,
    INK,
    Plot,
    figure,
    finished,
    titled,
)
from benchmarks.pubmedrs200.reporting.printable import one_line
from benchmarks.pubmedrs200.reporting.report_data import OF_ALL, TIMES, ReportData

_YES_OR_NO: Final = {"exact_match", "source_included", "abstained"}
"""Metrics of 0 or 1, whose boxes would say nothing."""
USED: Final = ("tokens", "cost_usd")
"""Amounts that an answer used up; never below 0, and nothing to draw where nobody used any."""


def nothing_used(material: ReportData, metric: str) -> bool:
    """Return whether every value of a measure is 0."""
    return not any(
        value for system in material.systems for value in material.values(system.label, metric)
    )


def box_plots(material: ReportData) -> Iterator[Plot]:
    """One plot a metric that at least one system has values of."""
    for metric in material.summary.metrics:
        if metric == TIMES or metric in _YES_OR_NO:
            continue
        systems = [system for system in material.systems if material.values(system.label, metric)]
        if systems and not (metric in USED and nothing_used(material, metric)):
            yield _boxes(material, metric, systems)


def _boxes(material: ReportData, metric: str, systems: list[Named]) -> Plot:
    known = material.summary.metrics[metric]
    values = [material.values(system.label, metric) for system in systems]
    with figure(8.0, 1.1 + 0.27 * len(systems)) as (drawn, axes):
        drawing = axes.boxplot(
            values,
            orientation="horizontal",
            patch_artist=True,
            widths=0.62,
            showmeans=True,
            tick_labels=[shortened(text_title(system, metric)) for system in systems],
            flierprops={
                "marker": "o",
                "markersize": 2.2,
                "markeredgecolor": INK,
                "markeredgewidth": 0.4,
                "markerfacecolor": "none",
            },
            meanprops={
                "marker": "D",
                "markersize": 3.4,
                "markerfacecolor": "white",
                "markeredgecolor": INK,
                "markeredgewidth": 0.8,
            },
            medianprops={"color": INK, "linewidth": 1.4},
            boxprops={"edgecolor": INK, "linewidth": 0.8},
            whiskerprops={"color": INK, "linewidth": 0.8},
            capprops={"color": INK, "linewidth": 0.8},
        )
        for box, system in zip(drawing["boxes"], systems, strict=True):
            box.set_facecolor(COLOURS[system.colour])
            if not system.published:
                box.set_hatch("////")
        axes.invert_yaxis()
        if metric in USED:
            axes.set_xlim(left=0)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        direction = "" if known.better == "neither" else f" ({known.better} is better)"
        axes.set_xlabel(one_line(known.title) + direction)
        counts = [_count(material, system.label, metric) for system in systems]
        for place, count in enumerate(counts, 1):
            axes.text(
                1.01, place, count, transform=axes.get_yaxis_transform(), va="center", fontsize=7.5
            )
        _legend(
            axes, systems, _standing(material, metric, any(" of " in count for count in counts))
        )
        return finished(
            f"boxes-{_key(metric)}",
            f"Distribution of {known.title}",
            _words(known.title, systems, values, metric, material),
            drawn,
        )


def _count(material: ReportData, label: str, metric: str) -> str:
    """The questions that a box stands on, and how many of them were answered where not all were."""
    found = material.statistics(label, metric)
    if found is None or metric in OF_ALL or found.answered == found.n:
        return f"n = {len(material.values(label, metric))}"
    return f"{found.answered} of {found.n}"


def _standing(material: ReportData, metric: str, some_open: bool) -> str:
    """Return what a plot that is taken out of the report must still say."""
    known = material.summary.metrics[metric]
    parts = [f"Subset {one_line(material.summary.subset['name'])}"]
    parts += [f"orientation {material.summary.orientation}"] if metric not in MEASURES else []
    parts += ["not validated"] if unvalidated(known) else []
    text = (
        "; ".join(parts)
        + ". On the right: "
        + ("answered of all questions, n where all were." if some_open else "questions.")
    )
    if some_open and known.floor is not None:
        text += f" A question left open counts {floor_text(known.floor)}."
    return text


def _legend(axes, systems: list[Named], standing: str) -> None:  # type: ignore[no-untyped-def]  # matplotlib is imported late
    from matplotlib.patches import Patch

    used = [colour for colour in COLOURS if any(system.colour == colour for system in systems)]
    handles = [Patch(facecolor=COLOURS[colour], edgecolor=INK, label=colour) for colour in used]
    if any(not system.published for system in systems) and any(
        system.published for system in systems
    ):
        handles.append(Patch(facecolor=GRID, edgecolor=INK, hatch="////", label="ours"))
    axes.figure.legend(handles=handles, loc="outside lower center", ncols=3, **titled(standing))


def _key(metric: str) -> str:
    return "".join(
        character if character.isascii() and character.isalnum() else "-" for character in metric
    )


def shortened(title: str, most: int = 52) -> str:
    """A title that fits beside a plot."""
    line = one_line(title)
    return line if len(line) <= most else line[: most - 1] + "…"


def _words(
    title: str, systems: list[Named], values: list[list[float]], metric: str, material: ReportData
) -> str:
    shown = places(metric, material.summary.metrics[metric])
    counts = [_count(material, system.label, metric) for system in systems]
    parts = [
        (
            f"{one_line(text_title(system, metric))} {fixed(quantile(column, 0.5), shown)} "
            f"({fixed(quantile(column, 0.25), shown)} to {fixed(quantile(column, 0.75), shown)}; "
            f"{count})"
        )
        for system, column, count in zip(systems, values, counts, strict=True)
    ]
    return (
        (
            f"Box plot of {title} over the questions, one box a system: median (quartiles); "
            "whiskers reach to 1.5 times the distance "
            "of the quartiles, diamonds are means. "
            f"{_standing(material, metric, any(' of ' in count for count in counts))} "
        )
        + "; ".join(parts)
        + "."
    )
