"""The best and the worst answered questions of each system."""

from __future__ import annotations

from typing import Final

from benchmarks.pubmedrs200.reporting.cells import places
from benchmarks.pubmedrs200.reporting.labels import Named
from benchmarks.pubmedrs200.reporting.notes import base_note, orientation_note, signature_note
from benchmarks.pubmedrs200.reporting.numbers import fixed
from benchmarks.pubmedrs200.reporting.pages import anchor
from benchmarks.pubmedrs200.reporting.printable import one_line
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import Cell, Column, Row, Table, grouped

SHOWN: Final = 3
METRICS: Final = ("sentences_supported", "sentences_supported_own", "rouge_l", "meteor", "chrf")
"""The first of these that a system has values of is what its cases are chosen by."""


def cases(material: ReportData) -> Table:
    """Up to three best and three worst questions a whole answer, unanswered ones left out, ties by
    PMID.
    """
    answers: dict[str, list[Named]] = {}
    for system in material.systems:
        answers.setdefault(system.answer, []).append(system)
    rows = [(group, row) for systems in answers.values() for group, row in _rows(material, systems)]
    named = {row.cells[0].text for _, row in rows}
    chosen = [
        name
        for name, metric in material.summary.metrics.items()
        if name in METRICS and metric.title in named
    ]
    return Table(
        "cases",
        "Best and worst cases",
        (
            f"The {SHOWN} best and {SHOWN} worst questions of each system that it answered, by the "
            "metric named."
        ),
        "System",
        (
            Column("metric", "Metric"),
            Column("case", "Case"),
            Column("question", "Question"),
            Column("value", "Value"),
        ),
        grouped(rows),
        (
            orientation_note(material),
            base_note(material, means=False),
            *signature_note(material, chosen),
            (
                "By support under the independent judge where there is one, else under the "
                "program's own, else by overlap with the "
                "human answer, of the text of both outputs. Unanswered questions are listed apart. "
                "Ties go by PMID."
            ),
        ),
    )


def _rows(material: ReportData, systems: list[Named]) -> list[tuple[str, Row]]:
    by_output = {system.output: system for system in systems}
    texts = [
        by_output[output] for output in ("", "both", "synthesis", "tldr") if output in by_output
    ]
    for metric in METRICS:
        for system in texts:
            scores = material.scores.get(system.label, {}).get(metric, {})
            answered = {id: row.value for id, row in scores.items() if not row.unanswered}
            if answered:
                return [(system.group, row) for row in _cases(material, system, metric, answered)]
    return []


def _cases(material: ReportData, system: Named, metric: str, values: dict[str, float]) -> list[Row]:
    known = material.summary.metrics[metric]
    sign = -1 if known.better == "higher" else 1
    ranked = sorted(values, key=lambda id: (sign * values[id], id))
    best = ranked[:SHOWN]
    worst = [id for id in reversed(ranked) if id not in best][:SHOWN]
    shown = places(metric, known)
    rows = []
    for kind, ids in (("best", best), ("worst", worst)):
        for id in ids:
            review = material.reviews.get(id)
            question = f"{id}: {one_line(review.question)}" if review else id
            cells = (
                Cell(known.title),
                Cell(kind),
                Cell(question, link=anchor(id)),
                Cell(fixed(values[id], shown), values[id]),
            )
            rows.append(Row(system.short_answer_title, cells, system.label))
    return rows
