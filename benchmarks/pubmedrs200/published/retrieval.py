"""Retrieval by the published Clinfo.ai runs: by the paper's Table 3, and by this benchmark's own
rule.

Both count the articles that a run judged relevant, against the distinct PMIDs of the review's
reference list, ids compared as strings: precision is the share of those articles that the review
refers to, recall the share of its references among them, source included whether the review itself
is among them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.published.reading import Published
from benchmarks.pubmedrs200.published.statistics import Spread, spread
from benchmarks.pubmedrs200.published.systems import RETRIEVING
from clinfo.errors import UsageError
from pubmedrs.records import Dataset

METRICS: Final = ("retrieval_precision", "retrieval_recall", "source_included")


@dataclass(frozen=True)
class Retrieval:
    """One question under one regime. ``found`` counts articles judged relevant, ``hits`` those
    among the references.
    """

    pmid: str
    regime: str
    found: int
    hits: int
    references: int
    source_included: bool

    @property
    def precision(self) -> float:
        """0 to 1; 0 where nothing was found."""
        return self.hits / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """0 to 1; 0 where the review has no references."""
        return self.hits / self.references if self.references else 0.0


@dataclass(frozen=True)
class Table3Row:
    """Means and deviations over ``n`` questions. ``rule`` says which ones: "paper" leaves out those
    without references and those for which nothing was found, "every" none (a quotient with 0 below
    counts 0)."""

    regime: str
    rule: str
    n: int
    cells: Mapping[str, Spread]


def retrievals(published: Published) -> Iterator[Retrieval]:
    """Every regime and question, from the files alone, reference lists as they stand (own PMIDs and
    entries "0" included).
    """
    for regime in RETRIEVING:
        for question in published.questions:
            relevant, references = set(question.relevant[regime]), set(question.references)
            yield Retrieval(
                question.pmid,
                regime,
                len(relevant),
                len(relevant & references),
                len(references),
                question.pmid in relevant,
            )


def table3(published: Published) -> tuple[Table3Row, ...]:
    """Table 3 by the rule found for it, and the source-dropped regime over every question, too, as
    the paper seems to have it.
    """
    every = tuple(retrievals(published))
    rows = []
    for regime in RETRIEVING:
        of_regime = [item for item in every if item.regime == regime]
        rows.append(
            _row(regime, "paper", [item for item in of_regime if item.references and item.found])
        )
        if regime == "source-dropped":
            rows.append(_row(regime, "every", of_regime))
    return tuple(rows)


def retrieval_rows(published: Published, dataset: Dataset | None = None) -> Iterator[ScoreRow]:
    """Retrieval by our own rule, as scores of the three systems that retrieved (their outputs share
    what they retrieved).

    Nothing is dropped: a question for which nothing was found has precision 0. Only a question
    without references has neither precision nor recall, as there is nothing to find
    (`without_references` lists them). Whether the source is included is asked in the unrestricted
    regime, the only one that permits it; all as `benchmarks.pubmedrs200.measures.retrieval` does
    for our own systems. References are those of the repaired data set where given, else the
    published list without the review's own PMID and without entries "0". Raises UsageError where
    the data set lacks a published question.
    """
    references = _references(published, dataset)
    for regime, key in RETRIEVING.items():
        for question in published.questions:
            relevant, wanted = set(question.relevant[regime]), references[question.pmid]
            if wanted:
                hits = len(relevant & wanted)
                yield ScoreRow(
                    question.pmid,
                    key,
                    "retrieval_precision",
                    hits / len(relevant) if relevant else 0.0,
                )
                yield ScoreRow(question.pmid, key, "retrieval_recall", hits / len(wanted))
            if regime == "unrestricted":
                yield ScoreRow(
                    question.pmid, key, "source_included", float(question.pmid in relevant)
                )


def without_references(published: Published, dataset: Dataset | None = None) -> tuple[str, ...]:
    """PMIDs of the questions that have no references to find, by the rule of `retrieval_rows`."""
    return tuple(
        pmid for pmid, references in _references(published, dataset).items() if not references
    )


def nothing_found(published: Published) -> Mapping[str, tuple[str, ...]]:
    """By system key, PMIDs of the questions for which no article was judged relevant: precision 0
    in `retrieval_rows`.
    """
    return {
        key: tuple(
            question.pmid for question in published.questions if not question.relevant[regime]
        )
        for regime, key in RETRIEVING.items()
    }


def _references(published: Published, dataset: Dataset | None) -> dict[str, set[str]]:
    if dataset is None:
        return {
            question.pmid: set(question.references) - {question.pmid, "0"}
            for question in published.questions
        }
    reviews = {review.pmid: review for review in dataset.reviews}
    missing = [pmid for pmid in published.ids if pmid not in reviews]
    if missing:
        raise UsageError(f"the data set lacks published questions: PMID {', '.join(missing[:3])}")
    return {pmid: set(reviews[pmid].references) for pmid in published.ids}


def _row(regime: str, rule: str, items: list[Retrieval]) -> Table3Row:
    nothing = Spread(math.nan, math.nan)
    cells = {
        "retrieval_precision": spread([item.precision for item in items]) if items else nothing,
        "retrieval_recall": spread([item.recall for item in items]) if items else nothing,
        "source_included": spread([float(item.source_included) for item in items])
        if items
        else nothing,
    }
    return Table3Row(regime, rule, len(items), cells)
