"""Pending computations: pairs of texts in batches, each known by a hash of everything that its
values come from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Final

from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Pair
from benchmarks.pubmedrs200.scoring.orientation import OUTPUT_ALONE, Orientation, pair
from benchmarks.pubmedrs200.scoring.predictions import Prediction

NEURAL_BATCH: Final = 64
"""Pairs that a model is given at a time. Its values may depend in their last digits on what is
computed beside them, so such a batch is computed and kept as a whole; that of a lexical metric is a
single pair."""


@dataclass(frozen=True)
class Group:
    """Metrics of one scorer that are given the same texts in the same roles; ``signatures`` are by
    metric.
    """

    scorer: int
    names: tuple[str, ...]
    signatures: tuple[str, ...]
    neural: bool
    with_source: bool


@dataclass(frozen=True)
class Batch:
    """Pairs for a group, with the (system, id) that each is of."""

    group: Group
    pairs: tuple[Pair, ...]
    rows: tuple[tuple[str, str], ...]

    @cached_property
    def key(self) -> str:
        """Equal for equal metrics, settings, versions and texts in their roles; nothing else goes
        in.
        """
        texts = [[pair.prediction, pair.reference, pair.source] for pair in self.pairs]
        form = json.dumps([self.group.names, self.group.signatures, texts])
        return hashlib.sha256(form.encode()).hexdigest()


@dataclass(frozen=True)
class Computed:
    """Values of a batch by metric, in its order, and the places of pairs that met with the metric's
    `MetricSpec.truncation`.
    """

    values: Mapping[str, Sequence[float]]
    truncated: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def fits(self, batch: Batch) -> bool:
        """Return whether these are as many values of the same metrics as the batch wants."""
        wanted, count = batch.group.names, len(batch.pairs)
        return (
            set(self.values) == set(wanted)
            and all(len(values) == count for values in self.values.values())
            and all(
                name in wanted and 0 <= place < count
                for name, places in self.truncated.items()
                for place in places
            )
        )


def groups(
    scorers: Sequence[Mapping[str, str]],
    names: Sequence[str],
    specs: Mapping[str, MetricSpec],
    orientation: Orientation,
) -> list[Group]:
    """The groups of some scorers, each given by its signatures by metric; only ``names`` count."""
    found = []
    for number, signatures in enumerate(scorers):
        wanted = [name for name in names if name in signatures]
        alone = [name for name in wanted if orientation == "published" and name in OUTPUT_ALONE]
        for part in ([name for name in wanted if name not in alone], alone):
            if part:
                found.append(
                    Group(
                        number,
                        tuple(part),
                        tuple(signatures[name] for name in part),
                        any(specs[name].neural for name in part),
                        any(specs[name].needs_source for name in part),
                    )
                )
    return found


def batches(rows: Sequence[Prediction], group: Group, orientation: Orientation) -> Iterator[Batch]:
    """The answered rows for a group. Batches end with a system, so that more systems leave those of
    the others as they are.
    """
    size = NEURAL_BATCH if group.neural else 1
    answered = (row for row in rows if row.answered)
    for _, of_system in groupby(answered, key=lambda row: row.system):
        listed = list(of_system)
        for start in range(0, len(listed), size):
            part = listed[start : start + size]
            pairs = tuple(pair(row, group.names[0], orientation, group.with_source) for row in part)
            yield Batch(group, pairs, tuple((row.system, row.id) for row in part))
