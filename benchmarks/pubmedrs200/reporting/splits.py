"""Means before and after a day: that of the paper, and the end of each system's training data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from benchmarks.pubmedrs200.reporting.cells import NO_VALUE, places, row_title, unvalidated
from benchmarks.pubmedrs200.reporting.labels import Named
from benchmarks.pubmedrs200.reporting.notes import (
    base_note,
    orientation_note,
    signature_note,
    unanswered_note,
)
from benchmarks.pubmedrs200.reporting.numbers import deviation, fixed, mean, with_sd
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import (
    NOT_COMPUTED,
    NOT_VALIDATED,
    Cell,
    Column,
    Row,
    Table,
    grouped,
)
from clinfo.errors import UsageError

PAPER_DAY: Final = date(2021, 10, 1)
"""The paper splits its questions here, after the training data of GPT-3.5 and GPT-4 ended (65
before, 80 from then on, of 145).
"""

METRICS: Final = (
    "sentences_supported",
    "sentences_supported_own",
    "rouge_l",
    "meteor",
    "bertscore",
    "unieval_overall",
    "retrieval_recall",
)
NO_DATA: Final = "The data set was not given (--data), so that dates of publication are not known."


def split_tables(material: ReportData) -> list[Table]:
    """Both splits; without the data set they say so and hold no rows."""
    return [_by_publication(material), _by_cutoff(material)]


def day(text: str | None, system: str) -> date | None:
    """A cut-off as a day: the last day of a month or year that is given without one. UsageError
    where it is not a date.
    """
    if not text:
        return None
    try:
        parts = [int(part) for part in text.split("-")]
        if len(parts) == 1:
            return date(parts[0], 12, 31)
        if len(parts) == 2:
            return date.fromordinal(
                date(parts[0] + parts[1] // 12, parts[1] % 12 + 1, 1).toordinal() - 1
            )
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"the training cut-off of {system}, {text[:40]!r}, is not a date like 2021-09-30"
        ) from None


def _sides(
    material: ReportData, system: Named, metric: str, first: date
) -> tuple[list[float], list[float]]:
    """Values of questions published before ``first``, and from it on; questions without a known
    date are in neither.
    """
    before: list[float] = []
    after: list[float] = []
    for id, row in material.scores.get(system.label, {}).get(metric, {}).items():
        if review := material.reviews.get(id):
            (before if review.published < first else after).append(row.value)
    return before, after


def _cells(material: ReportData, system: Named, metric: str, first: date) -> tuple[Cell, ...]:
    known = material.summary.metrics[metric]
    if material.statistics(system.label, metric) is None:
        return (Cell(known.title), *(Cell(NOT_COMPUTED),) * 5)
    shown, mark = places(metric, known), NOT_VALIDATED if unvalidated(known) else ""

    def of(values: list[float]) -> Cell:
        if not values:
            return Cell(NO_VALUE)
        return Cell(
            with_sd(mean(values), deviation(values), shown), mean(values), deviation(values), mark
        )

    before, after = _sides(material, system, metric, first)
    change = mean(after) - mean(before) if before and after else None
    return (
        Cell(known.title),
        of(before),
        Cell(str(len(before)), len(before)),
        of(after),
        Cell(str(len(after)), len(after)),
        Cell(fixed(change, shown), change) if change is not None else Cell(NO_VALUE),
    )


def _metrics(material: ReportData) -> list[str]:
    return [metric for metric in METRICS if metric in material.summary.metrics]


def _columns(before: str, after: str) -> tuple[Column, ...]:
    return (
        Column("metric", "Metric"),
        Column("before", before),
        Column("n_before", "n before"),
        Column("after", after),
        Column("n_after", "n after"),
        Column("change", "Change"),
    )


def _notes(material: ReportData, metrics: Sequence[str], *remarks: str) -> tuple[str, ...]:
    shared = (orientation_note(material), base_note(material), unanswered_note(material, metrics))
    signatures = signature_note(material, metrics)
    undated = sorted(set(material.questions) - set(material.reviews)) if material.reviews else []
    lost = (f"Not in the data set and in neither part: {', '.join(undated)}.",) if undated else ()
    return (*shared, *signatures, *remarks, *lost, *(() if material.reviews else (NO_DATA,)))


def _by_publication(material: ReportData) -> Table:
    metrics = _metrics(material)
    rows = [
        (
            system.group,
            Row(
                row_title(system, metric), _cells(material, system, metric, PAPER_DAY), system.label
            ),
        )
        for system in (material.systems if material.reviews else [])
        for metric in metrics
        if material.statistics(system.label, metric)
    ]
    return Table(
        "split-2021",
        "Split by publication of the review",
        (
            f"Reviews published before {PAPER_DAY} and from then on, mean (sd) with the count of "
            "questions."
        ),
        "System",
        _columns("Before", "From then on"),
        grouped(rows),
        _notes(
            material,
            metrics,
            (
                f"The paper's split: of its 145 questions 65 are older than {PAPER_DAY} and 80 are "
                "not."
            ),
        ),
    )


def _by_cutoff(material: ReportData) -> Table:
    metrics = _metrics(material)
    unknown: list[str] = []
    rows = []
    for system in material.systems if material.reviews else []:
        last = day(material.cutoffs.get(system.name), system.name)
        if last is None:
            name = system.answer_title if system.published else system.name
            if name not in unknown:
                unknown.append(name)
            continue
        first = date.fromordinal(last.toordinal() + 1)
        for metric in metrics:
            if material.statistics(system.label, metric):
                cells = (Cell(last.isoformat()), *_cells(material, system, metric, first))
                rows.append((system.group, Row(row_title(system, metric), cells, system.label)))
    without = (
        (f"Training cut-off not known, or none, so not split: {'; '.join(unknown)}.",)
        if unknown
        else ()
    )
    return Table(
        "split-cutoff",
        "Split by the end of training data",
        (
            "Reviews published up to the last day of each system's training data (before) and "
            "after it, mean (sd)."
        ),
        "System",
        (Column("cutoff", "Training data to"), *_columns("Up to that day", "After it")),
        grouped(rows),
        _notes(material, metrics, *without),
    )
