"""Neural metrics from the command line, as a person asks for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.pubmedrs200.metrics import registry
from benchmarks.pubmedrs200.metrics.spec import Pair


def score(arguments: list[str], cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "CLINFO_CACHE_DIR": str(cache),
        "HF_HOME": str(cache / "hub"),
        "HF_HUB_OFFLINE": "1",
    }
    command = [sys.executable, "-m", "benchmarks", "score", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_scores_of_a_file_are_those_of_the_scorers(weights: Path, tmp_path: Path) -> None:
    rows = [
        {
            "id": str(place),
            "system": "s",
            "prediction": f"Aspirin lowers the risk by {place}. No difference.",
            "reference": f"yoga reduced {place} events",
            "source": "adults had placebo",
        }
        for place in range(3)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = [
        "--metrics",
        "neural",
        "--weights",
        str(weights),
        "--out",
        str(tmp_path / "out.jsonl"),
    ]
    done = score([str(tmp_path / "rows.jsonl"), *arguments], tmp_path)
    assert done.returncode == 0, done.stderr
    pairs = [Pair(row["prediction"], row["reference"], row["source"]) for row in rows]
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    for scorer in registry.load(registry.NEURAL, weights):
        for name, values in scorer.score(pairs).items():
            found = [row["value"] for row in written if row["metric"] == name]
            assert [round(value, 4) for value in found] == [round(value, 4) for value in values]
            assert scorer.signatures[name] in done.stdout


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
