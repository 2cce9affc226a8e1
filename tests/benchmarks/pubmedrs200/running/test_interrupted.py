"""A run killed at any moment and begun again ends in the same bytes as one that was left alone."""

import signal
import time

import pytest

from benchmarks.pubmedrs200.running.folder import held
from clinfo.errors import UsageError
from tests.benchmarks.pubmedrs200.running.conftest import REVIEWS, Runner

pytestmark = pytest.mark.slow

FLAGS = ("--model", "extractive")
CELLS = len(REVIEWS) * 3


def test_killed_twice_it_ends_in_the_same_bytes(run: Runner) -> None:
    stdout, _ = run.apart("left-alone", *FLAGS, "--concurrency", "3")
    for enough in (1, 4):
        process = run.start("killed", *FLAGS, "--concurrency", "2")
        run.kill(process, lambda enough=enough: run.count("killed") >= enough)
        assert run.count("killed") < CELLS
    again, stderr = run("killed", *FLAGS, "--concurrency", "1")
    assert "going on: " in stderr
    assert run.hashes("killed") == run.hashes("left-alone")
    assert again.splitlines()[:4] == stdout.splitlines()[:4]
    assert not list((run.folder / "killed").rglob("*.partial"))
    timed = {
        tuple(line[key] for key in ("system", "regime", "repeat", "id"))
        for line in run.lines("left-alone", "timings.jsonl")
    }
    assert timed == set(run.records("left-alone"))
    assert all(line["seconds"] > 0 for line in run.lines("left-alone", "timings.jsonl"))


def test_ctrl_c_keeps_what_is_done(run: Runner) -> None:
    process = run.start("out", *FLAGS, "--concurrency", "1")
    while not run.count("out"):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stderr
    assert "interrupted; " in stderr
    assert 0 < run.count("out") < CELLS
    assert f"{CELLS - run.count('out')} cells are not done" in stdout
    assert not (run.folder / "out" / "predictions.jsonl").exists()


def test_another_run_in_the_same_folder_is_refused_with_the_difference(
    run: Runner, capsys: pytest.CaptureFixture[str]
) -> None:
    run("out", "--model", "extractive", "--limit", "1", "--regimes", "restricted")
    before = run.hashes("out")
    for flags, said in (
        (("--limit", "1", "--regimes", "restricted", "--seed", "5"), "seed is 0 there and 5 here"),
        (("--limit", "2", "--regimes", "restricted"), "subset.name is"),
        (
            ("--limit", "1", "--regimes", "restricted", "--queries", "2"),
            "systems[1].options.queries is null there and 2 here",
        ),
    ):
        assert said in run.refusal(capsys, "out", "--model", "extractive", *flags)
    assert run.hashes("out") == before


def test_one_folder_is_written_by_one_run(run: Runner) -> None:
    with held(run.folder / "out"):
        _, stderr = run.apart("out", "--model", "extractive", status=2)
        assert "another run is writing into" in stderr
        with pytest.raises(UsageError, match="another run is writing"), held(run.folder / "out"):
            pass


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ((), "no system to run"),
        (("--model", "extractive", "--regimes", "restricted,none"), "'none' is unknown"),
        (("--model", "extractive", "--model", "extractive"), "two systems are called extractive"),
        (("--bare", "extractive"), "the extractive model chooses sentences"),
        (("--model", "extractive", "--max-cost", "-1"), "a budget must be an amount"),
        (("--model", "extractive", "--per-query", "0"), "per_query: must be a whole number from 1"),
        (("--model", "extractive", "--subset", "none.txt"), "no subset is called"),
        (("--model", "extractive", "--pool", "nowhere"), "holds no pool"),
        (("--model", "extractive", "--source", "nowhere.xml"), "there is no file nowhere.xml"),
        (
            ("--model", "openai/nothing-known", "--max-cost", "1"),
            "the price of the model openai/nothing-known is unknown",
        ),
    ],
)
def test_wrong_usage_is_one_line_and_leaves_nothing(
    run: Runner,
    flags: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert said in run.refusal(capsys, "out", *flags)
    assert not (run.folder / "out").exists()
