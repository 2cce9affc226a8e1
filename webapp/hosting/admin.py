"""The page for the host: runs, spending, failures and the queue, in numbers.

It is there where ``CLINFO_WEB_ADMIN_TOKEN`` is set. Whoever sends that token, as ``Authorization:
Bearer`` or once in the page's own form, sees the page; a form is remembered in a cookie that holds
a signature only, for `HOURS`, and that a change of the token makes void.
"""

from hmac import compare_digest
from typing import Final

from flask import Blueprint, current_app, make_response, redirect, render_template, request, url_for
from itsdangerous import BadData, URLSafeTimedSerializer
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized
from werkzeug.wrappers import Response

from webapp.hosting.limits import count_request, count_wrong_token
from webapp.records import Visitor
from webapp.run_pages import WORDS
from webapp.services import services
from webapp.storage.overview import DAYS, overview

admin = Blueprint("admin", __name__)

COOKIE: Final = "clinfo-host"
HOURS: Final = 12
"""Hours for which the browser need not be given the token again."""
FAILURES: Final = {
    "ModelError": "a model",
    "QueryRejected": "a source refused a query",
    "SourceUnavailable": "a source did not answer",
    "WindowExceeded": "a source has more than it hands out",
    "SourceError": "a source",
    "BudgetReached": "the budget",
    "UsageError": "settings or the request",
    "IdentifiersFound": "a patient named in what would be sent",
    "NotForPatients": "a record not meant for that model",
    "RecordError": "a file that cannot be read",
    "": "not begun, or its worker died",
}
"""The words for what failed, by the class of the error; others are told by their class."""


@admin.before_request
def _count() -> None:
    """Count the request by its address: its token is nobody's who may ask (`webapp.visitors`)."""
    count_request(_visitor())


@admin.get("/admin")
def page() -> Response | str:
    """The numbers, or the form that asks for the token."""
    kind, _, sent = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() == "bearer":
        if not _is_token(sent.strip()):
            raise Unauthorized(
                "This is not the host's token.", www_authenticate=WWWAuthenticate("bearer")
            )
    elif not _remembered():
        return render_template("admin.html", shown=None, wrong=False)
    parts = services()
    shown = overview(parts.store, parts.web.lease_seconds)
    values = {"budget": parts.web.daily_budget, "failures": FAILURES, "days": DAYS, "words": WORDS}
    return render_template("admin.html", shown=shown, **values, form=kind.lower() != "bearer")


@admin.post("/admin")
def enter() -> Response:
    """Remember a browser that was given the token; forget it where none is sent."""
    given = request.form.get("token", "").strip()
    if given and not _is_token(given):
        return make_response(render_template("admin.html", shown=None, wrong=True), 401)
    answer = redirect(url_for("admin.page"), 303)
    answer.set_cookie(
        services().web.cookie(COOKIE),
        str(_serializer().dumps("host")) if given else "",
        max_age=HOURS * 3_600 if given else 0,
        secure=services().web.secure,
        httponly=True,
        samesite="Strict",
    )
    return answer


def _is_token(given: str) -> bool:
    """Return whether it is the host's, in a time that tells nothing of it; a wrong one counts as
    many requests. Raises Busy.
    """
    if compare_digest(given.encode(), _token().encode()):
        return True
    count_wrong_token(_visitor().address)
    return False


def _remembered() -> bool:
    try:
        _serializer().loads(
            request.cookies.get(services().web.cookie(COOKIE), ""), max_age=HOURS * 3_600
        )
    except BadData:
        return False
    return True


def _serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(str(current_app.secret_key) + _token(), salt="clinfo host")


def _token() -> str:
    found = services().web.admin_token
    assert found is not None, "the page is not there without one"
    return found.get_secret_value()


def _visitor() -> Visitor:
    return Visitor(None, None, request.remote_addr or "")
