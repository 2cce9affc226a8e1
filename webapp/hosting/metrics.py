"""Metrics for Prometheus: counts of requests, and the state of the site, read from the database on
request.

Nothing in it is private: no run, no address, no text; rules stand for addresses. Requests are
counted by process. With several web processes on a machine set PROMETHEUS_MULTIPROC_DIR to an empty
folder (prometheus_client's own way), and what one of them tells is the sum of all; without it every
process tells of itself. What the database holds is the same whoever is asked.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from typing import Final

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from webapp.services import Services
from webapp.storage.budget import spent_today

_log = logging.getLogger(__name__)

SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Metrics:
    """The counters of one app."""

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
        self._standing = Standing(services)

    def text(self) -> bytes:
        """All of it in Prometheus' text format."""
        registry = self.registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        standing = CollectorRegistry()
        standing.register(self._standing)
        return generate_latest(registry) + generate_latest(standing)


class Standing(Collector):
    """The present state of the site. What the database cannot say at the moment is left out, which
    an alert can see.
    """

    def __init__(self, services: Services) -> None:
        self._services = services

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


def set_up(app: Flask) -> Metrics:
    """Count the requests of an app that is being made."""
    metrics = Metrics(app.extensions["clinfo"])

    @app.after_request
    def _count(response: Response) -> Response:
        rule = request.url_rule.rule if request.url_rule is not None else "none"
        method = request.method if request.method in _METHODS else "other"
        metrics.requests.labels(method, rule, str(response.status_code)).inc()
        if "began" in g:  # by `webapp.hosting.logs`
            metrics.seconds.labels(rule).observe(time.monotonic() - g.began)
        return response

    return metrics
