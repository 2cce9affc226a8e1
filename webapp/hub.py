"""One tail on the database for each web process, fanned out to everybody who watches a run."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from webapp.records import Head, StoredEvent
from webapp.store import Store


@dataclass(frozen=True)
class Batch:
    """What is new: events in order (maybe none), and how far the run is now."""

    events: tuple[StoredEvent, ...]
    head: Head


class Watch:
    """A viewer's place in a run; a context manager. ``log`` is shared by all viewers of the run in this process."""

    log: RunLog

    def next(self, timeout: float) -> Batch | None:
        """What is new since the last call, or None after ``timeout`` seconds without anything. Raises NotFound once it was deleted."""
        raise NotImplementedError

    def __enter__(self) -> Self: raise NotImplementedError
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...


class RunLog:
    """All events of a watched run so far, and a place for what is derived from them once for all viewers."""

    run_id: str
    events: list[StoredEvent]


class Hub:
    """``interval`` is the seconds between two looks at the database while anybody watches; nobody watching, none is taken.

    The thread starts with the first viewer, so that a server may fork before.
    """

    def __init__(self, store: Store, interval: float = 0.05) -> None:
        self.store = store
        self.interval = interval

    def watch(self, run_id: str, after: int = -1) -> Watch:
        """A place behind the event ``after``. Raises NotFound."""
        raise NotImplementedError

    @property
    def viewers(self) -> int: raise NotImplementedError

    def stop(self) -> None: raise NotImplementedError
