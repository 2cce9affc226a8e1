"""The headline: how far what is said rests on what it cites, under an independent judge and the
program's own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Final

from benchmarks.pubmedrs200.reporting.cells import comparable, mean_cell
from benchmarks.pubmedrs200.reporting.labels import Named
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import Cell, Column, Row, Table
from benchmarks.pubmedrs200.reporting.whole_answers import answer_table

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
    return answer_table(
        material,
        "support",
        "Support of what is said",
        (
            "Share of sentences that what they cite supports, and what else can be checked without "
            "a reference answer"
        ),
        HEADLINE,
        _cell,
        (judged, _OWN_JUDGE, _LEFT_OUT, _NO_ARTICLES),
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


def _cell(material: ReportData, label: str, metric: str) -> Cell:
    if (
        metric in JUDGED
        and material.statistics(label, metric) is None
        and material.summary.judge is None
    ):
        return Cell("not judged")
    return mean_cell(material, label, metric)
