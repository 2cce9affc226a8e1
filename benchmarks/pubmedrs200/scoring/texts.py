"""Predictions into rows of scores: what is known already is taken, the rest computed and kept as it
comes.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import isfinite

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.scoring.batches import Batch, Computed, batches, groups
from benchmarks.pubmedrs200.scoring.cache import ScoreCache
from benchmarks.pubmedrs200.scoring.orientation import Orientation
from benchmarks.pubmedrs200.scoring.parallel import Choice, Computer, Here, Processes
from benchmarks.pubmedrs200.scoring.predictions import Prediction
from benchmarks.pubmedrs200.scoring.progress import Counter
from clinfo.console import streams
from clinfo.errors import ServiceError

FEW = 100
"""Answers for which starting processes takes longer than they save."""


@dataclass(frozen=True)
class TextScores:
    """Rows by system, id and metric in their orders; ``signatures`` by metric. ``warnings`` tell of
    texts that were cut.
    """

    rows: tuple[ScoreRow, ...]
    signatures: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def score_texts(
    rows: Sequence[Prediction],
    names: Sequence[str],
    specs: Mapping[str, MetricSpec],
    orientation: Orientation,
    cache: ScoreCache,
    processes: int,
    weights: str | None = None,
) -> TextScores:
    """Scores of predictions that were put in order; neural metrics are computed in this process,
    where their model is held.

    Raises UsageError where a metric cannot be loaded, ServiceError where one gives no finite
    number.
    """
    values: dict[tuple[str, str, str], float] = {}
    signatures: dict[str, str] = {}
    truncated: Tally[str] = Tally()
    used: set[str] = set()
    lexical = tuple(name for name in names if not specs[name].neural)
    neural = tuple(name for name in names if specs[name].neural)
    several = processes > 1 and sum(row.answered for row in rows) > FEW
    for part, spread in ((lexical, several), (neural, False)):
        if not part:
            continue
        choice = Choice(part, weights if part is neural else None)
        with ExitStack() as stack:
            computer: Computer = (
                stack.enter_context(Processes(choice, processes)) if spread else Here(choice)
            )
            found = computer.signatures()
            signatures |= {
                name: by_name[name] for by_name in found for name in part if name in by_name
            }
            planned = [
                batch
                for group in groups(found, part, specs, orientation)
                for batch in batches(rows, group, orientation)
            ]
            for batch, result in _results(planned, computer, cache):
                used.add(batch.key)
                for name in batch.group.names:
                    truncated[name] += len(result.truncated.get(name, ()))
                    for row, value in zip(batch.rows, result.values[name], strict=True):
                        values[(*row, name)] = _finite(value, name, row)
    cache.settle(used, names)
    return TextScores(
        tuple(
            scored for row in rows for name in names for scored in _row(row, specs[name], values)
        ),
        {name: signatures[name] for name in names},
        tuple(
            (
                f"{name}: {truncated[name]:,} of {sum(row.answered for row in rows):,} scores are "
                f"of {specs[name].truncation}"
            )
            for name in names
            if truncated[name]
        ),
    )


def _results(
    planned: Sequence[Batch], computer: Computer, cache: ScoreCache
) -> Iterator[tuple[Batch, Computed]]:
    """The values of each batch, known or computed; equal batches are computed once."""
    missing = {batch.key: batch for batch in planned if cache.get(batch) is None}
    total = sum(len(batch.pairs) * len(batch.group.names) for batch in missing.values())
    kept = sum(
        len(batch.pairs) * len(batch.group.names) for batch in planned if batch.key not in missing
    )
    if planned:
        streams.say(
            f"scores to compute: {total:,}"
            + (f"; taken from {cache.path.name}: {kept:,}" if kept else "")
        )
    with Counter("scores", total) as counter:
        try:
            for task, results in computer.compute(list(missing.values())) if missing else ():
                for batch, result in zip(task, results, strict=True):
                    for name in batch.group.names:
                        for row, value in zip(batch.rows, result.values[name], strict=True):
                            _finite(value, name, row)
                    cache.put(batch, result)
                    counter.add(len(batch.pairs) * len(batch.group.names))
                cache.flush()
        finally:
            cache.flush()
    for batch in planned:
        if (known := cache.get(batch)) is not None:
            yield batch, known


def _row(
    row: Prediction, spec: MetricSpec, values: Mapping[tuple[str, str, str], float]
) -> Iterator[ScoreRow]:
    """The score of a row; the floor where it is unanswered, and nothing where the metric has no
    floor.
    """
    if row.answered:
        yield ScoreRow(row.id, row.system, spec.name, values[row.system, row.id, spec.name])
    elif spec.floor is not None:
        yield ScoreRow(row.id, row.system, spec.name, float(spec.floor), unanswered=True)


def _finite(value: float, metric: str, row: tuple[str, str]) -> float:
    if not isfinite(value):
        raise ServiceError(
            f"{metric} gave {value}, which is not a score, for id {row[1]} of system {row[0]}"
        )
    return value
