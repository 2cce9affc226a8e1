"""Candidates of one run, frozen: other systems get the identical ones, and a pool that does not fit
is refused.
"""

import json

import pytest

from benchmarks.pubmedrs200.running.pool import Pool
from clinfo.errors import SourceError
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
