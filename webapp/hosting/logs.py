"""Structured logs without question text, unless the host switches it on: one JSON object a line on
standard error.

A request is logged by the rule that answered it, never by its path or query string: the id of a run
is what gives access to it, so no more than its first six characters are written. Addresses are cut
to their network. Of an exception the log keeps its type and where it was raised; its message only
where it is known to hold nothing of a question or a key.
"""

import logging
import logging.config
import secrets
import time
import traceback
from ipaddress import ip_address, ip_network
from typing import Any, Final

from flask import Flask, Response, g, has_request_context, request
from pythonjsonlogger.json import JsonFormatter
from sqlalchemy.exc import DBAPIError

from clinfo.errors import ClinfoError, IdentifiersFound, UsageError
from webapp.records import Busy, Refused

_log = logging.getLogger("webapp.requests")

_QUIET: Final = ("healthz", "readyz", "metrics")
"""Endpoints that are asked every few seconds by machines; only their failures are worth a line."""


def configuration() -> dict[str, Any]:
    """Return what `logging.config.dictConfig` (or gunicorn's ``logconfig_dict``) needs, so that
    every logger of the process follows.
    """
    silent = {
        "level": "CRITICAL",
        "propagate": False,
        "handlers": [],
    }  # lines of theirs would hold paths or prompts
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "webapp.hosting.logs.Lines"}},
        "handlers": {"stderr": {"()": "logging._StderrHandler", "formatter": "json"}},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {
            "webapp": {"level": "INFO"},
            "gunicorn.error": {"level": "INFO", "propagate": True, "handlers": []},
            "gunicorn.access": silent,
            "werkzeug": {"level": "WARNING"},
            "LiteLLM": silent,
        },
    }


def configure() -> None:
    """Make this process write its log as lines of JSON; for web processes and workers."""
    logging.config.dictConfig(configuration())


def set_up(app: Flask) -> None:
    """Put it into an app that is being made."""
    configure()
    app.before_request(_begin)
    app.after_request(_end)


def request_id() -> str:
    """The present request's own id, made here: what a reader can name to the host."""
    if not has_request_context():
        return "-"
    if "request_id" not in g:
        g.request_id = secrets.token_hex(8)
    found: str = g.request_id
    return found


def network_of(address: str | None, of_4: int = 24, of_6: int = 48) -> str:
    """The network that an address lies in, without what tells one machine from another: of so many
    bits in IPv4 and IPv6. "unknown" for what is no address.
    """
    try:
        ip = ip_address((address or "").partition("%")[0])
    except ValueError:
        return "unknown"
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return str(ip_network((ip, of_4 if ip.version == 4 else of_6), strict=False))


def shown_message(error: BaseException) -> str | None:
    """The message of an exception where it can hold nothing of what a visitor wrote, else None."""
    if isinstance(error, DBAPIError):  # without the statement's parameters, which are runs
        return (
            str(error.orig).splitlines()[0][:200]
            if error.connection_invalidated or "locked" in str(error.orig)
            else None
        )
    if isinstance(
        error, (UsageError, IdentifiersFound)
    ):  # may quote what a visitor gave; at the start it is the host's settings
        return str(error) if type(error) is UsageError and not has_request_context() else None
    if isinstance(error, (ClinfoError, Busy, Refused)):
        return str(error)
    if isinstance(error, OSError):
        return error.strerror
    return None


class Lines(JsonFormatter):
    """A record as one line of JSON, control characters escaped."""

    def __init__(self) -> None:
        names = {"levelname": "level", "name": "logger"}
        super().__init__(
            "%(levelname)s %(name)s %(message)s", rename_fields=names, json_ensure_ascii=True
        )

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        super().add_fields(log_data, record, message_dict)
        log_data["time"] = (
            time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z"
        )
        if has_request_context():
            log_data.setdefault("request_id", request_id())

    def formatException(self, ei: Any) -> str:
        """Types and places; see `shown_message` for what is said of the messages."""
        return _trace(ei[1]) if ei and ei[1] is not None else ""


def _trace(error: BaseException) -> str:
    lines: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        message = shown_message(current)
        name = f"{type(current).__module__}.{type(current).__qualname__}"
        lines = [
            *traceback.format_tb(current.__traceback__),
            f"{name}: {message}\n" if message else f"{name}\n",
            *lines,
        ]
        following = current.__cause__ or (
            None if current.__suppress_context__ else current.__context__
        )
        if following is not None:
            lines.insert(0, "which led to\n")
        current = following
    return "".join(lines)


def _begin() -> None:
    g.began = time.monotonic()
    request_id()


def _end(response: Response) -> Response:
    response.headers["X-Request-ID"] = request_id()
    endpoint = (request.endpoint or "").rpartition(".")[2]
    if endpoint in (*_QUIET, "static") and response.status_code < 500:
        return response
    run = next(
        (
            str(value)
            for name, value in (request.view_args or {}).items()
            if name in ("run_id", "id")
        ),
        None,
    )
    _log.info(
        "request",
        extra={
            "method": request.method
            if request.method.isalpha() and len(request.method) <= 10
            else "?",
            "rule": request.url_rule.rule if request.url_rule is not None else None,
            "status": response.status_code,
            "seconds": round(time.monotonic() - g.get("began", time.monotonic()), 4),
            "address": network_of(request.remote_addr),
        }
        | ({"run": run[:6]} if run else {}),
    )
    return response
