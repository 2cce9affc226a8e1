"""The HTTP API: start a run, look at it, cancel, resume, share and delete it.

What goes wrong is raised; `webapp.hosting.errors` makes RFC 9457 problems of it. Every JSON form
carries ``"schema": 1``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnsupportedMediaType

from clinfo import __version__
from clinfo.claims import CHECKS
from clinfo.errors import FieldError
from clinfo.pipelines import DEFAULT, pipeline
from clinfo.pipelines.literature import OPTIONS, PROMPTS
from clinfo.records import MAX_NAME, MAX_PROMPT, MAX_QUERY, MAX_QUESTION, MAX_SEED_STUDIES
from clinfo.settings import Settings
from webapp import asking
from webapp.asking import MAX_KEY, ask, give_key
from webapp.fields import seconds
from webapp.patients import looked_at
from webapp.pipelines import offered as on_offer
from webapp.pipelines import shown
from webapp.pipelines.cohort import asking as cohorts
from webapp.pipelines.literature.asking import MAX_LISTED, MAX_OWN_QUERIES
from webapp.pipelines.trials import editing
from webapp.records import ENDED, Head, NotFound, Refused, StoredRun, cursor_of, place_of
from webapp.services import services
from webapp.settings import WebSettings
from webapp.visitors import changeable, children, parent_of, visible, visitor

api = Blueprint("api", __name__, url_prefix="/api/v1")

SCHEMA: Final = 1
PAGE: Final = 50
"""Runs of a page."""
CHOICES: Final = {
    f"{name[:-1]}ies" if name[-1] == "y" else name if name[-1] == "s" else f"{name}s": name
    for name in OPTIONS
    if OPTIONS[name].choices
}
"""The name under which the choices of an option are listed, with the option: regimes, strategies,
judges.
"""


@api.post("/runs")
def start() -> Response:
    """Ask a question: 202 with the id of the run, which is in the queue then."""
    fields = _json_object()
    named = fields.pop("pipeline", None) or DEFAULT
    if named not in (known := [one.name for one in on_offer(services().web)]):
        raise FieldError(
            "pipeline",
            f"“{str(named)[:60]}” is not available here; choose one of: {', '.join(known)}",
        )
    key, sent = request.headers.get("Idempotency-Key"), {**fields, "pipeline": named}
    of: dict[str, Any] = {}
    if key is None or asking.begun(key, sent, visitor()) is None:
        fields, of = shown(named).continued(fields, visitor())
    run = ask(fields, visitor(), of=named, idempotency_key=key, sent=sent, **of)
    response = _json({"id": run.id, "url": f"{request.root_url}runs/{run.id}"}, 202)
    response.headers["Location"] = f"{request.root_url}api/v1/runs/{run.id}"
    return response


@api.post("/cohort")
def cohort() -> Response:
    """Find the patients of one of the host's indexes who match, at once: no run is kept."""
    return _fresh(_json(cohorts.asked(_json_object(), visitor())))


@api.get("/runs")
def listed() -> Response:
    """Return one's own runs, newest first, a page of them: those of the user, the token or the
    browser. Raises FieldError for a cursor that no page gave.
    """
    who, after = visitor(), None
    if (cursor := request.args.get("cursor")) and (after := place_of(cursor)) is None:
        raise FieldError("cursor", "must be what `next` of the page before was")
    store = services().store
    found = store.of_visitor(who.browser, who.user, PAGE + 1, after)
    heads = store.heads([run.id for run in found[:PAGE]])
    shown = [
        {"schema": SCHEMA} | _state(run, heads[run.id]) for run in found[:PAGE] if run.id in heads
    ]
    following = cursor_of(found[PAGE - 1]) if len(found) > PAGE else None
    return _fresh(_json({"runs": shown, "next": following}))


@api.get("/runs/<run_id>")
def show(run_id: str) -> Response:
    """Return how far a run is, with its answer once it is done, or what there is of one where it
    failed or was cancelled.
    """
    run, head = _looked_up(visible(run_id))
    followers = [one.id for one in children(run, visitor())]
    shown = (
        run.id,
        followers,
        head.status,
        head.position,
        head.last_seq,
        head.problem,
        head.retryable,
    )
    tag = hashlib.sha256(repr((*shown, __version__, CHECKS)).encode()).hexdigest()[:32]
    if request.if_none_match.contains_weak(tag):
        return _cached(Response(status=304), tag)
    return _cached(
        _json(_state(run, head) | {"answer": _answer(run, head), "follow_ups": followers}),
        tag,
    )


@api.delete("/runs/<run_id>")
def delete(run_id: str) -> Response:
    """Delete a run with its events, and what caches hold for it."""
    if not asking.delete(changeable(run_id).id):
        raise NotFound
    return _fresh(Response(status=204))


@api.post("/runs/<run_id>/cancel")
def cancel(run_id: str) -> Response:
    """Ask a run to stop; one that has ended stays as it is."""
    return _changed(services().store.ask_cancel(changeable(run_id).id))


@api.post("/runs/<run_id>/resume")
def resume(run_id: str) -> Response:
    """Queue a failed or cancelled run to resume from its events, maybe with a new deadline."""
    run = changeable(run_id)
    given = _json_object(optional=True)
    _only(given, "max_seconds")
    return _changed(asking.resume(run.id, visitor(), _seconds(given.get("max_seconds"))))


