"""Material into a report: every table, plot and page of it, as values that the formats write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.pubmedrs200.reporting.answered import answered_table
from benchmarks.pubmedrs200.reporting.cases import cases
from benchmarks.pubmedrs200.reporting.comparisons import comparison_table
from benchmarks.pubmedrs200.reporting.effort import effort_table
from benchmarks.pubmedrs200.reporting.highlights import in_short
from benchmarks.pubmedrs200.reporting.intervals import interval_table
from benchmarks.pubmedrs200.reporting.labels import named
from benchmarks.pubmedrs200.reporting.numbers import counted
from benchmarks.pubmedrs200.reporting.pages import Page, pages
from benchmarks.pubmedrs200.reporting.paper_tables import paper_tables
from benchmarks.pubmedrs200.reporting.plots.boxes import USED, box_plots, nothing_used
from benchmarks.pubmedrs200.reporting.plots.drawing import Plot
from benchmarks.pubmedrs200.reporting.plots.pool import pool_plots
from benchmarks.pubmedrs200.reporting.plots.scatter import scatter_plots
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.resolved_references import looked_up_tables
from benchmarks.pubmedrs200.reporting.shared_questions import (
    shared_questions,
    shared_table,
    texts_of,
)
from benchmarks.pubmedrs200.reporting.splits import split_tables
from benchmarks.pubmedrs200.reporting.support import support_table
from benchmarks.pubmedrs200.reporting.tables import Table
from benchmarks.pubmedrs200.reporting.unanswered import left_open_table
from clinfo.errors import UsageError

TITLE = "PubMedRS-200 benchmark"
TIMES_NOTE = (
    "Seconds differ from run to run and are in separate files, timings.md and timings.csv, if a "
    "run recorded any."
)
NO_PLOTS = "Plots were not requested (--no-plots)."


@dataclass(frozen=True)
class Report:
    """``short`` is what the report shows in a few sentences, ``facts`` what was scored, in pairs of
    name and value, ``remarks`` what is missing or must be known."""

    title: str
    short: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...]
    pages: tuple[Page, ...]


def make(
    material: ReportData, with_plots: bool = True, say: Callable[[str], None] = lambda line: None
) -> Report:
    """The whole report. Without matplotlib the plots are left out and the report says so."""
    tables = (
        support_table(material),
        *looked_up_tables(material),
        *paper_tables(material),
        *shared_table(material),
        effort_table(material),
        *split_tables(material),
        answered_table(material),
        interval_table(material),
        comparison_table(material),
        left_open_table(material),
        cases(material),
    )
    remarks = [*_uneven(material), *material.summary.warnings, *material.missing]
    plots: list[Plot] = []
    if not with_plots:
        remarks.append(NO_PLOTS)
    else:
        try:
            for family in (box_plots, pool_plots, scatter_plots):
                for plot in family(material):
                    say(f"drew {plot.key}")
                    plots.append(plot)
        except UsageError as error:
            remarks.append(f"No plots: {error}")
    if with_plots and plots and not any(plot.key == "pool" for plot in plots):
        remarks.append(
            "No plot of recall against pool size: no run tells its candidates, or no data set was "
            "given."
        )
    if with_plots and plots and not any(plot.key.startswith("cost") for plot in plots):
        idle = all(nothing_used(material, metric) for metric in USED)
        why = (
            "no system is known to have used tokens or dollars"
            if idle
            else "no system that used any has a measure of quality"
        )
        remarks.append(f"No plot of quality against cost: {why}.")
    made = tuple(pages(material))
    shown = {page.anchor for page in made}
    linked = tuple(_linked(table, shown) for table in tables)
    return Report(
        TITLE, in_short(material), _facts(material), tuple(remarks), linked, tuple(plots), made
    )


def _linked(table: Table, anchors: set[str]) -> Table:
    """The table without links that lead nowhere."""
    return replace(
        table,
        groups=tuple(
            replace(
                group,
                rows=tuple(
                    replace(
                        row,
                        cells=tuple(
                            replace(cell, link=cell.link if cell.link in anchors else "")
                            for cell in row.cells
                        ),
                    )
                    for row in group.rows
                ),
            )
            for group in table.groups
        ),
    )


def _uneven(material: ReportData) -> list[str]:
    """Says so where systems stand on different questions, since their means cannot be compared
    then.
    """
    sizes = Counter(material.asked(system.label) for system in texts_of(material))
    if len(sizes) < 2:
        return []
    parts = "; ".join(
        f"{counted(count, 'text')} on {counted(len(ids), 'question')}"
        for ids, count in sorted(sizes.items(), key=lambda item: (-len(item[0]), sorted(item[0])))
    )
    shared = len(shared_questions(material))
    way = (
        f'the table "The same questions" compares them on the {shared} that all share'
        if shared
        else "they share none"
    )
    return [
        (
            f"Not all systems were scored on the same questions ({parts}): means of different "
            f"questions are not comparable; {way}."
        )
    ]


def _questions(listed: Mapping[str, Sequence[str]], where: str) -> str:
    """Return how many answers a list by label is about; the texts of one answer count once."""
    count = len({(named(label).answer, id) for label, ids in listed.items() for id in ids})
    return f"{counted(count, 'answer')} of all systems together, {where}" if count else "none"


def _facts(material: ReportData) -> tuple[tuple[str, str], ...]:
    summary = material.summary
    data = summary.data or {}
    published = sum(system.published for system in material.systems)
    return (
        (
            "Subset",
            (
                f"{summary.subset['name']}, n = {summary.subset['n']}, SHA-256 of the ids "
                f"{summary.subset['sha256']}"
            ),
        ),
        (
            "Data set",
            f"{data.get('name')}, SHA-256 {data.get('sha256')}"
            if data.get("sha256")
            else "not named in the summary",
        ),
        ("Orientation", summary.orientation),
        (
            "Independent judge",
            summary.judge or "none: support under an independent judge is not judged",
        ),
        (
            "Systems",
            (
                f"{counted(len(material.systems), 'row')} in tables, one a text or whole answer; "
                f"{published} of them published and "
                "scored again"
            ),
        ),
        ("Questions with scores", str(len(material.questions))),
        ("Unanswered", _questions(summary.unanswered, "listed below")),
        ("Failed", _questions(summary.failed, "listed below")),
        ("Quarantined", _questions(summary.quarantined, "for a leak, listed below")),
    )
