"""Measures of whole answers, for inputs that hold more than texts: runs, and what the published
systems retrieved.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.scoring.inputs import Inputs, chosen
from benchmarks.pubmedrs200.scoring.progress import INTERVAL
from benchmarks.pubmedrs200.scoring.summary import Metric
from clinfo.console import streams
from clinfo.errors import UsageError
from pubmedrs.records import Dataset

if TYPE_CHECKING:
    from benchmarks.pubmedrs200.measures.judging import Judge

TIMES: Final = "seconds"
"""The measure that differs between repeats of the same run, so that it has files of its own."""
_JUDGED: Final = frozenset(("sentences_supported", "citation_recall", "citation_precision"))
"""Measures whose figures depend on the independent judge."""


@dataclass(frozen=True)
class Measured:
    """Rows of whole answers in the order of the inputs, and the measures that have any; ``judge``
    names the independent judge, ``warnings`` are what it says of its verdicts."""

    rows: tuple[ScoreRow, ...]
    metrics: dict[str, Metric]
    judge: str | None
    warnings: tuple[str, ...] = ()


def measured(
    inputs: Inputs,
    dataset: Dataset,
    ids: Collection[str],
    systems: Sequence[str],
    judge: Judge | None = None,
) -> Measured:
    """Measures on some questions, of some systems. Raises UsageError for a damaged run, and what
    the judge raises.
    """
    from benchmarks.pubmedrs200.measures import SPECS, measure, warnings_of
    from benchmarks.pubmedrs200.published.retrieval import retrieval_rows

    wanted = set(ids)
    part = replace(
        dataset, reviews=tuple(review for review in dataset.reviews if review.pmid in wanted)
    )
    rows: list[ScoreRow] = []
    for run in inputs.runs:
        streams.say(f"measuring the answers in {run.name}")
        try:
            rows += _told(measure(run, part, judge, lambda label: chosen(label, systems)))
        except (msgspec.DecodeError, json.JSONDecodeError) as error:
            raise UsageError(
                f"the run in {run} holds a file that is not as the run command writes it: {error}"
            ) from None
    for published in inputs.published:
        rows += [
            row
            for row in retrieval_rows(published, dataset)
            if row.id in wanted and chosen(row.system, systems)
        ]
    there = {row.metric for row in rows}
    metrics = {
        name: Metric(
            spec,
            spec.source
            + (f"; judge {judge.name}" if judge is not None and name in _JUDGED else ""),
        )
        for name, spec in SPECS.items()
        if name in there
    }
    if judge is None:
        return Measured(tuple(rows), metrics, None)
    return Measured(tuple(rows), metrics, judge.name, warnings_of(judge))


def _told(rows: Iterable[ScoreRow]) -> Iterator[ScoreRow]:
    """The same rows; now and then it is said how many there have been."""
    said = time.monotonic()
    for count, row in enumerate(rows, 1):
        if time.monotonic() - said >= INTERVAL:
            said = time.monotonic()
            streams.say(f"measures {count:,}")
        yield row
