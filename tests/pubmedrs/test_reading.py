"""Files with one fault each: what is reported, what the repaired form is, and what cannot be
read.
"""

from datetime import date
from pathlib import Path

import pytest

from clinfo.errors import UsageError
from pubmedrs.reading import load
from pubmedrs.records import KINDS, Dataset
from tests.pubmedrs.sample import HEADER, row, written


def loaded(path: Path, *rows: dict[str, str]) -> Dataset:
    return load(written(path / "set.csv", rows))


def kinds(dataset: Dataset) -> list[tuple[str, str, int]]:
    return [(fault.column, fault.kind, fault.count) for fault in dataset.faults]


def test_a_row_without_fault_gives_its_review(tmp_path: Path) -> None:
    dataset = loaded(tmp_path, row())
    assert (dataset.faults, dataset.repairs, dataset.refused) == ((), (), ())
    (review,) = dataset.reviews
    assert (review.pmid, review.published, review.references) == (
        "30000001",
        date(2020, 3, 4),
        ("101", "102"),
    )
    assert review.context == "Tea is drunk. It helped 12 of 20. Tea helps."
    assert review.reference == "It helped 12 of 20. Tea helps."


@pytest.mark.parametrize(
    ("right", "encoding"),
    [("a thin\u2009space, α ≥ 2 ± 1 °C", "latin-1"), ("naïve “quotes” – 5 µg", "cp1252")],
)
def test_mis_decoded_text_is_brought_back(tmp_path: Path, right: str, encoding: str) -> None:
    # Windows-1252 leaves five bytes without a character; programs take Latin-1's for them.
    wrong = "".join(
        bytes([byte]).decode(encoding, "ignore") or chr(byte) for byte in right.encode()
    )
    assert wrong != right
    dataset = loaded(tmp_path, row(Results=wrong))
    assert dataset.reviews[0].results == right
    assert [(one.column, one.before, one.after) for one in dataset.repairs] == [
        ("Results", wrong, right)
    ]
    assert kinds(dataset)[0][:2] == ("Results", "mis-decoded text")


@pytest.mark.parametrize("right", ["café, ±2 °C, ½ of Übung", "é", "Ménière’s 5 × 10", "naïve"])
def test_correct_text_outside_ascii_is_left_alone(tmp_path: Path, right: str) -> None:
    dataset = loaded(tmp_path, row(Results=right))
    assert (dataset.reviews[0].results, dataset.faults) == (right, ())


def test_references_lose_repeats_what_is_no_pmid_and_the_review_itself_one_after_the_other(
    tmp_path: Path,
) -> None:
    cell = "['5', '0', '7', '5', '30000001', '0', '5', 'abc']"
    dataset = loaded(tmp_path, row(Ref_PMIDs=cell, Ref_DOIs="['10.1000/A', '10.1000/a']"))
    assert dataset.reviews[0].references == ("5", "7")
    assert dataset.reviews[0].dois == ("10.1000/A",)
    assert kinds(dataset) == [
        ("Ref_DOIs", "DOIs not parallel", 1),
        ("Ref_PMIDs", "repeated reference", 3),
        ("Ref_PMIDs", "impossible reference", 2),
        ("Ref_PMIDs", "own PMID", 1),
        ("Ref_DOIs", "repeated DOI", 1),
    ]
    assert [(one.kind, one.after) for one in dataset.repairs if one.column == "Ref_PMIDs"] == [
        ("repeated reference", "['5', '0', '7', '30000001', 'abc']"),
        ("impossible reference", "['5', '7', '30000001']"),
        ("own PMID", "['5', '7']"),
    ]
    assert dataset.repairs[0].before == cell


@pytest.mark.parametrize("cell", ["[]", "['0']", "['30000001']"])
def test_a_review_without_references_stays_and_is_reported(tmp_path: Path, cell: str) -> None:
    dataset = loaded(tmp_path, row(Ref_PMIDs=cell, Ref_DOIs="[]"))
    assert dataset.reviews[0].references == ()
    assert [fault.kind for fault in dataset.faults if KINDS[fault.kind].fate == "left"] == [
        "no references"
    ]


