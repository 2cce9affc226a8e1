"""A scripted Semantic Scholar on loopback: search, batches, links and recommendations, with faults
on demand.

    with ScholarServer([paper_of(article) for article in articles], rate=1) as server:
        SemanticScholar(server.url)

Papers are objects as the service sends them. A search looks for all words of the query in title and
abstract; a word with a hyphen finds nothing, as documented; operators are words. Error bodies are
those recorded from the service.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit

from benchmarks.servers.faults import Fault, Faults
from clinfo.records.articles import Article

GRAPH, RECOMMENDATIONS = "/graph/v1/", "/recommendations/v1/"
WINDOW, PAGE, BATCH = 1_000, 100, 500
TOO_MANY = {
    "message": (
        "Too Many Requests. Please wait and try again or apply for a key for higher rate limits. "
        "https://www.semanticscholar.org/product/api#api-key-form"
    ),
    "code": "429",
}
_FIELDS = frozenset(
    {
        "paperId",
        "externalIds",
        "title",
        "abstract",
        "venue",
        "publicationVenue",
        "year",
        "journal",
        "authors",
    }
    | {"publicationTypes", "publicationDate"}
)
_HTML = b"<!DOCTYPE html>\n<html><head><title>502</title></head><body>Bad gateway</body></html>\n"

Paper = Mapping[str, Any]
Break = Literal["cut", "reset", "slow"]


@dataclass(frozen=True)
class Received:
    """A request as it came; ``at`` is time.monotonic() in seconds, ``fault`` what was done to
    it.
    """

    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    at: float
    fault: Fault


@dataclass(frozen=True)
class Reply:
    """A reply as it is sent; ``broken`` says how its body goes wrong on the way."""

    status: int
    body: bytes
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    broken: Break | None = None


def paper_id(text: str) -> str:
    """An id of the service's form, always the same for a text."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def paper_of(article: Article, **changes: Any) -> dict[str, Any]:
    """An article as the service would send it, with ``changes`` of single fields."""
    ids = {"PubMed": article.pmid, "DOI": article.doi, "PubMedCentral": article.pmcid}
    day = article.published.start if article.published else None
    whole = article.published is not None and article.published.start == article.published.end
    return {
        "paperId": paper_id(article.id),
        "externalIds": {
            "CorpusId": len(article.title),
            **{name: value for name, value in ids.items() if value},
        },
        "title": article.title,
        "abstract": article.abstract or None,
        "venue": article.journal or "",
        "year": article.year,
        "publicationDate": day.isoformat() if day and whole else None,
        "journal": {"name": article.journal, "volume": article.volume, "pages": article.pages}
        if article.journal
        else None,
        "authors": [
            {"authorId": None, "name": " ".join(filter(None, (one.fore, one.last, one.suffix)))}
            for one in article.authors
        ],
        "publicationTypes": [one.replace(" ", "") for one in article.publication_types] or None,
        **changes,
    }


