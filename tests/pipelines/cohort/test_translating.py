"""Criteria that the rules refuse, put into the form by a scripted model behind real HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer
from clinfo.errors import BudgetReached, ClinfoError, ModelError
from clinfo.pipelines.cohort.answer import AskedBack, find
from clinfo.pipelines.cohort.store import build
from clinfo.pipelines.cohort.translating import Translator
from clinfo.settings import Settings
from tests.pipelines.cohort.notes import RECORDS

ASKED = "folks blorping from the falling sickness, sparing those with tense vessels"
FORM = {
    "and": [
        {"has": "epileptic disorder", "kind": "drug", "when": None},
        {"not": {"has": "high blood pressure"}, "stated": None},
    ]
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("translating")
    build(RECORDS, place)
    return place


def asked(
    index: Path, monkeypatch: pytest.MonkeyPatch, reply: Any, criteria: str = ASKED,
    name: str = "openai/scripted", max_cost: float | None = None,
) -> tuple[dict[str, Any] | ClinfoError, list[Any]]:  # fmt: skip
    """The answer or what was raised, and the requests' bodies."""
    with ModelServer(reply=lambda _: json.dumps(reply)) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        translator = Translator(Settings(cache="off"), name, max_cost)
        try:
            found: Any = find(index, criteria, translator=translator)
        except ClinfoError as error:
            found = error
    return found, [one.body for one in server.received]


def test_the_form_of_a_model_is_that_of_the_rules(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, sent = asked(index, monkeypatch, {"form": FORM, "not_understood": []})
    by_rules = find(index, "epilepsy but not hypertension")
    assert isinstance(found, dict), found
    assert (found["form"], found["members"]) == (by_rules["form"], by_rules["members"])
    assert found["translated"]["model"] == "openai/scripted"
    assert found["translated"]["usage"]["calls"] == len(sent) == 1
    assert "openai/scripted translated the criteria" in found["warnings"][-1]
    shown = json.dumps(sent[0]["messages"])
    assert ASKED in shown
    assert not any(word in shown for word in ("presenting", "ada", "2019", "non-hispanic"))


def test_a_model_is_not_asked_for_what_the_rules_read(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, sent = asked(index, monkeypatch, {}, "epilepsy")
    assert isinstance(found, dict)
    assert "translated" not in found
    assert sent == []


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        ({"form": {"has": "blorptitude"}, "not_understood": []}, "blorptitude"),
        ({"form": FORM, "not_understood": ["sparing"]}, "sparing"),
        ({"form": None, "not_understood": ["all of it"]}, "all of it"),
    ],
)
def test_what_is_not_understood_is_asked_back(
    index: Path, monkeypatch: pytest.MonkeyPatch, reply: Any, word: str
) -> None:
    found, _ = asked(index, monkeypatch, reply)
    assert isinstance(found, AskedBack)
    assert found.words == (word,)


@pytest.mark.parametrize("reply", [{}, {"form": {"has": 3}}, {"form": {"and": []}}])
def test_a_reply_that_is_no_form_is_an_error(
    index: Path, monkeypatch: pytest.MonkeyPatch, reply: Any
) -> None:
    found, _ = asked(index, monkeypatch, reply)
    assert isinstance(found, ModelError)


def test_nothing_that_identifies_a_patient_is_sent(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    criteria = "blorping like the patient John Smith, MRN 12345678, born 03/04/1961"
    found, sent = asked(index, monkeypatch, {"form": FORM}, criteria)
    assert type(found).__name__ == "IdentifiersFound"
    assert sent == []


def test_the_budget_is_kept(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, sent = asked(index, monkeypatch, {"form": FORM}, name="openai/gpt-4o", max_cost=0.000001)
    assert isinstance(found, BudgetReached)
    assert sent == []
