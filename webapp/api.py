"""The HTTP API: start a run, look at it, cancel, resume, share and delete it.

What goes wrong is raised; `webapp.hosting.errors` makes RFC 9457 problems of it. Every JSON form
carries ``"schema": 1``.
"""

import json
from typing import Any, Final

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnsupportedMediaType

from clinfo.errors import FieldError
from clinfo.pipelines import DEFAULT, pipeline
from clinfo.runs import taken
from webapp import asking
from webapp.api_types import (
    EditedRun,
    OwnKey,
    Reply,
    Resumption,
    Run,
    Runs,
    RunState,
    Sharing,
    Started,
    operation,
    parameter,
)
from webapp.asking import ask, give_key
from webapp.fields import Fields, read, seconds
from webapp.patients import looked_at
from webapp.pipelines import declared, offered
from webapp.records import ENDED, Head, NotFound, Refused, StoredRun, cursor_of, place_of
from webapp.services import services
from webapp.visitors import changeable, children, parent_of, visible, visitor

api = Blueprint("api", __name__, url_prefix="/api/v1")

PAGE: Final = 50
"""Runs of a page."""
CHANGED: Final = {200: Reply("The current state of the run, without its answer.", RunState)}
CHANGING: Final = (400, 401, 403, 404, 409, 429)
"""Problems of whatever changes a run."""
SENDING: Final = (*CHANGING, 413, 415, 422)
"""Problems of what is sent to change one."""


@api.post("/runs")
@operation(
    "startRun",
    "runs",
    {202: Reply("The run is in the queue.", Started, headers=("Location",))},
    *(400, 401, 403, 404, 413, 415, 422, 429),
    body=Fields,
    parameters=(
        parameter(
            "Idempotency-Key",
            "A random text of the client's own, such as a UUID. A request with the same key and "
            "the same body within a day starts nothing and gets the run that was started; another "
            "body with it is refused. For requests that may have to be sent again.",
            "^[!-~]{1,255}$",
            "8e03978e-40d5-43dd-bc93-6894a57f9324",
            **{"in": "header"},
        ),
    ),
)
def start() -> Response:
    """Ask a question.

    Queues a run. Nothing is stored or sent before every field is checked and the question is
    scanned for patient identifiers.
    """
    fields = json_object()
    named = fields.pop("pipeline", None) or DEFAULT
    if named not in (known := [one.name for one in offered(services().web)]):
        raise FieldError(
            "pipeline",
            f"“{str(named)[:60]}” is not available here; choose one of: {', '.join(known)}",
        )
    fields = taken(declared(named).sent or Fields, fields)
    key, sent = request.headers.get("Idempotency-Key"), {**fields, "pipeline": named}
    run = ask(fields, visitor(), of=named, idempotency_key=key, sent=sent)
    response = as_json(Started(id=run.id, url=f"{request.root_url}runs/{run.id}"), 202)
    response.headers["Location"] = f"{request.root_url}api/v1/runs/{run.id}"
    return response


@api.get("/runs")
@operation(
    "listRuns",
    "runs",
    {200: Reply("A page of runs.", Runs)},
    *(400, 401, 422, 429),
    parameters=(
        parameter(
            "cursor",
            "`next` of the page before; not given: the first page.",
            "^([0-9]{1,12}\\.[0-9]{1,9}_[A-Za-z0-9_-]{1,64})?$",
            "1767225600.25_dGhlIHJ1biBvZiBhbiBleGFtcGxl",
        ),
    ),
)
def listed() -> Response:
    """List your runs.

    Those of the access token, the user or the browser that asks, newest first. A program that is
    none of these has no list.
    """
    who, after = visitor(), None
    if (cursor := request.args.get("cursor")) and (after := place_of(cursor)) is None:
        raise FieldError("cursor", "must be what `next` of the page before was")
    store = services().store
    found = store.of_visitor(who.browser, who.user, PAGE + 1, after)
    heads = store.heads([run.id for run in found[:PAGE]])
    shown = [RunState(**_state(run, heads[run.id])) for run in found[:PAGE] if run.id in heads]
    following = cursor_of(found[PAGE - 1]) if len(found) > PAGE else None
    return fresh(as_json(Runs(runs=shown, next=following)))


@api.get("/runs/<run_id>")
@operation(
    "getRun",
    "runs",
    {200: Reply("The run.", Run, headers=("ETag",)), 304: Reply("The ETag that was sent holds.")},
    *(400, 401, 404, 429),
)
def show(run_id: str) -> Response:
    """Look at a run.

    The progress of the run, and its answer once it is done. 304 if the ETag sent as If-None-Match
    is still valid.
    """
    run, head = _looked_up(visible(run_id))
    followers = [one.id for one in children(run, visitor())]
    shown = Run(**_state(run, head), answer=_answer(run, head), follow_ups=followers)
    return tagged(as_json(shown))


@api.delete("/runs/<run_id>")
@operation("deleteRun", "runs", {204: Reply("Deleted.")}, *CHANGING)
def delete(run_id: str) -> Response:
    """Delete a run.

    With its events, and what the caches of all workers hold for it. A running run is stopped.
    """
    if not services().store.delete(changeable(run_id).id):
        raise NotFound
    return fresh(Response(status=204))


