"""Our own files give back what was written into them."""

from __future__ import annotations

import csv
import io
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.errors import UsageError
from pubmedrs.reading import load
from pubmedrs.records import KINDS, Review
from pubmedrs.writing import write
from tests.pubmedrs.sample import HEADER, row, written

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


CELL = st.text(
    st.one_of(
        st.sampled_from("<i>/sup Ã©â\x80\x89Â\xa0ab \t\r\n-0"),
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
    )
)


@given(results=CELL, answer=CELL, question=CELL)
def test_the_repaired_form_needs_no_further_repair(
    tmp_path_factory: pytest.TempPathFactory, results: str, answer: str, question: str
) -> None:
    folder = tmp_path_factory.mktemp("sets")
    published = load(
        written(
            folder / "set.csv",
            [row(Results=results, HumanAnswer="x" + answer, HumanQuestions="x" + question)],
        )
    )
    for name in ("own.jsonl", "own.csv"):
        write(published, folder / name)
        own = load(folder / name)
        assert own.reviews == published.reviews
        assert own.repairs == ()
        assert not [fault for fault in own.faults if KINDS[fault.kind].fate == "repaired"]


@given(results=CELL)
def test_the_repairs_of_a_cell_lead_from_the_published_text_to_the_repaired_one(
    tmp_path_factory: pytest.TempPathFactory, results: str
) -> None:
    dataset = load(written(tmp_path_factory.mktemp("sets") / "set.csv", [row(Results=results)]))
    text = results
    for repair in dataset.repairs:
        if repair.column == "Results":
            assert repair.before == text
            text = repair.after
    assert text == dataset.reviews[0].results


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


def test_our_own_csv_has_the_published_columns(tmp_path: Path) -> None:
    write([REVIEW], tmp_path / "set.csv")
    with (tmp_path / "set.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == [*HEADER, "EntryDate"]


def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must end in \.jsonl or \.csv"):
        write([REVIEW], tmp_path / "set.xlsx")
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        write([REVIEW], tmp_path / "none" / "set.csv")
