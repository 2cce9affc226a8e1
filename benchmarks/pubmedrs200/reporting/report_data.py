"""The data of a report, read and checked: scores, their summary, runs, the data set, the published
files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.reporting.labels import Named, named, ordered
from benchmarks.pubmedrs200.reporting.summary import Statistics, Summary
from benchmarks.pubmedrs200.reporting.texts import Answer
from clinfo.errors import UsageError
from pubmedrs.records import Review

TIMES: Final = "seconds"
"""The one measure that differs from run to run; it goes to the files named timings and nowhere
else.
"""

OF_ALL: Final = ("abstained", "tokens", "cost_usd", "seconds")
"""Measures that questions without an answer have as well."""


@dataclass(frozen=True)
class ReportData:
    """Everything that the tables, plots and pages are made from.

    ``scores`` maps label, metric and question to the row. ``reviews`` is empty without the data
    set, ``answers`` (by label of the whole answer, then question) holds what runs and published
    files gave, ``cutoffs`` the end of training data by system's name, ``printed`` the mean and sd
    of the published table files by label and metric, ``published`` the published value of each
    question by label, metric and question. ``missing`` says what was not given and what the report
    lacks for it.
    """

    summary: Summary
    scores: Mapping[str, Mapping[str, Mapping[str, ScoreRow]]]
    reviews: Mapping[str, Review] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    cutoffs: Mapping[str, str | None] = field(default_factory=dict)
    printed: Mapping[str, Mapping[str, tuple[float, float | None]]] = field(default_factory=dict)
    published: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def systems(self) -> list[Named]:
        """All labels of the summary in the order of tables."""
        return ordered(self.summary.systems)

    @property
    def questions(self) -> list[str]:
        """The questions that were scored, in the order of the data set where it is known."""
        scored = {
            id for metrics in self.scores.values() for rows in metrics.values() for id in rows
        }
        known = [id for id in self.reviews if id in scored]
        return known + sorted(scored - set(known))

    @cached_property
    def scored_answers(self) -> Mapping[str, Mapping[str, Answer]]:
        """Those of ``answers`` that this scoring is about: of the questions that a system was
        scored on, or that were quarantined.

        Runs may hold other systems and questions. Published answers are there wherever their folder
        was given.
        """
        about: dict[str, set[str]] = {}
        for label in self.scores:
            about.setdefault(named(label).answer, set()).update(self.asked(label))
        for label, ids in self.summary.quarantined.items():
            about.setdefault(named(label).answer, set()).update(ids)
        held = {}
        for label, answers in self.answers.items():
            system = named(label)
            ours = about.get(system.answer, set())
            held[label] = {
                id: answer for id, answer in answers.items() if system.published or id in ours
            }
        return {label: answers for label, answers in held.items() if answers}

    def statistics(self, label: str, metric: str) -> Statistics | None:
        """The summary's cell, None where the metric was not computed for this system."""
        return self.summary.systems.get(label, {}).get(metric)

    def values(self, label: str, metric: str, ids: Collection[str] | None = None) -> list[float]:
        """The values of a system's questions, all or those named, unanswered ones at the metric's
        floor where they have one.
        """
        rows = self.scores.get(label, {}).get(metric, {})
        return [row.value for id, row in rows.items() if ids is None or id in ids]

    def asked(self, label: str) -> frozenset[str]:
        """Questions that the system has a row for under any metric."""
        return frozenset(id for rows in self.scores.get(label, {}).values() for id in rows)

    def answered(self, label: str) -> int | None:
        """Return how many of `asked` the system answered; None where the scores do not tell.

        A question is unanswered where a row or the summary says so, where the system abstained,
        and, of a whole answer, where each of its texts is empty.
        """
        held, asked = self.scores.get(label, {}), self.asked(label)
        texts = [
            self.left_open(text)
            for text in self.scores
            if text != label and named(text).answer == label
        ]
        told = [metric for metric in held if metric not in OF_ALL or metric == "abstained"]
        if not told and not texts:
            return None
        left = self.left_open(label) | (frozenset.intersection(*texts) if texts else frozenset())
        floored = [
            metric
            for metric in told
            if metric == "abstained" or self.summary.metrics[metric].floor is not None
        ]
        if not floored and not texts:
            return len({id for metric in told for id in held[metric]} - left)
        return len(asked - left)

    def left_open(self, label: str) -> frozenset[str]:
        """The questions that a row or the summary says were not answered."""
        rows = [row for cell in self.scores.get(label, {}).values() for row in cell.values()]
        open_rows = {
            row.id
            for row in rows
            if row.unanswered or (row.metric == "abstained" and row.value == 1)
        }
        return frozenset(
            {
                *open_rows,
                *self.summary.unanswered.get(label, ()),
                *self.summary.failed.get(label, ()),
            }
        )


def indexed(rows: Sequence[ScoreRow]) -> dict[str, dict[str, dict[str, ScoreRow]]]:
    """Rows by label, metric and question; a row that comes twice is an error."""
    table: dict[str, dict[str, dict[str, ScoreRow]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        cell = table[row.system][row.metric]
        if row.id in cell:
            raise UsageError(
                f"scores: two rows for question {row.id}, system {row.system}, metric {row.metric}"
            )
        cell[row.id] = row
    return {
        label: {metric: dict(cell) for metric, cell in metrics.items()}
        for label, metrics in table.items()
    }
