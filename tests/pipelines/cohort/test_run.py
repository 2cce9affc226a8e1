"""Runs of the cohort pipeline: resumed from any prefix, refused, logged; with scripted models."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer
from clinfo.pipelines import pipeline
from clinfo.pipelines.cohort.records import CohortRequest
from clinfo.pipelines.cohort.request import request_of
from clinfo.pipelines.cohort.store import build
from clinfo.runs.events import Event, RunFailed
from clinfo.settings import Settings
from tests.pipelines.carried import events, resumed_from_anywhere, untimed
from tests.pipelines.cohort.notes import RECORDS

COHORT = pipeline("cohort")
SETTINGS = Settings(cache="off")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    build(RECORDS, tmp_path / "index")
    return tmp_path / "index"


def ran(asked: CohortRequest, after: Sequence[Event] = ()) -> list[Event]:
    return events(COHORT.assemble(Settings(cache="off"), asked, after), asked, after)


def test_a_run_resumed_from_any_prefix_ends_in_the_same_answer(index: Path) -> None:
    asked = request_of(
        SETTINGS, index, query="condition epilepsy and not condition hypertension", explain=True
    )
    whole = resumed_from_anywhere(COHORT, lambda after: ran(asked, after))
    types = ["run_started", "index_opened", "criteria_read", "cohort_found", "answer"]
    assert [event.type for event in whole if not event.key.startswith("timed")] == types
    answer = untimed(whole)
    assert answer["pipeline"] == answer["settings"]["pipeline"] == "cohort"
    assert (answer["translated_by"], answer["settings"]["models"]) == ("", {})
    assert answer["asked_on"] == whole[0].started_at[:10]  # type: ignore[attr-defined]
    assert answer["settings"]["version"]
    assert answer["settings"]["closed_at"]
    assert {one["id"] for one in answer["others"]} == {"ben", "cem", "dan", "eva"}


def by_scripts(body: dict[str, Any]) -> str:
    """A form, and that nothing is missing of it."""
    stage = body["response_format"]["json_schema"]["name"]
    if stage == "translate":
        made = {"form": {"has": "epilepsy"}, "not_understood": [], "assumptions": []}
        return json.dumps(made)
    if stage == "readback":
        return json.dumps({"missing": [], "added": [], "assumed": []})
    raise AssertionError(stage)


def test_nothing_that_a_model_said_is_asked_twice(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(reply=by_scripts) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        asked = request_of(SETTINGS, index, "openai/scripted", criteria="blorping falling sickness")
        whole = ran(asked)
        begun = len(server.received)
        assert begun == 2
        answered = [at for at, one in enumerate(whole, 1) if one.type == "cost"][-1]
        rest = ran(asked, whole[:answered])
        assert len(server.received) == begun
    assert untimed(rest) == untimed(whole)
    assert [one["id"] for one in untimed(rest)["members"]] == ["ada"]


def failed(found: Sequence[Event], word: str, status: int) -> None:
    last = found[-1]
    assert isinstance(last, RunFailed)
    assert word in last.problem
    assert last.exit_status == status


def test_an_index_that_changed_since_is_not_gone_on_with(index: Path) -> None:
    asked = request_of(SETTINGS, index, query="condition epilepsy")
    begun = ran(asked)[:3]
    build(RECORDS[1:], index)
    failed(ran(asked, begun), "changed", 2)


def test_an_index_that_is_no_longer_one_is_an_error_of_one_line(index: Path) -> None:
    (index / "cohort.sqlite").write_bytes(b"no database" * 1_000)
    failed(ran(request_of(SETTINGS, index, query="condition epilepsy")), "unusable", 4)
