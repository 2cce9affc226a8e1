"""A web app of this process behind a real server, and runs whose events a test writes as a worker
would.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from clinfo.pipelines.literature.request import checked
from clinfo.runs.events import Event, Warned
from tests.webapp.small_app import QUESTION
from webapp.records import Lease, Status
from webapp.storage.store import Store


class _Silent(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *arguments: object) -> None: ...


@contextmanager
def served(app: Flask, port: int = 0) -> Iterator[str]:
    """The address of a server with a thread for each request, on a free port unless one is named;
    its streams end with it.
    """
    server = make_server("127.0.0.1", port, app, threaded=True, request_handler=_Silent)
    server.daemon_threads = True  # type: ignore[attr-defined]
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        app.extensions["clinfo"].hub.stop()
        server.shutdown()
        thread.join(10)
        server.server_close()


class Feed:
    """A run that a worker carries out: this test is the worker."""

    def __init__(self, store: Store, *, claim: bool = True, owner: str | None = None) -> None:
        self.store = store
        self.id = store.create(
            checked(question=QUESTION, model="extractive", source="demo"), owner=owner
        ).id
        self.count = 0
        self.lease: Lease | None = None
        if claim:
            self.claim()

    def claim(self) -> None:
        claimed = self.store.claim("a test", 600.0)
        assert claimed is not None
        assert claimed[0].id == self.id
        self.lease = claimed[1]

    def add(
        self,
        events: int = 1,
        *,
        end: Status | None = None,
        text: str = "warning",
        problem: str | None = None,
    ) -> None:
        assert self.lease is not None
        first, self.count = self.count, self.count + events
        made: list[tuple[Event, float]] = [
            (Warned(seq=seq, where="run", about=str(seq), text=f"{text} {seq}"), 0.0)
            for seq in range(first, self.count)
        ]
        self.store.append(self.lease, made, 600.0, end=end, problem=problem)
