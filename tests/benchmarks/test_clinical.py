"""The clinical benchmark over real HTTP with a scripted model: measures, and a run that goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.clinical import main, questions
from benchmarks.servers.model import ModelServer
from benchmarks.servers.workload import reply
from tests.shared_data import SHARED, needs_shared


def row(topic: str, decision: str) -> dict[str, Any]:
    return {
        "QUESTION": f"Does {topic} prevent falls?",
        "LABELS": ["METHODS", "RESULTS"],
        "CONTEXTS": [f"We gave {topic} to 90 people.", f"Falls were fewer with {topic} (30 v 41)."],
        "LONG_ANSWER": f"CONCLUSION of {topic}",
        "final_decision": decision,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = {"1": row("vitamin D", "yes"), "2": row("vitamin K", "no"), "3": row("tea", "")}
    (tmp_path / "pubmedqa").mkdir()
    (tmp_path / "pubmedqa" / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    return tmp_path


def said(body: dict[str, Any]) -> str:
    """A model that finds articles on vitamin D relevant and reads them as yes."""
    text = "\n".join(message["content"] for message in body["messages"])
    layout = json.dumps(body.get("response_format"))
    if '"relevant"' not in layout or '"readings"' in layout:
        return reply(body)
    if "Title: " in text and "vitamin D" not in text.split("Title: ", 1)[1]:
        return json.dumps({"relevant": "no", "reason": "another vitamin"})
    quote = "Falls were fewer with vitamin D (30 v 41)."
    found = {"finding": quote, "answer": "yes", "n_randomised": 91, "quotes": [quote]}
    return json.dumps({"relevant": "yes", "result": "found benefit", **found})


def test_questions_go_with_other_articles_and_without_their_conclusion(folder: Path) -> None:
    found = questions(folder)
    assert sorted(one.pmid for one in found) == ["1", "2"]  # one has no label
    for one in found:
        assert one.articles[0].id == one.own
        assert len(one.articles) == 3
        assert all("CONCLUSION" not in each.abstract for each in one.articles)
        assert one.articles[0].abstract.startswith("METHODS: We gave ")


def test_the_measures_are_counted_and_a_second_run_asks_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLINFO_CACHE_DIR", str(folder / "cache"))
    with ModelServer(said) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-scripted")
        command = ["--data", str(folder), "--runs", str(folder / "runs"), "--json"]
        printed = []
        for _ in range(2):
            main([*command, "--model", "openai/scripted"])
            printed.append(json.loads(capsys.readouterr().out))
            asked = len(server.received)
            monkeypatch.setenv("CLINFO_CACHE_DIR", str(folder / "another"))
        assert len(server.received) == asked
    first, second = printed
    assert first == second
    assert (first["n"], first["asked"], first["yes"], first["no"]) == (2, 2, 1, 1)
    # vitamin D: read as yes; vitamin K: its own article was not taken as relevant, vitamin D's was
    assert (first["answer_accuracy"], first["own_relevant"]) == (0.5, 0.5)
    assert first["answer_macro_f1"] == pytest.approx(1 / 3, abs=1e-4)
    assert first["other_relevant"] == 0.25
    assert first["emptied"] == 1  # 91 people stand nowhere
    assert first["input_tokens"] > 0


def test_a_folder_without_questions_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--data", str(tmp_path)])
    assert ended.value.code == 2
    assert "CLINFO_BENCH_DATA" in capsys.readouterr().err


@needs_shared
def test_the_shared_questions_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--data", str(SHARED), "--json"])
    assert json.loads(capsys.readouterr().out) == {"n": 700, "yes": 397, "no": 228, "maybe": 75}