def test_notes(tmp_path: Path) -> None:
    dataset = loaded(
        tmp_path,
        row("31", questions="", HumanQuestions="Does tea cure?"),
        row("32", questions="Does coffee help?", HumanQuestions=""),
        row("33", Ref_PMIDs="['101', '1']"),
    )
    assert [review.question for review in dataset.reviews] == [
        "Does tea cure?",
        "Does coffee help?",
        "Does tea help?",
    ]
    found = {(fault.row, fault.kind) for fault in dataset.faults}
    assert found == {
        (1, "no title question"), (1, "question differs"), (1, "later reference"),
        (2, "question not in title"), (2, "question differs"), (2, "later reference"),
        (3, "later reference"),
    }  # fmt: skip


def test_characters_that_no_repair_explains_are_reported(tmp_path: Path) -> None:
    dataset = loaded(tmp_path, row(Results="It \ufffd helped \x07."))
    assert kinds(dataset) == [("Results", "unreadable character", 2)]
    assert "U+FFFD" in dataset.faults[0].detail
    assert "U+0007" in dataset.faults[0].detail


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ({"PublishedDate": "2/30/2021"}, "impossible date"),
        ({"PublishedDate": "spring"}, "impossible date"),
        ({"PublishedDate": ""}, "impossible date"),
        ({"PMID": "0"}, "impossible PMID"),
        ({"PMID": ""}, "impossible PMID"),
        ({"PMID": "123456789"}, "impossible PMID"),
        ({"Ref_PMIDs": "['1', "}, "unreadable list"),
        ({"Ref_PMIDs": "__import__('os').getpid()"}, "unreadable list"),
        ({"Ref_PMIDs": ""}, "unreadable list"),
        ({"Ref_PMIDs": "'1'"}, "unreadable list"),
        ({"Ref_PMIDs": "[['1']]"}, "unreadable list"),
        ({"Ref_PMIDs": "[" * 5_000}, "unreadable list"),
        ({"Ref_PMIDs": "[" + "'1'," * 300_000 + "]"}, "unreadable list"),
        ({"Ref_DOIs": "[1.5]"}, "unreadable list"),
        ({"questions": " ", "HumanQuestions": "\n"}, "no question"),
        ({"HumanAnswer": " \r\n"}, "no answer"),
        (dict.fromkeys(HEADER, ""), "blank row"),
    ],
)
def test_rows_that_give_no_review_are_refused_by_name(
    tmp_path: Path, cells: dict[str, str], kind: str
) -> None:
    dataset = loaded(tmp_path, row("41"), row("42") | cells, row("43"))
    assert [review.pmid for review in dataset.reviews] == ["41", "43"]
    assert [(fault.row, fault.kind) for fault in dataset.refused] == [(2, kind)]
    assert set(dataset.refused) <= set(dataset.faults)
    assert KINDS[kind].fate == "refused"
    assert dataset.rows == 3


HEAD = ",".join(HEADER).encode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "set.csv is empty"),
        (HEAD + b"\n", "set.csv holds no rows"),
        (
            b"%PDF-1.4 hello\nworld\n",
            "set.csv is not a PubMedRS file: it lacks the columns specialty, SubTopic",
        ),
        (HEAD[len(b"specialty,") :] + b"\nx\n", "it lacks the columns specialty "),
        (HEAD + b",PMID\n", "set.csv has columns twice: PMID"),
        (
            HEAD + b'\n"never closed\nx,y\n',
            "set.csv is not a CSV file, or is cut off: unexpected end of data",
        ),
        (
            HEAD + b"\nSj\xf6gren,\n",
            f"set.csv is not UTF-8: byte 0xf6 at position {len(HEAD) + 3} (line 2)",
        ),
        (
            b"\xef\xbb\xbf" + HEAD + b"\n\xf6,\n",
            f"set.csv is not UTF-8: byte 0xf6 at position {len(HEAD) + 4} (line 2)",
        ),
        (b"\xff\xfes\x00", "set.csv is in UTF-16, not UTF-8"),
        (
            b'{"schema": 1',
            "set.csv is not a data set: no line of it is a review (row 1: Expecting ',' delimiter",
        ),
        (b'{\n  "schema": 1\n}\n', "set.csv is not a data set: no line of it is a review"),
    ],
)
def test_files_that_cannot_be_read_say_why_in_a_line(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "set.csv"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
