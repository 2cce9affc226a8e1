"""One tail on the database for each web process, fanned out to everybody who watches a run."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from webapp.records import Busy, Head, NotFound, StoredEvent
from webapp.storage.store import Store

_log = logging.getLogger(__name__)

QUIET_AFTER: Final = 2.0
"""Seconds without anything new after which the database is looked at less often."""
QUIET_INTERVAL: Final = 0.2
LONGEST_PAUSE: Final = 5.0
"""Seconds between two looks at most while the database does not answer."""


class Stopped(Exception):
    """The process is shutting down: its viewers shall come back to another one."""


@dataclass(frozen=True)
class Batch:
    """New events of a run: in order (maybe none), and how far the run is now."""

    events: tuple[StoredEvent, ...]
    head: Head


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
        self._stopped = False
        self._viewers = 0
        self._changed = threading.Condition()
        # Whoever reads the run from the database holds this, so that an older look never replaces a
        # newer one.
        self._reading = threading.Lock()
        self._looks = 0

    def _advance(self, head: Head, events: Sequence[StoredEvent]) -> bool:
        """Take over a look at the run; whether anything was new."""
        fresh: list[StoredEvent] = []
        for event in events:
            if event.seq != len(self.events) + len(fresh):
                _log.error(
                    "events of a run are not gapless",
                    extra={"run": self.run_id[:6], "seq": event.seq},
                )
                break
            fresh.append(event)
        last = len(self.events) + len(fresh) - 1
        if (
            last < head.last_seq
        ):  # the rest is not to be read yet: what the run is after it must wait for it
            head = replace(self.head or Head("running", last), only_for=head.only_for)
        if head.last_seq != last:
            head = replace(head, last_seq=last)
        if not fresh and head == self.head:
            return False
        with self._changed:
            self.events.extend(fresh)
            self.head = head
            self._changed.notify_all()
        return True

    def _end(self, *, deleted: bool = False, stopped: bool = False) -> None:
        with self._changed:
            self.deleted = self.deleted or deleted
            self._stopped = self._stopped or stopped
            self._changed.notify_all()


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

    def next(self, timeout: float) -> Batch | None:
        """Return what is new since the last call, or None after ``timeout`` seconds without
        anything.

        The first call gives how far the run is at once, with the events so far. Raises NotFound
        once the run was deleted, Stopped once the hub was stopped.
        """
        log = self.log
        with log._changed:
            if not self._news():
                log._changed.wait_for(self._news, timeout)
            if log.deleted:
                raise NotFound
            if log._stopped:
                raise Stopped
            head = log.head
            if head is None or (head == self._told and len(log.events) <= self.after + 1):
                return None
            events = tuple(log.events[self.after + 1 :])
        self._told = head
        self.after += len(events)
        return Batch(events, head)

    def _news(self) -> bool:
        log = self.log
        return (
            log.deleted
            or log._stopped
            or log.head != self._told
            or len(log.events) > self.after + 1
        )

    def close(self) -> None:
        """Leave; may be called again."""
        self._hub._leave(self)


class Hub:
    """``interval`` is the seconds between two looks at the database while anybody watches; nobody
    watching, none is taken.

    The thread starts with the first viewer, so that a server may fork before. After some quiet
    seconds looks are rarer.
    """

    def __init__(self, store: Store, interval: float = 0.05) -> None:
        self.store = store
        self.interval = interval
        self._lock = threading.Lock()
        self._logs: dict[str, RunLog] = {}
        self.viewers = 0
        """The number of viewers at the moment, over all runs."""
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._stopped = False

    def watch(self, run_id: str, after: int = -1) -> Watch:
        """A place behind the event ``after``. Raises NotFound, ValueError where there is no such
        event, Busy after `stop`.
        """
        with self._lock:
            if self._stopped:
                raise Busy("This server is restarting; please try again in a moment.", 2)
            log = self._logs.setdefault(run_id, RunLog(run_id))
            log._viewers += 1
            self.viewers += 1
        watch = Watch(self, log, after)
        try:
            # Read afresh: what this visitor has just done to the run (resumed it, given a key) must
            # not be overlooked.
            with log._reading:
                self._take(log, self.store.heads([run_id]).get(run_id))
            if log.deleted:
                raise NotFound
            if not -1 <= after < len(log.events):
                raise ValueError(f"there is no event {after} to continue from")
        except BaseException:
            watch.close()
            raise
        with self._lock:
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._tail, name="clinfo-hub", daemon=True)
                self._thread.start()
        self._wake.set()
        return watch

    def stop(self) -> None:
        """End all streams, now and for good."""
        with self._lock:
            self._stopped = True
            logs = list(self._logs.values())
        for log in logs:
            log._end(stopped=True)
        self._wake.set()

    def _leave(self, watch: Watch) -> None:
        with self._lock:
            if not watch._open:
                return
            watch._open = False
            self.viewers -= 1
            watch.log._viewers -= 1
            if watch.log._viewers == 0:
                del self._logs[watch.log.run_id]

    def _take(self, log: RunLog, head: Head | None) -> bool:
        """Bring a log up to ``head``; its ``_reading`` is held. Whether anything was new."""
        if head is None:
            log._end(deleted=True)
            return True
        known = len(log.events)
        changed = log._advance(
            head, self.store.events(log.run_id, known - 1) if head.last_seq >= known else ()
        )
        log._looks += 1
        return changed

    def _tail(self) -> None:
        failures = 0
        last_change = time.monotonic()
        while True:
            with self._lock:
                logs = [log for log in self._logs.values() if not log.deleted]
                if self._stopped or not self._logs:
                    self._thread = None
                    return
            started = time.monotonic()
            try:
                changed = self._look(logs)
                if failures:
                    _log.warning("the database answers again")
                failures = 0
            except Exception:
                failures += 1
                changed = False
                if failures == 1:  # an outage is logged once, not twenty times a second
                    _log.exception("the database does not answer; trying again")
            now = time.monotonic()
            if changed:
                last_change = now
            pause = (
                self.interval
                if now - last_change < QUIET_AFTER
                else max(self.interval, QUIET_INTERVAL)
            )
            if failures:
                pause = min(LONGEST_PAUSE, pause * 2 ** min(failures, 10))
            # A look that took long is followed by a short rest all the same, so that the tail never
            # takes a whole core.
            if self._wake.wait(max(pause - (now - started), pause / 2)):
                self._wake.clear()
                last_change = time.monotonic()

    def _look(self, logs: Sequence[RunLog]) -> bool:
        """One look at all watched runs; whether anything was new. An error of one run does not keep
        the others waiting.
        """
        looks = {log.run_id: log._looks for log in logs}
        heads = self.store.heads(looks) if looks else {}
        changed = False
        failure: Exception | None = None
        for log in logs:
            head = heads.get(log.run_id)
            if head is not None and head == log.head:
                continue
            if not log._reading.acquire(blocking=False):
                continue  # a new viewer is reading it just now
            try:
                if log._looks == looks[log.run_id]:  # else somebody has looked since
                    changed = self._take(log, head) or changed
            except Exception as error:
                failure = error
            finally:
                log._reading.release()
        if failure is not None:
            raise failure
        return changed
