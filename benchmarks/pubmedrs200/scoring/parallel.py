"""Lexical metrics over several processes. Values do not depend on how many there are, nor on which
of them computed what.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol

from benchmarks.pubmedrs200.metrics.spec import Pair
from benchmarks.pubmedrs200.scoring.batches import Batch, Computed, Group
from clinfo.errors import ServiceError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

    from benchmarks.pubmedrs200.metrics.spec import Scorer

TASK: Final = 16
"""Batches handed to a process at a time: many enough that handing over costs little, few enough
that little is lost by a kill.
"""

Done = tuple[Sequence[Batch], list[Computed]]


@dataclass(frozen=True)
class Choice:
    """The metrics to load, and the folder of model weights."""

    names: tuple[str, ...]
    weights: str | None = None


class Computer(Protocol):
    """A place where metrics are computed."""

    def signatures(self) -> list[Mapping[str, str]]:
        """The signatures of each scorer, by metric. Raises UsageError where a metric cannot be
        loaded.
        """

    def compute(self, batches: Sequence[Batch]) -> Iterator[Done]:
        """Return what comes of batches, some at a time, in whatever order they are ready."""


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Here:
    """Everything in this process."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice

    def signatures(self) -> list[Mapping[str, str]]:
        return _signatures(self._choice)

    def compute(self, batches: Sequence[Batch]) -> Iterator[Done]:
        for task in _tasks(batches):
            yield task, _computed(self._choice, task[0].group, [batch.pairs for batch in task])


class Processes:
    """Processes that are started anew rather than forked, and that end when this one does, in
    whatever way.
    """

    def __init__(self, choice: Choice, count: int) -> None:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        self._choice = choice
        self._pool: ProcessPoolExecutor = ProcessPoolExecutor(count, get_context("spawn"), _begin)

    def __enter__(self) -> Processes:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def signatures(self) -> list[Mapping[str, str]]:
        with _undisturbed():
            future = self._pool.submit(_signatures, self._choice)
        return future.result()

    def compute(self, batches: Sequence[Batch]) -> Iterator[Done]:
        """Raises ServiceError where a process died."""
        from concurrent.futures import as_completed
        from concurrent.futures.process import BrokenProcessPool

        tasks: dict[Future[list[Computed]], Sequence[Batch]] = {}
        try:
            with _undisturbed():
                for task in _tasks(batches):
                    pairs = [batch.pairs for batch in task]
                    tasks[self._pool.submit(_computed, self._choice, task[0].group, pairs)] = task
            for future in as_completed(tasks):
                yield tasks.pop(future), future.result()
        except BrokenProcessPool:
            raise ServiceError(
                "a process that computes scores ended by itself (too little memory?); what was "
                "done is kept: run the same command "
                "again, with --processes 1 if need be"
            ) from None


def _tasks(batches: Sequence[Batch]) -> Iterator[Sequence[Batch]]:
    """Batches of one group at a time."""
    by_group: dict[Group, list[Batch]] = {}
    for batch in batches:
        by_group.setdefault(batch.group, []).append(batch)
    for group, listed in by_group.items():
        size = 1 if group.neural else TASK
        yield from (listed[start : start + size] for start in range(0, len(listed), size))


@lru_cache(maxsize=2)
def _scorers(choice: Choice) -> Sequence[Scorer]:
    from pathlib import Path

    from benchmarks.pubmedrs200.metrics.registry import load

    return load(choice.names, Path(choice.weights) if choice.weights else None)


def _signatures(choice: Choice) -> list[Mapping[str, str]]:
    return [dict(scorer.signatures) for scorer in _scorers(choice)]


def _computed(choice: Choice, group: Group, batches: Sequence[tuple[Pair, ...]]) -> list[Computed]:
    """By batch, what comes of the group's metrics."""
    scorer = _scorers(choice)[group.scorer]
    values = scorer.score([pair for pairs in batches for pair in pairs])
    truncated = {name: scorer.truncated[name] for name in group.names if name in scorer.truncated}
    found: list[Computed] = []
    start = 0
    for pairs in batches:
        end = start + len(pairs)
        found.append(
            Computed(
                {name: [float(value) for value in values[name][start:end]] for name in group.names},
                {
                    name: [place for place, cut in enumerate(cuts[start:end]) if cut]
                    for name, cuts in truncated.items()
                },
            )
        )
        start = end
    return found


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep Ctrl-C waiting, and away for good from processes that are started meanwhile: it is this
    process that ends them.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Prepare a new process: leave Ctrl-C to the one that started it, and follow that one when it
    is killed.
    """
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    if (parent := parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)
