"""The published file itself, where it lies beside this checkout."""

from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from pubmedrs.published import SHA256
from pubmedrs.reading import load
from pubmedrs.records import Dataset
from pubmedrs.subsets import subset
from pubmedrs.writing import write
from tests.pubmedrs.sample import read_published
from tests.shared_data import SHARED, needs_shared

FILE = SHARED / "pubmedrs200" / "PubMedRS-200.csv"
SCORED = SHARED / "pubmedrs200" / "scores__all_2021.first100.csv"
pytestmark = needs_shared


@cache
def published() -> Dataset:
    return load(FILE)


def times(kind: str) -> int:
    return sum(fault.count for fault in published().faults if fault.kind == kind)


def test_every_row_gives_a_review_and_the_bytes_are_the_published_ones() -> None:
    assert (published().rows, len(published().reviews), published().refused) == (209, 209, ())
    assert published().sha256 == SHA256


def test_first_tenth_and_last_record() -> None:
    reviews = published().reviews
    assert [reviews[place].pmid for place in (0, 9, -1)] == ["34158009", "28951409", "31752659"]
    assert reviews[0].published == date(2021, 11, 1)
    assert reviews[0].specialty == "allergy and immunology"


def test_the_repaired_text_holds_no_trace_of_the_faults() -> None:
    for review in published().reviews:
        for text in (
            review.title,
            review.question,
            review.answer,
            review.abstract,
            review.context,
            review.methods,
        ):
            assert not any(0x80 <= ord(character) < 0xA0 for character in text)
            assert "Â" not in text
            assert "<sup>" not in text
            assert text == text.strip()
            assert "\r" not in text


@pytest.mark.parametrize("name", ["set.jsonl", "set.csv"])
def test_the_repaired_form_comes_back_from_our_own_files(tmp_path: Path, name: str) -> None:
    write(published(), tmp_path / name)
    own = load(tmp_path / name)
    assert own.reviews == published().reviews
    assert own.repairs == ()


def test_the_scored_questions_are_those_of_the_published_scores_in_their_order() -> None:
    chosen = subset(published(), "scored145")
    assert len(chosen.ids) == 145
    assert list(chosen.ids[:100]) == [row["PMID"] for row in read_published(SCORED)]
    first, last = (
        date(2021, 10, 1),
        [review for review in published().reviews if review.pmid in set(chosen.ids)],
    )
    assert Counter(review.published < first for review in last) == {True: 65, False: 80}
