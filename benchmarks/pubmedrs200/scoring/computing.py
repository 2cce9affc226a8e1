"""Values of metrics: in batches, over several processes, kept in a file as they come.

Values do not depend on how many processes there are, nor on which of them computed what. A batch is
known by a hash of everything that its values come from.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isfinite
from pathlib import Path
from typing import Final, TextIO

from benchmarks.pubmedrs200.metrics.base import Scorer
from benchmarks.pubmedrs200.metrics.registry import SPECS, load
from benchmarks.pubmedrs200.metrics.spec import Pair
from benchmarks.pubmedrs200.processes import follow_parent, undisturbed
from clinfo.console import streams
from clinfo.errors import ServiceError, UsageError

NEURAL_BATCH: Final = 64
"""Pairs that a model is given at a time. Its values may depend in their last digits on what is
computed beside them, so such a batch is computed and kept as a whole; that of a lexical metric is a
single pair."""
TASK: Final = 16
"""Batches handed to a process at a time: many enough that handing over costs little, few enough
that little is lost by a kill."""
FEW: Final = 100
"""Pairs for which starting processes takes longer than they save."""
INTERVAL: Final = 10.0
"""Seconds between lines of progress."""
Row = tuple[str, str]
"""System and question."""


@dataclass(frozen=True)
class Choice:
    """The metrics to load, and the folder of model weights."""

    names: tuple[str, ...]
    weights: str | None = None


@dataclass(frozen=True)
class Batch:
    """Pairs for some metrics of one scorer, with the row that each is of."""

    scorer: int
    names: tuple[str, ...]
    signatures: tuple[str, ...]
    pairs: tuple[Pair, ...]
    rows: tuple[Row, ...]

    @cached_property
    def key(self) -> str:
        texts = [[pair.prediction, pair.reference, pair.source] for pair in self.pairs]
        form = json.dumps([self.names, self.signatures, texts])
        return hashlib.sha256(form.encode()).hexdigest()


@dataclass(frozen=True)
class Computed:
    """Values by metric, in the batch's order, and places of pairs that met with the metric's
    `MetricSpec.truncation`.
    """

    values: Mapping[str, Sequence[float]]
    truncated: Mapping[str, Sequence[int]]


@lru_cache(maxsize=2)
def scorers(choice: Choice) -> Sequence[Scorer]:
    """Raises UsageError where a metric cannot be loaded."""
    return load(choice.names, Path(choice.weights) if choice.weights else None)


def batches(choice: Choice, pairs: Mapping[str, Sequence[tuple[Row, Pair]]]) -> Iterator[Batch]:
    """The batches of what each metric is given. Metrics of one scorer that are given the same are
    computed together; batches end with a system, so that more systems leave those of the others as
    they are.
    """
    for number, one in enumerate(scorers(choice)):
        together: dict[int, list[str]] = {}
        for spec in one.specs:
            if spec.name in pairs:
                together.setdefault(id(pairs[spec.name]), []).append(spec.name)
        for names in together.values():
            size = NEURAL_BATCH if SPECS[names[0]].neural else 1
            source = any(SPECS[name].needs_source for name in names)
            by_system: dict[str, list[tuple[Row, Pair]]] = {}
            for row, pair in pairs[names[0]]:
                own = pair if source else Pair(pair.prediction, pair.reference)
                by_system.setdefault(row[0], []).append((row, own))
            signatures = tuple(one.signatures[name] for name in names)
            for listed in by_system.values():
                for start in range(0, len(listed), size):
                    rows, part = zip(*listed[start : start + size], strict=True)
                    yield Batch(number, tuple(names), signatures, part, rows)


def compute(
    choice: Choice, asked: Sequence[Batch], processes: int
) -> Iterator[tuple[Batch, Computed]]:
    """Return what comes of batches, in whatever order they are ready. Raises ServiceError where a
    process died or a value is no finite number.
    """
    tasks: list[Sequence[Batch]] = []
    for of in dict.fromkeys((batch.scorer, batch.names) for batch in asked):
        own = [batch for batch in asked if (batch.scorer, batch.names) == of]
        size = 1 if SPECS[of[1][0]].neural else TASK
        tasks += [own[start : start + size] for start in range(0, len(own), size)]
    if processes > 1 and len(asked) > FEW:
        done = _by_processes(choice, tasks, processes)
    else:
        done = ((task, _computed(choice, task)) for task in tasks)
    for task, found in done:
        for batch, one in zip(task, found, strict=True):
            for name, values in one.values.items():
                for row, value in zip(batch.rows, values, strict=True):
                    if not isfinite(value):
                        what = f"{name} gave {value}, which is not a score"
                        raise ServiceError(f"{what}, for id {row[1]} of system {row[0]}")
            yield batch, one


def _computed(choice: Choice, task: Sequence[Batch]) -> list[Computed]:
    scorer = scorers(choice)[task[0].scorer]
    values = scorer.score([pair for batch in task for pair in batch.pairs])
    found, start = [], 0
    for batch in task:
        end = start + len(batch.pairs)
        cuts = {
            name: [at for at, cut in enumerate(scorer.truncated[name][start:end]) if cut]
            for name in batch.names
            if name in scorer.truncated
        }
        found.append(Computed({name: values[name][start:end] for name in batch.names}, cuts))
        start = end
    return found


def _by_processes(
    choice: Choice, tasks: Sequence[Sequence[Batch]], processes: int
) -> Iterator[tuple[Sequence[Batch], list[Computed]]]:
    """Processes that are started anew rather than forked, and that end when this one does, in
    whatever way.
    """
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(processes, get_context("spawn"), follow_parent)
    try:
        with undisturbed():
            waiting = {pool.submit(_computed, choice, task): task for task in tasks}
        for future in as_completed(waiting):
            yield waiting.pop(future), future.result()
    except BrokenProcessPool:
        raise ServiceError(
            "a process that computes scores ended by itself (too little memory?); what was done is "
            "kept: run the same command again, with --processes 1 if need be"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class ScoreCache:
    """Values of batches by key, in a file beside the output. Each is appended at once; a line that
    a kill cut off is cut from the file, too.
    """

    def __init__(self, path: Path, fresh: bool = False) -> None:
        """Raises UsageError where the file cannot be read or written."""
        self.path = path
        self.known: dict[str, Computed] = {}
        try:
            if fresh:
                path.write_text("")
            elif path.exists():
                self._read()
            self._file: TextIO = path.open("a", buffering=1, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or 'unknown'}") from None

    def computed(
        self, choice: Choice, asked: Sequence[Batch], processes: int
    ) -> Iterator[tuple[Batch, Computed]]:
        """The values of each batch, known or computed; equal batches are computed once."""
        lacking = {batch.key: batch for batch in asked if not self._knows(batch)}
        values = {key: len(batch.pairs) * len(batch.names) for key, batch in lacking.items()}
        total, done, said = sum(values.values()), 0, time.monotonic()
        every = sum(len(batch.pairs) * len(batch.names) for batch in asked)
        kept = f"; taken from {self.path.name}: {every - total:,}" if every > total else ""
        streams.say(f"scores to compute: {total:,}{kept}")
        for batch, found in compute(choice, list(lacking.values()), processes):
            self.known[batch.key] = found
            form = {"key": batch.key, "values": found.values, "truncated": found.truncated}
            self._file.write(json.dumps(form) + "\n")
            done += values[batch.key]
            if time.monotonic() - said >= INTERVAL:
                said = time.monotonic()
                streams.say(f"scores {done:,}/{total:,}")
        for batch in asked:
            yield batch, self.known[batch.key]

    def close(self) -> None:
        self._file.close()

    def _knows(self, batch: Batch) -> bool:
        known = self.known.get(batch.key)
        return known is not None and all(
            len(known.values.get(name, ())) == len(batch.pairs) for name in batch.names
        )

    def _read(self) -> None:
        import msgspec

        data = self.path.read_bytes()
        if (whole := data.rfind(b"\n") + 1) < len(data):
            os.truncate(self.path, whole)
        for line in data[:whole].splitlines():
            try:
                form = msgspec.json.decode(line)
                known = msgspec.convert(form, Computed)
            except msgspec.MsgspecError:
                continue  # damaged: it is computed again
            if isinstance(form.get("key"), str):
                self.known[form["key"]] = known
