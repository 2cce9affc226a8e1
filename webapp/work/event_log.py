"""The events of a run on their way into the database: as fast as it takes them, in order, each
once.
"""

import asyncio
from concurrent.futures import Executor

from clinfo.runs import Event
from webapp.records import ENDED, Lease, LeaseLost, Status
from webapp.storage.store import Store
from webapp.work.retrying import patiently

_End = tuple[Status | None, str | None, bool]
"""The end of a run: its status (None: none yet), what was wrong, whether that may go away."""


class EventLog:
    """`add` takes events, and threads of ``database`` commit them: what gathers while one commit is
    under way goes into the next. The last event and the end of the run go in together.

    It is made and used on the loop.
    """

    def __init__(
        self,
        store: Store,
        lease: Lease,
        lease_seconds: float,
        database: Executor,
    ) -> None:
        self._store = store
        self._lease = lease
        self._lease_seconds = lease_seconds
        self._database = database
        self._waiting: list[tuple[Event, float]] = []
        """Events not known to be in the database, in order; what is being committed is at the
        beginning.
        """
        self._end: _End | None = None
        self._more = asyncio.Event()
        self._again = False
        """A try failed, but may be in the database all the same."""
        self.ended: Status | None = None
        """The end of the run, once that is in the database."""
        self.written = 0
        self.finished = asyncio.create_task(self._write())
        """Done when all is committed after `close`, or dropped; raises LeaseLost, or what else kept
        it from being written.
        """

    def add(
        self,
        event: Event,
        created: float,
        end: Status | None = None,
        problem: str | None = None,
        retryable: bool = False,
    ) -> None:
        """Take an event, made at ``created``; with ``end`` it is the last, and the run ends with
        it.
        """
        self._waiting.append((event, created))
        if end is not None:
            self.close(end, problem, retryable)
        self._more.set()

    def close(
        self, status: Status | None = None, problem: str | None = None, retryable: bool = False
    ) -> None:
        """No more events: all that wait are committed, with ``status`` in the last commit. Only the
        first call counts.
        """
        self._end = self._end or (status, problem, retryable)
        self._more.set()

    def drop(self) -> None:
        """Begin no further commit, whatever waits."""
        self.finished.cancel()

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._more.wait()
            self._more.clear()
            batch, end = self._waiting[:], self._end
            await patiently(
                lambda: loop.run_in_executor(self._database, self._append, batch, end)  # noqa: B023
            )
            self._again = False
            self.written += len(batch)
            del self._waiting[: len(batch)]
            if end is not None:
                self.ended = end[0]
                return

    def _append(self, batch: list[tuple[Event, float]], end: _End | None) -> None:
        if self._again:  # a commit whose confirmation was lost may be in the database all the same
            run = self._store.get(self._lease.run_id)
            if run is None:
                raise LeaseLost
            batch = [(event, created) for event, created in batch if event.seq > run.last_seq]
            if not batch and end is not None and run.status in ENDED:
                return
        if not batch and (end is None or end[0] is None):
            return
        self._again = True
        status, problem, retryable = end or (None, None, False)
        self._store.append(
            self._lease,
            batch,
            self._lease_seconds,
            end=status,
            problem=problem,
            retryable=retryable,
        )
