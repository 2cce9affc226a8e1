"""Runs in the database: the row is the truth, events are appended as they happen, a lease says who may write."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from clinfo.events import Event
from clinfo.records import RunRequest
from webapp.records import Beat, Head, Lease, Status, StoredEvent, StoredRun

if TYPE_CHECKING:
    from sqlalchemy import Engine

BARREN_CLAIMS = 5
"""A run whose workers died this many times in a row without a new event has killed them, and fails."""


class Store:
    """Every method is one transaction, may be called from any thread, and gives plain values back."""

    def __init__(self, engine: Engine, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._now = now

    # ---- what visitors do

    def create(
        self,
        request: RunRequest,
        *,
        visitor: str | None = None,
        owner: str | None = None,
        own_key: bool = False,
        again_of: str | None = None,
        queue_limit: int | None = None,
    ) -> StoredRun:
        """A new queued run under an unguessable id (128 random bits or more, URL-safe). Raises Busy where ``queue_limit`` are queued.

        With ``own_key`` it begins as ``key_needed``: `give_key` queues it.
        """
        raise NotImplementedError

    def get(self, run_id: str) -> StoredRun | None: raise NotImplementedError

    def of_visitor(self, visitor: str | None, owner: str | None, limit: int = 50) -> list[StoredRun]:
        """The runs of a browser or, where a user is named, of the user: newest first."""
        raise NotImplementedError

    def give_key(self, run_id: str, worker: str, sealed: bytes) -> StoredRun:
        """Queue a run that waits for a key, for the one worker that can open ``sealed``. Raises NotFound, Refused."""
        raise NotImplementedError

    def ask_cancel(self, run_id: str) -> StoredRun:
        """Cancel at once what is queued or waits for a key, ask the worker of what is running; what has ended stays. Raises NotFound."""
        raise NotImplementedError

    def resume(self, run_id: str, max_seconds: float | None = None) -> StoredRun:
        """Queue a failed or cancelled run (``key_needed`` where it had a key of its own) to go on from its events. Raises NotFound, Refused."""
        raise NotImplementedError

    def share(self, run_id: str, shared: bool) -> StoredRun: raise NotImplementedError

    def delete(self, run_id: str) -> bool:
        """Delete the run with its events, and note its id for the caches of all workers. False where there was none."""
        raise NotImplementedError

    # ---- what viewers read

    def events(self, run_id: str, after: int = -1) -> list[StoredEvent]:
        """The events after sequence number ``after``, in order."""
        raise NotImplementedError

    def heads(self, run_ids: Collection[str]) -> dict[str, Head]:
        """How far these runs are; deleted ones are left out."""
        raise NotImplementedError

    def counts(self) -> Mapping[Status, int]: raise NotImplementedError

    # ---- what workers do

    def register(self, worker: str, public_key: bytes) -> None:
        """Enter a worker, with the public key to which visitors' keys are sealed."""
        raise NotImplementedError

    def live_worker(self, within: float) -> tuple[str, bytes] | None:
        """(name, public key) of the worker with the fewest runs that gave a sign of life ``within`` seconds."""
        raise NotImplementedError

    def deregister(self, worker: str) -> None: raise NotImplementedError

    def claim(self, worker: str, lease_seconds: float) -> tuple[StoredRun, Lease, bytes | None] | None:
        """Take the oldest run that is queued, or running with its lease run out, under a new fence; and its sealed key, which is wiped.

        A run whose key was sealed for another worker is left to it; where that one is dead, the run becomes ``key_needed``.
        So does a running one with ``own_key`` whose lease has run out. A run that `BARREN_CLAIMS` times brought no event fails.
        """
        raise NotImplementedError

    def append(
        self,
        lease: Lease,
        events: Sequence[tuple[Event, float]],
        lease_seconds: float,
        *,
        end: Status | None = None,
        problem: str | None = None,
        retryable: bool = False,
    ) -> None:
        """Append events (each with when it was made) and prolong the lease, and ``end`` the run with them. Raises LeaseLost.

        Their sequence numbers go on from ``last_seq`` without a gap, else ValueError.
        """
        raise NotImplementedError

    def beat(self, worker: str, leases: Sequence[Lease], lease_seconds: float) -> Beat:
        """A sign of life: prolong all leases of a worker, and learn what was lost and what shall be cancelled."""
        raise NotImplementedError

    def release(self, lease: Lease) -> None:
        """Give a run back, queued at its old place, for another worker to go on with (a worker that shuts down)."""
        raise NotImplementedError

    # ---- housekeeping

    def delete_before(self, created: float) -> int:
        """Delete the ended runs that were made before this time, as `delete` does; how many."""
        raise NotImplementedError

    def deletions(self, since: float) -> list[tuple[str, float]]:
        """(run id, when) of what was deleted at or after ``since``, in order."""
        raise NotImplementedError
