"""The page of a run while it is carried out: what its events change on it.

``templates/watch/run.html`` shows it, with what `watch_context` gives; ``GET /runs/ID/live``
streams the changes.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from flask import Blueprint, Response, current_app

from webapp.pipelines import names
from webapp.pipelines import shown as declared
from webapp.records import Head, StoredEvent, StoredRun
from webapp.services import services
from webapp.visitors import with_page
from webapp.watch.event_streams import finished, message, open_watch, stream
from webapp.watch.hub import Batch, RunLog
from webapp.watch.page import LivePipeline, Patch, WatchPage

live = Blueprint("live", __name__)

FRAME_SECONDS: Final = 0.125
"""Between two renderings of a run's page: what happens within is sent as one change, 8 times a
second at most.
"""
_KEPT_FRAMES: Final = 16


def watch_context(run: StoredRun, events: Sequence[StoredEvent]) -> dict[str, Any]:
    """Return what templates/watch/run.html, head.html and scripts.html show: the run's page after
    these events (all so far, in order).
    """
    page = _page(run)
    page.take(events)
    known = Head(run.status, run.last_seq, None, run.problem, run.retryable)
    if run.status == "queued":  # its place in the queue is not in its row
        known = services().store.heads([run.id]).get(run.id, known)
    return {
        "watch": page,
        "head": known,
        "status": page.status(known),
        "seconds_left": seconds_left(run, page, events[-1] if events else None, known, time.time()),
        "going": not finished(known),
    }


def seconds_left(
    run: StoredRun, page: WatchPage, last: StoredEvent | None, head: Head, now: float
) -> float | None:
    """Seconds that reading still takes, as the pipeline estimates them from this run and the
    deadline, which ends reading, allows; None where the run does not tell.
    """
    left = page.live.seconds_left(page.run_log) if head.status == "running" else None
    if left is None:
        return None
    if run.request.max_seconds is not None:
        left = min(left, run.request.max_seconds - page.run_log.last_t)
    began = max(last.created_at if last else 0.0, run.started_at or 0.0) or now
    # Cut, not rounded: what is told never exceeds what the deadline allows.
    return max(0.0, math.floor((left - (now - began)) * 10) / 10)


class LivePage:
    """The page of a run for all viewers in this process: rendered once a frame, and each change
    encoded once.
    """

    def __init__(
        self, page: WatchPage, log: RunLog, now: Callable[[], float] = time.monotonic
    ) -> None:
        self.page = page
        self._log = log
        self._now = now
        self._next_frame = 0.0
        self._frames: dict[tuple[int, int], str] = {}
        self._status: tuple[tuple[int, Head], str] | None = None

    def changes(self, after: int, hurry: bool) -> tuple[int, str]:
        """Up to which event the page goes now, and what one rendered up to ``after`` lacks: JSON
        objects, with commas between.

        The page is rendered at ``after`` too where it is not so far yet: then few parts differ,
        else all would have to be sent. Waits for the next frame, unless this viewer is behind the
        present one, or the run has ended (``hurry``).
        """
        while True:
            with self._log.lock:
                wait = self._next_frame - self._now()
                if wait <= 0 or hurry:
                    events = self._log.events
                    if self.page.seq < after < len(events):
                        self.page.take(events[self.page.seq + 1 : after + 1])
                    if events and events[-1].seq > self.page.seq:
                        self.page.take(events[self.page.seq + 1 :])
                        self._next_frame = self._now() + FRAME_SECONDS
                if wait <= 0 or hurry or after < self.page.seq:
                    return self.page.seq, self._encoded(after)
            time.sleep(min(wait, FRAME_SECONDS))

    def status(self, head: Head) -> str:
        """The HTML of the line on how far the run is; rendered once for all viewers too."""
        with self._log.lock:
            key = (self.page.seq, head)
            if self._status is None or self._status[0] != key:
                self._status = key, str(self.page.status(head))
            return self._status[1]

    def _encoded(self, after: int) -> str:
        key = (after, self.page.seq)
        if key not in self._frames:
            while len(self._frames) >= _KEPT_FRAMES:
                del self._frames[next(iter(self._frames))]
            self._frames[key] = ", ".join(map(_json, self.page.patches(after)))
        return self._frames[key]


@live.get("/runs/<run_id>/live")
def changes(run_id: str) -> Response:
    """Return what changes on the page of a run from event ``after`` (or Last-Event-ID) on, as
    server-sent events.

    Each is ``{"seq", "patches": [{"target", "how", "html"}], "left": seconds or null, "over":
    bool}`` with the sequence number as its id; ``over`` says that nothing more will come and the
    page is to be loaded anew.
    """
    run = with_page(run_id, *names())
    watch = open_watch(run_id)
    log, shown = watch.log, _live(run)
    macros = _macros(shown)
    sent = watch.after
    told = ""

    def messages(batch: Batch) -> Iterator[bytes]:
        nonlocal sent, told
        over = finished(batch.head)
        with log.lock:
            page: LivePage = log.derived.setdefault(
                "page", LivePage(WatchPage(shown, macros, run.id, run.request), log)
            )
        while True:
            seq, patches = page.changes(sent, hurry=over)
            status = page.status(batch.head)
            if seq > sent or status != told:
                parts = [_json(Patch("status", "replace", status))] if status != told else []
                parts += [patches] if patches and seq > sent else []
                sent, told = max(seq, sent), status
                left = seconds_left(
                    run, page.page, log.events[-1] if log.events else None, batch.head, time.time()
                )
                done = json.dumps(over and sent >= batch.head.last_seq)
                body = (
                    f'{{"seq": {sent}, "patches": [{", ".join(parts)}], "left": '
                    f'{json.dumps(left)}, "over": {done}}}'
                )
                yield message(body, id=sent if sent >= 0 else None)
            if sent >= batch.head.last_seq:
                return

    return stream(watch, messages)


def _json(patch: Patch) -> str:
    return json.dumps(asdict(patch), ensure_ascii=False)


def _page(run: StoredRun) -> WatchPage:
    """An empty page of a run."""
    shown = _live(run)
    return WatchPage(shown, _macros(shown), run.id, run.request)


def _macros(shown: LivePipeline) -> Any:
    """The macros of the parts, compiled once; they need no request."""
    return current_app.jinja_env.get_template(shown.macros).module


def _live(run: StoredRun) -> LivePipeline:
    found = declared(run.pipeline).live
    assert found is not None, "a pipeline whose runs have a page"
    return found
