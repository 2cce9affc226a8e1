"""The measures of the cohort benchmark; on the shared records where they are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.cohort.command import inconsistent, measured, measures
from benchmarks.cohort.consistency import violations
from benchmarks.cohort.systems import Asked
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.store import build, opened
from clinfo.terms.naming import known
from tests.pipelines.cohort.notes import RECORDS
from tests.shared_data import SHARED, needs_shared


def test_measures_count_every_query() -> None:
    queries = [
        {"id": "a", "kind": "single", "gold": ["1", "2"]},
        {"id": "b", "kind": "paraphrase", "gold": ["1", "2"], "same_as": "a"},
        {"id": "c", "kind": "zero", "gold": []},
    ]
    told = measures(queries, {"a": {"1", "2"}, "b": {"1", "3"}, "c": {"9"}})
    assert told["macro_f1"] == pytest.approx(0.75)
    assert told["paraphrase_f1"] == pytest.approx(0.5)
    assert told["hallucination_ratio"] == pytest.approx(0.25)
    assert told["zero_result_false_positives"] == 1
    assert told["inconsistent_pairs"] == 1


def test_each_relation_is_checked_its_own_way() -> None:
    queries: list[dict[str, Any]] = [
        {"id": "x", "child_of": "y"},
        {"id": "y", "superset_of": ["x"]},
        {"id": "z", "same_as": "y"},
    ]
    assert inconsistent(queries, {"x": {"1"}, "y": {"1", "2"}, "z": {"2", "1"}}) == 0
    assert inconsistent(queries, {"x": {"3"}, "y": {"1", "2"}, "z": {"1"}}) == 3


def test_queries_without_members_alone_are_counted() -> None:
    queries = [{"id": "x", "kind": "single", "gold": []}]
    told = measures(queries, {"x": {"1"}})
    assert (told["macro_f1"], told["zero_result_false_positives"]) == (0, 1)


def test_pairs_made_from_mesh_hold(tmp_path: Path) -> None:
    build(RECORDS, tmp_path)
    with opened(tmp_path) as base:
        tried, wrong = violations(Index(base, known()), known(), 400)
    assert (tried, wrong) == (400, [])


@needs_shared
@pytest.mark.slow
def test_the_shared_records_reach_their_bars() -> None:
    done = measured(SHARED / "cohort", Asked())
    counted = done.found.counted
    told = measures(done.queries, done.found.members)
    assert told["macro_f1"] >= 0.93
    assert told["paraphrase_f1"] >= 0.85
    assert told["and_f1"] >= 0.92
    assert told["but_not_f1"] >= 0.95
    assert told["before_f1"] >= 0.90
    assert told["hallucination_ratio"] <= 0.10
    assert (told["zero_result_false_positives"], told["inconsistent_pairs"]) == (0, 0)
    assert counted["generated_violations"] == 0