@api.post("/runs/<run_id>/cancel")
@operation("cancelRun", "runs", CHANGED, *CHANGING)
def cancel(run_id: str) -> Response:
    """Cancel a run.

    What is queued or waits for a key is cancelled at once, what is running within moments (look at
    the run again). Results so far are kept. A run that has ended is not changed.
    """
    return _changed(services().store.ask_cancel(changeable(run_id).id))


@api.post("/runs/<run_id>/resume")
@operation("resumeRun", "runs", CHANGED, *SENDING, body=Resumption, optional=True)
def resume(run_id: str) -> Response:
    """Resume a run.

    Queues a failed or cancelled run. It resumes from its events: no call with a recorded reply is
    repeated.
    """
    run = changeable(run_id)
    given = read(Resumption, json_object(optional=True)).max_seconds
    longest = None if given is None else seconds(given, services().web)
    return _changed(asking.resume(run.id, visitor(), longest))


@api.post("/runs/<run_id>/key")
@operation("giveKey", "runs", CHANGED, *SENDING, body=OwnKey)
def key(run_id: str) -> Response:
    """Give the key a run waits for.

    The key is sealed for one worker, kept in its memory only while the run continues, and never
    stored in plain text.
    """
    run = changeable(run_id)
    return _changed(give_key(run.id, read(OwnKey, json_object()).api_key))


@api.post("/runs/<run_id>/share")
@operation("shareRun", "runs", CHANGED, *SENDING, body=Sharing)
def share(run_id: str) -> Response:
    """Share a run.

    Lets everybody who has its id see a run that belongs to a user of this host, or no longer.
    Refused for a run of no user, which everybody who has its id may see anyway.
    """
    run = changeable(run_id)
    shared = read(Sharing, json_object()).shared
    if run.owner is None:
        raise Refused("This run belongs to no user: everyone with its id can see it.")
    return _changed(services().store.share(run.id, shared))


def _looked_up(run: StoredRun) -> tuple[StoredRun, Head]:
    head = services().store.heads([run.id]).get(run.id)
    if head is None:  # deleted between two looks
        raise NotFound
    return run, head


def _state(run: StoredRun, head: Head) -> dict[str, Any]:
    return {
        "id": run.id,
        "question": getattr(run.request, "question", ""),
        "status": head.status,
        "position": head.position,
        "problem": head.problem,
        "retryable": head.retryable,
        "shared": run.shared,
        "parent": seen.id if (seen := parent_of(run, visitor())) else None,
        "created_at": run.created_at,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "last_event": head.last_seq,
    }


def _answer(run: StoredRun, head: Head) -> dict[str, Any] | None:
    """The answer as the run recorded it, or what there is of one where the run stopped before its
    end; a look at one from a patient's record is logged.
    """
    if head.status not in ENDED:
        return None
    return pipeline(run.pipeline).answer(looked_at(run, visitor(), "view"))


def edited(run: StoredRun, status: int = 200) -> Response:
    """A run after something was done to its answer."""
    run, head = _looked_up(run)
    return fresh(as_json(EditedRun(**_state(run, head), answer=_answer(run, head)), status))


def _changed(run: StoredRun) -> Response:
    """A run after something was done to it, without its answer."""
    run, head = _looked_up(run)
    return fresh(as_json(RunState(**_state(run, head))))


def json_object(*, optional: bool = False) -> dict[str, Any]:
    """The JSON object in the body of the request. Raises UnsupportedMediaType, BadRequest,
    RequestEntityTooLarge.

    With ``optional`` nothing at all counts as an empty object.
    """
    body = request.get_data(cache=False)
    if request.content_length is None and len(body) >= (request.max_content_length or 0):
        raise RequestEntityTooLarge  # sent in chunks: what was read may be its beginning only
    if len(body) > services().web.largest_body and not (
        b'"documents"' in body or b'"papers"' in body or b'"record"' in body
    ):
        raise RequestEntityTooLarge
    if optional and not body:
        return {}
    if request.mimetype != "application/json":
        raise UnsupportedMediaType(
            "The body must be JSON, and the header Content-Type must say so: application/json."
        )
    try:
        found = json.loads(body, parse_constant=_no_number, parse_int=_whole)
    except RecursionError:
        raise BadRequest("The JSON in the body is nested too deep.") from None
    except UnicodeDecodeError:
        raise BadRequest("The body is no text in UTF-8; it must be, and not compressed.") from None
    except ValueError as error:
        raise BadRequest(f"The JSON in the body cannot be read: {error}.") from None
    if not isinstance(found, dict):
        raise BadRequest("The body must be a JSON object, {…}.")
    return found


def _whole(digits: str) -> float:
    try:
        return int(digits)
    except ValueError:  # more digits than Python reads: out of every range, as 1e999 is
        return float(digits)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def as_json(form: object, status: int = 200) -> Response:
    """A form, as the body of a response."""
    text = json.dumps(form, default=vars, ensure_ascii=False, allow_nan=False)
    return Response(text.encode("utf-8", "replace") + b"\n", status, mimetype="application/json")


def tagged(response: Response) -> Response:
    """Let the visitor's own cache keep it, and ask each time whether it still holds."""
    response.headers["Cache-Control"] = "private, no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


def fresh(response: Response) -> Response:
    """Let nothing keep it."""
    response.headers["Cache-Control"] = "no-store"
    return response
