"""A scripted E-utilities server on loopback: ESearch, EFetch, ESummary, ELink and EPost, with
faults on demand.

    with EutilsServer(articles, latency=0.15, rate=3) as server:
        PubMed(base_url=server.url, rate=3)

Shapes are those recorded from NCBI: numbers as strings, errors with status 200, throttling as JSON
with status 429. Searching is that of `clinfo.sources.memory`, with ranges of [dp] obeyed;
translations and warnings are scripted.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from benchmarks.servers.citation_xml import render_set
from benchmarks.servers.eutils_answers import WINDOW, Answers, Reply, json_reply, mesh_uid
from benchmarks.servers.faults import Fault, Faults
from clinfo.records.articles import Article, MeshDescriptor

__all__ = ["EutilsServer", "Received", "mesh_uid", "render_set"]

PATH = "/entrez/eutils/"
_HTML = (
    b"<!DOCTYPE html>\n<html><head><title>NCBI</title></head><body><h1>Service under "
    b"maintenance</h1></body></html>\n"
)


@dataclass(frozen=True)
class Received:
    """A request as it came; ``at`` is time.monotonic() in seconds, ``fault`` what was done to it.

    ``fields`` are the parameters as they came; of repeated ones ``params`` holds the last.
    """

    method: str
    path: str
    params: Mapping[str, str]
    at: float
    fault: Fault
    fields: Sequence[tuple[str, str]] = ()


class EutilsServer:
    """A context manager; ``url`` is the base address and ``log`` what was received.

    ``source`` are Articles, or the bytes of a PubmedArticleSet whose records are then sent as they
    are. ``latency`` is in seconds a call; ``rate`` in requests a second, beyond which 429 is
    answered; ``api_keys`` are those accepted (None: any). ``malformed`` are PMIDs whose records are
    sent as damaged XML. ``scripted`` holds, by term, fields that are put into ``esearchresult``
    (say ``errorlist``). ``mesh`` is what db=mesh holds, ``window`` how many hits are handed out for
    one search, ``full_texts`` the articles of db=pmc by the digits of their PMCIDs. ``queue`` makes
    the next request get a reply of your own. ``throttled`` counts answers of 429 for the ``rate``.
    """

    def __init__(
        self,
        source: Iterable[Article] | bytes = (),
        *,
        latency: float = 0.0,
        rate: float | None = None,
        faults: Faults | None = None,
        api_keys: Collection[str] | None = None,
        malformed: Collection[str] = (),
        scripted: Mapping[str, Mapping[str, Any]] | None = None,
        mesh: Iterable[MeshDescriptor] = (),
        window: int = WINDOW,
        full_texts: Mapping[str, bytes] | None = None,
    ) -> None:
        self._answers = Answers(source, malformed, scripted or {}, mesh, window, full_texts or {})
        self._latency = latency
        self._rate = rate
        self._faults = faults or Faults()
        self._api_keys = api_keys
        self._queued: deque[Reply] = deque()
        self._arrived: deque[float] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self.log: list[Received] = []
        self.throttled = 0
        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), self._handler(), bind_and_activate=False
        )
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._server.request_queue_size = 128

    def __enter__(self) -> EutilsServer:
        warming = threading.Thread(
            target=self._answers.warm
        )  # not here, where an event loop may be running
        warming.start()
        warming.join()
        self._server.server_bind()
        self._server.server_activate()
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Base address, to which ``esearch.fcgi`` is appended."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{PATH}"

    def queue(
        self,
        status: int,
        body: bytes | str,
        headers: Mapping[str, str] | None = None,
        broken: Literal["cut", "reset"] | None = None,
    ) -> None:
        """Answer the next request not yet promised a reply with this one; ``broken`` off half way
        by an end or a reset.
        """
        data = body.encode() if isinstance(body, str) else body
        self._queued.append(Reply(status, data, headers=headers or {}, broken=broken))

    def add(self, articles: Iterable[Article]) -> None:
        """Take in more articles while the server runs."""
        self._answers.add(articles)

    def requests(self, utility: str) -> list[Received]:
        """Return what ``utility`` ("esearch", "efetch") was asked, in order of arrival."""
        with self._lock:
            return [entry for entry in self.log if entry.path.endswith(f"/{utility}.fcgi")]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(urlsplit(self.path).query)

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

            def _answer(self, encoded: str) -> None:
                path, fields = urlsplit(self.path).path, parse_qsl(encoded)
                fault, reply = owner._receive(self.command, path, fields)
                if fault == "hang":
                    owner._closing.wait(owner._faults.hang_seconds)
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                if fault == "cut" or reply.broken:
                    self.wfile.write(reply.body[: len(reply.body) // 2])
                    self.wfile.flush()
                    self.close_connection = True
                    if reply.broken == "reset":
                        # Without lingering, what closes the connection is a reset and not an end.
                        self.connection.setsockopt(
                            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                        )
                        self.connection.close()
                else:
                    self.wfile.write(reply.body)

            def log_message(self, format: str, *args: object) -> None:
                """Requests are kept in the server's ``log``, not printed."""

        return Handler

    def _receive(
        self, method: str, path: str, fields: list[tuple[str, str]]
    ) -> tuple[Fault, Reply]:
        now, params = time.monotonic(), dict(fields)
        with self._lock:
            fault = self._faults.draw()
            self.log.append(Received(method, path, params, now, fault, fields))
            while self._arrived and now - self._arrived[0] >= 1:
                self._arrived.popleft()
            self._arrived.append(now)
            crowd = len(self._arrived)
            queued = self._queued.popleft() if self._queued else None
        if self._latency:
            self._closing.wait(self._latency)
        if queued is not None:
            return "none", queued
        if self._rate is not None and crowd > self._rate:
            with self._lock:
                self.throttled += 1
            return "none", _throttled(params, crowd, self._rate)
        if fault == "429":
            return "none", _throttled(params, crowd, self._rate or 3)
        if fault == "500":
            return "none", Reply(
                500, b"<html><body>Internal Server Error</body></html>", "text/html"
            )
        if fault == "html":
            return "none", Reply(200, _HTML, "text/html")
        if fault == "empty":
            return "none", Reply(200, b"")
        key = params.get("api_key")
        if key is not None and self._api_keys is not None and key not in self._api_keys:
            return "none", json_reply(
                {"error": "API key invalid", "api-key": key, "type": "api key"}, 400
            )
        return fault, self._answers.answer(path.rpartition("/")[2], params, fields)


def _throttled(params: Mapping[str, str], count: int, limit: float) -> Reply:
    who = params.get("api_key", "127.0.0.1")
    body = {
        "error": "API rate limit exceeded",
        "api-key": who,
        "count": str(count),
        "limit": f"{limit:g}",
    }
    return json_reply(body, 429)
