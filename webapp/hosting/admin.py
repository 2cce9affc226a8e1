"""The page for the host: runs, spending, failures and the queue, in numbers; no row of it names a
run, a visitor or a question.

It is there where ``CLINFO_WEB_ADMIN_TOKEN`` is set. Whoever sends that token, as ``Authorization:
Bearer`` or once in the page's own form, sees the page; a form is remembered in a cookie that holds
a signature only, for `HOURS`, and that a change of the token makes void.

Runs that are kept are counted, by when they were started; a deleted one is in the sums of the days'
spending only. Days are those of UTC.
"""

import time
from datetime import UTC, datetime, timedelta
from hmac import compare_digest
from typing import Any, Final

from flask import Blueprint, current_app, make_response, redirect, render_template, request, url_for
from itsdangerous import BadData, URLSafeTimedSerializer
from sqlalchemy import text
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized
from werkzeug.wrappers import Response

from webapp.hosting.limits import count_request, count_wrong_token
from webapp.records import Visitor
from webapp.run_pages import WORDS
from webapp.services import services
from webapp.storage.budget import NANO
from webapp.storage.database import reading
from webapp.storage.store import Store

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


DAYS: Final = 7
"""Days that are looked at, today among them."""
_RUNS: Final = """
SELECT pipeline, status, count(*) FILTER (WHERE created_at >= :today), count(*)
FROM runs WHERE created_at >= :first GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2"""
_FAILURES: Final = """
SELECT coalesce({error}, ''), count(*) FILTER (WHERE r.created_at >= :today), count(*)
FROM runs r LEFT JOIN events e ON run_id = id AND seq = last_seq AND type = 'run_failed'
WHERE r.created_at >= :first AND status = 'failed' GROUP BY 1 ORDER BY 3 DESC, 1"""
_MODELS: Final = """
SELECT model, coalesce(sum(usd) FILTER (WHERE at >= :today), 0), coalesce(sum(usd), 0),
       count(*) - count(usd)
FROM (SELECT {model} AS model, CAST({cost_usd} AS double precision) AS usd, r.created_at AS at
      FROM runs r JOIN events e ON run_id = id AND type = 'cost'
      WHERE r.created_at >= :first AND NOT own_key) calls
GROUP BY 1 ORDER BY 3 DESC, 1"""
_SPENT: Final = "SELECT day, spent, reserved FROM spending WHERE day >= :day"
_OLDEST: Final = "SELECT min(created_at) FROM runs WHERE status = 'queued'"
_WORKERS: Final = "SELECT count(*) FROM workers WHERE seen_at >= :since"
_FIELD: Final = {
    "sqlite": "json_extract(body, '$.{0}')",
    # which reads nothing of JSON that holds NUL, as a reply of a model may
    "postgresql": r"CAST(replace(body, '\u0000', '\ufffd') AS json) ->> '{0}'",
}


def overview(store: Store, lease_seconds: float) -> dict[str, Any]:
    """The state at this moment: rows, the largest first, whose last numbers are of today and of
    `DAYS`, ``runs`` by pipeline and status, ``failures`` by the error's class ("" where no event
    tells it), ``models`` in US dollars of the host's, with the number of calls without a known
    price beside them.

    ``spent`` and ``reserved`` are US dollars of today, ``week`` those spent within `DAYS`;
    ``oldest`` the seconds for which the first run in the queue has waited; ``counts`` are all runs
    by status, ``workers`` those that are alive.
    """
    now = time.time()
    at = datetime.fromtimestamp(now, UTC)
    today = at.replace(hour=0, minute=0, second=0, microsecond=0)
    first = today - timedelta(days=DAYS - 1)
    since = {"today": today.timestamp(), "first": first.timestamp()}
    fields = {
        name: _FIELD[store.engine.dialect.name].format(name)
        for name in ("error", "model", "cost_usd")
    }
    with reading(store.engine) as connection:
        runs, failures, models = (
            connection.execute(text(query.format(**fields)), since).all()
            for query in (_RUNS, _FAILURES, _MODELS)
        )
        days = connection.execute(text(_SPENT), {"day": f"{first:%Y-%m-%d}"}).all()
        oldest = connection.execute(text(_OLDEST)).scalar_one()
        alive = connection.execute(text(_WORKERS), {"since": now - lease_seconds}).scalar_one()
    spent, reserved = next((row[1:] for row in days if row.day == f"{today:%Y-%m-%d}"), (0, 0))
    return {
        "at": at,
        "runs": runs,
        "failures": failures,
        "models": models,
        "spent": spent / NANO,
        "reserved": reserved / NANO,
        "week": sum(row.spent for row in days) / NANO,
        "oldest": None if oldest is None else max(0.0, now - oldest),
        "counts": store.counts(),
        "workers": alive,
    }
