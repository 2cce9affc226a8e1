"""Error responses to visitors: a page, or an RFC 9457 problem for programs.

Views raise what the layers below them raise (FieldError, IdentifiersFound, NotFound, Refused, Busy,
…) or `abort`; one place makes an answer of it. No answer holds the address asked for, the text of a
question, or anything of the inside.
"""

import json
import logging
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from flask import Flask, Response, render_template, request
from flask_wtf.csrf import CSRFError
from jinja2 import TemplateError
from markupsafe import Markup, escape
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, default_exceptions

from clinfo.errors import FieldError, IdentifiersFound, UsageError
from webapp.hosting.headers import over_plain_http
from webapp.hosting.logs import request_id
from webapp.records import Busy, NotFound, Refused
from webapp.work.retrying import OUTAGES, reason

_log = logging.getLogger(__name__)

_PROGRAMS: Final = ("/api/", "/openapi.json", "/healthz", "/readyz", "/metrics")
PROBLEM: Final = "application/problem+json"

# What a page says, by status: what happened, what was kept, what to do next. A view's own words
# take the place of the first.
_WORDS: Final[dict[int, tuple[str, str, str]]] = {
    400: (
        "This could not be read",
        "Nothing was started and nothing was changed.",
        (
            "Go back, reload the page and send it again; a form that was open for a long time may "
            "have to be filled in again."
        ),
    ),
    401: (
        "This access token cannot be used",
        "Nothing was started and nothing was changed.",
        "Ask the host for a new access token, or send none.",
    ),
    403: (
        "You may not change this",
        "Nothing was changed.",
        "Go back; the run can still be read at its address.",
    ),
    404: (
        "This page does not exist",
        "Nothing was changed.",
        "Check the address for missing characters, or start again.",
    ),
    405: (
        "This address cannot be used in this way",
        "Nothing was changed.",
        "Go back and use the buttons of the page.",
    ),
    409: (
        "This cannot be done in the current state of the run",
        "The run was not changed.",
        "Reload the page of the run to see its current state.",
    ),
    413: (
        "This is too long",
        "Nothing was started.",
        "Go back and shorten the question, the queries or the prompts.",
    ),
    415: (
        "This format cannot be read",
        "Nothing was started.",
        "Send JSON (Content-Type: application/json), or use the form.",
    ),
    422: (
        "This input cannot be used",
        "Nothing was started and nothing was sent anywhere.",
        "Go back, correct what is named, and send it again.",
    ),
    429: (
        "Too many requests at the moment",
        "Nothing was started.",
        "Wait a moment and send it again.",
    ),
    500: (
        "Something went wrong here",
        "Runs that were started continue, and their results are kept.",
        "Try again in a moment. If it happens again, give the host the reference below.",
    ),
}
_OUT: Final = (
    "The database cannot be used at the moment",
    (
        "Nothing was started and nothing was changed. Runs that were already started continue once "
        "it is back."
    ),
    "Try again in a minute. If it happens again, give the host the reference below.",
)
OUT_SECONDS: Final = 60
"""After which a visitor may try again where the database is out."""
_STALE: Final = (
    "This form was open for too long, or cookies are off in this browser. Allow cookies for this "
    "site, reload the page and send "
    "the form again."
)
_PLAIN: Final = (
    "This page was reached by http://. This site is set to HTTPS, so the browser keeps no cookie "
    "of it and no form can be sent. Open it by https://."
)
_NO_RUN: Final = (
    "This run does not exist",
    "It may have been deleted, or belong to another user.",
    "Check the address for missing characters, or ask the question again.",
)


@dataclass(frozen=True)
class Problem:
    """A problem, for pages and programs alike. ``more`` are members of the problem object beside
    the standard ones.
    """

    status: int
    detail: str
    kind: str = "about:blank"
    more: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


def set_up(app: Flask) -> None:
    """Put it into an app that is being made."""
    for raised in (UsageError, IdentifiersFound, NotFound, Refused, Busy, HTTPException):
        app.register_error_handler(raised, _answer)
    app.register_error_handler(Exception, _fault)


