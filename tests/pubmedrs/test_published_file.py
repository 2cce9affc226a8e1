"""The published file itself, where it lies beside this checkout."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.published.reading import paragraphs, published_reference
from pubmedrs.figures import figures
from pubmedrs.published import SHA256
from pubmedrs.reading import load
from pubmedrs.records import KINDS, Dataset
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


def rows_with(kind: str, column: str) -> int:
    return len(
        {fault.row for fault in published().faults if (fault.kind, fault.column) == (kind, column)}
    )


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


def test_faults_are_those_that_were_counted_by_hand() -> None:
    """The counts are those of the shared folder's README, section pubmedrs200."""
    columns = (
        "Abstract",
        "Results",
        "Methods",
        "HumanAnswer",
        "Conclusion",
        "Introduction",
        "Title",
        "questions",
        "HumanQuestions",
        "Ref_DOIs",
    )
    found = [rows_with("mis-decoded text", column) for column in columns]
    assert found == [112, 93, 35, 20, 13, 11, 2, 2, 1, 1]
    assert (
        len({fault.row for fault in published().faults if fault.kind == "mis-decoded text"}) == 113
    )
    assert (rows_with("repeated reference", "Ref_PMIDs"), times("repeated reference")) == (158, 720)
    assert rows_with("question differs", "HumanQuestions") == 40
    assert times("unnamed column") == 20
    assert 209 - rows_with("DOIs not parallel", "Ref_DOIs") == 11
    by_kind: dict[str, list[str]] = {}
    for fault in published().faults:
        by_kind.setdefault(fault.kind, []).append(fault.pmid)
    assert sorted(by_kind["no references"]) == sorted(
        ["34553328", "36469131", "35962043", "35907024"]
    )
    assert sorted(by_kind["impossible reference"]) == sorted(
        ["25875812", "35274738", "34983755", "26470028", "29129318"]
    )
    assert len(by_kind["own PMID"]) == 1
    assert by_kind["no title question"] == ["30247228"]
    assert {
        fault.detail for fault in published().faults if fault.kind == "impossible reference"
    } == {"0"}
    assert set(by_kind) <= set(KINDS)


def test_nothing_but_those_repairs_was_made_to_the_references() -> None:
    rows = read_published(FILE)
    assert sum(row["Ref_PMIDs"].count("'") // 2 for row in rows) == 10_133
    # 10,133 ids less 720 repeats, five times 0 and one own PMID
    assert sum(len(review.references) for review in published().reviews) == 10_133 - 720 - 5 - 1


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


def test_the_scored_file_loads_as_a_data_set_too() -> None:
    dataset = load(SCORED)
    assert len(dataset.reviews) == 100
    reviews = {review.pmid: review for review in published().reviews}
    assert all(review == reviews[review.pmid] for review in dataset.reviews)


def test_the_reference_of_the_scores_holds_the_paragraphs_backwards() -> None:
    answers = [row["HumanAnswer"] for row in read_published(FILE)]
    several = [answer for answer in answers if len(paragraphs(answer)) > 1]
    assert len(several) > 100
    for answer in several:
        reference = published_reference(answer)
        places = [reference.index(part) for part in reversed(paragraphs(answer))]
        assert places == sorted(places)
        assert "".join(reference.split()) == "".join("".join(reversed(paragraphs(answer))).split())


def test_figures_of_the_whole() -> None:
    told = json.loads(json.dumps(figures(published())))
    assert (told["reviews"], told["published"]["first"], told["published"]["last"]) == (
        209,
        "2004-08-03",
        "2023-07-06",
    )
    assert (len(told["specialties"]), told["specialties"]["gastroenterology"]) == (10, 49)
    assert [(one["name"], one["n"]) for one in told["subsets"]] == [
        ("all", 209),
        ("scored145", 145),
    ]
    assert told["subsets_missing"] == {}


def test_check_as_a_process(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pubmedrs",
        "check",
        str(FILE),
        "--json",
        "--repairs",
        str(tmp_path / "r.csv"),
    ]
    ran = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=True
    )
    told = json.loads(ran.stdout)
    assert {one["kind"]: one["rows"] for one in told["kinds"]}["mis-decoded text"] == 113
    assert len(told["faults"]) == len(published().faults)
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == 1 + len(published().repairs)
