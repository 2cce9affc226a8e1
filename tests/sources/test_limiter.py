"""The limiter: of one process's threads, and of all processes of a machine."""

import json
import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.servers.eutils import EutilsServer
from clinfo.records.articles import Article
from clinfo.sources.entrez import Eutils
from clinfo.sources.limiter import MARGIN, Limiter, shared_limiter

ARTICLES = [Article(id="pmid:1", pmid="1", title="Sleep")]
ROOT = Path(__file__).resolve().parents[2]
PROCESSES = 4


def test_a_turn_beyond_the_deadline_is_not_waited_for_and_not_used_up() -> None:
    limiter = Limiter(1)
    limiter.hold(600)
    start = time.monotonic()
    assert not any(limiter.wait(deadline=start + 300) for _ in range(1000))
    assert time.monotonic() - start < 100, "waiting to the deadline would have taken 300 s"
    held = Limiter(1)
    held.hold(0.3)
    start = time.monotonic()
    assert not any(held.wait(deadline=start) for _ in range(1000))
    assert held.wait(deadline=start + 300)
    assert 0.3 <= time.monotonic() - start < 100, (
        "had the places been used up, it would have taken 1,100 s"
    )


@pytest.mark.parametrize(("rate", "threads", "seconds"), [(3, 2, 3.0), (10, 4, 3.0)])
def test_many_processes_with_many_threads_stay_below_the_limit(
    tmp_path: Path, rate: int, threads: int, seconds: float
) -> None:
    with EutilsServer(ARTICLES) as server:
        command = [sys.executable, "-m", "tests.sources.asking_process", server.url, str(tmp_path)]
        command += [str(rate), str(seconds), str(threads)]
        started = [
            subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for _ in range(PROCESSES)
        ]
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        granted = [json.loads(process.communicate(timeout=60)[0]) for process in started]
        assert len(server.log) == sum(map(len, granted))
    # The times at which leave was given: on its way to the server a request may be held up by a
    # busy machine.
    times = sorted(time for one in granted for time in one)
    assert len(times) > rate
    assert all(later - first >= 1 for first, later in zip(times, times[rate:], strict=False))


def test_a_pause_that_one_process_was_asked_for_holds_for_the_others(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom clinfo.sources.limiter import shared_limiter\n"
    )
    code += f"shared_limiter('s', 100, Path({str(tmp_path)!r})).hold(float(sys.argv[1]))"
    limiter = shared_limiter("s", 100, tmp_path)
    assert limiter.wait()
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", code, "2.0"], cwd=ROOT, check=True, timeout=60)
    told = time.monotonic()
    assert limiter.wait(deadline=told + 60)
    assert time.monotonic() - begun >= 2.0
    subprocess.run([sys.executable, "-c", code, "600.0"], cwd=ROOT, check=True, timeout=60)
    start = time.monotonic()
    assert not limiter.wait(deadline=start + 300)
    assert time.monotonic() - start < 100


def test_files_are_for_their_owner_alone_and_name_neither_service_nor_key(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "limits"
    client = Eutils("http://127.0.0.1:9/", api_key="0123-secret", rate=50, limits_dir=folder)
    assert client._limiter is not None
    assert client._limiter.wait()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.suffix for path in folder.iterdir()} == {".json", ".lock"}
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
        assert b"secret" not in path.read_bytes()
        assert "127" not in path.name or len(path.stem) == 32
    (stored,) = folder.glob("*.json")
    moment, written, _ = json.loads(stored.read_text())
    assert 0 < moment - written <= (1 + MARGIN) / 50


def test_a_folder_that_cannot_be_used_means_one_warning_and_a_limit_within_the_process(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    with EutilsServer(ARTICLES) as server, caplog.at_level(logging.WARNING, logger="clinfo"):
        clients = [
            Eutils(server.url, rate=20, limits_dir=tmp_path / "file" / "limits") for _ in range(2)
        ]
        start = time.monotonic()
        for client in clients * 3:
            assert client.esearch("sleep", 1)["count"] == "1"
        assert time.monotonic() - start >= 5 / 20
    (record,) = caplog.records
    assert "other processes" in record.message
