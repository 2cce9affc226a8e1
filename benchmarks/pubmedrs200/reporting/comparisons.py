"""Tests of difference between each system and the baseline that ``score`` was given."""

from __future__ import annotations

from typing import Final

from benchmarks.pubmedrs200.reporting.cells import places, row_title, text_title
from benchmarks.pubmedrs200.reporting.labels import named
from benchmarks.pubmedrs200.reporting.notes import (
    base_note,
    orientation_note,
    signature_note,
    unanswered_note,
)
from benchmarks.pubmedrs200.reporting.numbers import fixed, probability
from benchmarks.pubmedrs200.reporting.report_data import TIMES, ReportData
from benchmarks.pubmedrs200.reporting.tables import Cell, Column, Row, Table, grouped
from benchmarks.pubmedrs200.scoring.significance import FEW, SURE

TOO_FEW: Final = f"n below {FEW}"


def comparison_table(material: ReportData) -> Table:
    """A row a system, metric and baseline; without comparisons it says how to get them."""
    rows = []
    for item in material.summary.comparisons:
        if item.metric == TIMES:
            continue
        known = material.summary.metrics.get(item.metric)
        shown = places(item.metric, known)
        cells = (
            Cell(known.title if known else item.metric),
            Cell(text_title(named(item.baseline), item.metric)),
            Cell(fixed(item.difference, shown), item.difference),
            Cell(fixed(item.low, shown), item.low),
            Cell(fixed(item.high, shown), item.high),
            Cell(TOO_FEW)
            if item.n < FEW
            else Cell(probability(item.p_bootstrap), item.p_bootstrap),
            Cell(probability(item.p_randomisation), item.p_randomisation),
            Cell(probability(item.p_holm), item.p_holm, best=item.p_holm < 0.05),
            Cell(str(item.n), item.n),
        )
        rows.append(
            (
                named(item.system).group,
                Row(row_title(named(item.system), item.metric), cells, item.system),
            )
        )
    titles = (
        "Metric",
        "Baseline",
        "Difference",
        "95 % from",
        "to",
        "p (bootstrap)",
        "p (randomisation)",
        "p (Holm)",
        "n",
    )
    keys = (
        "metric",
        "baseline",
        "difference",
        "low",
        "high",
        "p_bootstrap",
        "p_randomisation",
        "p_holm",
        "n",
    )
    metrics = list(dict.fromkeys(item.metric for item in material.summary.comparisons))
    under = (
        (
            "Interval and first p: paired bootstrap; second p: approximate randomisation; Holm's "
            "correction of the second over the "
            "family that score tested together. Bold: below 0.05 after correction."
        ),
        *_few(
            min(
                (item.n for item in material.summary.comparisons if item.metric != TIMES),
                default=SURE,
            )
        ),
        unanswered_note(material, metrics),
        *signature_note(material, metrics),
    )
    empty = (
        "No comparisons are in the summary: score makes them against the system named with "
        "--baseline.",
    )
    return Table(
        "comparisons",
        "Tests of difference",
        "Tests of difference: system − baseline over the questions both were scored on; two-sided.",
        "System",
        tuple(Column(key, title) for key, title in zip(keys, titles, strict=True)),
        grouped(rows),
        (
            orientation_note(material),
            base_note(material, means=False),
            *(under if rows else empty),
        ),
    )


def _few(least: int) -> tuple[str, ...]:
    """Return what the tests are worth where some rest on so few questions; () where none does."""
    if least >= SURE:
        return ()
    reach = (
        f"n questions it cannot go below 2/2^n, which is {fixed(2 / 2**least, 3)} at the n = "
        f"{least} here"
    )
    lacking = f", and below n = {FEW} its p is left out" if least < FEW else ""
    return (
        f"Few questions: below n = {SURE} the bootstrap is too sure, since it knows no differences "
        "but those of the questions it "
        f"draws from: its intervals are too narrow and its p too small{lacking}. Randomisation "
        f"stays right, but of {reach}.",
    )
