"""``clinfo copilot load``: files into a silo; as a process of its own."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from benchmarks.servers.model import ModelServer
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
def test_a_model_is_asked_once_although_the_load_is_killed(tmp_path: Path) -> None:
    lines = [json.dumps({"id": str(n), "text": f"Text of number{n}."}) for n in range(40)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    flags = ("copilot", "load", "notes", "many.jsonl", "--abstract-model", "openai/scripted")
    with ModelServer(lambda body: "About naevi.", first_token=0.2) as server:
        own = {
            "CLINFO_DATA_DIR": str(tmp_path / "data"),
            "OPENAI_API_BASE": server.url,
            "OPENAI_API_KEY": "sk-test",
        }
        with subprocess.Popen(
            command(*flags), cwd=tmp_path, env=environment(**own), start_new_session=True
        ) as process:
            while len(server.received) < 17 and process.poll() is None:
                time.sleep(0.01)
            os.killpg(process.pid, signal.SIGKILL)
        begun = len(server.received)
        assert 17 <= begun < 40
        done = clinfo(*flags, cwd=tmp_path, **own)
        assert done.returncode == 0, done.stderr
        asked = len(server.received)
        assert asked <= 40 + 8, "only what was under way at the kill is asked again"
        assert f"openai/scripted: {asked - begun} calls" in done.stdout
        assert clinfo(*flags, cwd=tmp_path, **own).returncode == 0
        assert len(server.received) == asked
        refused = clinfo(*flags, "--max-cost", "0", "--date", "2026", cwd=tmp_path, **own)
        assert refused.returncode == 2
        assert "price" in refused.stderr
    needs = clinfo("copilot", "load", "notes", "many.jsonl", "--max-cost", "1", cwd=tmp_path, **own)
    assert needs.returncode == 2
