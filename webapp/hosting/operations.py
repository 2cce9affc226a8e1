"""Pages for operators of the app: /healthz, /readyz, /metrics; and /openapi.json, /robots.txt,
/.well-known/security.txt.
"""

import logging
import os
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, current_app, g, jsonify, request
from flask.blueprints import BlueprintSetupState
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import make_url

from webapp.api_types import Alive, Reply, operation
from webapp.hosting.errors import OUT_SECONDS, Problem, problem_response
from webapp.hosting.limits import counts_are_shared
from webapp.services import Services, services
from webapp.storage.budget import spent_today
from webapp.storage.database import revision_problem

operations = Blueprint("operations", __name__)
_log = logging.getLogger(__name__)

ROBOTS: Final = "User-agent: *\nDisallow: /runs\nDisallow: /api/\n"
"""The address of a run is known to those it was given to; no search engine shall list it."""

LEAST_FREE: Final = 32 * 2**20
"""Bytes on a disk below which it is full: a few runs side by side write as much."""


@operations.get("/healthz")
@operation("healthz", "operations", {200: Reply("Yes.", Alive)})
def healthz() -> Response:
    """Check that the process is alive.

    Asks nothing else, so that a database that is down restarts nobody.
    """
    return jsonify(status="alive")


@operations.get("/readyz")
@operation(
    "readyz",
    "operations",
    {200: Reply("Yes; where `status` is `degraded`, `reasons` says what is amiss.", Alive)},
    503,
)
def readyz() -> Response:
    """Check that runs would be processed.

    Database, room on the disk and a worker are available.
    """
    if reasons := not_ready():
        more, again = {"reasons": reasons}, {"Retry-After": str(OUT_SECONDS)}
        told = Problem(503, "; ".join(reasons), "urn:clinfo:problem:not-ready", more, again)
        return problem_response(told)
    if reasons := degraded():
        return jsonify(status="degraded", reasons=reasons)
    return jsonify(status="ready")


def not_ready() -> list[str]:
    """Return why a run that is started now would not be carried out, each in one line; none where
    it would.
    """
    parts = services()
    reasons = ["the disk is full"] if disk_is_full(parts) else []
    try:
        if problem := revision_problem(parts.store.engine):
            reasons.append(problem)
        elif parts.store.live_worker(parts.web.lease_seconds) is None:
            reasons.append("no worker is alive")
    except Exception as error:  # whatever the driver raises
        _log.warning("not ready", extra={"part": "database", "error": type(error).__name__})
        reasons.append("the database does not answer")
    return reasons


def degraded() -> list[str]:
    """Return what is amiss while runs are carried out all the same, each in one line."""
    if counts_are_shared():
        return []
    _log.warning("degraded", extra={"part": "redis"})
    return ["Redis cannot be reached: each web process counts requests by itself"]


def disk_is_full(parts: Services) -> bool:
    """Return whether less than `LEAST_FREE` is left for the database in a file, or for the data."""
    address = make_url(parts.web.engine_url)
    folders = [parts.chain.data_dir]
    if address.get_backend_name() == "sqlite" and address.database:
        folders.append(Path(address.database).parent)
    there = (next(one for one in (path, *path.parents) if one.exists()) for path in folders)
    return any(shutil.disk_usage(path).free < LEAST_FREE for path in there)


@operations.get("/metrics")
@operation("metrics", "operations", {200: Reply("Yes.", {"type": "string"}, "text/plain")})
def metrics() -> Response:
    """Counts for Prometheus.

    They contain nothing private.
    """
    kept: Metrics = current_app.extensions["clinfo_metrics"]
    return Response(kept.text(), content_type=CONTENT_TYPE)


@operations.get("/openapi.json")
@operation("openapi", "operations", {200: Reply("Yes.", {"type": "object"})})
def openapi() -> Response:
    """This document.

    With what this host offers.
    """
    from webapp.openapi import document

    kept = current_app.extensions
    if "clinfo_openapi" not in kept:
        kept["clinfo_openapi"] = document(current_app)
    return jsonify(kept["clinfo_openapi"])


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


SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Metrics(Collector):
    """The counters of one app, and the present state of the site. What the database cannot say at
    the moment is left out, which an alert can see.
    """

    def __init__(self, services: Services) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "rule", "status")
        self.requests = Counter(
            "clinfo_requests", "Requests answered", labels, registry=self.registry
        )
        self.seconds = Histogram(
            "clinfo_request_seconds",
            "Seconds until an answer began",
            ("rule",),
            registry=self.registry,
            buckets=SECONDS,
        )
        self._services = services

    def text(self) -> bytes:
        """All of it in Prometheus' text format."""
        registry = self.registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        standing = CollectorRegistry()
        standing.register(self)
        return generate_latest(registry) + generate_latest(standing)

    def collect(self) -> Iterator[Metric]:
        """The gauges, made anew."""
        parts = self._services
        up = 1.0
        try:
            runs = GaugeMetricFamily(
                "clinfo_runs", "Runs that are kept, by status", labels=["status"]
            )
            for status, number in parts.store.counts().items():
                runs.add_metric([status], number)
            usd = spent_today(parts.store.engine)
            spent = GaugeMetricFamily(
                "clinfo_spent_today_usd",
                "US dollars spent or set aside since midnight UTC",
                value=usd,
            )
            worker = parts.store.live_worker(parts.web.lease_seconds) is not None
            workers = GaugeMetricFamily(
                "clinfo_worker_alive", "1 while a worker is alive", value=float(worker)
            )
            yield from (runs, spent, workers)
        except Exception as error:  # whatever the driver raises
            up = 0.0
            _log.warning("metrics without the database", extra={"error": type(error).__name__})
        if parts.web.daily_budget is not None:
            yield GaugeMetricFamily(
                "clinfo_daily_budget_usd",
                "US dollars a day that may be spent",
                value=parts.web.daily_budget,
            )
        yield GaugeMetricFamily("clinfo_database_up", "1 while the database answers", value=up)
        yield GaugeMetricFamily(
            "clinfo_streams", "Event streams open in this process", value=float(parts.hub.viewers)
        )


@operations.record
def _count_requests(state: BlueprintSetupState) -> None:
    extensions = state.app.extensions
    metrics = extensions["clinfo_metrics"] = Metrics(extensions["clinfo"])

    @state.app.after_request
    def _count(response: Response) -> Response:
        rule = request.url_rule.rule if request.url_rule is not None else "none"
        method = request.method if request.method in _METHODS else "other"
        metrics.requests.labels(method, rule, str(response.status_code)).inc()
        if "began" in g:  # by `webapp.hosting.logs`
            metrics.seconds.labels(rule).observe(time.monotonic() - g.began)
        return response
