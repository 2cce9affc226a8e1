"""A wire between a browser and the app that can be cut: a network that goes away, which an emulated
"offline" is not (streams that are open live on in it)."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class Wire:
    """A context manager; ``url`` leads to the app at ``to`` while the wire is whole."""

    def __init__(self, to: str) -> None:
        parts = urlsplit(to)
        self._to = (parts.hostname or "", parts.port or 80)
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._cut = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def cut(self) -> None:
        """Break all connections, and new ones as they come."""
        with self._lock:
            self._cut = True
            broken, self._open = self._open, set()
        for one in broken:
            _close(one)

    def mend(self) -> None:
        self._cut = False

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _close(self._listening)
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(self._to)
            except OSError:
                near.close()
                continue
            with self._lock:
                whole = not self._cut
                if whole:
                    self._open |= {near, far}
            if not whole:
                _close(near)
                _close(far)
                continue
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)
        with self._lock:
            self._open -= {one, other}
        _close(one)
        _close(other)


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
