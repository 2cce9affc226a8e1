"""Cells, notes and bold type that tables of metrics share, and the tables of whole answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from benchmarks.pubmedrs200.measures.measuring import SPECS as MEASURES
from benchmarks.pubmedrs200.metrics.registry import SPECS
from benchmarks.pubmedrs200.reporting.labels import Named
from benchmarks.pubmedrs200.reporting.material import OF_ALL, ReportData
from benchmarks.pubmedrs200.reporting.tables import (
    NOT_COMPUTED,
    NOT_VALIDATED,
    Cell,
    Column,
    Group,
    Row,
    Table,
    counted,
    decimals,
    fixed,
    grouped,
    with_sd,
)
from benchmarks.pubmedrs200.scoring.statistics import FEW, TOO_FEW
from benchmarks.pubmedrs200.scoring.summary import Metric

NOT_JUDGED = "not judged"
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


def mean_cell(material: ReportData, label: str, metric: str) -> Cell:
    """Mean (sd) as the summary has it, with its n where that is less than the row's, or why there
    is none.
    """
    known, statistics = material.summary.metrics.get(metric), material.statistics(label, metric)
    if known is None or statistics is None:
        return Cell(NOT_COMPUTED if known is None or metric not in MEASURES else NO_VALUE)
    marks = [
        *([NOT_VALIDATED] if unvalidated(metric, known) else []),
        *([f"n = {statistics.n}"] if statistics.n < len(material.asked(label)) else []),
        *([TOO_FEW] if statistics.n < FEW else []),
    ]
    mean, sd = statistics.mean, statistics.sd
    return Cell(with_sd(mean, sd, places(metric, known)), mean, sd, "; ".join(marks))


def unvalidated(name: str, metric: Metric) -> bool:
    """Return whether a metric rests on a model that has not been checked against the published
    values.
    """
    return metric.validated is False or (name.startswith(NEURAL) and metric.validated is not True)


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
            if kind is not None and cell.value is not None and TOO_FEW not in cell.mark:
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


NO_ORIENTATION = (
    "Orientation: does not matter here, since no text is compared with the human answer."
)


def bold_note(groups: Sequence[Group]) -> tuple[str, ...]:
    """Return what bold type means; () where nothing is bold."""
    if not any(cell.best for group in groups for row in group.rows for cell in row.cells):
        return ()
    return (
        "Bold: best of its column among systems under the same regime with values of the same "
        "questions.",
    )


def notes(
    material: ReportData, metrics: Sequence[str], *, orientation: bool = True
) -> tuple[str, ...]:
    """Return what stands under every table of metrics."""
    summary = material.summary
    lines = [orientation_note(material) if orientation else NO_ORIENTATION, base_note(material)]
    lines.append(unanswered_note(material, metrics))
    lines += signature_note(material, metrics)
    absent = [metric for metric in metrics if metric not in summary.metrics]
    if absent:
        neural = [metric for metric in absent if metric.startswith(NEURAL)]
        extra = ' Neural ones need model weights and the extra "neural".' if neural else ""
        lines.append(f"Not computed in this scoring: {', '.join(absent)}.{extra}")
    if any(
        unvalidated(metric, summary.metrics[metric])
        for metric in metrics
        if metric in summary.metrics
    ):
        lines.append(
            "Not validated: computed, but the model used has not been checked against the "
            "published values."
        )
    return tuple(lines)


def signature_note(material: ReportData, metrics: Sequence[str]) -> tuple[str, ...]:
    """Versions and settings of those of the metrics that were computed; () where none was."""
    known = [
        material.summary.metrics[metric] for metric in metrics if metric in material.summary.metrics
    ]
    signatures = [f"{metric.title}: {metric.signature or 'no signature given'}" for metric in known]
    return ("Signatures: " + "; ".join(signatures) + ".",) if signatures else ()


def source_note(material: ReportData) -> tuple[str, ...]:
    """Return how often the review that the reference answer was written from was itself among what
    systems used; () where nobody tells.
    """
    found = [
        f"{system.answer_title} {statistics.mean:.0%} of {counted(statistics.n, 'question')}"
        for system in material.systems
        if (statistics := material.statistics(system.label, "source_included")) is not None
        and statistics.mean
    ]
    if not found:
        return ()
    return (
        "Unrestricted search permits the source review itself, and its words count towards overlap "
        "with the reference answer, "
        "which was written from it. It was among the articles judged relevant (cited, where a "
        "system tells no judgements) for: "
        f"{'; '.join(found)}.",
    )


def orientation_note(material: ReportData) -> str:
    """Return how prediction and reference were given to the text metrics."""
    if material.summary.orientation == "correct":
        return (
            "Orientation: correct (the system's text is the prediction, the human answer the "
            "reference)."
        )
    return (
        "Orientation: published (roles swapped as in the published scores: the human answer is the "
        "prediction)."
    )


def base_note(material: ReportData, means: bool = True) -> str:
    """The questions that were scored, and how ``means`` are written where a table has some."""
    subset = material.summary.subset
    data = material.summary.data or {}
    origin = (
        f"; data set {data.get('name')}, SHA-256 {str(data.get('sha256'))[:12]}"
        if data.get("sha256")
        else ""
    )
    cells = " Cells: mean (sd, ddof 0)." if means else ""
    return (
        f"Subset {subset.name}: n = {subset.n}, SHA-256 of the ids "
        f"{subset.sha256[:12]}{origin}.{cells}"
    )


def unanswered_note(material: ReportData, metrics: Sequence[str]) -> str:
    """Return what a question without an answer counts."""
    known = material.summary.metrics
    floors: dict[str, list[str]] = {}
    for name in (name for name in metrics if name in known):
        metric = known[name]
        if name in OF_ALL:
            worth = "as any other under"
        elif metric.floor is None:
            worth = "not at all, being left out, under"
        else:
            worth = f"{floor_text(metric.floor)} under"
        floors.setdefault(worth, []).append(metric.title)
    each = "; ".join(f"{worth} {', '.join(titles)}" for worth, titles in floors.items())
    return (
        "A question left unanswered (an empty text) counts "
        f"{each or 'the metric’s floor, or is left out where there is none'}."
    )


Filled = Callable[[ReportData, str, str], Cell]
"""The cell of a label and a metric."""

Alike = Callable[[ReportData, Mapping[str, Named]], Callable[[Row, Column], Hashable | None]]
"""The rows of these systems that may be compared in a column, as `comparable` has it."""


def metric_table(
    material: ReportData,
    key: str,
    title: str,
    caption: str,
    metrics: Mapping[str, str],
    systems: Sequence[Named],
    *,
    cell: Filled = mean_cell,
    alike: Alike = comparable,
    texts: bool = False,
    under: Sequence[str] = (),
    printed: Sequence[Group] = (),
) -> Table:
    """A row a system, a text of it where the table is one of ``texts``, and a column each of the
    metrics (by name, with the column's title). ``printed`` are rows of values that others
    published, ``under`` the notes that are the table's own.
    """
    columns = tuple(column(material, metric, short) for metric, short in metrics.items())
    rows = []
    for system in systems:
        own = system.short_title if texts else system.short_answer_title
        cells = (cell(material, system.label, metric) for metric in metrics)
        rows.append((system.group, counted_row(material, system.label, own, cells)))
    by_label = {system.label: system for system in systems}
    groups = with_best(grouped(rows), (*columns, *COUNTS), alike(material, by_label))
    told = notes(material, list(metrics), orientation=texts)
    told += (*(source_note(material) if texts else ()), *bold_note(groups), *under)
    every = (*columns, *COUNTS)
    return Table(key, title, caption, "System", every, (*groups, *printed), told)


def _whole_answers(
    material: ReportData,
    key: str,
    title: str,
    caption: str,
    metrics: Mapping[str, str],
    under: Sequence[str],
    cell: Filled,
    alike: Alike = comparable,
) -> Table:
    """A table of measures of whole answers; one without rows says why."""
    systems = [
        system
        for system in material.systems
        if any(material.statistics(system.label, metric) for metric in metrics)
        or (not system.output and not system.published)
    ]
    empty = (
        "No measures of whole answers are among these scores; score measures a run folder's "
        "answers."
    )
    told = (*under, *(() if systems else (empty,)))
    head = f"{title}. {caption}, mean (sd)."
    return metric_table(
        material, key, title, head, metrics, systems, cell=cell, alike=alike, under=told
    )


SET_APART: Final = "sentences_set_apart"
JUDGED: Final = {
    "sentences_supported": "Sentences supported (independent judge)",
    "citation_recall": "Citation recall (independent judge)",
    "citation_precision": "Citation precision (independent judge)",
}
HEADLINE: Final = {
    **JUDGED,
    "sentences_supported_own": "Sentences supported (own judge)",
    "citation_recall_own": "Citation recall (own judge)",
    "citation_precision_own": "Citation precision (own judge)",
    "figures_supported": "Figures supported",
    SET_APART: "Sentences set apart",
    "abstained": "Abstained",
}
_OF_SENTENCES: Final = (*JUDGED, *(f"{metric}_own" for metric in JUDGED), "figures_supported")
_OWN_JUDGE: Final = (
    "Own judge: only what stands word for word in an article cited is called supported."
)
_LEFT_OUT: Final = (
    "Sentences that a chain added to a model's words, or that only count its own studies, rest on "
    "no passage: both judges leave "
    "them out. Their share is that of the sentences set apart; the higher it is, the less was "
    "judged, so that columns of support "
    "have no best in bold where a system compared set any apart. Only answered questions have a "
    "value; abstaining more often is no "
    "better support."
)
_NO_ARTICLES: Final = (
    "Bare models and the published systems have no figures of support here: their texts come "
    "without the articles that they cite, "
    "so that there is nothing to hold a sentence against. That says nothing for or against them. "
    "External systems are compared "
    "with "
    "what the run's source holds under the PMIDs of their references."
)


def support_table(material: ReportData) -> Table:
    """Support of what is said, by whole answer."""
    judge = material.summary.judge
    judged = (
        f"Independent judge: {judge}."
        if judge
        else "No independent judge was named (score --judge): its columns are not judged."
    )
    bare = not material.own or any(
        material.statistics(one.label, "figures_supported") is None
        for one in material.systems
        if not one.output
    )
    return _whole_answers(
        material,
        "support",
        "Support of what is said",
        (
            "Share of sentences that what they cite supports, and what else can be checked without "
            "a reference answer"
        ),
        HEADLINE,
        (judged, _OWN_JUDGE, _LEFT_OUT, *([_NO_ARTICLES] if bare else [])),
        _support_cell,
        _alike,
    )


def _alike(
    material: ReportData, systems: Mapping[str, Named]
) -> Callable[[Row, Column], Hashable | None]:
    """As `comparable`, but what rests on judged sentences compares only where no system set any of
    its own apart.
    """
    kind = comparable(material, systems)
    apart = [Row("", (), label) for label in systems if any(material.values(label, SET_APART))]

    def alike(row: Row, column: Column) -> Hashable | None:
        found = kind(row, column)
        return (
            None
            if column.key in _OF_SENTENCES and any(kind(other, column) == found for other in apart)
            else found
        )

    return alike


def _support_cell(material: ReportData, label: str, metric: str) -> Cell:
    if (
        metric in JUDGED
        and material.statistics(label, metric) is None
        and material.summary.judge is None
    ):
        return Cell(NOT_JUDGED)
    return mean_cell(material, label, metric)


EFFORT: Final = {
    "pool_recall": "Pool recall",
    "tokens": "Tokens",
    "cost_usd": "US dollars",
    "reading_grade": "Reading grade",
}


def effort_table(material: ReportData) -> Table:
    """Recall of the pool, use of models and readability, by whole answer."""
    return _whole_answers(
        material,
        "effort",
        "Recall of the pool, cost and readability",
        (
            "Recall of all candidates before judging, tokens and dollars a question, and "
            "Flesch-Kincaid grade"
        ),
        EFFORT,
        (
            "Unknown means that the price or the use of a model is not known; it is never counted "
            "as 0.",
        ),
        _effort_cell,
    )


def _effort_cell(material: ReportData, label: str, metric: str) -> Cell:
    cell = mean_cell(material, label, metric)
    if metric not in ("cost_usd", "tokens"):
        return cell
    statistics, asked = material.statistics(label, metric), len(material.asked(label))
    if statistics is None or statistics.mean is None:
        return Cell("unknown")
    return replace(
        cell, mark=f"known for {statistics.n} of {asked}" if statistics.n < asked else ""
    )
