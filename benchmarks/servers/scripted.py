"""The base of the scripted services on loopback: HTTP, latency, a rate, faults on demand, a log."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Literal, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from benchmarks.servers.faults import Fault, Faults

Break = Literal["cut", "reset", "slow"]
_HTML = b"<!DOCTYPE html>\n<html><head><title>502</title></head><body>Bad gateway</body></html>\n"


@dataclass(frozen=True)
class Received:
    """A request as it came; ``at`` is time.monotonic() in seconds, ``fault`` what was done to it.

    ``fields`` are the parameters as they came; of repeated ones ``params`` holds the last.
    ``headers`` have names in lower case; ``body`` is that of a request with JSON.
    """

    method: str
    path: str
    params: Mapping[str, str]
    at: float
    fault: Fault
    fields: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    body: Any = None


@dataclass(frozen=True)
class Reply:
    """The bytes that go back over the wire. ``broken``: half the body and then the end ("cut") or a
    reset ("reset"), or a byte at a time ("slow").
    """

    status: int
    body: bytes
    kind: str = "text/xml; charset=UTF-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    broken: Break | None = None


def json_reply(value: Any, status: int = 200) -> Reply:
    """A reply of JSON."""
    return Reply(status, json.dumps(value).encode(), "application/json; charset=UTF-8")


class ScriptedServer:
    """A context manager; ``url`` is the base address and ``log`` what was received.

    ``reply`` answers a request that nothing is wrong with, where no subclass does. ``latency`` is
    in seconds a call; ``rate`` in requests a second, beyond which 429 is answered; ``api_keys`` are
    those accepted (None: any); ``port`` 0 is any. ``queue`` makes the next request get a reply of
    your own. ``throttled`` counts answers of 429 for the ``rate``.
    """

    PATH: ClassVar[str] = ""
    KIND: ClassVar[str] = "application/json"
    ERROR: ClassVar[Reply] = Reply(500, b"")

    def __init__(
        self,
        reply: Callable[[Received], Reply] = lambda _: Reply(200, b""),
        *,
        latency: float = 0.0,
        rate: float | None = None,
        faults: Faults | None = None,
        api_keys: Collection[str] | None = None,
        port: int = 0,
    ) -> None:
        self._reply = reply
        self._latency, self._rate, self._faults = latency, rate, faults or Faults()
        self._api_keys = api_keys
        self._queued: deque[Reply] = deque()
        self._arrived: deque[float] = deque()
        self._lock, self._closing = threading.Lock(), threading.Event()
        self.log: list[Received] = []
        self.throttled = 0
        made = type("Handler", (_Handler,), {"owner": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), made, bind_and_activate=False)
        self._server.daemon_threads, self._server.block_on_close = True, False
        self._server.request_queue_size = 128

    def __enter__(self) -> Self:
        self._server.server_bind()
        self._server.server_activate()
        serve = self._server.serve_forever
        threading.Thread(target=serve, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Base address, to which a utility's or a path's name is appended."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{self.PATH}"

    def queue(
        self,
        status: int,
        body: Any,
        headers: Mapping[str, str] | None = None,
        broken: Break | None = None,
    ) -> None:
        """Answer the next request not yet promised a reply with this one: bytes, text, or anything
        else as JSON; ``broken`` as in `Reply`.
        """
        text = body if isinstance(body, (bytes, str)) else json.dumps(body)
        data = text.encode() if isinstance(text, str) else text
        self._queued.append(Reply(status, data, self.KIND, headers or {}, broken))

    def answer(self, asked: Received) -> Reply:
        """The reply to a request that nothing is wrong with."""
        return self._reply(asked)

    def refused(self, asked: Received) -> Reply | None:
        """The reply to a request with a wrong key; None where it is right."""
        return None

    def too_many(self, asked: Received, count: int, limit: float) -> Reply:
        """The reply beyond the rate."""
        return Reply(429, b"")

    def receive(self, asked: Received) -> tuple[Fault, Reply]:
        """Log a request; what goes wrong with it, and its reply."""
        with self._lock:
            self.log.append(asked)
            while self._arrived and asked.at - self._arrived[0] >= 1:
                self._arrived.popleft()
            self._arrived.append(asked.at)
            crowd = len(self._arrived)
            queued = self._queued.popleft() if self._queued else None
        if self._latency:
            self._closing.wait(self._latency)
        if queued is not None:
            return "none", queued
        over = self._rate is not None and crowd > self._rate
        with self._lock:
            self.throttled += over
        if over or asked.fault == "429":
            return "none", self.too_many(asked, crowd, self._rate or 3)
        told = {
            "500": self.ERROR, "html": Reply(200, _HTML, "text/html"), "empty": Reply(200, b"")
        }.get(asked.fault)  # fmt: skip
        if told is None:
            told = self.refused(asked)
        return ("none", told) if told is not None else (asked.fault, self.answer(asked))


class _Handler(BaseHTTPRequestHandler):
    owner: ClassVar[ScriptedServer]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    do_DELETE = do_GET

    def _answer(self, posted: bytes) -> None:
        owner, parts, now = self.owner, urlsplit(self.path), time.monotonic()
        headers = {name.lower(): value for name, value in self.headers.items()}
        form = not posted.startswith((b"{", b"["))
        fields = parse_qsl(parts.query, keep_blank_values=True)
        fields += parse_qsl(posted.decode(), keep_blank_values=True) if form else []
        body = json.loads(posted) if posted and not form else None
        fault = owner._faults.draw()
        path = unquote(parts.path)
        asked = Received(self.command, path, dict(fields), now, fault, fields, headers, body)
        fault, reply = owner.receive(asked)
        if fault == "hang":
            owner._closing.wait(owner._faults.hang_seconds)
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        broken = "cut" if fault == "cut" else reply.broken
        if broken == "slow":
            for place in range(len(reply.body)):
                if owner._closing.wait(0.05):
                    break
                self.wfile.write(reply.body[place : place + 1])
        elif broken is None:
            self.wfile.write(reply.body)
        else:
            self.wfile.write(reply.body[: len(reply.body) // 2])
            self.wfile.flush()
            self.close_connection = True
            if broken == "reset":
                # Without lingering, what closes the connection is a reset and not an end.
                gone = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, gone)
                self.connection.close()

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # the client has gone
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Requests are kept in the server's ``log``, not printed."""
