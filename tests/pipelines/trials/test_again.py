"""A run after another one with a change: only what the change touches is read again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from clinfo.pipelines.trials.again import carried_over
from clinfo.pipelines.trials.events import EditUndone, StudyEdited, TrialsLog
from clinfo.pipelines.trials.records import TrialsRequest
from clinfo.runs.events import Event
from clinfo.runs.protocols import ModelRequest
from clinfo.settings import Settings
from tests.pipelines.trials.test_run import Scripted, answer, events, request, trials

NOW = "2026-01-02T00:00:00+00:00"
GIVEN = {"intervention": "zinc cream", "comparator": "placebo", "outcome": "itching"}


@pytest.fixture
def settings() -> Settings:
    return Settings(cache="off")


def model() -> Scripted:
    def reply(asked: ModelRequest) -> str:
        if asked.stage == "pico":
            return json.dumps(GIVEN | {"better": "lower"})
        if asked.stage == "extract":
            return "Itching was lower."
        return json.dumps({"direction": "not_stated", "quotes": [], "reason": "none"})

    return Scripted(reply)


def after_change(
    settings: Settings,
    before: Sequence[Event],
    asked: TrialsRequest,
    same: Sequence[str] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """The answer to ``asked`` after a run, and the stages at which question or papers were read."""
    kept = carried_over(TrialsLog(before), asked, asked.papers if same is None else same, NOW)
    scripted = model()
    found = events(trials(settings, asked, scripted), asked, kept)
    stages = [one.stage for one in scripted.asked]
    return answer(found), [one for one in stages if one in ("pico", "extract", "conclude")]


@pytest.fixture
def before(settings: Settings) -> list[Event]:
    asked = request()
    return events(trials(settings, asked, model()), asked)


def anew(settings: Settings, asked: TrialsRequest) -> dict[str, Any]:
    return answer(events(trials(settings, asked, model()), asked))


def bare(found: dict[str, Any]) -> dict[str, Any]:
    """An answer without what differs because less was done for it."""
    return {**found, "timings": None, "usage": None, "notices": None, "read_on": None}


def test_the_same_again_asks_nothing(settings: Settings, before: list[Event]) -> None:
    found, asked = after_change(settings, before, request())
    assert asked == []
    assert bare(found) == bare(answer(before))
    assert found["read_on"] == NOW[:10]
    assert any("Taken over" in notice for notice in found["notices"])


def test_only_which_way_is_better_changes(settings: Settings, before: list[Event]) -> None:
    asked = request(**GIVEN, better="higher")
    found, stages = after_change(settings, before, asked)
    assert stages == []
    assert bare(found) == bare(anew(settings, asked))


def test_a_changed_grouping_reads_the_changed_studies_alone(
    settings: Settings, before: list[Event]
) -> None:
    _, second = (study.name for study in TrialsLog(before).studies)
    apart = {"A": ("zinc.txt",), "B": ("later.txt",), second: ("other.txt",)}
    asked = request(studies=apart)
    found, stages = after_change(settings, before, asked)
    assert [study["name"] for study in found["studies"]] == ["A", "B", second]
    assert stages.count("conclude") == 2, "the third study is as it was"
    assert "pico" not in stages
    assert bare(found) == bare(anew(settings, asked))
    renamed = request(studies={"New name": ("zinc.txt", "later.txt")})
    found, stages = after_change(settings, before, renamed)
    assert (stages, found["studies"][0]["name"]) == ([], "New name")


def test_corrections_by_hand_go_along_with_their_study(
    settings: Settings, before: list[Event]
) -> None:
    first, second = (study.name for study in TrialsLog(before).studies)
    last = before[-1].seq
    edits = [
        StudyEdited(
            seq=last + n, study=name, why=f"reason {n}", who="x", made_at=NOW, excluded=True
        )
        for n, name in enumerate((first, second, second), 1)
    ]
    undone = EditUndone(seq=last + 4, edit=last + 3, who="x", made_at=NOW)
    whole = [*before, *edits, undone]
    found, _ = after_change(settings, whole, request())
    assert [[one["why"] for one in study["edits"]] for study in found["studies"]] == [
        ["reason 1"],
        ["reason 2"],
    ]
    apart = {"A": ("zinc.txt",), "B": ("later.txt",)}
    found, _ = after_change(settings, whole, replace(request(), studies=apart))
    assert [bool(study["edits"]) for study in found["studies"]] == [False, False, True]
    assert any("Corrections by hand were not taken over" in one for one in found["notices"])
