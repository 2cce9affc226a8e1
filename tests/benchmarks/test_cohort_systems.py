"""The benchmark's noise, tables and systems, on a small set of records; the model is scripted."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cohort import noise, speed
from benchmarks.cohort.noise import with_noise
from benchmarks.cohort.speed import repeated
from benchmarks.cohort.systems import Asked, found_by
from benchmarks.cohort.tables import LENGTHS, macro, micro, tables
from benchmarks.servers.model import ModelServer
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


def test_the_same_file_gives_the_same_sentences(tmp_path: Path) -> None:
    first = noisy(tmp_path, ("No {TERM}.", "negated"), ("Has {TERM}.", "present"))
    assert noisy(tmp_path, ("No {TERM}.", "negated"), ("Has {TERM}.", "present")) == first


def test_an_order_in_time_stays_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order = query("before", ["before", EPILEPSY, PNEUMONIA], [])
    monkeypatch.setitem(globals(), "QUERIES", [*QUERIES, order])
    monkeypatch.setattr(noise, "ONE_IN", 1)
    _, gold, made = noisy(tmp_path, ("Has {TERM}.", "present"))
    assert made
    assert gold["epilepsy"] & gold["pneumonia"] == {"q"}


def test_what_is_read_rightly_is_counted_by_assertion(tmp_path: Path) -> None:
    records, _, made = noisy(tmp_path, ("Has {TERM}.", "present"), ("Denies {TERM}.", "negated"))
    found = found_by(Asked(pairs=False), records, QUERIES).members
    told = noise.outcome(made, {("cond", "epilepsy"): found["epilepsy"]})
    assert told["noise_present_right"] == told["noise_negated_right"] == 1.0
    assert noise.outcome(made, {("cond", "epilepsy"): set()})["noise_present_right"] == 0.0


def test_scores_are_of_queries_or_of_members() -> None:
    pairs = [(["a", "b"], ["a"]), (["c"], ["c", "d"])]
    assert macro(pairs) == pytest.approx((0.75, 0.75, 2 / 3))
    assert micro(pairs) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert macro([(["a"], [])]) == (0.0, 0.0, 0.0)


def test_the_tables_have_a_row_for_each_class() -> None:
    queries = [
        query("one", EPILEPSY, ["a"]), query("none", EPILEPSY, []),
        query("same", EPILEPSY, ["a"], same_as="one"),
    ]  # fmt: skip
    found = {"one": {"a"}, "none": {"b"}, "same": {"a", "b"}}
    ranked = {"one": ["a"], "none": ["b"], "same": ["b", "a"]}
    told = tables(queries, found, ranked, {"a": 10, "b": 100})
    sparse = next(line for line in told.splitlines() if line.startswith("sparse"))
    # P 2/3, R 1, F1 0.8; cut at the true size 1/2; HR (0 + 1) / 2, recall 1, FPR (0 + 1) / 2
    assert sparse.split()[2:] == [
        "2", "0.667", "1.000", "0.800", "0.500", "0.500", "0.500", "0.500", "1.000", "50.000",
    ]  # fmt: skip
    assert "zero: 1 queries, 1 false positives, FPR 50.00 %" in told
    assert ["same_as", "1", "1", "1"] in [line.split() for line in told.splitlines()]
    assert all(name in told for name in LENGTHS)


def test_each_system_gives_members_and_an_order(monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [
        query("epilepsy", EPILEPSY, ["ada"]),
        query("sinusitis", ["cond", "sinusitis"], ["ben", "dan"]),
    ]
    symbolic = found_by(Asked(pairs=False), RECORDS, queries)
    assert symbolic.members == {"epilepsy": {"ada"}, "sinusitis": {"ben", "dan"}}
    retriever = found_by(Asked("retriever", chunks=1), RECORDS, queries)
    assert {id: len(own) for id, own in retriever.members.items()} == {
        "epilepsy": 1, "sinusitis": 1,
    }  # fmt: skip
    assert set(retriever.ranked["sinusitis"]) == {"ben", "dan"}
    with ModelServer(reply=lambda body: '{"match": false, "note": 1, "quote": ""}') as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        reader = found_by(Asked("reader", chunks=1, model="openai/scripted"), RECORDS, queries)
    assert reader.members == {"epilepsy": set(), "sinusitis": set()}
    assert reader.counted["model_calls"] == 10


def test_repeated_patients_are_different_and_have_as_many_notes() -> None:
    made = list(repeated(RECORDS, 12, 3))
    assert len({one.patient for one in made}) == 12
    assert {len(one.notes) for one in made} == {3}
    assert len({note.id for one in made for note in one.notes}) == 36
    assert made[0].notes[0].text == made[5].notes[0].text == RECORDS[0].notes[0].text
    assert (made[0].notes[0].time, made[5].notes[0].time) == ("2019-03-01", "2019-03-02")


def test_the_speed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = ({"id": one.patient, "notes": [{"date": "2020-01-01", "text": one.notes[0].text}]}
            for one in RECORDS)  # fmt: skip
    with gzip.open(tmp_path / "patients_notes.jsonl.gz", "wt") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)
    (tmp_path / "cohort_queries.json").write_text(json.dumps(QUERIES), encoding="utf-8")
    speed.main(["--data", str(tmp_path), "--patients", "7", "--notes", "2"])
    told = capsys.readouterr().out
    assert "build, first: 5 notes" in told
    assert "build, repeated: 14 notes" in told
    assert "times the text" in told
