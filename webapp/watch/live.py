"""A run while it is carried out, as server-sent events: its raw events for programs, and what they
change on its page.

A stream ends once its run has ended (or waits for a key) and everything was sent; whoever comes
back after that gets 204, which makes a browser's EventSource stop. ``templates/watch/run.html``
shows the page, with what `watch_context` gives; ``GET /runs/ID/live`` streams the changes.
"""

import json
import math
import select
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from flask import Blueprint, Response, current_app, request
from werkzeug.exceptions import BadRequest

from webapp.api_types import MESSAGE, Reply, operation, parameter
from webapp.hosting.limits import count_request, counted_as
from webapp.patients import looked_at
from webapp.pipelines import declared, names
from webapp.records import ENDED, Busy, Head, NotFound, StoredEvent, StoredRun, Visitor
from webapp.services import services
from webapp.visitors import visible, visitor, with_page
from webapp.watch.hub import Stopped, Watch
from webapp.watch.page import WatchPage

streams = Blueprint("streams", __name__)

KEEP_ALIVE: Final = 15.0
"""Seconds after which a comment is sent when there is nothing else, so that proxies keep the
connection.
"""
HANG_UP_CHECK: Final = 1.0
"""Seconds between two looks whether the reader is still there."""
UNREAD_TIMEOUT: Final = 60
"""Seconds after which the system gives a connection up whose reader takes nothing any more."""
RECONNECT: Final = 1_000
"""Milliseconds after which an EventSource that lost its connection comes back."""

Messages = Callable[[Head, Sequence[StoredEvent]], Iterable[bytes]]
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def message(data: str, *, event: str | None = None, id: int | str | None = None) -> bytes:
    """A server-sent event; every line of ``data`` gets its field, so that nothing in it can end the
    event or begin another.
    """
    lines = [] if id is None else [f"id: {id}"]
    if event is not None:
        lines.append(f"event: {event}")
    lines += [
        f"data: {line}" for line in data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ]
    return ("\n".join(lines) + "\n\n").encode()


def finished(run: Head | StoredRun) -> bool:
    """Return whether a stream of a run has nothing to wait for."""
    return run.status in ENDED or run.status == "key_needed"


def last_event_id() -> int:
    """The event to go on after, from the header Last-Event-ID or else the query parameter
    ``after``; -1 where neither is given.

    Raises BadRequest where one of them is not a sequence number, whichever is used.
    """
    given = {
        "Last-Event-ID": request.headers.get("Last-Event-ID"),
        "after": request.args.get("after"),
    }
    for where, value in given.items():
        if value and not (value.isascii() and value.isdigit() and len(value) <= 9):
            raise BadRequest(
                f"{where} must be the id of an event of this run, a whole number from 0"
            )
    return int(given["Last-Event-ID"] or given["after"] or -1)


def open_watch(run_id: str) -> Watch:
    """A watch of a run from where the request wants to go on. Raises NotFound, BadRequest, Busy."""
    run = visible(run_id)
    after = last_event_id()
    if finished(run):
        # it waits for nothing, so the places limit it little: each time the whole run is read and
        # sent
        count_request(visitor())
    try:
        return services().hub.watch(run_id, after)
    except ValueError:
        raise BadRequest(
            "Last-Event-ID must be the id of an event of this run; it has none with this number"
        ) from None


def stream(watch: Watch, messages: Messages) -> Response:
    """A response that sends what ``messages`` makes of how far the run is and of its new events
    (see `message`) until the run has ended; it closes ``watch``.

    It ends too when its reader may no longer see the run.

    The first comes at once and holds the events so far (maybe none). 204 where nothing will
    come any more. Raises Busy, with the watch closed, where `WebSettings.streams` are open in this
    process already, or the visitor's share of them.
    """
    who = visitor()
    if finished(watch.head) and watch.after >= watch.head.last_seq:
        watch.close()
        return Response(status=204, headers=_HEADERS)
    taken, whose = services().places, counted_as(who)
    try:
        taken.take(whose)
    except Busy:
        watch.close()
        raise

    def close() -> None:
        if watch.close():
            taken.free(whose)

    written = _written(watch, who, messages, _connection(), close)
    response = Response(written, mimetype="text/event-stream", headers=_HEADERS)
    # Not left to the generator alone: one that was never begun (HEAD, a reader gone at once) runs
    # no `finally`.
    response.call_on_close(close)
    return response


