"""Criteria put into a form by a scripted model behind real HTTP: the model is heard, its names are
looked up, its form is held against the criteria.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer
from clinfo import cohort
from clinfo.errors import ClinfoError, IdentifiersFound, ModelError, UsageError
from clinfo.pipelines.cohort.store import build
from tests.pipelines.cohort.notes import RECORDS

ASKED = "folks with the falling sickness, sparing those with tense vessels"
FORM = {
    "and": [
        {"has": "epilepsy", "kind": "condition", "when": None},
        {"not": {"has": "high blood pressure"}, "stated": None},
    ]
}
FINE: dict[str, list[str]] = {"missing": [], "added": [], "assumed": []}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("translating")
    build(RECORDS, place)
    return place


def stage(body: dict[str, Any]) -> str:
    """The stage that a request is of, by its system message."""
    return "readback" if "You check whether" in body["messages"][0]["content"] else "translate"


def form(value: Any, *assumptions: str, unclear: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"form": value, "not_understood": [*unclear], "assumptions": [*assumptions]}


Reply = Callable[[dict[str, Any]], str]


def in_turn(translations: list[Any], readbacks: list[Any]) -> Reply:
    """The replies of each stage in order, the last again."""
    left = {"translate": translations[:], "readback": readbacks[:]}

    def reply(body: dict[str, Any]) -> str:
        own = left[stage(body)]
        return json.dumps(own.pop(0) if len(own) > 1 else own[0])

    return reply


def asked(
    index: Path, monkeypatch: pytest.MonkeyPatch, reply: Reply, criteria: str = ASKED,
    name: str = "openai/scripted", max_cost: float | None = None, **more: Any,
) -> tuple[dict[str, Any] | ClinfoError, list[Any]]:  # fmt: skip
    """The answer or what was raised, and the requests' bodies."""
    with ModelServer(reply=reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        try:
            found: Any = cohort(index, criteria, model=name, max_cost=max_cost, **more)
        except ClinfoError as error:
            found = error
    return found, [one.body for one in server.received]


def told_again(body: dict[str, Any]) -> str:
    """The words of a request for a form on what was wrong with the last one."""
    return str(body["messages"][-1]["content"])


def test_the_form_of_the_model_is_taken_and_held_against_the_criteria(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = form(FORM, "tense vessels is taken as hypertension")
    found, sent = asked(index, monkeypatch, in_turn([said], [FINE | {"assumed": ["all ages"]}]))
    assert isinstance(found, dict), found
    assert [one["id"] for one in found["members"]] == ["ada"]
    assert found["text"] == 'condition epilepsy and not any "high blood pressure"'
    assert found["assumptions"] == ["tense vessels is taken as hypertension", "all ages"]
    assert found["translated_by"] == "openai/scripted"
    models = {"translate": "openai/scripted", "readback": "openai/scripted"}
    assert found["settings"]["models"] == models
    assert [stage(one) for one in sent] == ["translate", "readback"]
    assert found["usage"]["calls"] == 2
    for one in sent:
        shown = json.dumps(one["messages"])
        assert ASKED in shown
        assert not any(
            word in shown for word in ("presenting", "ada", "2019-03-01", "non-hispanic")
        )
    assert found["text"] in sent[1]["messages"][-1]["content"]


def test_a_model_is_asked_also_where_the_words_are_plain_and_never_for_a_query(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = in_turn([form({"has": "fever"})], [FINE])
    found, sent = asked(index, monkeypatch, reply, "epilepsy")
    assert isinstance(found, dict), found
    assert found["text"] == "any fever"
    assert len(sent) == 2
    found, sent = asked(index, monkeypatch, reply, "", query="condition epilepsy")
    assert isinstance(found, dict), found
    assert (found["translated_by"], sent) == ("", [])


def test_names_that_nothing_has_are_offered_to_the_model_once(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mended = in_turn([form({"has": "epilepsi"}), form({"has": "Epilepsy"})], [FINE])
    found, sent = asked(index, monkeypatch, mended)
    assert isinstance(found, dict), found
    assert [stage(one) for one in sent] == ["translate", "translate", "readback"]
    assert '"Epilepsy"' in told_again(sent[1])
    assert "epilepsi" in told_again(sent[1])
    found, sent = asked(index, monkeypatch, in_turn([form({"has": "epilepsi"})], [FINE]))
    assert isinstance(found, UsageError)
    assert 'no note and no vocabulary names epilepsi (near: "Epilepsy")' in str(found)
    assert len(sent) == 2


def test_what_a_form_leaves_out_is_mended_once_or_asked_back(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = form({"has": "Epilepsy"})
    missed = FINE | {"missing": ["tense vessels are not excluded"]}
    found, sent = asked(index, monkeypatch, in_turn([half, form(FORM)], [missed, FINE]))
    assert isinstance(found, dict), found
    assert found["form"]["and"]
    assert "it leaves out: tense vessels are not excluded" in told_again(sent[2])
    added = FINE | {"added": ["fever was not asked for"]}
    other = form({"has": "Fever"})
    found, sent = asked(index, monkeypatch, in_turn([half, other], [missed, added]))
    assert isinstance(found, UsageError)
    assert 'it adds: fever was not asked for. Read so far: any "Fever"' in str(found)
    assert len(sent) == 4


def test_a_model_that_stays_with_its_form_is_heard_and_the_doubt_told(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = FINE | {"missing": ["tense vessels are not excluded"]}
    found, sent = asked(index, monkeypatch, in_turn([form(FORM)], [missed]))
    assert isinstance(found, dict), found
    assert [one["id"] for one in found["members"]] == ["ada"]
    assert "a reader of the query says: it leaves out: tense vessels" in found["warnings"][0]
    assert [stage(one) for one in sent] == ["translate", "readback", "translate"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (form(FORM, unclear=("sparing",)), "not understood: sparing. Read so far: condition"),
        (form(None, unclear=("all of it",)), "not understood: all of it"),
        (
            form(FORM) | {"not_understood": [{"words": "sparing", "reason": "No query says so."}]},
            "not understood: sparing (No query says so). Read so far: condition",
        ),
    ],
)
def test_what_cannot_be_said_is_asked_back(
    index: Path, monkeypatch: pytest.MonkeyPatch, said: Any, told: str
) -> None:
    found, sent = asked(index, monkeypatch, in_turn([said], [FINE]))
    assert isinstance(found, UsageError)
    assert told in str(found)
    assert len(sent) == 1


@pytest.mark.parametrize("said", [{}, {"form": {"has": 3}}, {"form": {"and": []}}])
def test_a_reply_that_is_no_form_is_an_error(
    index: Path, monkeypatch: pytest.MonkeyPatch, said: Any
) -> None:
    found, sent = asked(index, monkeypatch, in_turn([said], [FINE]))
    assert isinstance(found, ModelError)
    assert len(sent) == 2, "it is asked for once more"
    assert "no form that can be read" in told_again(sent[1])


def test_nothing_that_identifies_a_patient_is_sent(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    criteria = "blorping like the patient John Smith, MRN 12345678, born 03/04/1961"
    found, sent = asked(index, monkeypatch, in_turn([form(FORM)], [FINE]), criteria)
    assert isinstance(found, IdentifiersFound)
    assert sent == []
