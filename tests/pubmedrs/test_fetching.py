"""Fetching over real HTTP, from a server that goes wrong in the ways that servers do."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.servers.scripted import Reply, ScriptedServer
from pubmedrs.cli import run as pubmedrs

CONTENT = bytes(range(256)) * 2_000  # 512,000 bytes
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(lambda _: Reply(200, CONTENT)) as one:
        yield one


@pytest.fixture
def fetched(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """The command, over the server, as if its file were the published one; its exit status."""
    monkeypatch.setattr("pubmedrs.published.SHA256", SHA256)
    monkeypatch.setattr("time.sleep", lambda seconds: None)

    def run(path: Path, *more: str) -> int:
        url = f"{server.url}/PubMedRS-200.csv"
        return pubmedrs(["fetch", "--url", url, "--out", str(path), *more])

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
    server: ScriptedServer, fetched: Callable[..., int], tmp_path: Path
) -> None:
    for _ in range(2):
        server.queue(200, CONTENT, broken="cut")
    assert fetched(tmp_path / "set.csv") == 0
    assert (tmp_path / "set.csv").read_bytes() == CONTENT
    assert len(server.log) == 3


def test_another_file_is_not_saved(
    server: ScriptedServer,
    fetched: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for _ in range(4):
        server.queue(200, CONTENT[::-1])
    assert fetched(tmp_path / "set.csv") == 4
    assert "sent another file; nothing was saved" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_known_again_and_another_one_is_left_alone(
    server: ScriptedServer, fetched: Callable[..., int], tmp_path: Path
) -> None:
    path = tmp_path / "set.csv"
    path.write_bytes(CONTENT)
    assert fetched(path) == 0
    path.write_bytes(b"mine")
    assert fetched(path) == 2
    assert path.read_bytes() == b"mine"
    assert server.log == []


@pytest.mark.parametrize(("more", "file"), [((), "there"), (("--scores",), "scores__all_2021.csv")])
def test_a_server_that_stays_away_is_told_of_and_what_else_can_be_done(
    server: ScriptedServer,
    fetched: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
    file: str,
) -> None:
    for _ in range(4):
        server.queue(503, b"")
    assert fetched(tmp_path / "there", *more) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert f"fetch {file} on another machine" in said.err
    assert "--url" in said.err
    assert len(server.log) == 4