def _written(
    watch: Watch,
    who: Visitor,
    messages: Messages,
    connection: socket.socket | None,
    close: Callable[[], None],
) -> Iterator[bytes]:
    silent = 0.0
    try:
        yield f"retry: {RECONNECT}\n\n".encode()
        while True:
            fresh = watch.next(HANG_UP_CHECK)
            silent += HANG_UP_CHECK
            if fresh is not None:
                head, _ = fresh
                if head.only_for not in (None, who.user):
                    # no longer shared: whoever comes back is told that this run does not exist
                    return
                if said := b"".join(messages(*fresh)):
                    silent = 0.0
                    yield said
                if finished(head) and watch.after >= head.last_seq:
                    return
            elif _hung_up(connection):
                return
            elif silent >= KEEP_ALIVE:
                silent = 0.0
                yield b": still here\n\n"
    except (NotFound, Stopped):
        # deleted: whoever comes back is told; shutting down: whoever comes back finds another
        # process
        return
    finally:
        close()


def _connection() -> socket.socket | None:
    """The socket under the request where the server lends it, made to notice a reader that
    vanished.
    """
    for name in ("gunicorn.socket", "werkzeug.socket"):
        found = request.environ.get(name)
        if isinstance(found, socket.socket):
            with suppress(OSError, AttributeError):  # a Unix socket, another system
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_TIMEOUT * 1000)
            return found
    return None


def _hung_up(connection: socket.socket | None) -> bool:
    """Return whether the reader has closed its side; unknown counts as no, the next write will
    tell.
    """
    if connection is None or not hasattr(select, "POLLRDHUP"):
        return False
    try:
        poll = select.poll()
        poll.register(connection, select.POLLRDHUP)
        return bool(poll.poll(0))
    except (OSError, ValueError):  # closed already
        return True


_LAST: Final = ("^[0-9]{0,9}$", "41")


@streams.get("/api/v1/runs/<run_id>/events")
@operation(
    "watchRun",
    "runs",
    {
        200: Reply("The events.", MESSAGE, "text/event-stream"),
        204: Reply("The run has ended or waits for a key, and the client has all events."),
    },
    *(400, 401, 404, 429),
    parameters=(
        parameter(
            "Last-Event-ID",
            "The last event that the client has; it gets those after it.",
            *_LAST,
            **{"in": "header"},
        ),
        parameter(
            "after",
            "The same, for clients that cannot set the header; the header goes before it.",
            *_LAST,
        ),
    ),
)
def run_events(run_id: str) -> Response:
    """Follow a run.

    The events of the run in the order in which they were recorded, as server-sent events: `id` is
    the event's sequence number (from 0, without a gap), `event` its type, `data` the event as one
    line of JSON (see the schema `Event`). The answer is a pure function of them; the last one of a
    run that went through is of type `answer` and holds it.

    Between them come events of type `status`, without an id: `{"status", "position", "problem"}`
    (see `GET /api/v1/runs/{run_id}`), at the beginning and whenever one of the three changes.
    Comment lines keep the connection open. The stream ends when the run has ended or waits for a
    key; a `status` is the last thing that it says then.

    A client that lost the connection sends the last id that it got as `Last-Event-ID` (browsers'
    EventSource does so by itself) and gets the rest, nothing left out and nothing twice. When
    nothing will come any more the answer is 204, on which an EventSource stops.

    Readers must ignore types and fields that they do not know.
    """
    run = visible(run_id)
    if declared(run.pipeline).logged(run.request) is not None:
        looked_at(run, visitor(), "view events")
    told: list[str] = []

    def messages(head: Head, events: Sequence[StoredEvent]) -> Iterator[bytes]:
        status = {"status": head.status, "position": head.position, "problem": head.problem}
        line = json.dumps(status, ensure_ascii=False)
        said = b"" if told[-1:] == [line] else message(line, event="status")
        told[:] = [line]
        # The status an open run has comes before its events, the one it ends with after them: it is
        # the last word.
        if said and not finished(head):
            yield said
        for event in events:
            yield f"id: {event.seq}\nevent: {event.type}\ndata: {event.body}\n\n".encode()
        if said and finished(head):
            yield said

    return stream(open_watch(run_id), messages)


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
