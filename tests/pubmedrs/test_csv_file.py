"""CSV as it is read everywhere: long cells, and a limit that is Python's own again afterwards."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.published.files import read_head
from clinfo.errors import UsageError
from pubmedrs.csv_file import LONGEST_FIELD, read_table

LONG = "x" * 200_000  # longer than Python reads by default


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    before = csv.field_size_limit()
    yield
    assert csv.field_size_limit() == before


def test_long_cells_are_read_whatever_the_limit_of_the_process(tmp_path: Path) -> None:
    before = csv.field_size_limit(1_000)
    try:
        assert read_table(f"a,b\n{LONG},1\n", "x.csv").rows == ((LONG, "1"),)
        (tmp_path / "x.csv").write_text(f"a,b\n{LONG},1\n2,3\n")
        assert read_head(tmp_path / "x.csv", 2) == [["a", "b"], [LONG, "1"]]
        with pytest.raises(UsageError):
            read_table('a\n"', "x.csv")
        assert csv.field_size_limit() == 1_000
    finally:
        csv.field_size_limit(before)


def test_threads_do_not_take_the_limit_from_each_other() -> None:
    text = "a\n" + f"{LONG}\n" * 20
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda number: read_table(text, str(number)), range(40)))
    assert all(len(table.rows) == 20 for table in tables)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "x.csv is empty"),
        ("\n\n", "x.csv is empty"),
        ('"a', "x.csv is not a CSV file, or is cut off: unexpected end of data (line 1)"),
        (
            'a,b\n1,2\n3,"4\n5',
            "x.csv is not a CSV file, or is cut off: unexpected end of data (record 2, line 4)",
        ),
        (
            'a\n"1"2\n',
            "x.csv is not a CSV file, or is cut off: ',' expected after '\"' (record 1, line 2)",
        ),
        (
            f"a\n1\n{'x' * (LONGEST_FIELD + 1)}\n",
            (
                "x.csv is not a CSV file, or is cut off: field larger than field limit (10000000) "
                "(record 2, line 3)"
            ),
        ),
    ],
)
def test_what_is_no_csv_is_named_by_record_and_line(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        read_table(text, "x.csv")
    assert str(error.value) == said


def test_the_head_of_anything(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for content, head in (
        (b"", []),
        (b"\xef\xbb\xbfModel,one\n", [["Model", "one"]]),
        (b"a\n\xff\n", [["a"], ["\N{REPLACEMENT CHARACTER}"]]),
        (b"a\n" + b"x" * (LONGEST_FIELD + 1), [["a"]]),
    ):
        path.write_bytes(content)
        assert read_head(path, 2) == head
    with pytest.raises(UsageError, match="cannot be opened"):
        read_head(tmp_path / "none.csv", 1)
