"""``clinfo eutils`` as a process of its own."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from clinfo.pubmed.index import build
from tests.cli.process import clinfo, command, environment
from tests.pubmed.index_files import citation, write

pytest.importorskip("tantivy")
pytest.importorskip("waitress")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("eutils")
    build(
        [write(place / "a.xml", [citation(1, "Aspirin after stroke", ("Stroke was rarer.",))])],
        place / "index",
    )
    return place


@pytest.fixture
def process(folder: Path) -> Iterator[subprocess.Popen[str]]:
    started = subprocess.Popen(
        command("eutils", "index", "--host", "localhost", "--port", "0"),
        cwd=folder,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    yield started
    started.kill()
    started.communicate()


def test_it_answers_at_the_address_it_prints_until_interrupted(
    process: subprocess.Popen[str],
) -> None:
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert address.startswith("http://localhost:")
    with urlopen(f"{address}esearch.fcgi?term=aspirin&retmode=json", timeout=30) as answer:
        assert json.load(answer)["esearchresult"]["idlist"] == ["1"]
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "answering from index index, version 1" in said
    assert "Traceback" not in said


def test_a_place_where_it_cannot_listen_is_one_line(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = clinfo("eutils", "index", "--port", str(taken.getsockname()[1]), cwd=folder)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "cannot listen on 127.0.0.1 port" in done.stderr
    for wrong in (("--host", "999.0.0.1"), ("--port", "65536")):
        done = clinfo("eutils", "index", *wrong, cwd=folder)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
