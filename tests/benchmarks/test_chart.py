"""The chart benchmark's own parts: terms, noise, absent facts, measures."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.chart import data, measures, with_model
from benchmarks.chart.command import main
from benchmarks.servers.model import ModelServer
from clinfo.patients.records import Note, Record
from tests.pipelines.chart.records import lexicon


def record(patient: str, *texts: str) -> Record:
    numbered = enumerate(texts)
    return Record(patient, tuple(Note(f"{patient}{n}", patient, text) for n, text in numbered))


def question(patient: str, term: str, gold: str) -> data.Question:
    text = f"When was {term} diagnosed?"
    return data.Question(f"{patient} {term}", patient, "diagnosed", text, frozenset({gold}), term)


def test_noise_goes_into_notes_that_do_not_answer_and_is_the_same_twice() -> None:
    known = {"p": record("p", "Presenting with gout.", "Well.", "Well again.")}
    asked = [question("p", "gout", "p0")]
    rows = [{"template": "Denies {TERM}.", "takes": "condition", "assertion": "negated"}]
    first, second = (data.noised(known, asked, rows)["p"].notes for _ in range(2))
    assert [note.text for note in first] == [
        "Presenting with gout.",
        "Well.\nDenies gout.\n",
        "Well again.\nDenies gout.\n",
    ]
    assert first == second


def test_absent_facts_stand_in_no_note_of_the_patient_under_any_name() -> None:
    known = {
        "a": record("a", "Presenting with hypertension."),
        "b": record("b", "Presenting with high blood pressure.", "Presenting with gout."),
    }
    asked = [
        question("a", "hypertension", "a0"),
        question("b", "high blood pressure", "b0"),
        question("b", "gout", "b1"),
    ]
    pairs = measures.absent_pairs(asked, known, lexicon())
    assert [(patient, one.term) for patient, one in pairs] == [("a", "gout")]


def test_recall_counts_gold_among_the_first_over_what_could_be() -> None:
    gold = frozenset({"a", "b"})
    assert measures.recall(["a", "c", "b"], gold, 1) == 1.0
    assert measures.recall(["c", "a", "b"], gold, 1) == 0.0
    assert measures.recall(["c", "a", "d", "b"], gold, 3) == 0.5


def test_answers_of_a_model_are_recorded_and_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"a": record("a", "Presenting with gout."), "b": record("b", "Well.")}
    said = {"claims": [{"text": "Gout.", "note": 1, "quotation": "Presenting with gout"}]}
    quotes = [{"article": 1, "words": "Presenting with gout"}]
    judged = {"verdicts": [{"label": "S1", "verdict": "supported", "quotes": quotes}]}

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        here = "Presenting with gout" in prompt
        return json.dumps(judged if "S1:" in prompt else said if here else {"claims": []})

    asked, file = question("a", "gout", "a0"), tmp_path / "answers.jsonl"
    with ModelServer(reply=reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("CLINFO_CACHE", "off")
        first, second = (
            with_model.measured([asked], [("b", asked)], known, "openai/scripted", file)
            for _ in range(2)
        )
    assert first == second == {"answered_right": 1.0, "false_evidence": 0.0}
    assert len(server.received) == 3
    assert len(file.read_text().splitlines()) == 2


def test_a_question_whose_gold_is_empty_is_read_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "chart"
    folder.mkdir()
    note = {"encounter": "v", "date": "2020-01-02", "type": "Note", "text": "Presenting with gout."}
    with gzip.open(folder / data.NOTES, "wt", encoding="utf-8") as file:
        file.write(json.dumps({"id": "p", "notes": [note]}) + "\n")
    asked = {"patient": "p", "kind": "diagnosed", "question": "When was gout diagnosed?"}
    rows = [
        {"id": "1", **asked, "gold_encounters": ["v"]},
        {"id": "2", **asked, "gold_encounters": []},
        {"id": "3", **asked, "gold_encounters": None},
    ]
    (folder / "record_questions.json").write_text(json.dumps(rows), encoding="utf-8")
    main(["--data", str(folder), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["n"], told["gold_empty"]) == (1, 2)
