"""The page of a run while it is carried out: what its events change on it.

``templates/watch/run.html`` shows it, with what `watch_context` gives; ``GET /runs/ID/live``
streams the changes.
"""

import json
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from flask import Blueprint, Response, current_app

from webapp.pipelines import names
from webapp.pipelines import shown as declared
from webapp.records import Head, StoredEvent, StoredRun
from webapp.services import services
from webapp.visitors import with_page
from webapp.watch.event_streams import finished, message, open_watch, stream
from webapp.watch.page import WatchPage

live = Blueprint("live", __name__)

FRAME_SECONDS: Final = 0.2
"""Between two renderings of a run's page, once for all who watch it: what happens within is one
change.
"""


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
        "seconds_left": _seconds_left(run, page, events[-1] if events else None, known),
        "going": not finished(known),
    }


def _seconds_left(
    run: StoredRun, page: WatchPage, last: StoredEvent | None, head: Head
) -> float | None:
    """Seconds that reading still takes, as the pipeline estimates them from this run and the
    deadline, which ends reading, allows; None where the run does not tell.
    """
    left = page.live.seconds_left(page.run_log) if head.status == "running" else None
    if left is None:
        return None
    if run.request.max_seconds is not None:
        left = min(left, run.request.max_seconds - page.run_log.last_t)
    began = max(last.created_at if last else 0.0, run.started_at or 0.0) or time.time()
    # Cut, not rounded: what is told never exceeds what the deadline allows.
    return max(0.0, math.floor((left - (time.time() - began)) * 10) / 10)


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
    log, mine = watch.log, _page(run)
    mine.take(log.events[: watch.after + 1])
    with log.lock:
        page: WatchPage = log.derived.setdefault("page", _page(run))
    seen, status = mine.html, ""

    def messages(head: Head, events: Sequence[StoredEvent]) -> Iterator[bytes]:
        nonlocal seen, status
        over = finished(head)
        while True:
            with log.lock:
                wait = 0.0 if over else page.rendered + FRAME_SECONDS - time.monotonic()
                if wait <= 0:
                    page.take(log.events[page.seq + 1 :])
                if wait <= 0 or page.seq >= head.last_seq:
                    break
            time.sleep(wait)
        with log.lock:
            patches, seen = page.changes(seen), page.html
            said = str(page.status(head))
            left = _seconds_left(run, page, log.events[-1] if log.events else None, head)
            seq = page.seq
        if said != status:
            patches.insert(0, {"target": "status", "how": "replace", "html": said})
            status = said
        if patches or over:
            form = {"seq": seq, "patches": patches, "left": left, "over": over}
            yield message(json.dumps(form, ensure_ascii=False), id=seq if seq >= 0 else None)

    return stream(watch, messages)


def _page(run: StoredRun) -> WatchPage:
    """An empty page of a run; its macros need no request."""
    found = declared(run.pipeline).live
    assert found is not None, "a pipeline whose runs have a page"
    macros = current_app.jinja_env.get_template(found.macros).module
    return WatchPage(found, macros, run.id, run.request)
