"""Neural metrics from the command line, as a person asks for them."""

import json
import os
import subprocess
import sys
from pathlib import Path


def score(arguments: list[str], cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "CLINFO_CACHE_DIR": str(cache),
        "HF_HOME": str(cache / "hub"),
        "HF_HUB_OFFLINE": "1",
    }
    command = [sys.executable, "-m", "benchmarks", "score", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_without_weights_every_model_is_named_and_nothing_is_written(
    neural: None, tmp_path: Path
) -> None:
    row = {"id": "1", "system": "s", "prediction": "a", "reference": "b", "source": "c"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    arguments = [
        "--metrics",
        "rouge_l,neural",
        "--weights",
        str(tmp_path / "none"),
        "--out",
        str(tmp_path / "out.jsonl"),
    ]
    done = score([str(tmp_path / "rows.jsonl"), *arguments], tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    for name in ("bertscore", "ctc_sf", "unieval", "comet", "ctc_consistency"):
        [line] = [line for line in done.stderr.splitlines() if f"{name}: no weights" in line]
        assert f"--local-dir {tmp_path}/none/{name}" in line
    assert not (tmp_path / "out.jsonl").exists()
