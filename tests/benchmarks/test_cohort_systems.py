"""The benchmark's noise, tables and systems, on a small set of records; the model is scripted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cohort import noise
from benchmarks.cohort.noise import with_noise
from benchmarks.cohort.systems import found_by
from benchmarks.servers.model import ModelServer
from clinfo.records.cohort import CohortRequest
from tests.pipelines.cohort.notes import RECORDS, record, visit

MANY = tuple(record(f"p{number}", ("2020-01-01", visit("fatigue"))) for number in range(40))
SOME = record("q", ("2020-01-01", visit("epilepsy", "pneumonia")))
FATIGUED = sorted(one.patient for one in MANY)


def query(id: str, form: list[Any], gold: list[str], **more: Any) -> dict[str, Any]:
    return {"id": id, "kind": "single", "query": id, "logical_form": form, "gold": gold, **more}


EPILEPSY, PNEUMONIA = ["cond", "epilepsy"], ["cond", "pneumonia"]
QUERIES = [
    query("epilepsy", EPILEPSY, ["q"]),
    query("pneumonia", PNEUMONIA, ["q"]),
    query("fatigue", ["cond", "fatigue"], FATIGUED),
    query("multiple sclerosis", ["cond", "multiple sclerosis"], []),
    query("fatigue and epilepsy", ["and", ["cond", "fatigue"], EPILEPSY], []),
    query("fatigue but not epilepsy", ["diff", ["cond", "fatigue"], EPILEPSY], FATIGUED),
    query("epilepsy or pneumonia", ["or", EPILEPSY, PNEUMONIA], ["q"]),
]


def noisy(tmp_path: Path, *templates: tuple[str, str]) -> tuple[Any, dict[str, set[str]], Any]:
    file = tmp_path / "noise.jsonl"
    rows = (
        {"template": text, "takes": "condition", "assertion": assertion, "also_mentions": []}
        for text, assertion in templates
    )
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    records, queries, made = with_noise((*MANY, SOME), QUERIES, file)
    return records, {one["id"]: set(one["gold"]) for one in queries}, made


def test_a_present_sentence_makes_members_and_the_sets_of_forms_follow(tmp_path: Path) -> None:
    records, gold, made = noisy(tmp_path, ("Dx {TERM} ({YEAR}).", "present"))
    epileptic = {one.patient for one in made if one.atom == ("cond", "epilepsy")}
    assert 1 <= len(epileptic) < len(MANY)
    assert gold["epilepsy"] == epileptic | {"q"}
    assert gold["fatigue"] - set(FATIGUED) <= {"q"}
    assert gold["fatigue and epilepsy"] == gold["fatigue"] & gold["epilepsy"] > set()
    assert gold["fatigue but not epilepsy"] == set(FATIGUED) - epileptic
    assert gold["epilepsy or pneumonia"] == gold["epilepsy"] | gold["pneumonia"]
    assert gold["multiple sclerosis"] == set()
    written = {one.patient: one.notes[0].text for one in records}
    for one in made:
        assert f"\n{one.text}\n" in written[one.patient]
        assert "2020" in one.text


@pytest.mark.parametrize("assertion", ["negated", "family", "uncertain"])
def test_other_sentences_leave_the_gold_as_it_was(tmp_path: Path, assertion: str) -> None:
    _, gold, made = noisy(tmp_path, ("Perhaps {TERM}.", assertion))
    assert gold == {one["id"]: set(one["gold"]) for one in QUERIES}
    assert any(one.atom == ("cond", "multiple sclerosis") for one in made)
    assert not any(one.patient == "q" and one.atom == ("cond", "epilepsy") for one in made)


def test_what_is_read_rightly_is_counted_by_assertion(tmp_path: Path) -> None:
    records, _, made = noisy(tmp_path, ("Has {TERM}.", "present"), ("Denies {TERM}.", "negated"))
    found = found_by(CohortRequest(""), records, QUERIES).members
    told = noise.outcome(made, {("cond", "epilepsy"): found["epilepsy"]})
    assert told["noise_present_right"] == told["noise_negated_right"] == 1.0
    assert noise.outcome(made, {("cond", "epilepsy"): set()})["noise_present_right"] == 0.0


def test_each_system_gives_members_and_an_order(monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [
        query("epilepsy", EPILEPSY, ["ada"]),
        query("sinusitis", ["cond", "sinusitis"], ["ben", "dan"]),
    ]
    symbolic = found_by(CohortRequest(""), RECORDS, queries)
    assert symbolic.members == {"epilepsy": {"ada"}, "sinusitis": {"ben", "dan"}}
    retriever = found_by(CohortRequest("", system="retriever", chunks=1), RECORDS, queries)
    assert {id: len(own) for id, own in retriever.members.items()} == {
        "epilepsy": 1, "sinusitis": 1,
    }  # fmt: skip
    assert set(retriever.ranked["sinusitis"]) == {"ben", "dan"}
    with ModelServer(reply=lambda body: '{"match": false, "note": 1, "quote": ""}') as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        asked = CohortRequest("", "x", system="reader", models={"read": "openai/scripted"})
        reader = found_by(asked, RECORDS, queries)
    assert reader.members == {"epilepsy": set(), "sinusitis": set()}
    assert reader.counted["model_calls"] == 10
