"""The measures of the copilot's silos; on the shared data where it is there."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchmarks.copilot import measures
from benchmarks.copilot.command import measured
from clinfo.retrieval.silos import SiloDocument
from tests.shared_data import SHARED, needs_shared

NO_FILES = {"wordings": None, "unanswerable": None, "router": None}


def test_recall_counts_gold_among_the_first() -> None:
    rows = [
        {"question": "a", "gold": [1, 2]},
        {"question": "b", "gold": ["x"]},
        {"question": "c", "gold": ["y"]},
    ]
    found = {"a": ["1", "9"], "b": ["x~2"], "c": ["z", "y"]}
    assert measures.recall(rows, "gold", found.__getitem__) == pytest.approx(2.5 / 3)
    assert measures.recall(rows, "gold", found.__getitem__, 1) == pytest.approx(2 / 3)


@pytest.mark.parametrize("empty", [{"gold": []}, {"gold": None}, {}])
def test_a_question_whose_gold_is_empty_has_no_share(empty: dict[str, object]) -> None:
    rows: list[dict[str, Any]] = [{"question": "a", "gold": ["1"]}, {"question": "a", **empty}]
    found = {"a": ["1", "9"]}
    assert measures.recall(rows, "gold", found.__getitem__) == 1
    assert measures.recall(rows[1:], "gold", found.__getitem__) == 0

    class Tool:
        def answer(self, question: str) -> SimpleNamespace:
            return SimpleNamespace(drugs=(), evidence=())

    bare = {f"gold_{kind}": empty.get("gold") for kind in ("drugs", "evidence_ids")}
    told = measures.drug_sets(cast(Any, Tool()), [{"question": "a", **bare}])
    assert set(told.values()) == {1.0}


def test_what_is_of_another_silo_is_counted() -> None:
    rows = [{"question": "a"}, {"question": "b"}]
    found = {"a": ["civic/1", "cancergov/1"], "b": ["civic/2", "civic/3"]}
    assert measures.foreign(rows, "civic", found.__getitem__) == pytest.approx(0.25)


def test_bm25_searches_one_text_a_document() -> None:
    documents = [SiloDocument("s", id, "", text, {}, {}) for id, text in (("1", "a"), ("2", "b"))]
    search = measures.bm25(documents, ["melanoma drug", "glioma"])
    assert search("gliomas") == ["s/2"]
    assert measures.of_silo(search)("gliomas") == ["2"]


def test_the_router_is_measured_by_silo() -> None:
    share, by_silo = measures.routed([("Side effects of cisplatin", "drugs"), ("Hello", "trials")])
    assert share == 0.5
    assert by_silo == {"drugs": 1.0, "trials": 0.0}


@needs_shared
@pytest.mark.slow
def test_the_shared_questions_reach_their_bars(tmp_path: Path) -> None:
    told = measured(SHARED / "copilot", tmp_path, NO_FILES, None)
    assert told["n"] == 657
    assert told["evidence_recall_at_10"] >= 0.95
    assert told["drug_set_f1"] == 1.0
    assert told["foreign_share"] == 0
    assert told["answer_recall_at_10"] >= 0.85
    assert told["router_accuracy"] >= 0.9
