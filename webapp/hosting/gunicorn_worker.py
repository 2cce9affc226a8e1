"""gunicorn's worker with threads, which a visitor who sends a request too slowly cannot keep busy.

Without it a few hundred connections that begin a request and never end it hold all threads, for as
long as they like.
"""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import Any

from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

HEAD_SECONDS = 10.0
"""Longest that the lines before a request's body may take."""
WHOLE_SECONDS = 90.0
"""Longest that a request which may have a body may take, with its answer; what is only read may
take any time, as streams do.
"""


class Worker(ThreadWorker):  # type: ignore[misc]
    """Hangs up on whoever takes longer; the thread that reads from there sees an end and is free
    again.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._due: dict[Any, float] = {}

    def handle(self, conn: Any) -> Any:
        self._due[conn] = time.monotonic() + HEAD_SECONDS
        try:
            return super().handle(conn)
        finally:
            self._due.pop(conn, None)

    def handle_request(self, req: Any, conn: Any) -> Any:
        if req.method in ("GET", "HEAD"):
            self._due.pop(conn, None)
        else:
            self._due[conn] = time.monotonic() + WHOLE_SECONDS
        return super().handle_request(req, conn)

    def notify(self) -> None:
        """Called about once a second by the loop that accepts connections."""
        super().notify()
        now = time.monotonic()
        for conn, due in list(self._due.items()):
            if due < now:
                with suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RDWR)