class ScholarServer:
    """A context manager; ``url`` is the base address of the graph, ``log`` what was received.

    ``latency`` is in seconds a call; ``rate`` in requests a second, beyond which 429 is answered;
    ``api_keys`` are those accepted (None: any, and none needed). ``cites`` holds by paperId the
    papers that it cites, ``recommends`` those that are recommended for it. ``queue`` makes the next
    request get a reply of your own. ``throttled`` counts answers for the rate.
    """

    def __init__(
        self,
        papers: Iterable[Paper] = (),
        *,
        cites: Mapping[str, Sequence[str]] | None = None,
        recommends: Mapping[str, Sequence[str]] | None = None,
        latency: float = 0.0,
        rate: float | None = None,
        faults: Faults | None = None,
        api_keys: Collection[str] | None = None,
    ) -> None:
        self._papers = {paper["paperId"]: paper for paper in papers}
        self._cites = cites or {}
        self._recommends = recommends or {}
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

    def __enter__(self) -> ScholarServer:
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
        """Base address of the graph, to which ``paper/search`` is appended."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{GRAPH}"

    def queue(
        self,
        status: int,
        body: bytes | str | object,
        headers: Mapping[str, str] | None = None,
        broken: Break | None = None,
    ) -> None:
        """Answer the next request not yet promised a reply with this one: bytes, text, or anything
        else as JSON.
        """
        data = (
            body
            if isinstance(body, bytes)
            else body.encode()
            if isinstance(body, str)
            else json.dumps(body).encode()
        )
        self._queued.append(Reply(status, data, headers=headers or {}, broken=broken))

    def requests(self, path: str) -> list[Received]:
        """Return what was asked of paths that end so ("paper/search", "/citations"), in order of
        arrival.
        """
        with self._lock:
            return [entry for entry in self.log if entry.path.endswith(path)]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(b"")

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def _answer(self, posted: bytes) -> None:
                fault, reply = owner._receive(self.command, self.path, dict(self.headers), posted)
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
                elif broken is not None:
                    self.wfile.write(reply.body[: len(reply.body) // 2])
                    self.wfile.flush()
                    self.close_connection = True
                    if broken == "reset":
                        # Without lingering, what closes the connection is a reset and not an end.
                        self.connection.setsockopt(
                            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                        )
                        self.connection.close()
                else:
                    self.wfile.write(reply.body)

            def handle(self) -> None:
                with contextlib.suppress(ConnectionError):  # the client has gone
                    super().handle()

            def log_message(self, format: str, *args: object) -> None:
                """Requests are kept in the server's ``log``, not printed."""

        return Handler

    def _receive(
        self, method: str, target: str, headers: dict[str, str], posted: bytes
    ) -> tuple[Fault, Reply]:
        now, parts = time.monotonic(), urlsplit(target)
        params = {
            name: values[-1]
            for name, values in parse_qs(parts.query, keep_blank_values=True).items()
        }
        path = unquote(parts.path)
        body = json.loads(posted) if posted else None
        with self._lock:
            fault = self._faults.draw()
            self.log.append(Received(method, path, params, headers, body, now, fault))
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
            return "none", _json(TOO_MANY, 429)
        if fault == "429":
            return "none", _json(TOO_MANY, 429)
        if fault == "500":
            return "none", _json({"message": "Internal server error"}, 500)
        if fault == "html":
            return "none", Reply(200, _HTML, "text/html")
        if fault == "empty":
            return "none", Reply(200, b"")
        key = next((value for name, value in headers.items() if name.lower() == "x-api-key"), None)
        if self._api_keys is not None and key not in self._api_keys:
            return "none", _json({"message": "Forbidden"}, 403)
        return fault, self._reply(method, path, params, body)

    def _reply(self, method: str, path: str, params: dict[str, str], body: Any) -> Reply:
        if unknown := sorted(set(params.get("fields", "title").split(",")) - _FIELDS):
            return _json(
                {"error": f"Unrecognized or unsupported fields: [{', '.join(unknown)}]"}, 400
            )
        fields = params.get("fields", "title").split(",")
        if path == f"{GRAPH}paper/search" and method == "GET":
            return self._search(params, fields)
        if path == f"{GRAPH}paper/batch" and method == "POST":
            return self._batch(body, fields)
        if found := re.fullmatch(f"{GRAPH}paper/(.+)/(citations|references)", path):
            return self._links(found[1], found[2], params, fields)
        if found := re.fullmatch(f"{RECOMMENDATIONS}papers/forpaper/(.+)", path):
            if (paper := self._named(found[1])) is None:
                return _json({"error": "Paper not found"}, 404)
            near = self._recommends.get(paper["paperId"], ())[: int(params.get("limit", 100))]
            return _json({"recommendedPapers": [_shown(self._papers[id], fields) for id in near]})
        return _json({"message": "Not Found"}, 404)

    def _search(self, params: dict[str, str], fields: list[str]) -> Reply:
        limit, offset = int(params.get("limit", PAGE)), int(params.get("offset", 0))
        if not params.get("query", "").strip():
            return _json({"error": "Missing required parameter: 'query'"}, 400)
        if limit > PAGE or limit < 1:
            return _json({"error": f"limit must be at most {PAGE}"}, 400)
        if offset + limit > WINDOW:
            return _json(
                {"error": "Requested data for this limit and/or offset is not available"}, 400
            )
        words = [word.casefold() for word in params["query"].replace('"', " ").split()]
        ranked = []
        for place, paper in enumerate(self._papers.values()):
            held = re.findall(r"\w+", f"{paper['title']} {paper.get('abstract') or ''}".casefold())
            if all(word in held for word in words) and _within(
                paper, params.get("publicationDateOrYear", ":")
            ):
                ranked.append((-sum(map(held.count, words)), place, paper))
        hits = [paper for _, _, paper in sorted(ranked, key=lambda one: one[:2])]
        page = hits[offset : offset + limit]
        answer: dict[str, Any] = {"total": len(hits), "offset": offset}
        if offset + len(page) < min(len(hits), WINDOW):
            answer["next"] = offset + len(page)
        return _json({**answer, "data": [_shown(paper, fields) for paper in page]})

    def _batch(self, body: Any, fields: list[str]) -> Reply:
        ids = body.get("ids") if isinstance(body, dict) else None
        if not isinstance(ids, list) or not 1 <= len(ids) <= BATCH:
            return _json({"error": f"Number of ids must be between 1 and {BATCH}"}, 400)
        found = [self._named(id) for id in ids]
        if not any(found):
            return _json({"error": "No valid paper ids given"}, 400)
        return _json([_shown(paper, fields) if paper else None for paper in found])

    def _links(self, id: str, kind: str, params: dict[str, str], fields: list[str]) -> Reply:
        paper = self._named(id)
        if paper is None:
            return _json({"error": f"Paper with id {id} not found"}, 404)
        own = paper["paperId"]
        linked = (
            self._cites.get(own, ())
            if kind == "references"
            else [one for one, cited in self._cites.items() if own in cited]
        )
        name = "citedPaper" if kind == "references" else "citingPaper"
        page = linked[: int(params.get("limit", 100))]
        return _json(
            {"offset": 0, "data": [{name: _shown(self._papers[one], fields)} for one in page]}
        )

    def _named(self, id: str) -> Paper | None:
        kind, _, value = id.partition(":")
        names = {"PMID": "PubMed", "DOI": "DOI", "PMCID": "PubMedCentral"}
        if kind.upper() not in names:
            return self._papers.get(id)
        name = names[kind.upper()]
        for paper in self._papers.values():
            if str((paper.get("externalIds") or {}).get(name, "")).casefold() == value.casefold():
                return paper
        return None


def _within(paper: Paper, wanted: str) -> bool:
    """Return whether a paper lies in a range; one without a date counts as 1 January of its year.
    Prefixes of dates are allowed.
    """
    held = paper.get("publicationDate") or f"{paper['year']}-01-01"
    first, _, last = wanted.partition(":") if ":" in wanted else (wanted, "", wanted)
    return held >= first and (not last or held[: len(last)] <= last)


def _shown(paper: Paper, fields: list[str]) -> dict[str, Any]:
    return {name: value for name, value in paper.items() if name == "paperId" or name in fields}


def _json(answer: object, status: int = 200) -> Reply:
    return Reply(status, json.dumps(answer).encode())
