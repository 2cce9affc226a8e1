"""Pages for operators of the app: /healthz, /readyz, /metrics; and /openapi.json, /robots.txt,
/.well-known/security.txt.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Final

from flask import Blueprint, Response, abort, current_app, jsonify
from flask.blueprints import BlueprintSetupState

from webapp.hosting import metrics as counting
from webapp.hosting.errors import PROBLEM
from webapp.hosting.logs import request_id
from webapp.services import services
from webapp.storage.database import revision_problem

operations = Blueprint("operations", __name__)
_log = logging.getLogger(__name__)

ROBOTS: Final = "User-agent: *\nDisallow: /runs\nDisallow: /api/\n"
"""The address of a run is known to those it was given to; no search engine shall list it."""


@operations.record
def _count(state: BlueprintSetupState) -> None:
    state.app.extensions["clinfo_metrics"] = counting.set_up(state.app)  # type: ignore[arg-type]


@operations.get("/healthz")
def healthz() -> Response:
    """The process lives and answers; it asks nothing else, so that a database that is down restarts
    nobody.
    """
    return jsonify(status="alive")


@operations.get("/readyz")
def readyz() -> Response:
    """Return whether a run that is started now would be carried out: database, queue and a worker
    are available. 503 with reasons else.
    """
    reasons = not_ready()
    if not reasons:
        return jsonify(status="ready")
    shown = jsonify(
        type="urn:clinfo:problem:not-ready",
        title="Service Unavailable",
        status=503,
        detail="; ".join(reasons),
        instance=f"urn:clinfo:request:{request_id()}",
        reasons=reasons,
    )
    shown.status_code = 503
    shown.content_type = PROBLEM
    return shown


def not_ready() -> list[str]:
    """Return why a run that is started now would not be carried out, each in one line; none where
    it would.
    """
    parts = services()
    reasons = []
    try:
        if problem := revision_problem(parts.store.engine):
            return [problem]
        if parts.store.live_worker(parts.web.lease_seconds) is None:
            reasons.append("no worker is alive")
    except Exception as error:  # whatever the driver raises
        _log.warning("not ready", extra={"part": "database", "error": type(error).__name__})
        return ["the database does not answer"]
    try:
        parts.waker.ping()
    except Exception as error:
        _log.warning("not ready", extra={"part": "queue", "error": type(error).__name__})
        reasons.append("the queue cannot be reached")
    return reasons


@operations.get("/metrics")
def metrics() -> Response:
    """Counts for Prometheus; they contain nothing private."""
    kept: counting.Metrics = current_app.extensions["clinfo_metrics"]
    return Response(kept.text(), content_type=counting.CONTENT_TYPE)


@operations.get("/openapi.json")
def openapi() -> Response:
    """The description of the HTTP API."""
    from webapp.openapi import document

    return jsonify(document(services()))


@operations.get("/robots.txt")
def robots() -> Response:
    """Return what search engines shall leave alone."""
    return Response(ROBOTS, content_type="text/plain; charset=utf-8")


@operations.get("/.well-known/security.txt")
def security() -> Response:
    """Whom to tell of a weakness (RFC 9116), where the host has named somebody."""
    contact = services().web.contact
    if not contact or not contact.isprintable():
        abort(404)
    address = (
        contact
        if contact.startswith("https://")
        else f"mailto:{contact}"
        if "@" in contact
        else None
    )
    if address is None or " " in address:
        abort(404)
    expires = (datetime.now(UTC) + timedelta(days=180)).strftime("%Y-%m-%dT00:00:00Z")
    return Response(
        f"Contact: {address}\nExpires: {expires}\n", content_type="text/plain; charset=utf-8"
    )