def problem_of(error: Exception) -> Problem:
    """Return what a visitor is told of an error, 500 for one that nobody foresaw."""
    if isinstance(error, FieldError):
        return _of_fields(str(error), [{"field": error.field, "detail": error.fault}])
    if isinstance(error, UsageError):
        return _of_fields(str(error), [])
    if isinstance(error, IdentifiersFound):
        found = {
            "where": error.where,
            "spans": [list(span) for span in error.spans],
            "kinds": list(error.kinds),
        }
        named = error.where.partition(" ")
        name = {"query": "query", "prompt": f"prompts.{named[2]}"}.get(named[0], error.where)
        errors = [{"field": name, "detail": str(error)}]
        return Problem(422, str(error), _kind("identifiers-found"), {"errors": errors} | found)
    if isinstance(error, NotFound):
        return Problem(404, str(error) or "This run does not exist.", _kind("not-found"))
    if isinstance(error, Refused):
        return Problem(409, str(error), _kind("refused"))
    if isinstance(error, Busy):
        wait = max(1, int(error.retry_after))
        return Problem(
            429, str(error), _kind("busy"), {"retry_after": wait}, {"Retry-After": str(wait)}
        )
    if isinstance(error, HTTPException):
        return _of_http(error)
    if isinstance(error, OUTAGES):
        detail = (
            "The database cannot be used at the moment; nothing was started or changed. Try again "
            "in a minute."
        )
        return Problem(
            503,
            detail,
            _kind("database-out"),
            {"retry_after": OUT_SECONDS},
            {"Retry-After": str(OUT_SECONDS)},
        )
    return Problem(500, "It was logged, and it was not your fault.")


def wants_problem() -> bool:
    """Return whether the present request comes from a program rather than from somebody who reads
    pages.
    """
    if request.path.startswith(_PROGRAMS):
        return True
    accepted = request.accept_mimetypes
    json_at, html_at = max(accepted[PROBLEM], accepted["application/json"]), accepted["text/html"]
    return bool(json_at > html_at)


def problem_response(problem: Problem) -> Response:
    """The problem as RFC 9457 has it; ``instance`` names the request, never the run."""
    shown: dict[str, Any] = {
        "type": problem.kind,
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
    }
    shown |= {
        "detail": problem.detail,
        "instance": f"urn:clinfo:request:{request_id()}",
    } | problem.more
    return Response(json.dumps(shown), problem.status, problem.headers, content_type=PROBLEM)


def page_response(problem: Problem) -> Response:
    """The problem as a page that says what happened, what was kept and what to do next."""
    words = {_kind("not-found"): _NO_RUN, _kind("database-out"): _OUT}.get(
        problem.kind
    ) or _WORDS.get(problem.status)
    happened, kept, todo = words or _WORDS[500 if problem.status >= 500 else 400]
    detail = "It was logged, and it was not your fault." if words is _OUT else problem.detail
    if problem.kind == _kind("busy"):  # the detail says when to come back
        todo = ""
    said: dict[str, Any] = {"happened": happened, "detail": detail, "kept": kept, "todo": todo}
    said |= {"reference": request_id(), "status": problem.status}
    if problem.status == 409:
        said["run_id"] = (request.view_args or {}).get("run_id")
    try:
        body = render_template("error.html", **said)
    except Exception as error:  # the page itself is what fails: say it without the frame
        if not isinstance(error, TemplateError):
            _log.exception("the page of an error could not be made")
        body = Markup(
            "<!doctype html><html lang=en><title>{}</title><h1>{}</h1><p>{}</p><p>{}</p><p>{}</p>"
        ).format(happened, happened, escape(detail), kept, todo)
    return Response(body, problem.status, problem.headers, content_type="text/html; charset=utf-8")


def _answer(error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.code is not None and error.code < 400:
        found: Response = error.get_response()  # type: ignore[assignment]
        return found  # a redirect, or a response that a view aborted with
    return _told(problem_of(error))


def _fault(error: Exception) -> Response:
    """Return what nobody foresaw: written down with where it happened, told without."""
    if isinstance(error, OUTAGES):
        _log.error("request failed: the database cannot be used", extra={"error": reason(error)})
    else:
        _log.error("request failed", exc_info=error)
    return _told(problem_of(error))


def _told(problem: Problem) -> Response:
    return problem_response(problem) if wants_problem() else page_response(problem)


def _of_fields(detail: str, errors: list[dict[str, str]]) -> Problem:
    return Problem(422, detail, _kind("invalid"), {"errors": errors})


def _of_http(error: HTTPException) -> Problem:
    """An HTTP error with a view's own words, where it gave some; the library's are for
    programmers.
    """
    status = error.code if error.code in default_exceptions else 500
    usual = default_exceptions[status or 500].description
    own = error.description if error.description and error.description != usual else None
    detail = own or _WORDS.get(status or 500, _WORDS[400])[0] + "."
    if isinstance(error, CSRFError):
        detail = _PLAIN if over_plain_http() else _STALE
    if isinstance(error, RequestEntityTooLarge):
        detail = "The request is longer than this site accepts."
    headers = {
        name: value
        for name, value in error.get_headers()
        if name in ("Allow", "Retry-After", "WWW-Authenticate")
    }
    return Problem(status or 500, detail, headers=headers)


def _kind(name: str) -> str:
    return f"urn:clinfo:problem:{name}"
