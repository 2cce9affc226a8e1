"""Fetching over real HTTP, from a server that goes wrong in the ways that servers do."""

import hashlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pubmedrs.cli import run as pubmedrs

CONTENT = bytes(range(256)) * 2_000  # 512,000 bytes
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves ``content`` at every path.

    ``faults`` go one to a request, then none: a status, or "cut N" after N bytes.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content = CONTENT
        self.faults: list[str] = []
        self.always = ""
        self.seen: list[dict[str, str]] = []

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
            self.send_header("Content-Length", "0")
            self.end_headers()
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
        self.wfile.write(rest)

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


@pytest.fixture
def fetched(server: Server, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """The command, over the server, as if its file were the published one; its exit status."""
    monkeypatch.setattr("pubmedrs.published.SHA256", SHA256)
    monkeypatch.setattr("time.sleep", lambda seconds: None)

    def run(path: Path, *more: str) -> int:
        return pubmedrs(["fetch", "--url", server.url, "--out", str(path), *more])

    return run


def test_a_file_comes_whole_and_leaves_nothing_else(
    fetched: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new" / "set.csv"
    assert fetched(path, "--json") == 0
    told = {"path": str(path), "sha256": SHA256, "bytes": 512_000, "came": True}
    assert json.loads(capsys.readouterr().out) == {
        "schema": 1,
        "files": [told],
        "checksum": "right",
    }
    assert path.read_bytes() == CONTENT
    assert [one.name for one in path.parent.iterdir()] == ["set.csv"]


def test_a_cut_connection_is_tried_again(
    server: Server, fetched: Callable[..., int], tmp_path: Path
) -> None:
    server.faults = ["cut 200000", "cut 100000"]
    assert fetched(tmp_path / "set.csv") == 0
    assert (tmp_path / "set.csv").read_bytes() == CONTENT
    assert len(server.seen) == 3


def test_another_file_is_not_saved(
    server: Server,
    fetched: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.content = CONTENT[::-1]
    assert fetched(tmp_path / "set.csv") == 4
    assert "sent another file; nothing was saved" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_known_again_and_another_one_is_left_alone(
    server: Server, fetched: Callable[..., int], tmp_path: Path
) -> None:
    path = tmp_path / "set.csv"
    path.write_bytes(CONTENT)
    assert fetched(path) == 0
    path.write_bytes(b"mine")
    assert fetched(path) == 2
    assert path.read_bytes() == b"mine"
    assert server.seen == []


@pytest.mark.parametrize(("more", "file"), [((), "there"), (("--scores",), "scores__all_2021.csv")])
def test_a_server_that_stays_away_is_told_of_and_what_else_can_be_done(
    server: Server,
    fetched: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
    file: str,
) -> None:
    server.always = "503"
    assert fetched(tmp_path / "there", *more) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert f"fetch {file} on another machine" in said.err
    assert "--url" in said.err
    assert len(server.seen) == 4
