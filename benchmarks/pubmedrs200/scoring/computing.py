"""Values of metrics, in batches that are kept in the cache as they come.

A batch is known by a hash of everything that its values come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Final

import msgspec

from benchmarks.pubmedrs200.metrics.base import Scorer
from benchmarks.pubmedrs200.metrics.registry import SPECS, load
from benchmarks.pubmedrs200.metrics.spec import Pair
from clinfo.cache import Cache
from clinfo.cli.progress import TELL, Bar
from clinfo.errors import ServiceError

BATCH: Final = 64
"""Pairs that a metric is given at a time. A model's values may depend in their last digits on what
is computed beside them, so a batch is computed and kept as a whole."""
Row = tuple[str, str]
"""System and question."""
Given = Mapping[str, Sequence[tuple[Row, Pair]]]
"""By metric, what it is given."""


@dataclass(frozen=True)
class Computed:
    """Values by metric and row, signatures by metric, and of how many pairs each metric met with
    its `MetricSpec.truncation`.
    """

    values: dict[str, dict[Row, float]] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    cut: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class _Batch:
    """Pairs for some metrics of one scorer, with the row that each is of."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]


class _Scored(msgspec.Struct):
    """Values of a batch by metric, and whether each pair was cut; what the cache holds."""

    values: dict[str, list[float]]
    cut: dict[str, list[bool]]


def computed(given: Given, weights: Path | None = None, cache: Cache | None = None) -> Computed:
    """The value of each metric for each row that it is given. Raises UsageError where a metric
    cannot be loaded, ServiceError where a value is no finite number.
    """
    found = Computed({name: {} for name in given})
    if not given:
        return found
    asked = [
        (scorer, batch) for scorer in load(given, weights) for batch in _batches(scorer, given)
    ]
    bar = Bar(f"scores of {len(asked):,} batches", every=TELL)
    try:
        for done, (scorer, batch) in enumerate(asked):
            bar.show(f"scores: batch {done:,} of {len(asked):,}", done, len(asked))
            scored = _scored(scorer, batch, cache)
            for name in batch.names:
                found.cut[name] += sum(scored.cut.get(name, ()))
                found.values[name].update(zip(batch.rows, scored.values[name], strict=True))
                found.signatures[name] = scorer.signatures[name]
    finally:
        bar.close()
    return found


def _batches(scorer: Scorer, given: Given) -> Iterator[_Batch]:
    """Metrics that are given the same are computed together; batches end with a system, so that
    more systems leave those of the others as they are.
    """
    together: dict[int, list[str]] = {}
    for spec in scorer.specs:
        together.setdefault(id(given[spec.name]), []).append(spec.name)
    for names in together.values():
        source = any(SPECS[name].needs_source for name in names)
        by_system: dict[str, list[tuple[Row, Pair]]] = {}
        for row, pair in given[names[0]]:
            own = pair if source else Pair(pair.prediction, pair.reference)
            by_system.setdefault(row[0], []).append((row, own))
        for listed in by_system.values():
            for start in range(0, len(listed), BATCH):
                rows, pairs = zip(*listed[start : start + BATCH], strict=True)
                yield _Batch(tuple(names), rows, pairs)


def _scored(scorer: Scorer, batch: _Batch, cache: Cache | None) -> _Scored:
    texts = [[pair.prediction, pair.reference, pair.source] for pair in batch.pairs]
    signatures = {name: scorer.signatures[name] for name in batch.names}
    key = Cache.key_of("scores", signatures, texts)
    if cache is not None and (known := cache.get(key)) is not None:
        return msgspec.json.decode(known, type=_Scored)
    values = scorer.score(batch.pairs)
    for name in batch.names:
        for row, value in zip(batch.rows, values[name], strict=True):
            if not isfinite(value):
                what = f"{name} gave {value}, which is not a score"
                raise ServiceError(f"{what}, for id {row[1]} of system {row[0]}")
    kept = {name: values[name] for name in batch.names}
    scored = _Scored(kept, {name: cut for name, cut in scorer.truncated.items() if name in kept})
    if cache is not None:
        cache.put(key, msgspec.json.encode(scored).decode())
    return scored
