"""Cells and bold type that all tables of metrics share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from benchmarks.pubmedrs200.measures.specs import SPECS as MEASURES
from benchmarks.pubmedrs200.metrics.registry import SPECS
from benchmarks.pubmedrs200.reporting.labels import Named
from benchmarks.pubmedrs200.reporting.numbers import decimals, fixed, with_sd
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.summary import Metric
from benchmarks.pubmedrs200.reporting.tables import (
    NOT_COMPUTED,
    NOT_VALIDATED,
    Cell,
    Column,
    Group,
    Row,
)

NO_VALUE = "no value"
"""A metric that was computed and of which no question has a value; of measures, what answered
nothing has no row at all.
"""

NEURAL = ("bertscore", "ctc_sf", "comet", "ctc_consistency", "unieval_")


def column(material: ReportData, metric: str, title: str = "") -> Column:
    """A metric as a column; ``title`` shortens the one that the metric gives itself."""
    known = material.summary.metrics.get(metric)
    better = (
        known.better
        if known
        else SPECS[metric].better
        if metric in SPECS
        else MEASURES[metric].better
    )
    return Column(metric, title or (known.title if known else metric), better)


def text_title(system: Named, metric: str) -> str:
    """The title of a text, or of the whole answer where the metric is a measure of those."""
    return system.answer_title if metric in MEASURES else system.title


def row_title(system: Named, metric: str) -> str:
    """As `text_title`, for a row under its group."""
    return system.short_answer_title if metric in MEASURES else system.short_title


def places(metric: str, known: Metric | None) -> int:
    """Decimals of a metric's values, ``known`` in the summary or not."""
    if metric == "cost_usd":
        return 4
    if metric == "tokens":
        return 0
    if metric == "comet":  # without bounds, and yet all its values are near those from 0 to 1
        return 3
    bounded = known or SPECS.get(metric)
    return decimals(bounded.low, bounded.high) if bounded else 3


def floor_text(floor: float) -> str:
    """Return what a question left open counts under a metric."""
    return fixed(floor, 0 if floor == int(floor) else 3)


def mean_cell(material: ReportData, label: str, metric: str, answered_only: bool = False) -> Cell:
    """Mean (sd) as the summary has it, with its n where that is less than the row's, or why there
    is none.
    """
    known, statistics = material.summary.metrics.get(metric), material.statistics(label, metric)
    if known is None or statistics is None:
        return Cell(NOT_COMPUTED if known is None or metric not in MEASURES else NO_VALUE)
    mean, sd = (
        (statistics.answered_mean, statistics.answered_sd)
        if answered_only
        else (statistics.mean, statistics.sd)
    )
    if mean is None:
        return Cell(NO_VALUE)
    n, of = (
        (statistics.answered, material.answered(label))
        if answered_only
        else (statistics.n, len(material.asked(label)))
    )
    marks = [
        *([NOT_VALIDATED] if unvalidated(known) else []),
        *([f"n = {n}"] if of is None or n < of else []),
    ]
    return Cell(with_sd(mean, sd, places(metric, known)), mean, sd, "; ".join(marks))


def unvalidated(metric: Metric) -> bool:
    """Return whether a metric rests on a model that has not been checked against the published
    values.
    """
    return metric.validated is False or (
        metric.name.startswith(NEURAL) and metric.validated is not True
    )


def count_cells(material: ReportData, label: str) -> tuple[Cell, Cell]:
    """The questions of a row and how many of them were answered; cells that stand on fewer say so
    themselves.
    """
    asked, answered = len(material.asked(label)), material.answered(label)
    return Cell(str(asked), asked), Cell("not known") if answered is None else Cell(
        str(answered), answered
    )


COUNTS = (Column("n", "n"), Column("answered", "Answered"))


def counted_row(material: ReportData, label: str, title: str, cells: Iterable[Cell]) -> Row:
    """The row of a label: its cells, and those of `COUNTS` behind them."""
    return Row(title, (*cells, *count_cells(material, label)), label)


def with_best(
    groups: Sequence[Group],
    columns: Sequence[Column],
    alike: Callable[[Row, Column], Hashable | None],
) -> tuple[Group, ...]:
    """Set the best cell of each column in bold among rows that are ``alike`` there; rows of None
    compare with nothing.

    What reads the same is bold together, but where all read the same none is best. Nor is a row
    that has nothing to compare with.
    """
    rows = [row for group in groups for row in group.rows]
    best: dict[tuple[int, Hashable], str] = {}
    for place, each in enumerate(columns):
        if each.better == "neither":
            continue
        sign = 1 if each.better == "higher" else -1
        peers: dict[Hashable, list[Cell]] = {}
        for row in rows:
            kind, cell = alike(row, each), row.cells[place]
            if kind is not None and cell.value is not None:
                peers.setdefault(kind, []).append(cell)
        for kind, cells in peers.items():
            if len({_mean_text(cell) for cell in cells}) > 1:
                best[place, kind] = _mean_text(
                    max(cells, key=lambda cell: sign * (cell.value or 0.0))
                )

    def marked(row: Row) -> Row:
        cells = tuple(
            replace(
                cell,
                best=cell.value is not None
                and best.get((place, alike(row, each))) == _mean_text(cell),
            )
            for place, (each, cell) in enumerate(zip(columns, row.cells, strict=True))
        )
        return replace(row, cells=cells)

    return tuple(replace(group, rows=tuple(marked(row) for row in group.rows)) for group in groups)


def _mean_text(cell: Cell) -> str:
    return cell.text.split(" (")[0]


def comparable(
    material: ReportData, systems: Mapping[str, Named]
) -> Callable[[Row, Column], Hashable | None]:
    """Rows that may be compared in a column: one regime, and values of the same questions. Printed
    values compare with nothing.
    """

    def kind(row: Row, column: Column) -> Hashable | None:
        system = systems.get(row.label)
        if row.printed or system is None:
            return None
        return system.colour, frozenset(material.scores.get(row.label, {}).get(column.key, {}))

    return kind


def printed_row(
    material: ReportData, label: str, title: str, metrics: Sequence[str], count: int
) -> Row:
    """A row of values that stand in the published table files."""
    values = material.printed.get(label, {})
    cells = [_printed(values.get(metric), metric, material) for metric in metrics]
    return Row(title + " †", (*cells, *printed_counts(count)), label, printed=True)


def printed_counts(n: int | None) -> tuple[Cell, Cell]:
    """As `count_cells` for values that others published, who do not tell how many questions were
    left open.
    """
    return Cell("not known") if n is None else Cell(str(n), n), Cell("not known")


def _printed(value: tuple[float, float | None] | None, metric: str, material: ReportData) -> Cell:
    if value is None:
        return Cell("not published")
    return Cell(
        with_sd(value[0], value[1], places(metric, material.summary.metrics.get(metric))),
        value[0],
        value[1],
    )
