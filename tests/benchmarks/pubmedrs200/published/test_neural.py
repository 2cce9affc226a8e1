"""``reproduce --neural`` on tiny models with random weights: what agrees is called so, and what
does not is not.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.metrics.spec import Pair
from tests.benchmarks.pubmedrs200.neural import tiny_models
from tests.benchmarks.pubmedrs200.neural.conftest import missing
from tests.benchmarks.pubmedrs200.published import made_up

FILES = {"bertscore": "bertscore", "unieval_fluency": "fluency"}


@pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}")
def test_models_are_compared_and_the_outcome_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BERTScore gets the human answer as prediction, fluency the output; 9 questions × 13 systems
    are enough to count.
    """
    from benchmarks.pubmedrs200.metrics.registry import load
    from benchmarks.pubmedrs200.published.validation import validated

    weights, home, folder, out = (tmp_path / name for name in ("weights", "home", "files", "out"))
    for name, value in {
        "CLINFO_DATA_DIR": home,
        "CLINFO_CACHE_DIR": tmp_path / "cache",
        "HF_HUB_OFFLINE": 1,
    }.items():
        monkeypatch.setenv(name, str(value))
    tiny_models.encoder(weights / "bertscore", "distilbert")
    tiny_models.t5(weights / "unieval")
    made = made_up.rows(9)
    cells = [(row, key) for row in made for key in made_up.KEYS]
    human = {row["PMID"]: "".join(row["HumanAnswer"].split("\n\n")[::-1]) for row in made}
    for name, pairs in {
        "bertscore": [Pair(human[row["PMID"]], row[key]) for row, key in cells],
        "unieval_fluency": [Pair(row[key], human[row["PMID"]]) for row, key in cells],
    }.items():
        (scorer,) = load([name], weights)
        for (row, key), value in zip(cells, scorer.score(pairs)[name], strict=True):
            row[f"{key}_{FILES[name]}"] = repr(value)
    made[4]["elicit_fluency"] = repr(float(made[4]["elicit_fluency"]) + 0.01)
    made_up.write(folder, made)

    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "reproduce",
        folder,
        "--neural",
        "--weights",
        weights,
        "--out",
        out,
    ]
    done = subprocess.run(
        [*command, "--metrics", "bertscore,unieval_fluency", "--questions", "none"],
        env=dict(os.environ), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert re.search(r"unieval_fluency differs: .*0\.01 .*0\.001 .*30000004, elicit", done.stderr)
    assert "bertscore differs" not in done.stderr
    assert (
        done.stdout.count("| Elicit | 0.") == 1
    )  # BERTScore comes first in its table, and has been recomputed
    kept = json.loads((out / "validated.json").read_text(encoding="utf-8"))["metrics"]
    assert kept == json.loads((home / "validated.json").read_text(encoding="utf-8"))["metrics"]
    ((bertscore, entry),) = kept["bertscore"].items()
    assert (entry["n"], entry["agrees"], entry["role"]) == (117, True, "swapped")
    ((fluency, entry),) = kept["unieval_fluency"].items()
    assert (entry["agrees"], entry["role"]) == (False, "output")
    assert entry["largest_difference"] == pytest.approx(0.01, abs=1e-4)
    assert (validated("bertscore", bertscore), validated("unieval_fluency", fluency)) == (
        True,
        False,
    )
    assert str(tmp_path) not in json.dumps(kept)
