"""gunicorn's worker with threads, which a visitor who sends a request too slowly cannot keep busy.

Without it a few hundred connections that begin a request and never end it hold all threads, for as
long as they like.
"""

from __future__ import annotations

import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

from webapp.hosting.limits import household

HEAD_SECONDS = 10.0
"""Longest that the lines before a request's body may take."""
BODY_SECONDS = 15.0
"""Longest that a request's body may take."""
WHOLE_SECONDS = 90.0
"""Longest that a request which may have a body may take, with its answer; what is only read may
take any time, as streams do.
"""
SHARE: int | None = None
"""Most requests that one address may be in the middle of sending for longer than a second; None for
any number. Those begun first give way.
"""


@dataclass
class _Due:
    """The time at which the connection of ``address`` is closed; ``sent`` once its request has
    come.
    """

    address: str
    time: float
    began: float
    sent: bool = False


class _Body:
    """A request's body, which tells by ``sent`` when all of it has been read."""

    def __init__(self, body: Any, length: int | None, sent: Callable[[], None]) -> None:
        self._body, self._left, self._sent = body, length, sent

    def read(self, *size: int) -> bytes:
        return self._told(self._body.read(*size))

    def readline(self, *size: int) -> bytes:
        return self._told(self._body.readline(*size))

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _told(self, data: bytes) -> bytes:
        self._left = None if self._left is None else self._left - len(data)
        if not data or self._left == 0:
            self._sent()
        return data


class Worker(ThreadWorker):  # type: ignore[misc]
    """Hangs up on whoever takes longer; the thread that reads from there sees an end and is free
    again.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._due: dict[Any, _Due] = {}

    def handle(self, conn: Any) -> Any:
        address = household(conn.client[0]) if isinstance(conn.client, tuple) else ""
        now = time.monotonic()
        self._due[conn] = _Due(address, now + HEAD_SECONDS, now)
        try:
            return super().handle(conn)
        finally:
            self._due.pop(conn, None)

    def handle_request(self, req: Any, conn: Any) -> Any:
        due = self._due.pop(conn)
        if req.method not in ("GET", "HEAD"):

            def sent() -> None:
                due.time, due.sent = time.monotonic() + WHOLE_SECONDS, True

            length = dict(req.headers).get("CONTENT-LENGTH", "")
            known = int(length) if length.isascii() and length.isdigit() else None
            due.time = time.monotonic() + BODY_SECONDS
            if known == 0:
                sent()
            self._due[conn] = due
            req.body = _Body(req.body, known, sent)
        return super().handle_request(req, conn)

    def notify(self) -> None:
        """Called about once a second by the loop that accepts connections."""
        super().notify()
        now, sending = time.monotonic(), Counter[str]()
        for conn, due in reversed(list(self._due.items())):  # the newest first
            slow = not due.sent and now - due.began > 1
            sending[due.address] += slow
            above = SHARE is not None and due.address and sending[due.address] > SHARE
            if due.time < now or (above and slow):
                with suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RDWR)
