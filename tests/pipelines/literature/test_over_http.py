"""The real chain over real HTTP: litellm and Bio.Entrez unpatched, against scripted servers, with
faults and with kill -9.
"""

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers import workload
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer
from clinfo.pipelines.literature.events import loads
from clinfo.pipelines.literature.reading_stage import SINGLY, TOGETHER
from clinfo.runs.events import CostIncurred

pytestmark = pytest.mark.slow

CALLS = 3 + SINGLY + math.ceil((workload.ARTICLE_COUNT - SINGLY) / TOGETHER) + 1
"""An article is judged and, if relevant, summarised in one call; one writes TL;DR and synthesis."""
KEY = "sk-secret-that-must-not-show"


@contextmanager
def servers(
    faults: dict[str, float] | None = None, seed: int = 0, first_token: float = 0.0
) -> Iterator[tuple[ModelServer, EutilsServer]]:
    shares = faults or {}
    model = ModelServer(
        workload.reply, first_token=first_token, faults=Faults(**shares, seed=seed), key=KEY
    )
    eutils = EutilsServer(
        workload.articles(), scripted=workload.searches(), faults=Faults(**shares, seed=seed)
    )
    with model, eutils:
        yield model, eutils


def ask(
    model: ModelServer,
    eutils: EutilsServer,
    folder: Path,
    *flags: str,
    question: str = workload.QUESTION,
) -> subprocess.Popen[str]:
    """The command line on a question, as a process; nothing is written twice and no
    model judges sentences.
    """
    environment = {
        "OPENAI_API_BASE": model.url,
        "OPENAI_API_KEY": KEY,
        "CLINFO_EUTILS_URL": eutils.url,
        "CLINFO_MODEL_TIMEOUT": "60",
        "CLINFO_MODEL_FIRST_TOKEN_TIMEOUT": "60",
        "CLINFO_CACHE": "off",
        "CLINFO_CACHE_DIR": str(folder),
    }
    command = [
        sys.executable,
        "-m",
        "clinfo",
        "ask",
        question,
        "--model",
        "openai/scripted",
    ]
    command += ["--no-strict", "--judge", "rules", *flags]
    return subprocess.Popen(
        command, env={**os.environ, **environment}, cwd=Path(__file__).parents[3], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def any_left(model: ModelServer) -> bool:
    """Return whether requests of a process that is gone are still being read or answered."""
    before = len(model.received)
    time.sleep(0.5)
    return model._in_flight > 0 or len(model.received) > before


def answered(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate(timeout=90)
    assert process.returncode == 0, errors
    assert KEY not in out + errors
    answer: dict[str, Any] = json.loads(out)
    return answer


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    kept = {
        key: value
        for key, value in answer.items()
        if key not in ("timings", "usage", "searched_on")
    }
    kept["queries"] = [
        {key: value for key, value in query.items() if key != "sent_at"}
        for query in answer["queries"]
    ]
    return kept


@pytest.fixture(scope="module")
def faultless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with servers() as (model, eutils):
        answer = answered(ask(model, eutils, tmp_path_factory.mktemp("cache"), "--json"))
        assert len(model.received) == CALLS
        assert len(eutils.requests("esearch")) == 3
        assert len(eutils.requests("efetch")) == 1
        return answer


def test_faults_on_both_sides_do_not_change_the_answer(
    faultless: dict[str, Any], tmp_path: Path
) -> None:
    faults = {"rate_429": 0.10, "rate_500": 0.05, "cut": 0.04, "empty": 0.04, "html": 0.02}
    with servers(faults, seed=3) as (model, eutils):
        answer = answered(ask(model, eutils, tmp_path, "--json"))
        assert len({received.fault for received in model.received}) >= 4
    assert comparable(answer) == comparable(faultless)


def test_killed_and_resumed_repeats_no_recorded_call(
    faultless: dict[str, Any], tmp_path: Path
) -> None:
    saved = tmp_path / "run.jsonl"
    with servers(first_token=0.1) as (model, eutils):
        process = ask(model, eutils, tmp_path, "--save", str(saved))
        until = time.monotonic() + 60
        while time.monotonic() < until and not (
            saved.exists() and saved.read_bytes().count(b'"type": "cost"') >= 12
        ):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        while any_left(model):
            time.sleep(0.1)
        with saved.open(encoding="utf-8") as lines:
            recorded = [event for event in loads(lines) if isinstance(event, CostIncurred)]
        assert 12 <= len(recorded) < CALLS
        before, searches = len(model.received), len(eutils.requests("esearch"))
        answer = answered(ask(model, eutils, tmp_path, "--save", str(saved), "--json"))
        assert len(model.received) - before == CALLS - len(recorded)
        assert len(eutils.requests("esearch")) == searches
    assert comparable(answer) == comparable(faultless)
    with saved.open(encoding="utf-8") as lines:
        events = list(loads(lines))
    assert [event.seq for event in events] == list(range(len(events)))
    assert KEY not in saved.read_text(encoding="utf-8")


def test_a_reasoning_effort_reaches_every_call_and_the_settings(tmp_path: Path) -> None:
    with servers() as (model, eutils):
        flags = ("--reasoning-effort", "low", "--json")
        answer = answered(ask(model, eutils, tmp_path, *flags))
        assert {one.body.get("reasoning_effort") for one in model.received} == {"low"}
    assert answer["settings"]["reasoning_effort"] == "low"
