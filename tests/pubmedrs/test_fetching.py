"""Fetching over real HTTP, from a server that goes wrong in the ways that servers do."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from clinfo.errors import SourceError, UsageError
from pubmedrs.fetching import Fetched, Patience, fetch

CONTENT = bytes(range(256)) * 2_000  # 512,000 bytes
SHA256 = hashlib.sha256(CONTENT).hexdigest()
QUICK = Patience(tries=3, first_wait=0.01, longest_wait=0.05, connect=30, read=30)


class Server(ThreadingHTTPServer):
    """Serves ``content`` at every path.

    ``faults`` go one to a request, then none: a status, "cut N" after N bytes, "hang" until
    ``left`` is set.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content = CONTENT
        self.faults: list[str] = []
        self.always = ""
        self.retry_after = ""
        self.seen: list[dict[str, str]] = []
        self.pause = 0.0
        self.left = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/PubMedRS-200.csv"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        server = self.server
        server.seen.append(dict(self.headers))
        fault = server.faults.pop(0) if server.faults else server.always
        if fault.isdigit():
            self.send_response(int(fault))
            if server.retry_after:
                self.send_header("Retry-After", server.retry_after)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if fault == "hang":
            server.left.wait(120)
            self.close_connection = True
            return
        body = server.content
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        rest = body
        if fault.startswith("cut"):
            self.wfile.write(rest[: int(fault.split()[1])])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        for place in range(0, len(rest), 50_000):
            self.wfile.write(rest[place : place + 50_000])
            self.wfile.flush()
            time.sleep(server.pause)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    thread = threading.Thread(target=one.serve_forever, daemon=True)
    thread.start()
    yield one
    one.shutdown()
    one.server_close()


def fetched(server: Server, path: Path, sha256: str | None = SHA256) -> Fetched:
    return fetch(server.url, path, sha256, patience=QUICK)


def test_a_file_comes_whole_and_leaves_nothing_else(server: Server, tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    path = tmp_path / "set.csv"
    got = fetch(
        server.url,
        path,
        SHA256,
        patience=QUICK,
        progress=lambda done, size: told.append((done, size)),
    )
    assert got == Fetched(path, SHA256, 512_000, came=True)
    assert path.read_bytes() == CONTENT
    assert [one.name for one in tmp_path.iterdir()] == ["set.csv"]
    assert told[-1] == (512_000, 512_000)


def test_a_cut_connection_is_tried_again(server: Server, tmp_path: Path) -> None:
    server.faults = ["cut 200000", "cut 100000"]
    assert fetched(server, tmp_path / "set.csv").path.read_bytes() == CONTENT
    assert len(server.seen) == 3


def test_another_file_is_not_saved(server: Server, tmp_path: Path) -> None:
    server.content = CONTENT[::-1]
    with pytest.raises(SourceError, match=r"SHA-256 [0-9a-f]{64}"):
        fetched(server, tmp_path / "set.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_known_again_and_another_one_is_left_alone(
    server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "set.csv"
    path.write_bytes(CONTENT)
    assert fetched(server, path) == Fetched(path, SHA256, 512_000, came=False)
    path.write_bytes(b"mine")
    with pytest.raises(UsageError, match="already exists and is another file"):
        fetched(server, path)
    with pytest.raises(UsageError, match="it is not known which file it should be"):
        fetched(server, path, None)
    assert path.read_bytes() == b"mine"
    assert server.seen == []


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_with_130_and_leaves_nothing(server: Server, tmp_path: Path) -> None:
    server.pause = 0.5
    arguments = command("--url", server.url, "--out", str(tmp_path / "set.csv"))
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (tmp_path / "set.csv.partial").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted: run the same command again" in said
    assert list(tmp_path.iterdir()) == []


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pubmedrs", "fetch", *arguments]


@pytest.mark.parametrize(
    ("more", "files"),
    [
        ([], "PubMedRS-200.csv"),
        (["--scores"], "scores__all_2021.csv and Model__all_all_scores.csv"),
    ],
)
def test_a_server_that_stays_away_is_told_of_at_once_and_what_else_can_be_done(
    server: Server, tmp_path: Path, more: list[str], files: str
) -> None:
    server.always, server.retry_after = "503", "0"
    arguments = command("--url", server.url, "--out", str(tmp_path / "there"), *more)
    ran = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (4, "")
    *tried, last = ran.stderr.splitlines()
    assert len(tried) == len(server.seen) - 1 == 5
    for number, line in enumerate(tried, 2):
        assert line.endswith(f"answered with status 503; attempt {number} of 6 follows in 0.0 s")
    assert f"fetch {files} on another machine" in last
    assert "--url" in last
