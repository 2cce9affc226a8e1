"""The events of a run on their way into the database: as fast as it takes them, in order, each
once.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Executor

from clinfo.runs import Event
from webapp.records import ENDED, Lease, LeaseLost, Status
from webapp.storage.store import Store
from webapp.work.retrying import FIRST_PAUSE, LONGEST_PAUSE, OUTAGES, say

_End = tuple[Status | None, str | None, bool]
"""The end of a run: its status (None: none yet), what was wrong, whether that may go away."""


class EventLog:
    """`add` takes events, and threads of ``database`` commit them: what gathers while one commit is
    under way goes into the next.

    A commit waits for no turn of the event loop, which other runs may keep busy for long: `add`
    itself asks a thread for it, and a commit that finds more when it is done asks for the next,
    behind the others that wait. The last event and the end of the run go in together.

    It is made on the loop, and `add`, `close` and `drop` are called there.
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
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        # All under the lock:
        self._waiting: list[tuple[Event, float]] = []
        """Events not known to be in the database, in order; what is being committed is at the
        beginning.
        """
        self._end: _End | None = None
        self._asked = False
        """A commit is asked for, under way, or to be tried again."""
        self._again = False
        """The last try failed, but may be in the database all the same."""
        self._pause = FIRST_PAUSE
        self._dropped = False
        self._over = False
        self.ended: Status | None = None
        """The end of the run, once that is in the database."""
        self.written = 0
        self.finished: asyncio.Future[None] = self._loop.create_future()
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
        with self._lock:
            if self._dropped:
                return
            self._waiting.append((event, created))
            if end is not None and self._end is None:
                self._end = (end, problem, retryable)
            self._ask()

    def close(
        self, status: Status | None = None, problem: str | None = None, retryable: bool = False
    ) -> None:
        """No more events: all that wait are committed, with ``status`` in the last commit. Only the
        first call counts.
        """
        with self._lock:
            if self._end is None and not self._dropped:
                self._end = (status, problem, retryable)
                self._ask()

    def drop(self) -> None:
        """Begin no further commit, whatever waits."""
        with self._lock:
            self._dropped = True
            self._waiting.clear()
        self._finish(None)

    def _ask(self) -> None:
        if not self._asked and not self._over:
            self._asked = True
            self._database.submit(self._commit)

    # ---- in a thread

    def _commit(self) -> None:
        """Commit all that waits, and see to what comes next."""
        with self._lock:
            if self._dropped:
                return
            batch, end, again = self._waiting[:], self._end, self._again
        try:
            self._append(batch, end, again)
        except OUTAGES as error:
            say(error)
            with self._lock:
                self._again = True
                pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
            self._loop.call_soon_threadsafe(self._loop.call_later, pause, self._retry)
        except BaseException as error:  # LeaseLost among them
            with self._lock:
                self._over = True
            self._loop.call_soon_threadsafe(self._finish, error)
        else:
            self._committed(len(batch), end)

    def _committed(self, count: int, end: _End | None) -> None:
        with self._lock:
            self.written += count
            del self._waiting[:count]
            self._again, self._pause, self._asked = False, FIRST_PAUSE, False
            if end is not None:
                self._over = True
                self.ended = end[0]
            elif not self._dropped and (self._waiting or self._end is not None):
                self._ask()
        if end is not None:
            self._loop.call_soon_threadsafe(self._finish, None)

    def _append(self, batch: list[tuple[Event, float]], end: _End | None, again: bool) -> None:
        if again:  # a commit whose confirmation was lost may be in the database all the same
            run = self._store.get(self._lease.run_id)
            if run is None:
                raise LeaseLost
            batch = [(event, created) for event, created in batch if event.seq > run.last_seq]
            if not batch and end is not None and run.status in ENDED:
                return
        if not batch and (end is None or end[0] is None):
            return
        status, problem, retryable = end or (None, None, False)
        self._store.append(
            self._lease,
            batch,
            self._lease_seconds,
            end=status,
            problem=problem,
            retryable=retryable,
        )

    # ---- on the loop

    def _retry(self) -> None:
        with self._lock:
            if not self._dropped:
                self._database.submit(self._commit)

    def _finish(self, error: BaseException | None) -> None:
        if self.finished.done():
            return
        if error is None:
            self.finished.set_result(None)
        else:
            self.finished.set_exception(error)
