"""``python -m benchmarks`` where whoever reads its output leaves early, or where it cannot be
written.
"""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import benchmarks

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "command", [["--help"], ["score", "--help"], ["reproduce", "--help"], ["report", "--help"]]
)
def test_a_reader_that_left_is_no_accident(command: list[str], unbuffered: str) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks", *command],
            cwd=ROOT,
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    finally:
        os.close(write)
    assert done.stderr == ""
    assert done.returncode in (0, 1)  # argparse does not notice where nothing is buffered


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told_in_a_line() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "benchmarks", "--help"]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("python -m benchmarks: standard output could not be written: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "path",
    sorted((Path(benchmarks.__file__).parent / "own").glob("*.py")),
    ids=lambda path: path.stem,
)
def test_every_module_of_our_own_benchmarks_loads(path: Path) -> None:
    importlib.import_module(f"benchmarks.own.{path.stem}")


def test_quality_names_modules_that_are_there() -> None:
    from benchmarks.own.quality import PARTS

    for module in PARTS:
        assert callable(importlib.import_module(f"benchmarks.own.{module}").main)
