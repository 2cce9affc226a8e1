"""The rules held against annotators: a small file made by hand, and the published one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.own.pubmedrs_rules import Decision, decisions, measure, page, read
from clinfo.errors import UsageError
from tests.shared_data import SHARED, needs_shared

ROW = {
    "PMID": "1",
    "Title": "Does zinc help against acne? A review",
    "questions": "Does zinc help  against acne?",
    "Results": (
        "Nine studies were included. Zinc <b>reduced</b> lesions by half in adults. Nausea was "
        "common in every group. "
        "It was worse at night."
    ),
    "Conclusion": "This review found that zinc reduces acne lesions in adults and children.",
    "HumanAnswer": (
        "zinc reduced lesions by half in adults\n\nzinc reduces acne lesions in adults and "
        "children."
    ),
}


def test_decisions_beside_the_annotators() -> None:
    assert decisions(ROW) == [
        Decision("results", "studies included", False, finding=False),
        Decision("results", "", True, finding=True),
        Decision("results", "", False, finding=False),
        Decision("results", "", False, finding=True),
        Decision("conclusion", "", True, finding=True),
    ]


def test_counts_and_page() -> None:
    measured = measure([ROW, {**ROW, "HumanAnswer": ""}, {**ROW, "questions": "Is zinc good?"}])
    first, second = measured.halves.values()
    assert (
        first.records,
        first.n,
        first.dropped,
        first.dropped_right,
        first.kept,
        first.kept_right,
    ) == (2, 10, 2, 2, 8, 4)
    assert (first.by_annotators, first.missed, first.findings_missed) == (6, 4, 2)
    assert (second.records, second.n) == (0, 0)
    assert (measured.questions, measured.exact) == (3, 2)
    assert "1.000 (2 of 2) | 0.333 (2 of 6) | 0.500 (4 of 8) | 1.000 (4 of 4)" in page(measured)
    assert "made on them): 0.500 (2 of 4)" in page(measured)
    assert "0.667 (2 of 3) of the file's questions" in page(measured)


def test_another_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match=r"other\.csv is not the published"):
        read(path)
    with pytest.raises(UsageError, match=r"missing\.csv"):
        read(tmp_path / "missing.csv")


@needs_shared
def test_on_the_published_file_what_the_rules_drop_the_annotators_mostly_dropped() -> None:
    measured = measure(read(SHARED / "pubmedrs200" / "PubMedRS-200.csv"))
    for agreement in measured.halves.values():
        assert agreement.n > 600
        assert agreement.dropped_right / agreement.dropped > 0.85
        # Dropping by chance would be right only this often.
        assert (
            agreement.dropped_right / agreement.dropped
            > 1.5 * agreement.by_annotators / agreement.n
        )
        assert agreement.kept_right / (agreement.n - agreement.by_annotators) > 0.9
