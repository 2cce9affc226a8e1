"""``clinfo index`` as a process of its own."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.process import clinfo, command, environment
from tests.pubmed.index_files import citation, deletion, write

pytest.importorskip("tantivy")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return clinfo("index", *arguments, cwd=folder, CLINFO_DATA_DIR=str(folder / "data"))


def files(folder: Path) -> tuple[str, str]:
    one = [
        citation(number, f"Aspirin trial {number}", ("Stroke was rare.",), year=str(2000 + number))
        for number in range(1, 31)
    ]
    write(folder / "a.xml.gz", one, checksum=True)
    write(folder / "b.xml", [deletion(1, 2), citation(50, "Warfarin trial", ("Bleeding.",))])
    return "a.xml.gz", "b.xml"


@pytest.mark.slow
def test_build_search_info_and_snapshots(tmp_path: Path) -> None:
    one, two = files(tmp_path)
    built = run(tmp_path, "build", one, "--out", "held")
    assert built.returncode == 0
    assert re.fullmatch(
        r"version 1 of \d{4}-\d\d-\d\d: 30 citations; 30 loaded \([\d,]+/s\), 0 deleted\n",
        built.stdout,
    )
    assert "reading a.xml.gz" in built.stderr
    assert "no MeSH loaded" in built.stderr
    updated = json.loads(run(tmp_path, "build", one, two, "--out", "held", "--json").stdout)
    assert (updated["version"], updated["citations"], updated["deleted"], updated["skipped"]) == (
        2,
        29,
        2,
        [one],
    )
    assert "nothing to load; version 2" in run(tmp_path, "build", one, two, "--out", "held").stdout

    found = run(
        tmp_path, "search", "held", "aspirin[ti]", "--ids", "--sort", "pub_date", "--limit", "3"
    )
    assert (found.returncode, found.stdout) == (0, "30\n29\n28\n")
    assert 'searched as "aspirin"[Title]' in found.stderr
    shown = run(tmp_path, "search", "held", "warfarin[ti]").stdout
    assert shown.startswith("1 hit\n50  ")
    assert "Warfarin trial" in shown
    form = json.loads(
        run(
            tmp_path, "search", "held", "aspirin[ti]", "--limit", "1", "--json", "--as-of", "1"
        ).stdout
    )
    assert (form["schema"], form["count"], form["version"], form["outcome"]) == (
        1,
        30,
        1,
        "complete",
    )
    nothing = run(tmp_path, "search", "held", "garmin[ti]", "--ids")
    assert (nothing.returncode, nothing.stdout) == (3, "")
    assert "garmin" in nothing.stderr

    info = json.loads(run(tmp_path, "info", "held", "--json").stdout)
    assert [file["name"] for file in info["files"]] == [one, two]
    assert (info["versions"], info["citations"], info["unfinished"]) == ([1, 2], 29, False)
    assert "29 citations from 2 files" in run(tmp_path, "info", "held").stdout
    assert [line[0] for line in run(tmp_path, "snapshots", "held").stdout.splitlines()] == [
        "1",
        "2",
    ]
    assert [
        line[0] for line in run(tmp_path, "snapshots", "held", "--drop", "1").stdout.splitlines()
    ] == ["2"]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("build", "absent.xml", "--out", "held"), 2, "absent.xml is not there"),
        (("build", "page.xml", "--out", "held"), 4, "page.xml: the text is a web page"),
        (("search", "nowhere", "asthma"), 2, "no local index exists at nowhere"),
        (("info", "."), 2, "local index"),
        (("snapshots", "nowhere"), 2, "no local index exists"),
        (("search", "nowhere", "asthma", "--sort", "date"), 2, "choose relevance or pub_date"),
        (("build", "a.xml.gz"), 2, "--out"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    tmp_path: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    (tmp_path / "page.xml").write_text("<html></html>")
    files(tmp_path)
    result = run(tmp_path, *arguments)
    assert (result.returncode, result.stdout) == (status, "")
    assert said in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_a_terminal_shows_a_bar_with_rate_and_time_left(tmp_path: Path) -> None:
    files(tmp_path)
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        command("index", "build", "a.xml.gz", "--out", "held"),
        cwd=tmp_path,
        env=environment(CLINFO_DATA_DIR=str(tmp_path / "data"), TERM="xterm", COLUMNS="120"),
        stdout=subprocess.DEVNULL,
        stderr=writer,
    )
    os.close(writer)
    shown = b""
    while True:
        try:
            piece = os.read(reader, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(reader)
    assert process.wait(60) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode("utf-8", "replace"))
    assert "a.xml.gz" in text
    assert re.search(r"\d+ citations, [\d,]+/s .* \d+ % (\d:\d\d:\d\d|-:--:--)", text), text