@api.post("/runs/<run_id>/key")
def key(run_id: str) -> Response:
    """Give the key that a run waits for."""
    run = changeable(run_id)
    given = _json_object()
    _only(given, "api_key")
    api_key = given.get("api_key")
    if not isinstance(api_key, str) or not api_key:
        raise FieldError("api_key", "must be text")
    return _changed(give_key(run.id, api_key))


@api.post("/runs/<run_id>/share")
def share(run_id: str) -> Response:
    """Let everybody who has its address see a run that belongs to a user, or no longer."""
    run = changeable(run_id)
    given = _json_object()
    _only(given, "shared")
    shared = given.get("shared")
    if not isinstance(shared, bool):
        raise FieldError("shared", "must be true or false")
    if run.owner is None:
        raise Refused("This run belongs to no user: everyone with its id can see it.")
    return _changed(services().store.share(run.id, shared))


@api.post("/runs/<run_id>/edits")
def edit(run_id: str) -> Response:
    """Change what a run of trials read of a study: 201 with the run and its new answer."""
    run = _of_trials(run_id)
    return _edited(editing.edit(run, _json_object(), visitor()), 201)


@api.delete("/runs/<run_id>/edits/<int:edit>")
def undo(run_id: str, edit: int) -> Response:
    """Undo an edit, named by its event."""
    return _edited(editing.undo(_of_trials(run_id), edit, visitor()))


@api.get("/options")
def offered() -> Response:
    """Return what may be asked here: models, sources, limits, and whether prompts may be edited."""
    return _validated(options(services().web, services().chain))


@api.get("/prompts")
def prompts() -> Response:
    """The prompts of the chain as they are by default, each with the variables that it must
    hold.
    """
    texts = PROMPTS.defaults()
    return _validated(
        {
            "prompts": {
                name: {
                    "text": texts[name],
                    "variables": list(PROMPTS.variables[name]),
                    "sha256": PROMPTS.parse(name, texts[name]).sha256,
                }
                for name in texts
            }
        }
    )


def options(web: WebSettings, chain: Settings) -> dict[str, Any]:
    """The models, sources and limits of this host. Limits are lengths in characters, smallest and
    largest numbers, and seconds.
    """
    whole = {
        name: {"least": int(one.option.least), "most": int(one.option.most)}
        for name, one in OPTIONS.items()
        if one.kind is int
    }
    for name in ("max_articles", "per_query"):
        whole[name]["most"] = min(whole[name]["most"], web.most_articles)
    choices = {plural: list(OPTIONS[name].choices) for plural, name in CHOICES.items()}
    return {
        "models": list(web.offered_models(chain)),
        "sources": list(web.offered_sources(chain)),
        **choices,
        "edit_prompts": web.edit_prompts,
        "own_keys": web.own_keys,
        "max_seconds": {"default": web.max_seconds, "most": web.longest_seconds},
        "longest": {
            "question": MAX_QUESTION,
            "query": MAX_QUERY,
            "filter": MAX_QUERY,
            "prompt": MAX_PROMPT,
            "name": MAX_NAME,
            "api_key": MAX_KEY,
        },
        "most": {"query": MAX_OWN_QUERIES, "drop": MAX_LISTED, "known": MAX_SEED_STUDIES},
        "whole_numbers": whole,
        "largest_body": web.largest_body,
        "retention_days": web.retention_days,
    }


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
        "answer": None,
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


def _of_trials(run_id: str) -> StoredRun:
    run = changeable(run_id)
    if run.pipeline != "trials":
        raise Refused("Only what a run of trials read can be edited.")
    return run


def _edited(run: StoredRun, status: int = 200) -> Response:
    run, head = _looked_up(run)
    return _fresh(_json(_state(run, head) | {"answer": _answer(run, head)}, status))


def _changed(run: StoredRun) -> Response:
    """A run after something was done to it, without its answer."""
    run, head = _looked_up(run)
    return _fresh(_json(_state(run, head)))


def _json_object(*, optional: bool = False) -> dict[str, Any]:
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
        found = json.loads(body, parse_constant=_no_number)
    except RecursionError:
        raise BadRequest("The JSON in the body is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise BadRequest(
            f"The body is not JSON: {error.msg} (line {error.lineno}, column {error.colno})."
        ) from None
    except UnicodeDecodeError:
        raise BadRequest("The body is not UTF-8 text.") from None
    except ValueError as error:
        raise BadRequest(f"The JSON in the body cannot be read: {error}.") from None
    if not isinstance(found, dict):
        raise BadRequest("The body must be a JSON object, {…}.")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _only(given: Mapping[str, Any], *known: str) -> None:
    for field in given:
        if field not in known:
            raise FieldError(field, "unknown field")


def _seconds(value: object) -> float | None:
    """A deadline for what is left of a run; None (not given) is the deadline that it had."""
    return None if value is None else seconds(value, services().web)


def _json(form: Mapping[str, Any], status: int = 200) -> Response:
    text = json.dumps({"schema": SCHEMA, **form}, ensure_ascii=False, allow_nan=False)
    return Response(text.encode("utf-8", "replace") + b"\n", status, mimetype="application/json")


def _cached(response: Response, tag: str) -> Response:
    """Let the visitor's own cache keep it, and ask each time whether it still holds."""
    response.headers["Cache-Control"] = "private, no-cache"
    response.set_etag(tag)
    return response


def _fresh(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


def _validated(form: Mapping[str, Any]) -> Response:
    """A form that changes only when the host changes something."""
    response = _json(form)
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    made = response.make_conditional(request)
    assert isinstance(made, Response)
    return made
