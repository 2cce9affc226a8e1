"""The measures of the copilot's silos; on the shared data where it is there."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.copilot import measures
from benchmarks.copilot.command import measured
from tests.shared_data import SHARED, needs_shared


def test_recall_counts_gold_among_the_first() -> None:
    rows: list[dict[str, Any]] = [
        {"question": "a", "gold": [1, 2]},
        {"question": "b", "gold": ["x"]},
        {"question": "c", "gold": ["y"]},
    ]
    found = {"a": ["1", "9"], "b": ["x~2"], "c": ["z", "y"]}
    assert measures.recall(rows, "gold", found.__getitem__) == pytest.approx(2.5 / 3)
    assert measures.recall(rows, "gold", found.__getitem__, 1) == pytest.approx(2 / 3)


@pytest.mark.parametrize("empty", [{"gold": []}, {"gold": None}, {}])
def test_a_question_whose_gold_is_empty_has_no_share(empty: dict[str, Any]) -> None:
    rows: list[dict[str, Any]] = [{"question": "a", "gold": ["1"]}, {"question": "a", **empty}]
    found = {"a": ["1", "9"]}
    assert measures.recall(rows, "gold", found.__getitem__) == 1
    assert measures.recall(rows[1:], "gold", found.__getitem__) == 0
    assert measures.f1(empty.get("gold") or (), ()) == 1


@needs_shared
@pytest.mark.slow
def test_the_shared_questions_reach_their_bars(tmp_path: Path) -> None:
    told = measured(SHARED / "copilot", tmp_path, None)
    assert told["n"] == 657
    assert told["evidence_recall_at_10"] >= 0.99
    assert told["evidence_recall_words"] >= 0.92
    assert told["drug_set_f1"] == 1.0
    assert told["foreign_share"] == 0
    assert told["answer_recall_at_10"] >= 0.95
