"""Multiple choice and open questions over four systems, with a scripted model over real HTTP."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.copilot import command, multiple_choice, open_questions
from benchmarks.copilot.multiple_choice import NONE, Asked, letter_of
from benchmarks.copilot.rivals import Found, Told
from benchmarks.servers.model import ModelServer
from tests.pipelines.copilot.silos import call, calling, claims, scripted

OPTIONS = {"A": "Vemurafenib", "B": "Aspirin", "C": "No drug", "D": "Drug"}
ROWS = [
    {"id": str(n), "question": f"Which drug for {what}?", "options": OPTIONS, "answer": answer}
    for n, (what, answer) in enumerate((("BRAF V600E melanoma", "A"), ("a headache", "B")))
]
STATEMENT = "Patients with BRAF V600E melanoma respond to vemurafenib."
PAGE = "Melanoma is a cancer of the skin. Signs are changes of a mole."


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ('{"answer": "B"}', "B"),
        ('{"answer": "none"}', NONE),
        ('{"answer": ["A", "B"]}', NONE),
        ('{"answer": null}', NONE),
        ("The answer is A.", NONE),
        ('{"answer": "E"}', NONE),
        ('Well: {"answer": "b"} I think', "B"),
        ("\x00" * 40 + "[" * 5_000, NONE),
    ],
)
def test_a_reply_is_reduced_to_one_letter_or_none(reply: str, letter: str) -> None:
    assert letter_of(reply, OPTIONS) == letter


def asking(data: Path, systems: str = "plain,mixed,silos,agent") -> list[str]:
    """The questions of both benchmarks."""
    return ["--model", "openai/scripted", "--data", str(data), "--systems", systems]


def told(text: str = "") -> Told:
    return Told(text, Found())


def row(id: str, chosen: str, gold: str, order: int = 0) -> Asked:
    return Asked(id, "plain", order, 0, chosen, chosen, gold, told())


def test_measures_of_letters() -> None:
    found = multiple_choice.measures(
        [row("1", "A", "A"), row("2", "A", "B"), row("3", NONE, "B"), row("4", "B", "B")]
    )
    assert found["accuracy"] == 0.5
    assert found["none"] == 0.25
    assert found["reduced"] == 1.0
    assert found["precision"] == pytest.approx((1 / 2 + 1) / 2)
    assert found["recall"] == pytest.approx((1 + 1 / 3) / 2)
    assert found["f1"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert 0.0 <= found["low"] < 0.5 < found["high"] <= 1.0


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Silos and questions in the form of the shared ones."""
    import gzip

    civic = [
        {
            "evidence_id": "1", "gene": "BRAF", "variant": "V600E", "disease": "Melanoma",
            "drugs": "Vemurafenib", "evidence_type": "Predictive", "evidence_level": "A",
            "evidence_direction": "Supports", "clinical_significance": "Sensitivity/Response",
            "evidence_statement": STATEMENT,
        }
    ]  # fmt: skip
    pages = [{"id": "p1", "title": "Melanoma", "text": PAGE, "answer": PAGE, "question": "?"}]
    for name, rows in (("civic", civic), ("cancergov", pages)):
        text = "".join(json.dumps(one) + "\n" for one in rows)
        (tmp_path / f"silo_{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "mcq_oncology.json").write_text(json.dumps(ROWS))
    asked = [{"id": "q", "question": "What are the signs of melanoma?", "gold": PAGE}]
    (tmp_path / "cancergov_questions.json").write_text(json.dumps(asked))
    return tmp_path


def replied(body: dict[str, Any]) -> str | dict[str, Any]:
    """Vemurafenib under its letter where a passage names it; else no letter, but two options."""
    last = body["messages"][-1]["content"] or ""
    if "Choose one option" in last:
        (letter,) = re.findall(r"^([A-D])\. Vemurafenib$", last, re.MULTILINE)
        shown = "respond to vemurafenib" in last and "headache" not in last
        return json.dumps({"answer": letter}) if shown else "Vemurafenib or aspirin."
    if "at most five sentences" in last:
        return "Signs are changes of a mole."
    steps = [calling(call("search", {"silo": "civic", "query": "BRAF V600E melanoma vemurafenib"}))]
    return scripted(steps, claims((STATEMENT, [1])))(body)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer(replied) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        yield server


def test_multiple_choice_by_system(
    data: Path, model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    multiple_choice.main(
        [*asking(data), "--orders", "2", "--json", "--answers", str(data / "answers.jsonl")]
    )
    found = json.loads(capsys.readouterr().out)
    systems = found["systems"]
    assert {name: one["accuracy"] for name, one in systems.items()} == {
        "plain": 0.0,
        "mixed": 0.5,
        "silos": 0.5,
        "agent": 0.5,
    }
    assert all(one["reduced"] == 1.0 for one in systems.values())
    assert systems["plain"]["none"] == 1.0
    assert systems["mixed"]["same_in_all_orders"] == 0.5
    assert systems["agent"]["steps"] == 1.0
    assert systems["agent"]["tokens"] > systems["silos"]["tokens"]
    assert found["commonest_letter"] == 0.5
    lines = [json.loads(line) for line in (data / "answers.jsonl").read_text().splitlines()]
    assert len(lines) == 2 * 2 * 4
    right = [one for one in lines if one["chosen"] == one["gold"]]
    assert {one["letter"] for one in right} == {"A", "D"}


def test_open_questions_by_system(
    data: Path, model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    open_questions.main(
        [*asking(data, "plain,mixed,agent"), "--json", "--cases", str(data / "cases.jsonl")]
    )
    found = json.loads(capsys.readouterr().out)
    assert found["questions"] == 1
    assert {name: one["no_context"] for name, one in found["systems"].items()} == {
        "plain": 1.0, "mixed": 0.0, "agent": 0.0,
    }  # fmt: skip
    lines = [json.loads(line) for line in (data / "cases.jsonl").read_text().splitlines()]
    assert [one["system"] for one in lines] == ["plain", "mixed", "agent"]
    assert lines[1]["gold"] == PAGE
    assert PAGE in " ".join(lines[1]["context"])


def test_the_agent_is_measured_resumed_from_its_record(
    data: Path, model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    drugs = [{"id": "d", "question": "Which drugs for BRAF V600E melanoma?",
              "gold_drugs": ["Vemurafenib"], "gold_evidence_ids": [1]}]  # fmt: skip
    (data / "civic_drug_questions.json").write_text(json.dumps(drugs))
    pages = [{"id": "p", "question": "What are the signs of melanoma?", "gold_ids": ["p1"]}]
    (data / "cancergov_questions.json").write_text(json.dumps(pages))
    record = data / "record.jsonl"
    given = ["--data", str(data), "--model", "openai/scripted", "--record", str(record), "--json"]
    command.main(given)
    found = json.loads(capsys.readouterr().out)
    wanted = {"evidence_recall_at_10": 1.0, "foreign_share": 0.0, "drug_set_f1": 1.0}
    assert {name: found[name] for name in wanted} == wanted
    assert (found["answer_recall_at_10"], found["mcq_accuracy"]) == (0.0, 0.5)
    asked = len(model.received)
    record.write_text("".join(record.read_text().splitlines(keepends=True)[:-1]))
    command.main(given)
    assert json.loads(capsys.readouterr().out) == found
    assert 0 < len(model.received) - asked < asked / 2, "the last question alone is asked again"
