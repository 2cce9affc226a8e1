"""Builds that are killed, that find the disk full, or lose a reader: real processes, real signals,
real limits.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clinfo.pubmed.index import LocalIndex, build
from tests.pubmed.index_files import deletion, write
from tests.pubmed.test_index import corpus, state

pytestmark = pytest.mark.slow

STEP = 150
Whole = tuple[list[Path], tuple[object, ...], float]
"""Files, what an undisturbed build of them answers, and the seconds it takes in a process of its
own.
"""
RUN = (
    "import sys; from clinfo.pubmed.index import build; build(sys.argv[2:], sys.argv[1], "
    "step={step})"
)


def files_in(folder: Path) -> list[Path]:
    """Six files in which records are replaced and deleted across files and steps."""
    made = []
    for place in range(6):
        records = [
            *corpus(1000 * place, 120),
            *corpus(1000 * place - 950, 40),
            deletion(1000 * place + 5, 1000 * place - 960),
        ]
        made.append(
            write(
                folder / f"n{place}.xml.gz",
                [one for one in records if ">-" not in one],
                checksum=True,
            )
        )
    return made


def started(folder: Path, files: list[Path], prelude: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", prelude + RUN.format(step=STEP), str(folder), *map(str, files)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def children(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    files = files_in(folder)
    began = time.monotonic()
    process = started(folder / "index", files)
    assert process.wait(60) == 0, process.stderr and process.stderr.read()
    return files, state(LocalIndex.open(folder / "index")), time.monotonic() - began


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for child processes in /proc")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_build_killed_again_and_again_ends_with_the_same_index(
    tmp_path: Path, whole: Whole, seed: int
) -> None:
    files, expected, seconds = whole
    draw, folder, kills = random.Random(seed), tmp_path / "index", 0
    build(files[:1], folder, step=STEP)
    first = state(LocalIndex.open(folder))
    while True:
        process = started(folder, files)
        readers: list[int] = []
        until = time.monotonic() + (draw.uniform(0.1, 1.1) * seconds if kills < 5 else 60)
        while process.poll() is None and time.monotonic() < until:
            readers = children(process.pid) or readers
            time.sleep(0.01)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        until = time.monotonic() + 10
        while not all(gone(pid) for pid in readers):
            assert time.monotonic() < until, "a reader outlived its builder"
            time.sleep(0.02)
        index = LocalIndex.open(folder)
        if index.version.number == 2:  # killed after its work was done and before it had ended
            break
        assert state(index) == first
    assert process.returncode in (0, -signal.SIGKILL), process.stderr and process.stderr.read()
    build(files, folder, step=STEP)
    index = LocalIndex.open(folder)
    assert index.version.number == 2
    ranks, records, similar = state(index)  # type: ignore[misc]
    assert records == expected[1]
    assert {ids for _, ids in map(_frozen, ranks)} == {ids for _, ids in map(_frozen, expected[0])}  # type: ignore[arg-type]
    assert not (folder / "work").exists()
    assert not list((folder / "steps").iterdir())
    straight = tmp_path / "straight"
    build(files[:1], straight, step=STEP)
    build(files, straight, step=STEP)
    assert state(LocalIndex.open(straight)) == (ranks, records, similar)


def _frozen(found: tuple[int, list[str]]) -> tuple[int, frozenset[str]]:
    return found[0], frozenset(found[1])


def test_a_file_size_limit_is_one_line_and_changes_nothing(tmp_path: Path, whole: Whole) -> None:
    files = whole[0]
    folder = tmp_path / "index"
    build(files[:1], folder, step=STEP)
    before = state(LocalIndex.open(folder))
    for limit in (60_000, 250_000):
        process = started(
            folder,
            files,
            f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n",
        )
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(60) != 0
        # SQLite tells this limit as an "I/O error", which may have other causes.
        assert said.splitlines()[-1].startswith("clinfo.errors.RecordError: the "), said
        assert (
            "is full; make room" in said.splitlines()[-1]
            or "could not be written" in said.splitlines()[-1]
        )
        assert state(LocalIndex.open(folder)) == before
    assert build(files, folder, step=STEP).version.number == 2


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for child processes in /proc")
def test_a_reader_that_is_killed_is_one_line(tmp_path: Path, whole: Whole) -> None:
    files, expected, _ = whole
    folder = tmp_path / "index"
    process = started(folder, files)
    while not (readers := children(process.pid)):
        assert process.poll() is None
        time.sleep(0.005)
    os.kill(readers[0], signal.SIGKILL)
    assert process.stderr is not None
    assert "ended unexpectedly" in process.stderr.read().splitlines()[-1]
    assert process.wait(60) != 0
    build(files, folder, step=STEP)
    assert state(LocalIndex.open(folder)) == expected
