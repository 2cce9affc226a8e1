"""Our own files give back what was written into them."""

import csv
import io
from datetime import date
from pathlib import Path

import pytest

from clinfo.errors import UsageError
from pubmedrs.reading import load
from pubmedrs.records import Review
from pubmedrs.writing import write

REVIEW = Review(
    pmid="30000001",
    title="=1+1 Title?",
    question="Does – “tea” help?",
    answer="-5% of 20.\nTea helps.",
    published=date(2020, 3, 4),
    specialty="dermatology",
    title_question="+Does?",
    abstract="@BACKGROUND:\nText.",
    results="'=quoted",
    references=("7", "5"),
    dois=("10.1000/ü",),
    entered=date(2020, 3, 1),
)


@pytest.mark.parametrize("name", ["set.jsonl", "set.csv"])
def test_what_was_written_is_read_back(tmp_path: Path, name: str) -> None:
    write([REVIEW], tmp_path / name)
    assert load(tmp_path / name).reviews == (REVIEW,)
    assert load(tmp_path / name).repairs == ()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_no_cell_of_the_csv_begins_as_a_formula(tmp_path: Path) -> None:
    write([REVIEW], tmp_path / "set.csv")
    rows = list(
        csv.reader(io.StringIO((tmp_path / "set.csv").read_text(encoding="utf-8"), newline=""))
    )
    assert not [
        cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("not JSON", "Expecting value"),
        ("[1]", "schema 1"),
        ('{"schema": 2}', "schema 1"),
        ('{"schema": 1, "pmid": "1"}', "missing required field `title`"),
        (
            (
                '{"schema": 1, "pmid": 1, "title": "", "question": "", "answer": "", "published": '
                '"2020-01-01"}'
            ),
            "pmid",
        ),
        (
            (
                '{"schema": 1, "pmid": "1", "title": "", "question": "", "answer": "", '
                '"published": "soon"}'
            ),
            "published",
        ),
    ],
)
def test_a_line_that_is_no_review_is_refused_by_row(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "set.jsonl"
    write([REVIEW], path)
    path.write_text(path.read_text(encoding="utf-8") + "\n" + line + "\n", encoding="utf-8")
    dataset = load(path)
    assert dataset.reviews == (REVIEW,)
    assert [(fault.row, fault.kind) for fault in dataset.refused] == [(2, "unreadable row")]
    assert words in dataset.refused[0].detail


def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must end in \.jsonl or \.csv"):
        write([REVIEW], tmp_path / "set.xlsx")
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        write([REVIEW], tmp_path / "none" / "set.csv")
