"""Candidates of one run, frozen: other systems get the identical ones, and a pool that does not fit
is refused.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.running import pool
from benchmarks.pubmedrs200.running.folder import write_text
from benchmarks.pubmedrs200.running.pool import Pool
from clinfo.errors import SourceError, UsageError
from tests.benchmarks.pubmedrs200.running.conftest import Runner

SYSTEMS = """
[[system]]
name = "wide"
model = "extractive"
options = { queries = 5, per_query = 20 }

[[system]]
name = "narrow"
model = "extractive"
options = { queries = 1, per_query = 2, strategy = "seeds" }
"""


@pytest.mark.slow
def test_two_systems_over_one_pool_retrieve_identical_articles(run: Runner) -> None:
    folder = str(run.folder / "pool")
    run("recorded", "--model", "extractive", "--limit", "2", "--record", folder)
    systems = run.write("systems.toml", SYSTEMS)
    arguments = [*run.arguments("pooled", "--systems", systems, "--limit", "2", "--pool", folder)]
    del arguments[2:4]  # no --source
    run.arguments = lambda out, *flags: arguments  # type: ignore[method-assign]
    run("pooled")
    before, after = run.records("recorded"), run.records("pooled")
    for (_, regime, repeat, id), record in before.items():
        wide, narrow = (after[name, regime, repeat, id] for name in ("wide", "narrow"))
        assert wide["retrieved"] == narrow["retrieved"] == record["retrieved"]
        assert wide["relevant"] == record["relevant"]
    found = [len(record["retrieved"]) for record in before.values()]
    assert max(found) > 2, "more than the narrow one would have found by itself"
    form = json.loads((run.folder / "pooled" / "run.json").read_text())
    assert (form["source"], len(form["pool"])) == (None, 64)


@pytest.mark.slow
def test_flags_that_a_pool_leaves_without_use_are_named(run: Runner) -> None:
    folder = str(run.folder / "pool")
    flags = ("--model", "extractive", "--limit", "1", "--regimes", "restricted")
    _, stderr = run("recorded", *flags, "--record", folder)
    assert "--pool" not in stderr
    _, stderr = run(
        "pooled",
        *flags,
        "--pool",
        folder,
        "--queries",
        "2",
        "--per-query",
        "3",
        "--max-articles",
        "50",
    )
    said = [line for line in stderr.splitlines() if "--pool" in line]
    assert said == [
        "ignored beside --pool, whose candidates were searched before: --queries, --per-query",
        (
            "--source beside --pool: no candidates are searched there, only what answers used is "
            "checked"
        ),
    ]


@pytest.mark.slow
def test_recording_again_gives_the_same_files(run: Runner) -> None:
    flags = (
        "--model",
        "extractive",
        "--limit",
        "1",
        "--regimes",
        "restricted,unrestricted",
        "--record",
        str(run.folder / "pool"),
    )
    run("one", *flags)
    first = run.hashes("pool")
    run("two", *flags)
    assert run.hashes("pool") == first
    assert len(first) == 2 + 1


@pytest.mark.slow
def test_a_recording_that_was_killed_is_made_again(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run.folder / "pool"
    flags = ("--model", "extractive", "--limit", "2", "--regimes", "restricted")
    run("out", *flags, "--record", str(folder))
    whole = run.hashes("pool")
    form = json.loads((run.folder / "out" / "run.json").read_text())
    shutil.rmtree(folder)

    def killed(path: Path, text: str) -> None:
        if path.stem == "30000002":
            raise KeyboardInterrupt
        write_text(path, text)

    monkeypatch.setattr(pool, "write_text", killed)
    with pytest.raises(KeyboardInterrupt):
        pool.record(folder, run.folder / "out", form, "extractive")
    monkeypatch.undo()
    with pytest.raises(UsageError, match="lacks 2 of the candidate lists"):
        Pool(folder).check(form["data"]["sha256"], ["restricted"], form["ids"])
    pool.record(folder, run.folder / "out", form, "extractive")
    assert run.hashes("pool") == whole


def test_where_nothing_can_be_recorded_is_said_before_anything_is_asked(run: Runner) -> None:
    run.write("letters.txt", "mine")
    _, stderr = run("out", "--model", "extractive", "--record", str(run.folder), status=2)
    assert "is not empty and holds no pool" in stderr
    assert not run.count("out")


@pytest.mark.slow
def test_a_pool_that_does_not_fit_is_refused(
    run: Runner, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run.folder / "pool"
    run(
        "one",
        "--model",
        "extractive",
        "--limit",
        "2",
        "--regimes",
        "restricted",
        "--record",
        str(folder),
    )
    flags = ("--model", "extractive", "--pool", str(folder))
    assert "it was not recorded for the regime source-dropped, only for restricted" in run.refusal(
        capsys, "x", *flags
    )
    line = run.refusal(capsys, "x", *flags, "--regimes", "restricted")
    assert "it lacks 1 of the candidate lists, first restricted/30000003" in line
    _, stderr = run(
        "x",
        "--model",
        "extractive",
        "--limit",
        "1",
        "--regimes",
        "restricted",
        "--record",
        str(folder),
        status=2,
    )
    assert "holds the pool of another run" in stderr
    path = folder / "restricted" / "30000001.json"
    path.write_text(path.read_text().replace("1002", "1003", 1))
    with pytest.raises(SourceError, match="not what was recorded"):
        Pool(folder).source("restricted", "30000001")
    run.data.write_text(run.data.read_text() + "\n")
    line = run.refusal(capsys, "x", *flags, "--limit", "2", "--regimes", "restricted")
    assert "it was recorded for another data set" in line
