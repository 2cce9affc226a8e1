"""``clinfo copilot load``: files into a silo; as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from clinfo.retrieval.silos.store import open_silos
from tests.cli.process import clinfo, command, environment
from tests.retrieval.silos import rows


def test_a_table_and_a_bad_file(tmp_path: Path) -> None:
    (tmp_path / "items.tsv").write_text(rows.ITEMS, encoding="utf-8")
    (tmp_path / "bad.tsv").write_text("nothing", encoding="utf-8")
    data = {"CLINFO_DATA_DIR": str(tmp_path / "data")}
    done = clinfo("copilot", "load", "civic", "items.tsv", "bad.tsv", cwd=tmp_path, **data)
    assert done.returncode == 0
    assert "3 documents" in done.stdout
    assert "bad.tsv" in done.stderr
    assert "built-in examples are not searched" in done.stderr
    again = clinfo("copilot", "load", "civic", "items.tsv", "--json", cwd=tmp_path, **data)
    assert json.loads(again.stdout)["files_kept"] == 1
    assert "built-in examples" not in again.stderr, "said once, for the first silo"
    nothing = clinfo("copilot", "load", "civic", "bad.tsv", cwd=tmp_path, **data)
    assert nothing.returncode == 2


@pytest.mark.slow
def test_a_load_that_is_killed_is_resumed(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": str(n), "title": f"Note {n}", "text": f"Text of number{n}. " * 40})
        for n in range(3000)
    ]
    (tmp_path / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    folder = tmp_path / "data"
    for seconds in (1.2, 2.0, 3.0):
        process = subprocess.Popen(
            command("copilot", "load", "notes", "many.jsonl"),
            cwd=tmp_path,
            env=environment(CLINFO_DATA_DIR=str(folder)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    done = clinfo(
        "copilot", "load", "notes", "many.jsonl", cwd=tmp_path, CLINFO_DATA_DIR=str(folder)
    )
    assert "3,000 documents" in done.stdout, done.stderr
    silos = open_silos(folder / "silos")
    assert [hit.document.id for hit in silos.search("notes", "number2999")] == ["2999"]
    assert [hit.document.id for hit in silos.search("notes", "number0")] == ["0"]
