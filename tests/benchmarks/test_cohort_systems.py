"""The benchmark's noise, tables and systems, on a small set of records; the model is scripted."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cohort.noise import outcome, sentences
from benchmarks.cohort.systems import found_by
from benchmarks.servers.model import ModelServer
from clinfo.pipelines.cohort.records import CohortRequest
from tests.pipelines.cohort.notes import RECORDS, record, visit

MANY = tuple(record(f"p{number}", ("2020-01-01", visit("fatigue"))) for number in range(60))


def query(id: str, form: list[Any], gold: list[str]) -> dict[str, Any]:
    return {"id": id, "kind": "single", "query": id, "logical_form": form, "gold": gold}


EPILEPSY = ["cond", "epilepsy"]


def test_sentences_of_known_truth_are_read_and_counted_by_assertion(tmp_path: Path) -> None:
    file, told = tmp_path / "noise.jsonl", (("Has {TERM}.", "present"), ("No {TERM}.", "negated"))
    rows = ({"template": text, "takes": "condition", "assertion": said} for text, said in told)
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    queries = [query("a", EPILEPSY, ["p1"]), query("b", ["and", EPILEPSY, EPILEPSY], [])]
    made = [*sentences(MANY, queries, file)]
    assert {one.assertion for one in made} == {"present", "negated"}
    assert all(f"\n{one.text}\n" in one.record.notes[0].text for one in made)
    found = found_by(CohortRequest(""), [one.record for one in made], queries).members
    told_of = outcome(made, found)
    assert told_of["noise_present_right"] == told_of["noise_negated_right"] == 1.0
    assert outcome(made, {"a": set()})["noise_present_right"] == 0.0


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
    with ModelServer(reply=lambda body: '{"match": false, "note": 1, "quote": ""}') as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        asked = CohortRequest("", "x", system="reader", models={"read": "openai/scripted"})
        reader = found_by(asked, RECORDS, queries)
    assert reader.members == {"epilepsy": set(), "sinusitis": set()}
    assert reader.counted["model_calls"] == 10
