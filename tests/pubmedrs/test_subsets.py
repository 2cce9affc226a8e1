"""Choices of questions."""

from datetime import date
from pathlib import Path

import pytest

from clinfo.errors import UsageError
from pubmedrs.records import Dataset, Review
from pubmedrs.subsets import subset

DATASET = Dataset(
    tuple(Review(pmid, "T", "Q?", "A.", date(2020, 1, 1)) for pmid in ("30", "4", "2")), (), (), ""
)


def test_a_file_of_pmids(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("\ufeff# two of them\n2\nPMID: 30  # the first\n\n", encoding="utf-8")
    chosen = subset(DATASET, str(path))
    assert (chosen.name, chosen.ids) == ("mine", ("30", "2"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("2\nabc\n", "mine.txt: line 2 is not a PMID: 'abc'"),
        ("2\n2\n", "mine.txt: line 2 repeats the PMID 2"),
        ("# nothing\n", "mine.txt contains no PMID"),
        ("2\n55\n66\n", "subset mine: the data set lacks 2 of its 3 questions: 55, 66"),
    ],
)
def test_files_of_pmids_that_cannot_be_used(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "mine.txt").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=words):
        subset(DATASET, str(tmp_path / "mine.txt"))


def test_a_data_set_that_lacks_scored_questions_is_told() -> None:
    with pytest.raises(UsageError, match=r"scored145: .*145.*34158009"):
        subset(DATASET, "scored145")
