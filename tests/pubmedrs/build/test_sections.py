"""The parts of labelled abstracts."""

from __future__ import annotations

import pytest

from clinfo.records.articles import Section
from pubmedrs.build.screening import parts_of


def test_parts_by_labels() -> None:
    parts = parts_of(
        (
            Section("Why.", "BACKGROUND"),
            Section("To see.", "OBJECTIVES"),
            Section("How.", "DATA SOURCES"),
            Section("What.", "MAIN RESULTS"),
            Section("So.", "AUTHORS' CONCLUSIONS"),
            Section("CRD1.", "PROSPERO REGISTRATION NUMBER"),
        )
    )
    assert (parts.introduction, parts.methods, parts.results, parts.conclusion) == (
        "Why. To see.",
        "How.",
        "What.",
        "So.",
    )
    assert parts.structured


def test_the_category_speaks_where_the_label_says_nothing() -> None:
    parts = parts_of(
        (Section("What.", "WHAT WE LEARNT", "RESULTS"), Section("So.", "LAST WORDS", "CONCLUSIONS"))
    )
    assert (parts.results, parts.conclusion, parts.introduction) == ("What.", "So.", "")


def test_results_and_conclusion_in_one_section_are_results() -> None:
    parts = parts_of(
        (Section("Why.", "BACKGROUND"), Section("What and so.", "RESULTS AND CONCLUSION"))
    )
    assert (parts.results, parts.conclusion, parts.joined) == ("What and so.", "", True)


def test_relevance_is_left_out_beside_a_conclusion_and_stands_for_one_without() -> None:
    relevance = Section("For all.", "CLINICAL RELEVANCE")
    assert (
        parts_of((Section("What.", "RESULTS"), Section("So.", "CONCLUSION"), relevance)).conclusion
        == "So."
    )
    assert parts_of((Section("What.", "RESULTS"), relevance)).conclusion == "For all."


@pytest.mark.parametrize("label", [None, "", "UNLABELLED", "UNASSIGNED", "ABSTRACT"])
def test_a_label_that_is_none_makes_no_structure(label: str | None) -> None:
    assert not parts_of((Section("One.", label), Section("Two.", label))).structured
