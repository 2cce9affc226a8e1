"""The events of a run on their way into the database: as fast as it takes them, in order, each once."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial

from clinfo.events import Event
from webapp.patience import patiently
from webapp.records import ENDED, Lease, LeaseLost, Status
from webapp.store import Store


@dataclass(frozen=True)
class _End:
    status: Status | None
    problem: str | None
    retryable: bool


class EventLog:
    """`add` takes events, `write` (a task) commits them: what gathers while one commit is under way goes into the next.

    The last event and the end of the run go in together. ``do`` carries out a piece of database work in a thread.
    """

    def __init__(
        self, store: Store, lease: Lease, lease_seconds: float, do: Callable[[Callable[[], None]], Awaitable[None]]
    ) -> None:
        self._store = store
        self._lease = lease
        self._lease_seconds = lease_seconds
        self._do = do
        self._gathered: list[tuple[Event, float]] = []
        self._end: _End | None = None
        self._more = asyncio.Event()
        self._dropped = False
        self._over = False
        self.ended: Status | None = None
        """How the run ended, once that is in the database."""
        self.written = 0

    def add(self, event: Event, created: float) -> None:
        self._gathered.append((event, created))
        # An event that may be the last waits for `close`, which is called before the loop goes on.
        self._more.set()

    def close(self, status: Status | None = None, problem: str | None = None, retryable: bool = False) -> None:
        """No more events: `write` ends once all are committed, with ``status`` in the last commit. Only the first call counts."""
        if self._end is None:
            self._end = _End(status, problem, retryable)
            self._more.set()

    def go_on(self, lease: Lease) -> bool:
        """Write under ``lease`` from now on: the next one of the same worker, nobody having had the run in between.

        False where it is too late, because writing has ended.
        """
        if self._dropped or self._over:
            return False
        self._lease = lease
        return True

    def drop(self) -> None:
        """Write nothing more, whatever has gathered."""
        self._dropped = True
        self._gathered.clear()
        self._more.set()

    async def write(self) -> None:
        """Commit until closed or dropped. Raises LeaseLost."""
        try:
            await self._write()
        finally:
            self._over = True

    async def _write(self) -> None:
        while not self._dropped:
            await self._more.wait()
            self._more.clear()
            batch, end = self._gathered, self._end
            self._gathered = []
            if self._dropped:
                return
            if batch or (end is not None and end.status is not None):
                await self._commit(batch, end)
                self.written += len(batch)
            if end is not None:
                self.ended = end.status
                return

    async def _commit(self, batch: list[tuple[Event, float]], end: _End | None) -> None:
        tries = itertools.count()
        while True:
            lease = self._lease
            try:
                await patiently(partial(self._once, lease, batch, end, tries))
                return
            except LeaseLost:
                if lease == self._lease:
                    raise

    async def _once(self, lease: Lease, batch: list[tuple[Event, float]], end: _End | None, tries: Iterator[int]) -> None:
        await self._do(lambda: self._append(lease, batch, end, again=next(tries) > 0))

    def _append(self, lease: Lease, batch: list[tuple[Event, float]], end: _End | None, again: bool) -> None:
        if again:  # a commit whose confirmation was lost may be in the database all the same
            run = self._store.get(lease.run_id)
            if run is None:
                raise LeaseLost
            batch = [(event, created) for event, created in batch if event.seq > run.last_seq]
            if not batch and end is not None and run.status in ENDED:
                return
        if not batch and (end is None or end.status is None):
            return
        how = end or _End(None, None, False)
        self._store.append(
            lease, batch, self._lease_seconds, end=how.status, problem=how.problem, retryable=how.retryable
        )
