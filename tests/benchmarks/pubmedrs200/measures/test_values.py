"""Retrieval against a list of references, and the reading grade of a text."""

from __future__ import annotations

from datetime import date

import pytest

from benchmarks.pubmedrs200.measures.readability import reading_grade
from benchmarks.pubmedrs200.measures.retrieval import retrieval
from benchmarks.pubmedrs200.running.records import Cell, Record
from pubmedrs.records import Review

REVIEW = Review(
    "100", "Title", "Question?", "Answer.", date(2020, 1, 1), references=("1", "2", "3", "4")
)


def record(regime: str = "unrestricted", **fields: object) -> Record:
    return Record(Cell("s", regime, 1, "100"), "answered", **fields)


def test_precision_and_recall_are_of_what_was_judged_relevant_and_the_pool_of_all():
    found = dict(
        retrieval(
            record(
                retrieved=("1", "2", "9", "8", "100"),
                relevant=("1", "9", "100"),
                irrelevant=("2", "8"),
            ),
            REVIEW,
        )
    )
    assert found == {
        "retrieval_precision": pytest.approx(1 / 3),
        "retrieval_recall": 0.25,
        "pool_recall": 0.5,
        "source_included": 1.0,
    }


def test_nothing_relevant_counts_as_zero_and_does_not_leave_the_mean():
    assert dict(retrieval(record("restricted", retrieved=("9",), relevant=()), REVIEW)) == {
        "retrieval_precision": 0.0, "retrieval_recall": 0.0, "pool_recall": 0.0,
    }  # fmt: skip


def test_a_review_without_references_has_neither_precision_nor_recall():
    bare = Review("100", "Title", "Question?", "Answer.", date(2020, 1, 1))
    assert dict(retrieval(record(retrieved=("1",), relevant=("1",)), bare)) == {
        "source_included": 0.0
    }


def test_a_system_that_does_not_tell_has_no_values():
    assert list(retrieval(record(), REVIEW)) == []


def test_the_reading_grade_of_a_sentence_counted_by_hand():
    # 6 words, 1 sentence, 7 syllables (the cat sat on the ta-ble): 0.39 × 6 + 11.8 × 7/6 - 15.59
    assert reading_grade("The cat sat on the [1] table [2].") is not None
    assert reading_grade("The cat sat on the table [2].") == pytest.approx(
        0.39 * 6 + 11.8 * 7 / 6 - 15.59
    )
    assert reading_grade("[1] 12.5%") is None


def test_longer_words_and_sentences_read_harder():
    easy = reading_grade("Zinc helps. Colds end soon.")
    hard = reading_grade(
        "Supplementation demonstrably attenuates symptomatology in immunocompromised populations "
        "worldwide."
    )
    assert hard > easy + 10
