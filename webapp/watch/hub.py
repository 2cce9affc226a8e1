"""One tail on the database for each web process, fanned out to everybody who watches a run."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from webapp.records import Busy, Head, NotFound, StoredEvent
from webapp.storage.store import Store

_log = logging.getLogger(__name__)

LONGEST_PAUSE: Final = 5.0
"""Seconds between two looks at most while the database does not answer."""


SHARE: Final = 60
"""Per cent of the places that one visitor may take: most of a hospital behind one address, and room
for others is left.
"""
RETRY_AFTER: Final = 5


class Stopped(Exception):
    """The process is shutting down: its viewers shall come back to another one."""


class RunLog:
    """All events of a watched run so far, and a place for what is derived from them once for all
    viewers.

    ``events[i].seq == i``, and the list only ever grows at its end, so it may be read without a
    lock. ``derived`` is for the viewers' own code, under ``lock``. The log lives as long as
    somebody in this process watches the run.
    """

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.events: list[StoredEvent] = []
        self.head: Head | None = None
        self.derived: dict[str, Any] = {}
        self.lock = threading.RLock()
        self.deleted = False
        self.viewers = 0
        self.changed = threading.Condition()


class Watch:
    """A viewer's place in a run, to be closed. ``log`` is shared by all viewers of the run in
    this process.
    """

    def __init__(self, hub: Hub, log: RunLog, after: int) -> None:
        self.log = log
        self.after = after
        """Sequence number of the last event that `next` gave."""
        self._hub = hub
        self._told: Head | None = None
        self._open = True

    @property
    def head(self) -> Head:
        """Return how far the run is, as this process knows it."""
        assert self.log.head is not None  # a watch is made of a log that was read
        return self.log.head

    def next(self, timeout: float) -> tuple[Head, Sequence[StoredEvent]] | None:
        """Return how far the run is, and its new events in order (maybe none), or None after
        ``timeout`` seconds without anything new.

        The first call gives how far the run is at once, with the events so far. Raises NotFound
        once the run was deleted, Stopped once the hub was stopped.
        """
        log = self.log
        with log.changed:
            log.changed.wait_for(
                lambda: log.deleted or self._hub.stopped or log.head != self._told, timeout
            )
            if log.deleted:
                raise NotFound
            if self._hub.stopped:
                raise Stopped
            if self.head == self._told:
                return None
            self._told = self.head
            events = log.events[self.after + 1 :]
        self.after += len(events)
        return self._told, events

    def close(self) -> bool:
        """Leave; may be called again. Whether this call did."""
        return self._hub.leave(self)


class Hub:
    """``interval`` is the seconds between two looks at the database while anybody watches; nobody
    watching, none is taken.

    The thread starts with the first viewer, so that a server may fork before.
    """

    def __init__(self, store: Store, interval: float = 0.05) -> None:
        self.store = store
        self.interval = interval
        self.viewers = 0
        """The number of viewers at the moment, over all runs."""
        self.stopped = False
        self._lock = threading.Lock()
        # One look at a time, so that an older one never replaces a newer one.
        self._looking = threading.Lock()
        self._logs: dict[str, RunLog] = {}
        self._thread: threading.Thread | None = None

    def watch(self, run_id: str, after: int = -1) -> Watch:
        """A place behind the event ``after``. Raises NotFound, ValueError where there is no such
        event, Busy after `stop`.
        """
        with self._lock:
            if self.stopped:
                raise Busy("This server is restarting; please try again in a moment.", 2)
            log = self._logs.setdefault(run_id, RunLog(run_id))
            log.viewers += 1
            self.viewers += 1
        watch = Watch(self, log, after)
        try:
            # Read afresh: what this visitor has just done to the run (resumed it, given a key) must
            # not be overlooked.
            self._look([log])
            if log.deleted or log.head is None:
                raise NotFound
            if not -1 <= after < len(log.events):
                raise ValueError(f"there is no event {after} to continue from")
        except BaseException:
            watch.close()
            raise
        with self._lock:
            if self._thread is None and not self.stopped:
                self._thread = threading.Thread(target=self._tail, name="clinfo-hub", daemon=True)
                self._thread.start()
        return watch

    def stop(self) -> None:
        """End all streams, now and for good."""
        with self._lock:
            self.stopped = True
            logs = list(self._logs.values())
        for log in logs:
            with log.changed:
                log.changed.notify_all()

    def leave(self, watch: Watch) -> bool:
        """Let a viewer go. False where it had gone before."""
        with self._lock:
            if not watch._open:
                return False
            watch._open = False
            self.viewers -= 1
            watch.log.viewers -= 1
            if watch.log.viewers == 0:
                del self._logs[watch.log.run_id]
            return True

    def _tail(self) -> None:
        failures = 0
        while True:
            with self._lock:
                logs = [log for log in self._logs.values() if not log.deleted]
                if self.stopped or not self._logs:
                    self._thread = None
                    return
            started = time.monotonic()
            try:
                self._look(logs)
                if failures:
                    _log.warning("the database answers again")
                failures = 0
            except Exception:
                failures += 1
                if failures == 1:  # an outage is logged once, not twenty times a second
                    _log.exception("the database does not answer; trying again")
            pause = min(LONGEST_PAUSE, self.interval * 2 ** min(failures, 10))
            # A look that took long is followed by a short rest all the same, so that the tail never
            # takes a whole core.
            time.sleep(max(pause - (time.monotonic() - started), pause / 2))

    def _look(self, logs: Sequence[RunLog]) -> None:
        """One look at these runs."""
        with self._looking:
            heads = self.store.heads([log.run_id for log in logs])
            for log in logs:
                self._take(log, heads.get(log.run_id))

    def _take(self, log: RunLog, head: Head | None) -> None:
        """Bring a log up to ``head``, None where the run is gone."""
        if head is not None and head == log.head:
            return
        fresh: Sequence[StoredEvent] = ()
        if head is not None and head.last_seq >= len(log.events):
            fresh = self.store.events(log.run_id, len(log.events) - 1)
            if len(log.events) + len(fresh) <= head.last_seq:
                return  # it was deleted between the two questions; the next look tells
        with log.changed:
            log.events.extend(fresh)
            log.deleted = head is None
            if head is not None:
                log.head = replace(head, last_seq=len(log.events) - 1)
            log.changed.notify_all()


class Places:
    """Places for streams in a web process: as many as the host allows, of which one visitor, as
    `webapp.hosting.limits.counted_as` names it, may take `SHARE`.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.share = max(1, limit * SHARE // 100)
        self._taken_by: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """The number of places that are taken."""
        return self._taken_by.total()

    def take(self, who: str) -> None:
        """Take a place. Raises Busy where none is left, or the visitor has its share."""
        with self._lock:
            if self._taken_by[who] >= self.share:
                raise Busy(
                    "Your network is watching as many runs at a time as this site allows "
                    f"({self.share:,}). Please close one of their pages and try again in a few "
                    "seconds.",
                    RETRY_AFTER,
                )
            if self.taken >= self.limit:
                raise Busy(
                    "Too many people are watching runs at the moment; please try again in a few "
                    "seconds.",
                    RETRY_AFTER,
                )
            self._taken_by[who] += 1

    def free(self, who: str) -> None:
        """Give a place back."""
        with self._lock:
            self._taken_by[who] -= 1
            self._taken_by += Counter()  # whoever has none is not kept
