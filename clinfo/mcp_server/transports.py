"""The ways to the server: over streamable HTTP, where it listens and whom it answers; and over
stdin and stdout, for the program that started it.
"""

import asyncio
import hmac
import json
import logging
import os
import re
import select
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from ipaddress import ip_address
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic_core import from_json
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.types import ASGIApp

from clinfo.console import streams
from clinfo.errors import Cancelled, UsageError
from clinfo.mcp_server.host import Gate
from clinfo.settings import Settings

PATH = "/mcp"
MOST_SESSIONS = 200
SESSION_SECONDS = 300.0
"""Seconds without a request after which a session ends, so that forgotten ones keep nobody out."""
MOST_CONNECTIONS = 200
STOP_SECONDS = 5
"""Seconds that calls have to end when the server is stopped."""
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})")


class _OneToken:
    """Knows the host's token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Whose a token is, None where it is nobody's."""
        if hmac.compare_digest(token.encode(), self._token):
            return AccessToken(token="", client_id="token", scopes=[])
        return None


def read_address(text: str) -> tuple[str, int]:
    """Host and port of ``HOST:PORT``. Raises UsageError."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[2]) > 65_535:
        raise UsageError("--http: must be HOST:PORT, such as 127.0.0.1:8765")
    return found[1], int(found[2])


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def application(server: Server[Any], settings: Settings, host: str) -> ASGIApp:
    """The server as an ASGI application that listens at ``host``.

    Raises UsageError where it would be reached from other machines without a token, or under no
    name.
    """
    token = settings.mcp_token.get_secret_value() if settings.mcp_token else None
    names = _listed(settings.mcp_hosts)
    if _is_loopback(host):
        names += _LOOPBACK
    else:
        if token is None:
            raise UsageError(
                f"--http: {host} can be reached from other machines, so a token is needed: set "
                "CLINFO_MCP_TOKEN"
            )
        names += () if host in ("0.0.0.0", "[::]") else (host,)
        if not names:
            raise UsageError(
                f"--http: {host} stands for every address of this machine; say in "
                "CLINFO_MCP_HOSTS under which names it is called"
            )
    made: ASGIApp = server.streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=MOST_SESSIONS,
        session_idle_timeout=SESSION_SECONDS,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
            allowed_origins=list(_listed(settings.mcp_origins)),
        ),
        token_verifier=_OneToken(token) if token else None,
    )
    if token:
        made = AuthenticationMiddleware(made, backend=BearerAuthBackend(_OneToken(token)))
    return made


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def serve_http(server: Server[Any], settings: Settings, address: str) -> None:
    """Serve until interrupted; where, is written to stdout. Raises UsageError."""
    host, port = read_address(address)
    made = application(server, settings, host)
    listening = _listening(host, port)
    config = uvicorn.Config(
        made,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    streams.write(f"http://{host}:{listening.getsockname()[1]}{PATH}\n")
    asyncio.run(uvicorn.Server(config).serve([listening]))


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"--http: cannot listen on {host} port {port}: {why}") from None


class _OneLine(logging.Handler):
    """Says what libraries log as one line, without a traceback, which may quote what was asked."""

    def emit(self, record: logging.LogRecord) -> None:
        streams.complain(record.getMessage())


def quiet_libraries() -> None:
    """Let the libraries say warnings alone, a line each."""
    for name in ("mcp", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [_OneLine()], False
        logger.setLevel(logging.WARNING)


NO_REQUEST = "none: method is text, params an object"
"""The method, which there is not, of a request that is none of JSON-RPC 2.0."""


def serve_stdio(server: Server[Any], gate: Gate) -> None:
    """Serve until stdin ends and the calls that came in are answered, or nobody reads stdout.
    Ctrl-C ends the process at once, because whoever reads stdin cannot be interrupted.
    """

    def interrupted(_number: int, _frame: object) -> None:
        streams.complain(streams.INTERRUPTED)
        os._exit(Cancelled.exit_status)

    async def lines() -> AsyncIterator[str]:
        stdin, reader = os.fdopen(os.dup(0), encoding="utf-8", errors="replace"), select.poll()
        reader.register(os.dup(1), 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # of what is started, nothing reads it
        async for line in anyio.wrap_file(stdin):
            for message in _messages(line):
                yield message
        await asyncio.sleep(1)  # what is no call of a tool is answered at once
        while gate.running and not reader.poll(0):
            await asyncio.sleep(0.1)

    async def talk() -> None:
        async with stdio_server(lines()) as (read, write):  # type: ignore[arg-type]
            await server.run(read, write, server.create_initialization_options())

    signal.signal(signal.SIGINT, interrupted)
    streams.say("clinfo mcp: ready on stdin and stdout")
    asyncio.run(talk())


def _messages(line: str) -> Iterator[str]:
    """The messages of a line, each of a batch for itself. What has an id waits for an answer: where
    it is no message, it becomes one that is refused.
    """
    try:
        given = from_json(line)
    except ValueError:
        return
    for one in given if isinstance(given, list) else [given]:
        try:
            message = json.dumps(one)
            types.jsonrpc_message_adapter.validate_json(message, by_name=False)
            fits = isinstance((one.get("params") or {}).get("_meta") or {}, dict)
        except ValueError:
            fits = False
        if fits:
            yield message
        elif isinstance(one, dict) and isinstance(one.get("id"), int | str):
            yield json.dumps({"jsonrpc": "2.0", "id": one["id"], "method": NO_REQUEST})
