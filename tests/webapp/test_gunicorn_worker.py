"""Slow visitors against a real gunicorn with two threads: they are hung up on, everybody else is
answered.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.webapp.running import ROOT, bare_environment, free_port

pytestmark = pytest.mark.slow

CONFIG = """
from webapp.hosting import gunicorn_worker
gunicorn_worker.HEAD_SECONDS, gunicorn_worker.BODY_SECONDS, gunicorn_worker.WHOLE_SECONDS = {limits}
gunicorn_worker.SHARE = {share}
worker_class, threads, worker_connections, control_socket_disable = "webapp.hosting.gunicorn_worker.Worker", 2, 100, True
"""  # noqa: E501
APP = """
import time
def app(environ, start):
    body = environ["wsgi.input"].read()
    start("200 OK", [("Content-Type", "text/plain")])
    if environ["PATH_INFO"] == "/stream":
        return (time.sleep(1) or b"%d" % number for number in range(4))
    return [b"read %d" % len(body)]
"""


@pytest.fixture
def limits() -> tuple[float, float, float]:
    """Seconds for the head of a request, for its body and for all of it."""
    return 1.0, 2.0, 60.0


@pytest.fixture
def share() -> int | None:
    """Requests that one address may be in the middle of sending."""
    return None


@pytest.fixture
def port(tmp_path: Path, limits: tuple[float, float, float], share: int | None) -> Iterator[int]:
    (tmp_path / "config.py").write_text(CONFIG.format(limits=limits, share=share))
    (tmp_path / "small.py").write_text(APP)
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-c",
        "config.py",
        "-b",
        f"127.0.0.1:{port}",
        "small:app",
    ]
    environment = {**bare_environment(), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 30
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert time.monotonic() < deadline, (tmp_path / "log").read_text()
            time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait(20)


def begun(port: int, text: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(text)
    return connection


def answered(connection: socket.socket) -> bytes:
    with connection:
        parts = []
        while part := connection.recv(4096):
            parts.append(part)
    return b"".join(parts)


def asked(port: int, path: str = "/") -> bytes:
    return answered(
        begun(port, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    )


@pytest.mark.parametrize(
    "beginning",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nfew",
    ],
    ids=["head", "body"],
)
def test_a_request_that_does_not_come_frees_its_thread(port: int, beginning: bytes) -> None:
    slow = [begun(port, beginning) for _ in range(6)]  # each of two threads three times
    other = asked(port)
    for _ in range(4):  # on a busy machine even a request sent at once may be read too late
        other = other or asked(port)
    assert b"read 0" in other
    for connection in slow:
        assert not answered(connection).startswith(b"HTTP/1.1 200")


def test_a_stream_may_last(port: int) -> None:
    streams = [asked(port, "/stream")]
    while (
        not streams[-1] and len(streams) < 5
    ):  # on a busy machine even a request sent at once may be read too late
        streams.append(asked(port, "/stream"))
    assert streams[-1].endswith(b"1\r\n0\r\n1\r\n1\r\n1\r\n2\r\n1\r\n3\r\n0\r\n\r\n")


@pytest.mark.parametrize(("limits", "share"), [((30.0, 600.0, 600.0), 1)])
def test_an_address_has_a_share_of_the_threads(port: int) -> None:
    half = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nfew"
    slow = [begun(port, half) for _ in range(8)]
    assert b"read 0" in asked(port)  # long before any of them is late
    for connection in slow:
        connection.close()
