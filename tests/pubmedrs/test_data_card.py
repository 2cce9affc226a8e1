"""The data card says what the commands say, and its commands work."""

import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from pubmedrs.checking import group
from pubmedrs.published import COMMIT, SHA256
from pubmedrs.reading import load
from pubmedrs.records import Dataset
from tests.shared_data import SHARED, needs_shared

CARD = Path(__file__).resolve().parents[2] / "docs" / "pubmedrs-200.md"
FILE = SHARED / "pubmedrs200" / "PubMedRS-200.csv"


@cache
def card() -> str:
    return CARD.read_text(encoding="utf-8")


@cache
def published() -> Dataset:
    return load(FILE)


def test_it_names_the_file_that_is_fetched() -> None:
    assert f"`{SHA256}`" in card()
    assert f"`{COMMIT}`" in card()


@needs_shared
def test_its_table_of_faults_is_what_check_counts() -> None:
    table = card().partition("| fault |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([A-Za-z -]+?) \| ([0-9,]+) \| ([0-9,]+) \|", table, re.MULTILINE)
    told = {
        name: (int(rows.replace(",", "")), int(times.replace(",", "")))
        for name, rows, times in rows
    }
    counted = {
        one.kind: (one.rows, one.count)
        for one in group(published().faults)
        if one.kind != "unnamed column"
    }
    assert told == counted


@pytest.mark.slow
@needs_shared
def test_its_commands_work(tmp_path: Path) -> None:
    """All but those that fetch; these run against a local server in test_fetching."""
    shutil.copy(FILE, tmp_path / "PubMedRS-200.csv")
    commands = [
        line
        for block in re.findall(r"```sh\n(.*?)```", card(), re.DOTALL)
        for line in block.splitlines()
    ]
    ran = 0
    for line in commands:
        program, *arguments = shlex.split(line)
        if "fetch" in arguments:
            continue
        assert program == "python"
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, capture_output=True, timeout=60, check=False
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), line
        ran += 1
    assert ran == 5
    assert {"repaired.jsonl", "repairs.csv", "sheets"} <= {path.name for path in tmp_path.iterdir()}
