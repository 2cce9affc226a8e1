"""CSV as it is read everywhere: long cells, and a limit that is Python's own again afterwards."""

import pytest

from clinfo.errors import UsageError
from pubmedrs.csv_file import LONGEST_FIELD, read_table

LONG = "x" * 200_000  # longer than Python reads by default


def test_long_cells_are_read() -> None:
    assert read_table(f"a,b\n{LONG},1\n", "x.csv").rows == ((LONG, "1"),)


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
