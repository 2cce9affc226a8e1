"""The command line as a process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pubmedrs.reading import load
from tests.pubmedrs.sample import row, written


def pubmedrs(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pubmedrs", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    faulty = row("41", PublishedDate="1/2/2020", Title="\x1b[31mDoes tea help?")
    return written(tmp_path / "set.csv", [faulty, row("41"), row("42")])


@pytest.mark.parametrize("command", ["fetch", "check", "stats", "build", "export", "import"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    ran = pubmedrs(command, "--help")
    assert ran.returncode == 0
    assert f"pubmedrs {command}" in ran.stdout.partition("Example")[2]


def test_check_does_not_write_two_things_into_one_file(file: Path, tmp_path: Path) -> None:
    ran = pubmedrs(
        "check", file, "--out", tmp_path / "one.csv", "--repairs", tmp_path / "." / "one.csv"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (
        2,
        "",
        "pubmedrs: --out and --repairs name the same file\n",
    )
    assert not (tmp_path / "one.csv").exists()


def test_check_counts_shows_and_writes(file: Path, tmp_path: Path) -> None:
    ran = pubmedrs(
        "check",
        file,
        "--all",
        "--out",
        tmp_path / "own.jsonl",
        "--repairs",
        tmp_path / "repairs.csv",
    )
    assert ran.returncode == 0
    assert ran.stdout.startswith("set.csv: 3 rows, 2 reviews, 1 row refused\nSHA-256 ")
    assert "row 2 (PMID 41): PMID: repeated PMID: row 1 has it already" in ran.stdout
    assert (
        "row 1 (PMID 41): PublishedDate: date form: '1/2/2020' is written '2020-01-02'"
        in ran.stdout
    )
    assert "\x1b" not in ran.stdout
    assert [review.pmid for review in load(tmp_path / "own.jsonl").reviews] == ["41", "42"]
    assert (tmp_path / "repairs.csv").read_text(encoding="utf-8").count("2020-01-02") == 1


def test_check_as_json(file: Path) -> None:
    told = json.loads(pubmedrs("check", file, "--json").stdout)
    assert (told["schema"], told["rows"], told["reviews"], len(told["refused"])) == (1, 3, 2, 1)
    assert {one["kind"]: one["fate"] for one in told["kinds"]}["repeated PMID"] == "refused"


def test_check_does_not_replace_what_it_reads(file: Path) -> None:
    before = file.read_bytes()
    ran = pubmedrs("check", file, "--out", file)
    assert ran.returncode == 2
    assert file.read_bytes() == before


@pytest.mark.parametrize("command", ["check", "stats"])
def test_a_file_that_cannot_be_read_ends_with_2_and_a_line(command: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"\x00\x01\x02")
    for path in (tmp_path / "x.csv", tmp_path / "none.csv", tmp_path):
        ran = pubmedrs(command, path)
        assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)


def test_stats(file: Path) -> None:
    told = json.loads(pubmedrs("stats", file, "--json").stdout)
    assert (told["rows"], told["reviews"], told["specialties"]) == (3, 2, {"dermatology": 2})
    # "It helped 12 of 20." and "Tea helps."
    assert told["words"]["answer"] == {"least": 7, "median": 7, "mean": 7, "most": 7}
    assert told["references"]["per_review"] == {"least": 2, "median": 2, "mean": 2, "most": 2}
    assert (told["references"]["total"], told["references"]["distinct"]) == (4, 2)
    assert told["subsets"][0]["n"] == 2
    assert "lacks 145" in told["subsets_missing"]["scored145"]
    assert "Published 2020-01-02 to 2020-03-04" in pubmedrs("stats", file).stdout
