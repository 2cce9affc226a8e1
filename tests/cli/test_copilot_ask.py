"""``clinfo copilot ask`` as a process: a scripted model over HTTP, a kill, a replay."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer
from tests.pipelines.copilot.silos import Reply, call, calling, claims, scripted, stage_of

QUESTION = "Which drugs for BRAF V600E melanoma?"
COMMAND = (sys.executable, "-m", "clinfo", "copilot", "ask", QUESTION)


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    own = {"CLINFO_DATA_DIR": str(tmp_path / "data"), "CLINFO_CACHE": "off"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLINFO_")}
    return kept | own | more


def with_model(server: ModelServer, tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path, OPENAI_API_BASE=server.url, OPENAI_API_KEY="sk-test")


def run(env: dict[str, str], *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *flags], env=env, capture_output=True, text=True, timeout=120, check=False
    )


def test_by_rule_it_lists_evidence_of_the_silos_that_ship(tmp_path: Path) -> None:
    ended = run(environment(tmp_path), "--model", "extractive", "--json")
    answer = json.loads(ended.stdout)
    assert ended.returncode == 0, ended.stderr
    assert answer["by_rule"]
    assert {claim["silo"] for claim in answer["claims"]} <= {"civic", "cancergov"}
    assert all(claim["verdict"] == "quoted" for claim in answer["claims"])
    assert "no plan of treatment" in ended.stderr


def observed(body: dict[str, Any]) -> str:
    """The first sentence of the first passage that a model is shown."""
    passage = body["messages"][-1]["content"].split("[1] <passage")[1]
    lines = [line for line in passage.splitlines()[1:] if ": " not in line and " · " not in line]
    return lines[0].split(". ")[0].rstrip(".") + "."


@pytest.mark.slow
def test_a_model_that_fails_leaves_what_was_found(tmp_path: Path) -> None:
    """Its key is refused after the first step; with another key the saved run goes on."""
    first = calling(call("search", {"silo": "civic", "query": "BRAF V600E melanoma"}))

    def reply(body: dict[str, Any]) -> Reply:
        if stage_of(body) == "act" and server.key is None:
            server.key = "sk-new"
        return scripted([first], lambda body: claims((observed(body), [1])))(body)

    saved = tmp_path / "run.jsonl"
    flags = ("--model", "openai/scripted", "--judge", "rules", "--save", str(saved))
    with ModelServer(reply) as server:
        env = with_model(server, tmp_path)
        ended = run(env, *flags)
        assert ended.returncode == 4, ended.stderr
        assert "API key" in ended.stderr
        assert "What was found so far" in " ".join((ended.stdout + ended.stderr).split())
        assert "BRAF" in ended.stdout
        again = run(env, "--replay", str(saved), "--json")
        assert json.loads(again.stdout)["by_rule"]
        asked = len(server.received)
        whole = run(env | {"OPENAI_API_KEY": "sk-new"}, *flags, "--json")
        assert whole.returncode == 0, whole.stderr
        assert not json.loads(whole.stdout)["by_rule"]
        assert len(server.received) == asked + 2, "the second step and the answer"


def test_a_case_does_not_go_to_a_model_elsewhere(tmp_path: Path) -> None:
    case = tmp_path / "case.txt"
    case.write_text("A woman of 60 with lung cancer, EGFR L858R.")
    ended = run(
        environment(tmp_path, OPENAI_API_KEY="sk-test"),
        *("--model", "openai/gpt-4o", "--case", str(case)),
    )
    assert ended.returncode == 6
    assert "CLINFO_PATIENT_MODELS" in ended.stderr


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--tools", "prescribe"), "not declared"),
        (("--max-steps", "0"), "--max-steps"),
        (("--case-report",), "--case"),
        (("--tools", "trials"), "no silo trials is loaded"),
        (("--case", "nowhere.txt"), "cannot be read"),
        (("--case", "/dev/zero"), "longer than 60,000"),
    ],
)
def test_what_cannot_be_asked_is_said(tmp_path: Path, flags: tuple[str, ...], told: str) -> None:
    ended = run(environment(tmp_path), "--model", "extractive", *flags)
    assert ended.returncode == 2
    assert told in ended.stderr
    assert ended.stdout == ""
