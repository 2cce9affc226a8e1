"""Criteria that the rules refuse, put into the form by a scripted model behind real HTTP."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cohort.consistency import RELATIONS, pairs
from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer
from clinfo import cohort
from clinfo.errors import BudgetReached, ClinfoError, IdentifiersFound, ModelError, UsageError
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.store import build, opened
from clinfo.terms.naming import known
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
        try:
            found: Any = cohort(index, criteria, model=name, max_cost=max_cost)
        except ClinfoError as error:
            found = error
    return found, [one.body for one in server.received]


def test_the_form_of_a_model_is_that_of_the_rules(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, sent = asked(index, monkeypatch, {"form": FORM, "not_understood": []})
    by_rules = cohort(index, "epilepsy but not hypertension")
    assert isinstance(found, dict), found
    assert (found["form"], found["members"]) == (by_rules["form"], by_rules["members"])
    assert (found["translated_by"], by_rules["translated_by"]) == ("openai/scripted", "")
    assert found["settings"]["models"] == {"translate": "openai/scripted"}
    assert found["usage"]["calls"] == len(sent) == 1
    assert "openai/scripted translated the criteria" in found["warnings"][-1]
    shown = json.dumps(sent[0]["messages"])
    assert ASKED in shown
    assert not any(word in shown for word in ("presenting", "ada", "2019", "non-hispanic"))


def test_a_model_is_not_asked_for_what_the_rules_read(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, sent = asked(index, monkeypatch, {}, "epilepsy")
    assert isinstance(found, dict)
    assert found["translated_by"] == ""
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
    assert isinstance(found, UsageError)
    assert f"not understood: {word}" in str(found)


@pytest.mark.parametrize("reply", [{}, {"form": {"has": 3}}, {"form": {"and": []}}])
def test_a_reply_that_is_no_form_is_an_error(
    index: Path, monkeypatch: pytest.MonkeyPatch, reply: Any
) -> None:
    found, sent = asked(index, monkeypatch, reply)
    assert isinstance(found, ModelError)
    assert len(sent) == 2, "it is asked for once more"


def test_nothing_that_identifies_a_patient_is_sent(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    criteria = "blorping like the patient John Smith, MRN 12345678, born 03/04/1961"
    found, sent = asked(index, monkeypatch, {"form": FORM}, criteria)
    assert isinstance(found, IdentifiersFound)
    assert sent == []


def test_the_budget_is_kept(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, sent = asked(index, monkeypatch, {"form": FORM}, name="openai/gpt-4o", max_cost=0.000001)
    assert isinstance(found, BudgetReached)
    assert sent == []


_JOINS = ((" but not ", "but not"), (" and ", "and"), (" or ", "or"))


def form_of(text: str) -> dict[str, Any]:
    """What a model may make of a text of `pairs`: names as they stand, a kind that it guesses."""
    for between, join in _JOINS:
        if f'"{between}"' in text:
            one, other = (form_of(part) for part in text.split(between))
            if join == "but not":
                return {"and": [one, {"not": other, "stated": None}]}
            return {join: [one, other]}
    return {"has": text.strip('"'), "kind": "drug", "when": None}


@pytest.mark.slow
def test_no_relation_is_violated_whatever_a_model_does(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model gives other names of the same, cuts replies off, answers with a web page, or with
    no form at all: a set is that of the symbolic system, or there is none.
    """
    with opened(index) as base:
        known_index = Index(base, known())
        every = sorted(dict.fromkeys(pairs(known_index, known())), key=lambda pair: hash_of(pair))
        chosen = [pair for pair in every if pair[0] == "same"][:20]
        chosen += [pair for pair in every if pair[0] != "same"][:40]
        texts = list(dict.fromkeys(text for _, *both in chosen for text in both))
        ids = dict(base.execute("SELECT number, id FROM patients"))
        right = {text: frozenset(ids[one] for one in by_rules(known_index, text)) for text in texts}
    bad = iter(range(10_000))

    def reply(body: dict[str, Any]) -> str:
        shown = body["messages"][-1]["content"]
        text = texts[int(re.search(r"blorping (\d+)", shown)[1])]  # type: ignore[index]
        return (
            "no form"
            if next(bad) % 5 == 0
            else json.dumps({"form": form_of(text), "not_understood": []})
        )

    faults = Faults(rate_500=0.04, cut=0.04, html=0.04, empty=0.04, seed=5)
    members: dict[str, frozenset[str]] = {}
    with ModelServer(reply=reply, faults=faults) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        for number, text in enumerate(texts):
            try:
                found = cohort(index, f"blorping {number}", model="openai/scripted")
            except ModelError:
                continue
            assert found["translated_by"]
            members[text] = frozenset(member["id"] for member in found["members"])
        assert len(server.received) > len(texts)
    assert len(members) > 0.9 * len(texts)
    assert members == {text: right[text] for text in members}
    tried = [pair for pair in chosen if pair[1] in members and pair[2] in members]
    assert len(tried) >= 50
    for relation, one, other in tried:
        assert RELATIONS[relation](members[one], members[other]), (relation, one, other)  # type: ignore[arg-type]


def hash_of(pair: tuple[str, ...]) -> str:
    return hashlib.sha256("|".join(pair).encode()).hexdigest()


def by_rules(index: Index, text: str) -> list[int]:
    """Who matches a text of `pairs`, as the rules read it."""
    form = parse(text, index.concepts)
    assert not isinstance(form, NotUnderstood), text
    return index.match(form).members
